"""Which edits of a bound are tried near the line at which a kernel leaves a tensor."""

import pytest

from kernelgate.repair.kernel_fixes import bound_edits
from kernelgate.report.edits import edited

KERNEL = """source = '''
__global__ void k(const float* x, float* y, int rows, int64_t cols) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    CHECK
        y[i] = x[i];  // i <= n
}
__global__ void other(int n) { if (n <= 3) return; }
'''
"""


def tried(check: str, line: int = 5, *, may_lack: bool = True) -> list[str]:
    text = KERNEL.replace("CHECK", check)
    return [edited(text, edit) for edit, _ in bound_edits(text, line, may_lack=may_lack)]


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("if (i <= rows * cols)", "if (i < rows * cols)"),
        ("if (i > rows * cols) return;", "if (i >= rows * cols) return;"),
        ("for (; i <= rows * cols; i += 1)", "for (; i < rows * cols; i += 1)"),
    ],
)
def test_a_comparison_that_lets_one_index_too_many_through_is_made_strict(wrong: str, right: str) -> None:
    assert tried(wrong) == [KERNEL.replace("CHECK", right)]
    assert tried(wrong, may_lack=False) == tried(wrong)


def test_a_kernel_without_a_check_gets_one_of_each_size_that_it_knows() -> None:
    sizes = [text.partition("if (i >= ")[2].partition(")")[0] for text in tried("")]
    assert sizes == ["rows * cols", "rows", "cols"]
    assert tried("", may_lack=False) == []


@pytest.mark.parametrize("check", ["if (i < rows)", "__syncthreads();", "if (rows > 3)  // no return"])
def test_a_right_check_is_left_and_no_thread_leaves_where_others_wait(check: str) -> None:
    assert len(tried(check)) == (3 if "rows > 3" in check else 0)


def test_a_line_outside_of_any_kernel_is_left() -> None:
    assert tried("if (i <= rows)", line=1) == []
