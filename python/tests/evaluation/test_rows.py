"""Rows on the disk, in a table and on a page."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest

from kernelgate.evaluation.row import Row
from kernelgate.evaluation.session import ResultsFile, rows_of
from kernelgate.evaluation.table import Pace, as_html, as_page, as_text, line
from kernelgate.messages.job import UsageError
from kernelgate.report import Report

REPORTS = Path(__file__).parents[1] / "fixtures" / "reports"


def row(number: int, name: str, fixture: str = "", error: str = "") -> Row:
    report = None
    if fixture:
        report = msgspec.json.decode((REPORTS / f"{fixture}.json").read_bytes(), type=Report)
    return Row(key=f"{number:032x}", name=name, problem="leakyrelu", report=report, error=error)


def test_rows_come_back_from_the_disk_without_one_that_was_half_written(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    first = ResultsFile(path)
    first.add(row(1, "a.py", error="lost"))
    first.add(row(1, "a.py", "pass"))
    first.close()
    with path.open("ab") as file:
        file.write(b'{"schema":1,"key"')
    again = ResultsFile(path)
    assert [one.outcome for one in again.rows().values()] == ["pass"]
    again.add(row(2, "b.py", "wrong-result"))
    again.close()
    assert [one.name for one in rows_of(path)] == ["a.py", "b.py"]


def test_two_evaluations_do_not_write_one_file(tmp_path: Path) -> None:
    first = ResultsFile(tmp_path / "results.jsonl")
    with pytest.raises(UsageError, match="Another evaluation writes"):
        ResultsFile(tmp_path / "results.jsonl")
    first.close()
    ResultsFile(tmp_path / "results.jsonl").close()


def test_a_file_of_something_else_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("my notes\n")
    with pytest.raises(UsageError, match="has no results of an evaluation in line 1"):
        ResultsFile(path).rows()
    assert path.read_text() == "my notes\n"


def test_the_table_counts_outcomes_and_says_how_far_it_is() -> None:
    rows = [
        row(1, "a.py", "pass"),
        row(2, "b.py", "wrong-result"),
        row(3, "<c>.py", error="No result, tried twice"),
    ]
    pace = Pace(10, 1)
    pace.done = 2
    assert re.search(
        r"^3 of 10, [\d.,]+ a minute, .* left: 1 pass, 1 fail, 1 no result$", as_text(rows, pace), re.M
    )
    assert line(rows[2]).split() == ["no", "result", "<c>.py", "No", "result,", "tried", "twice"]
    assert "&lt;c&gt;.py" in as_html(rows, pace) and "<c>" not in as_html(rows, pace)


def test_a_pass_by_luck_is_another_row_than_that_of_a_right_program() -> None:
    lucky = row(2, "b.py", "fault-beyond")
    rows, pace = [row(1, "a.py", "pass"), lucky], Pace(2, 2)
    says = "correct at this size in emulation; out of bounds at others"
    assert line(lucky).endswith(says)
    assert says in as_html(rows, pace) and says in as_page(rows, pace)
    assert as_text(rows, pace).endswith("2 pass (1 at its size alone)")
    assert b'"strays":true' in msgspec.json.encode(lucky)


class Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.scripts: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.policy = ""
        self._in_script = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.ids += [given["id"] or ""] if "id" in given else []
        self.links += [given["href"] or ""] if "href" in given else []
        self.policy += (
            given.get("content") or "" if given.get("http-equiv") == "Content-Security-Policy" else ""
        )
        assert not any(name.startswith("on") for name in given)
        self._in_script = tag == "script"

    def handle_data(self, data: str) -> None:
        if self._in_script:
            self.scripts.append(data)

    def handle_endtag(self, tag: str) -> None:
        self._in_script = False


def test_the_page_links_each_report_and_its_policy_lets_its_own_script_run_alone() -> None:
    rows = [row(1, "a.py", "pass"), row(2, "<script>alert(1)</script>.py", "wrong-result")]
    page = Page()
    page.feed(as_page(rows, Pace(2, 2)))
    (script,) = page.scripts
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page.policy and "default-src 'none'" in page.policy
    assert page.links == [f"#{one.key}" for one in rows] and page.ids == [one.key for one in rows]
