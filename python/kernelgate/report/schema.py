"""Writes `report.schema.json` from the types: `python -m kernelgate.report.schema [--check]`.

The TypeScript types are made from that file, and both sides test the same fixtures against it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import msgspec

from kernelgate.report.types import Report

SCHEMA_FILE = Path(__file__).with_name("report.schema.json")


def schema_text() -> str:
    """The JSON schema (draft 2020-12) of a report, as text."""
    schema = msgspec.json.schema(Report)
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "Report"
    return json.dumps(schema, indent=2, sort_keys=True) + "\n"


def main() -> int:
    if "--check" in sys.argv[1:]:
        if SCHEMA_FILE.read_text() == schema_text():
            return 0
        print(f"{SCHEMA_FILE.name} is older than report/types.py: run `make generate`", file=sys.stderr)
        return 1
    SCHEMA_FILE.write_text(schema_text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
