# SPDX-License-Identifier: MIT
"""The build backend of pyproject.toml (PEP 517, PEP 660): wheels by meson and ninja.

A wheel holds the module with the library linked into it, for the stable ABI of Python 3.11.  Nothing
but the standard library is needed here, so that `pip install .` works without the network.
"""
import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ["__init__.py", "_records.py", "_core.pyi", "py.typed"]
CORE = "_core.abi3.so"


def _version():
    return re.search(r"version: '([^']+)'", (ROOT / "meson.build").read_text()).group(1)


def _tag():
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"cp311-abi3-{platform}"


def _metadata():
    lines = ["Metadata-Version: 2.1", "Name: spoor", f"Version: {_version()}",
             "Summary: Processor traces: read, check, compare, profile and simulate",
             "License: MIT", "Requires-Python: >=3.11", "Provides-Extra: arrays",
             "Requires-Dist: numpy; extra == 'arrays'", "Provides-Extra: tables",
             "Requires-Dist: numpy; extra == 'tables'", "Requires-Dist: pandas; extra == 'tables'",
             "Description-Content-Type: text/markdown", "", (ROOT / "README.md").read_text()]
    return "\n".join(lines).encode()


def _environment():
    """The environment without what pip adds to isolate a build.

    pip's PYTHONPATH hides the packages of the system, and with them those of Debian's meson.
    """
    kept = {name: value for name, value in os.environ.items()
            if name not in ("PYTHONPATH", "PYTHONNOUSERSITE")}
    folders = [folder for folder in os.environ.get("PYTHONPATH", "").split(os.pathsep)
               if folder and "pip-build-env-" not in folder]
    return kept | {"PYTHONPATH": os.pathsep.join(folders)} if folders else kept


def _run(*words):
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, env=_environment())
    if done.returncode:
        sys.stderr.write(done.stdout + done.stderr)
        sys.exit(f"spoor: {' '.join(map(str, words[:2]))} failed: `apt-get install meson ninja-build "
                 "python3-dev` installs what it needs")


def _build(folder):
    """The extension, built in a folder; its path."""
    for tool in ("meson", "ninja"):
        if not shutil.which(tool):
            sys.exit(f"spoor: {tool} is not installed (Debian: meson, ninja-build)")
    _run("meson", "setup", folder, ".", "-Dpython=enabled", "-Dpython_static=true",
         "-Dpage=disabled", "-Dcurses=disabled", "-Dmicrohttpd=disabled",
         "-Dtests=false")
    _run("ninja", "-C", folder, "python/spoor/" + CORE)
    return Path(folder) / "python/spoor" / CORE


def _write(path, files):
    """A wheel of (name, bytes); its RECORD lists them with their hashes."""
    info = f"spoor-{_version()}.dist-info"
    wheel = f"Wheel-Version: 1.0\nGenerator: spoor\nRoot-Is-Purelib: false\nTag: {_tag()}\n"
    files += [(f"{info}/METADATA", _metadata()), (f"{info}/WHEEL", wheel.encode()),
              (f"{info}/LICENSE", (ROOT / "LICENSE").read_bytes())]
    record = ""
    for name, content in files:
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    record += f"{info}/RECORD,,\n"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files + [(f"{info}/RECORD", record.encode())]:
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)


def _name():
    return f"spoor-{_version()}-{_tag()}.whl"


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    folder = Path(metadata_directory) / f"spoor-{_version()}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_bytes(_metadata())
    (folder / "WHEEL").write_text("Wheel-Version: 1.0\nGenerator: spoor\n"
                                  f"Root-Is-Purelib: false\nTag: {_tag()}\n")
    return folder.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with tempfile.TemporaryDirectory() as folder:
        core = _build(folder)
        _run("strip", "--strip-unneeded", core)
        files = [(f"spoor/{name}", (ROOT / "python/spoor" / name).read_bytes()) for name in SOURCES]
        _write(Path(wheel_directory) / _name(), files + [(f"spoor/{CORE}", core.read_bytes())])
    return _name()


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """The module as it is built in build-python, which stays."""
    core = _build(ROOT / "build-python") if not (ROOT / "build-python").exists() else None
    if core is None:
        _run("ninja", "-C", ROOT / "build-python", "python/spoor/" + CORE)
    path = f"{ROOT / 'build-python/python'}\n"
    _write(Path(wheel_directory) / _name(), [("spoor.pth", path.encode())])
    return _name()


def build_sdist(sdist_directory, config_settings=None):
    """The committed tree."""
    base = f"spoor-{_version()}"
    path = Path(sdist_directory) / f"{base}.tar.gz"
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / base
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True)
        for name in filter(None, listed.stdout.decode().split("\0")):
            if (ROOT / name).is_file():
                (tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, tree / name)
        (tree / "PKG-INFO").write_bytes(_metadata())
        with tarfile.open(path, "w:gz") as archive:
            archive.add(tree, base)
    return os.path.basename(path)
