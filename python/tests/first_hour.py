"""README's commands typed in order by somebody who has the checkout and nothing else: `make first-hour`.

The checkout is what git holds of it, in a folder of its own; so are the environment and the builds. What README
installs comes from the package index, some gigabytes. It needs no package itself, so that any Python can be tried. Not
here: README typed in the environment of the tests, which `cli/test_typed.py` does.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from pages import ROOT, readme_typed


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="kernelgate-") as name:
        folder = Path(name)
        held = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
        subprocess.run(["tar", "-x"], cwd=folder, input=held, check=True)
        # As after `. .venv/bin/activate`; before README makes the environment, `python` is this one.
        paths = [folder / ".venv/bin", Path(sys.executable).parent, os.environ["PATH"]]
        environment = {key: text for key, text in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
        environment |= {"PATH": os.pathsep.join(map(str, paths)), "KERNELGATE_CACHE": str(folder / "builds")}
        found = readme_typed(folder, environment)
        print(f"All {sum(map(len, found.values()))} commands of README ended as it shows.")


if __name__ == "__main__":
    main()
