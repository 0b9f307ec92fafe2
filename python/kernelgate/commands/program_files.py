"""The files that a person names: programs to read, pages to write. A refusal says which file, and what is wrong.

A page is written whole or not at all.
"""

from __future__ import annotations

import codecs
import os
from pathlib import Path

from kernelgate.atomic_write import rewrite_whole, write_whole
from kernelgate.messages.job import MAX_SOURCE_BYTES
from kernelgate.report import Report
from kernelgate.report.html import as_document
from kernelgate.run import UsageError


def read_program(path: str, role: str = "program") -> str:
    """The text of a program, or of what else `role` names. Raises UsageError."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_SOURCE_BYTES + 1)
    except FileNotFoundError:
        raise UsageError(f"There is no file {path}", f"Name the file of a {role}") from None
    except IsADirectoryError:
        raise UsageError(f"{path} is a folder", f"Name the file of a {role} in it") from None
    except (OSError, ValueError) as exc:  # a name with a NUL byte is a ValueError
        raise UsageError(f"{path} cannot be read: {_reason(exc)}", "Name a file that can be read") from None
    if len(data) > MAX_SOURCE_BYTES:
        raise UsageError(
            f"{path} is larger than a program may be, {MAX_SOURCE_BYTES:,} bytes",
            "Give the program alone, without data in it",
        )
    if Path(path).suffix == ".ipynb":
        raise UsageError(f"{path} is a notebook", "Verify a cell of it in JupyterLab, or save the cell as a .py file")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        line = data.count(b"\n", 0, exc.start) + 1
        raise UsageError(
            f"{path} is not UTF-8 text: byte 0x{data[exc.start]:02x} in line {line}", "Save it as UTF-8 text"
        ) from None


def check_writable(path: str) -> None:
    """Before a run: whether its page can be written afterwards. Raises UsageError."""
    target = Path(path)
    if target.is_dir():
        raise UsageError(f"{path} is a folder", "Name a file in it, for example report.html")
    if not target.parent.is_dir():
        raise UsageError(f"There is no folder {target.parent}", f"Make it, or name another file than {path}")
    if not os.access(target.parent, os.W_OK):
        raise UsageError(f"{target.parent} cannot be written to", "Name a file in another folder")


def write_page(report: Report, path: str) -> None:
    """Writes the report as a page. Raises UsageError."""
    target = Path(path)
    try:
        write_whole(target, as_document(report).encode())
    except OSError as exc:
        raise UsageError(f"{path} cannot be written: {_reason(exc)}", "Name another file") from exc


def write_program(text: str, path: str) -> None:
    """Writes a program over its file, whole or not at all; a byte order mark stays. Raises UsageError."""
    try:
        with Path(path).open("rb") as file:
            mark = codecs.BOM_UTF8 if file.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8 else b""
        rewrite_whole(Path(path), mark + text.encode())
    except OSError as exc:
        raise UsageError(f"{path} cannot be written: {_reason(exc)}", "Print the diff without --write") from exc


def _reason(exc: OSError | ValueError) -> str:
    return (exc.strerror or str(exc)).lower() if isinstance(exc, OSError) else str(exc)
