#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that the build backend runs meson outside pip's isolation.

pip puts a folder with a sitecustomize.py on PYTHONPATH that hides the packages of the system, those
of Debian's meson among them.  Other folders of PYTHONPATH stay.
"""
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, os.path.join(os.environ["SPOOR_SOURCE"], "python"))
import backend  # noqa: E402

with tempfile.TemporaryDirectory() as folder:
    isolation = Path(folder) / "pip-build-env-abc" / "site"
    own = Path(folder) / "own"
    isolation.mkdir(parents=True)
    own.mkdir()
    (isolation / "sitecustomize.py").write_text("import os\nos._exit(3)\n")
    os.environ["PYTHONNOUSERSITE"] = "1"
    os.environ["PYTHONPATH"] = f"{isolation}{os.pathsep}{own}"
    backend._run(sys.executable, "-c",
                 f"import os, sys; sys.exit({str(own)!r} not in sys.path or 'PYTHONNOUSERSITE' in os.environ)")
    os.environ["PYTHONPATH"] = str(isolation)
    backend._run(sys.executable, "-c", "import os, sys; sys.exit('PYTHONPATH' in os.environ)")
