"""The schema file is current, and every shared fixture is a report."""

import json
import subprocess
import sys

import jsonschema
import msgspec
import pytest
from report_samples import FILES, NAMES, sample

from kernelgate.notebook.display import MODEL_MIME, mime_bundle
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
    shown = mime_bundle(sample(name))
    ended = sample(name).verdict is not None
    assert list(shown) == [REPORT_MIME, "text/html", "text/plain", *([MODEL_MIME] if ended else [])]
    again = json.loads(json.dumps(shown[REPORT_MIME], allow_nan=False))
    assert msgspec.convert(again, Report) == sample(name)


def test_every_number_of_a_report_is_bounded():
    def unbounded(schema, path):
        if not isinstance(schema, dict):
            return []
        found = []
        if schema.get("type") in ("number", "integer"):
            low = schema.get("minimum", schema.get("exclusiveMinimum"))
            if low is None or schema.get("maximum") is None or max(-low, schema["maximum"]) > 1e300:
                found.append(path)
        for name, inner in schema.items():
            for at, one in enumerate(inner if isinstance(inner, list) else [inner]):
                found += unbounded(one, f"{path}/{name}/{at}")
        return found

    assert unbounded(json.loads(SCHEMA_FILE.read_text()), "") == []


@pytest.mark.parametrize("figure", [1e308, -1e308, 5e-324, 2.0**1023, float("inf")])
def test_a_report_with_a_figure_that_no_run_reaches_is_none(figure):
    data = msgspec.to_builtins(sample("benchmark"))
    data["timing"]["speeds"][0]["ratio"] = figure
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(data, Report)
