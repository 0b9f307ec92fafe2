"""The report fixtures that Python and TypeScript share, and ways to change one for a test."""

from pathlib import Path
from typing import Any

import msgspec

from kernelgate.report.types import Report

FIXTURES = Path(__file__).parents[1] / "fixtures" / "reports"
FILES = sorted(FIXTURES.glob("*.json"))
NAMES = [file.stem for file in FILES]

HOSTILE = (
    "</td></pre><script>alert(1)</script><img src=x onerror=a()> & \"q\" 'a' "
    "\x00\x1b[31m\u202e\udcff\nCORRECT  all cases"
)
_OURS = {"run", "state", "verb", "contract", "kind", "outcome", "stage", "language", "lane", "question"}
_OURS |= {"source_sha256", "role", "phase", "cache_state", "verdict", "unit", "parameters", "reached"}
_OURS |= {"space", "access", "bins", "of"}
_LISTS = {"stages", "clocks"}
"""Whose names are ours too."""


def sample(name: str, **changes: Any) -> Report:
    """A fixture, with top-level fields replaced."""
    report = msgspec.json.decode((FIXTURES / f"{name}.json").read_bytes(), type=Report)
    return msgspec.structs.replace(report, **changes)


def hostile(name: str) -> Report:
    """A fixture in which every free text is hostile."""
    return msgspec.convert(_poisoned(msgspec.to_builtins(sample(name))), Report)


def longest(name: str) -> Report:
    """A fixture in which every text is as long as its type allows."""
    (schema,), parts = msgspec.json.schema_components([Report])
    return msgspec.convert(_lengthened(msgspec.to_builtins(sample(name)), schema, parts), Report)


def _lengthened(value: Any, schema: Any, parts: dict[str, Any]) -> Any:
    options = [parts[ref["$ref"].split("/")[-1]] if "$ref" in ref else ref for ref in schema.get("anyOf", [schema])]
    if isinstance(value, dict):
        names = {name: part for option in options for name, part in option.get("properties", {}).items()}
        others = next((option["additionalProperties"] for option in options if option.get("additionalProperties")), {})
        return {k: _lengthened(v, names.get(k, others), parts) for k, v in value.items()}
    if isinstance(value, list):
        items = next((option["items"] for option in options if option.get("items")), {})
        return [_lengthened(item, items, parts) for item in value]
    most = max((option.get("maxLength", 0) for option in options if "enum" not in option), default=0)
    return (value + " longer" * most)[:most] if isinstance(value, str) and value and most else value


def _is_ours(key: str, value: Any, inside: str) -> bool:
    return not isinstance(value, dict) and (key in _OURS or (inside in _LISTS and key == "name"))


def _poisoned(value: Any, key: str = "") -> Any:
    if isinstance(value, dict):
        return {k: v if _is_ours(k, v, key) else _poisoned(v, k) for k, v in value.items()}
    if isinstance(value, list):
        return [_poisoned(item, key) for item in value]
    return HOSTILE if isinstance(value, str) else value
