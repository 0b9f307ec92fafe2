"""`python -m kernelgate.cli`: the `kernelgate` command."""

import sys

from kernelgate.cli.main import main

sys.exit(main())
