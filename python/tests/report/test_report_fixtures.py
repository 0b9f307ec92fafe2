"""The schema file is current, and every shared fixture is a report."""

import json
import subprocess
import sys

import jsonschema
import msgspec
import pytest
from report_samples import FILES, NAMES, sample

from kernelgate.report.bundle import bundle
from kernelgate.report.schema import SCHEMA_FILE
from kernelgate.report.types import REPORT_MIME, Report


def test_schema_file_is_current():
    command = [sys.executable, "-m", "kernelgate.report.schema", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=SCHEMA_FILE.parents[2])
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("file", FILES, ids=NAMES)
def test_every_fixture_follows_the_schema(file):
    data = json.loads(file.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(json.loads(SCHEMA_FILE.read_text())).validate(data)
    assert msgspec.convert(data, Report).run == data["run"]


@pytest.mark.parametrize("name", NAMES)
def test_the_bundle_holds_three_renderings_and_plain_json(name):
    shown = bundle(sample(name))
    assert list(shown) == [REPORT_MIME, "text/html", "text/plain"]
    again = json.loads(json.dumps(shown[REPORT_MIME], allow_nan=False))
    assert msgspec.convert(again, Report) == sample(name)
