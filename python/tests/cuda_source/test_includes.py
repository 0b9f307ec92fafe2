"""What a text may include is read from it whatever its conditions; where it does not say, that is said."""

from __future__ import annotations

import pytest

from kernelgate.cuda_source.preprocessor import included

NAMED = {
    "angles": "#include <a/b.h>",
    "quotes": '  #  include "a/b.h"  // mine',
    "a comment in between": '#include /* which */ "a/b.h"',
    "a line that goes on": '#inc\\\nlude \\\n "a/b.h"',
    "a branch that may not be taken": "#ifdef X\n#include <a/b.h>\n#endif",
    "a question": '#if defined(__has_include) && __has_include("a/b.h")\n#endif',
    "the next of that name": "#include_next <a/b.h>",
    "another spelling of #": "%:include <a/b.h>",
}
NOT_NAMED = {
    "a macro": '#define H "a.h"\n#include H',
    "a macro in a question": "#if __has_include(H)\n#endif",
    "the assembler": 'asm(".incbin \\"table\\"");',
    "a name after a comment of several lines": '#include /*\n*/ "a.h"',
}
NOTHING = {
    "a comment": "// #include <a.h>\n/*\n#include HERE\n*/",
    "a string": 'auto s = "\\n#include H";\nauto r = R"(\n#include H\n)";',
    "another directive": "#pragma once\n#define include 1",
    "the word alone": "#ifdef __has_include\n#endif",
}


@pytest.mark.parametrize("case", NAMED)
def test_a_name_is_read(case):
    found = included(NAMED[case])
    assert found.names == {"a/b.h"} and found.complete


@pytest.mark.parametrize("case", NOT_NAMED)
def test_what_is_not_named_is_not_taken_for_nothing(case):
    assert not included(NOT_NAMED[case]).complete


@pytest.mark.parametrize("case", NOTHING)
def test_what_includes_nothing_names_nothing(case):
    found = included(NOTHING[case])
    assert not found.names and found.complete
