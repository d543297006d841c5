# SPDX-License-Identifier: MIT
# A formula for Homebrew, of the working tree that it lies in: brew install --HEAD ./packaging/spoor.rb
class Spoor < Formula
  desc "Reads, checks, converts, compares and simulates processor traces"
  license "MIT"
  head "file://#{File.expand_path("..", __dir__)}", using: :git

  depends_on "meson" => :build
  depends_on "ninja" => :build
  depends_on "pkg-config" => :build
  depends_on "scdoc" => :build
  depends_on "capstone"
  depends_on "isa-l"
  depends_on "jansson"
  depends_on "libmicrohttpd"
  depends_on "lz4"
  depends_on "ncurses"
  depends_on "pcre2"
  depends_on "sqlite"
  depends_on "xxhash"
  depends_on "xz"
  depends_on "zstd"

  uses_from_macos "bzip2"
  uses_from_macos "libedit"
  uses_from_macos "zlib"

  on_linux do
    depends_on "elfutils"
  end

  def install
    system "meson", "setup", "build", "-Dpython=disabled", "-Dtests=false", *std_meson_args
    system "meson", "compile", "-C", "build"
    system "meson", "install", "-C", "build"
  end

  test do
    (testpath/"t.din").write "0 1000\n1 1004\n"
    assert_match "records", shell_output("#{bin}/spoor info -f din #{testpath}/t.din")
  end
end
