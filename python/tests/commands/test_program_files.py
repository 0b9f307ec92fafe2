"""What stays of a program's file when it is written again."""

from pathlib import Path

from kernelgate.commands.program_files import read_program, write_program


def test_a_program_that_is_written_again_keeps_its_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_bytes(b"\xef\xbb\xbfa = 1\n")
    write_program(read_program(str(path)) + "b = 2\n", str(path))
    assert path.read_bytes() == b"\xef\xbb\xbfa = 1\nb = 2\n"


def test_a_program_that_is_written_again_keeps_the_mode_of_its_file(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text("a = 1\n")
    path.chmod(0o700)
    write_program("a = 2\n", str(path))
    assert path.stat().st_mode & 0o777 == 0o700


def test_a_program_behind_a_symlink_is_written_where_the_link_leads(tmp_path: Path) -> None:
    path, link = tmp_path / "program.py", tmp_path / "link.py"
    path.write_text("a = 1\n")
    link.symlink_to(path)
    write_program("a = 2\n", str(link))
    assert link.is_symlink()
    assert path.read_text() == "a = 2\n"
