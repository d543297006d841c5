# SPDX-License-Identifier: MIT
# Every target is one command of meson, ninja or scripts/.
#
#   make            build (installs missing build tools on Debian; see scripts/install-dependencies)
#   make demo       build, then a guided tour through the example traces
#   make test       build, then every test; the last line counts them
#   make bench      measure, compared with limits and other programs (BENCH_SCALE=smoke|0.1|1)
#   make fuzz       fuzz every format (FUZZ_SECONDS=60 a target, FUZZ_ONLY=tarmac)
#   make torture    let calls of every verb fail; half an hour of a processor (see scripts/torture)
#   make lint       the source checks of CI: layout, licences, clang-tidy
#   make format     format the sources
#   make install    PREFIX=/usr/local, DESTDIR=; make uninstall removes it
#   make docs       the documents and manual pages as HTML, in build-docs
#   make deb        Debian packages of the committed tree, in build-deb (see docs/install.md)
#   make clean

BUILD ?= build
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
BENCH_SCALE ?= 1

.PHONY: all demo test bench fuzz torture lint format install uninstall docs deb clean dependencies

all: dependencies
	@scripts/build $(BUILD)

dependencies:
	@scripts/install-dependencies build

demo: all
	@scripts/demo $(BUILD)

test: dependencies
	@scripts/install-dependencies test
	@scripts/build $(BUILD)
	@scripts/test $(BUILD)

bench: all
	@scripts/install-dependencies bench
	@bench/run --build $(BUILD) --scale $(BENCH_SCALE)

fuzz:
	@scripts/install-dependencies build fuzz
	@scripts/fuzz $(FUZZ_SECONDS) $(FUZZ_ONLY)

torture: all
	@scripts/torture $(BUILD)

lint: all
	@scripts/install-dependencies lint
	@scripts/lint $(BUILD)

format:
	@scripts/lint --format

install: all
	@meson configure $(BUILD) -Dprefix=$(PREFIX)
	@DESTDIR=$(DESTDIR) meson install -C $(BUILD) --quiet

uninstall:
	@ninja -C $(BUILD) --quiet uninstall

docs: all
	@scripts/install-dependencies docs
	@scripts/make-manual $(BUILD) build-docs

deb:
	@scripts/make-deb build-deb

clean:
	@rm -rf $(BUILD) build-*
