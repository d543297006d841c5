# SPDX-License-Identifier: MIT
"""check_docs.py PAGE...: the sessions on pages about the Python module run as they are shown, in
examples/, and the pictures that they save are those of docs/plots/.  Prints TAP."""
import doctest
import os
import shutil
import sys
import tempfile
from pathlib import Path

if sys.version_info < (3, 11):
    print("1..0 # SKIP the module needs Python 3.11")
    sys.exit(0)
try:
    import numpy  # noqa: F401
    import pandas  # noqa: F401
except ImportError as error:
    print(f"1..0 # SKIP {error.name} cannot be imported")
    sys.exit(0)

SOURCE = Path(os.environ["SPOOR_SOURCE"])


def pictures_that_differ():
    """The names of pictures, which are taken away, that are not as in docs/plots/."""
    differ = []
    for picture in Path().glob("*.svg"):
        shown = SOURCE / "docs" / "plots" / picture.name
        if not shown.exists() or shown.read_text() != picture.read_text():
            differ.append(picture.name)
        picture.unlink()
    return differ


def main(pages):
    failed = 0
    pages = [Path(page).resolve() for page in pages]
    print(f"1..{len(pages)}")
    folder = tempfile.mkdtemp(prefix="spoor-docs-")
    for trace in (SOURCE / "examples").glob("*.xz"):
        shutil.copy(trace, folder)  # an index is stored beside a trace
    os.chdir(folder)
    for number, page in enumerate(pages, 1):
        text = page.read_text()
        session = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
        runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
        output = []
        runner.run(session, out=output.append)
        differ = pictures_that_differ()
        wrong = runner.failures or differ
        failed += bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {number} - {page.name}: {runner.tries} examples")
        for name in differ:
            print(f"# {name} differs from docs/plots/{name}: scripts/make-plots draws it again")
        if runner.failures:
            print("# " + "".join(output).replace("\n", "\n# "))
    shutil.rmtree(folder, ignore_errors=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
