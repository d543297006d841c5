# SPDX-License-Identifier: MIT
"""What the build makes for tests beside the program."""
import os
from pathlib import Path


def fold_plugin(spoor):
    """The words that load the example fold, examples/plugins/strides.c."""
    return f"--plugin {Path(os.path.abspath(spoor)).parents[2]}/examples/strides.so"
