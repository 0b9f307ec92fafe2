"""`python -m kernelgate.cli`: the `kernelgate` command."""

import sys

from kernelgate.safe_path import elsewhere

sys.path = elsewhere(sys.path)  # `-m` puts the current folder first

from kernelgate.cli.main import main  # noqa: E402

sys.exit(main())
