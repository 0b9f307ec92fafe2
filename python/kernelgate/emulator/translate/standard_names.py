"""Headers of the standard library that PyTorch's own bring with them: a program may use their names without #include.

In: source text. Out: the includes that it needs. The facade's headers bring few of them, since each costs every build
its time. Not here: names of PyTorch, or of CUDA.
"""

from __future__ import annotations

import re

_BROUGHT = {
    "atomic": r"atomic\w*|memory_order\w*",
    "bit": r"bit_cast|popcount|countl_zero|countr_zero",
    "bitset": "bitset",
    "chrono": "chrono",
    "condition_variable": "condition_variable",
    "deque": "deque",
    "iomanip": "set(?:w|precision|fill)|hex|fixed|scientific|boolalpha",
    "iostream": r"c(?:out|err|log)|endl|flush|[io]?stream",
    "list": "list",
    "map": "(?:multi)?map",
    "memory": r"(?:unique|shared|weak)_ptr|make_(?:unique|shared)|addressof",
    "mutex": r"\w*mutex|lock_guard|unique_lock|scoped_lock|once_flag|call_once",
    "numbers": "numbers",
    "numeric": "accumulate|iota|gcd|lcm|partial_sum|inner_product|reduce",
    "set": "(?:multi)?set",
    "sstream": r"[io]?stringstream",
    "stdexcept": r"(?:runtime|logic|domain|length|range|overflow)_error|invalid_argument|out_of_range",
    "thread": "thread|this_thread",
    "tuple": r"tuple\w*|tie|make_tuple|apply",
    "unordered_map": "unordered_(?:multi)?map",
    "unordered_set": "unordered_(?:multi)?set",
    "utility": "pair|make_pair|exchange",
    "variant": r"variant\w*|visit|monostate|get_if|holds_alternative",
}
_NAMES = {header: re.compile(names) for header, names in _BROUGHT.items()}
_QUALIFIED = re.compile(r"\bstd\s*::\s*(\w+)")
_ALL_OPEN = re.compile(r"\busing\s+namespace\s+std\b")


def brought_headers(blanked: str) -> str:
    """An #include for each header of which the text names something."""
    names_of_std = re.compile(r"(\w+)") if _ALL_OPEN.search(blanked) else _QUALIFIED
    found = set(names_of_std.findall(blanked))
    return "".join(
        f"#include <{header}>\n" for header, names in _NAMES.items() if any(map(names.fullmatch, found))
    )
