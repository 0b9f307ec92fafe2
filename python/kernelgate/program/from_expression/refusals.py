"""Why an expression is refused: the part that no elementwise kernel computes, named in one sentence.

In: that part. Out: `ProgramError` to raise. Not here: what is known (`read`).
"""

from __future__ import annotations

import ast

from kernelgate.program.source import ProgramError

# What makes one element of several, as functions, methods and classes.
_OF_SEVERAL = (
    "softmax log_softmax softmin logsumexp sum mean amax amin max min prod var std norm normalize cumsum cumprod "
    "argmax argmin layer_norm rms_norm group_norm instance_norm batch_norm linear bilinear matmul mm bmm addmm einsum "
    "dot conv1d conv2d conv3d max_pool2d avg_pool2d LayerNorm RMSNorm GroupNorm InstanceNorm1d InstanceNorm2d "
    "BatchNorm1d BatchNorm2d Softmax LogSoftmax Softmin Linear Conv1d Conv2d Conv3d MaxPool2d AvgPool2d glu GLU "
    "sort topk cat stack roll flip t transpose permute reshape view flatten"
)

_TO_ANOTHER_TYPE = "half float double bfloat16 int long short bool byte char to type type_as"
_RANDOM = "dropout alpha_dropout feature_alpha_dropout Dropout AlphaDropout rand_like randn_like bernoulli rrelu RReLU"


def unknown(node: ast.expr) -> ProgramError:
    called = node.func if isinstance(node, ast.Call) else None
    called = called.func if isinstance(called, ast.Call) else called  # torch.nn.LayerNorm(64)(x)
    name = (
        called.attr
        if isinstance(called, ast.Attribute)
        else called.id
        if isinstance(called, ast.Name)
        else ""
    )
    if isinstance(node, ast.IfExp) or (isinstance(called, ast.Name) and name in ("max", "min")):
        return ProgramError(
            f"{ast.unparse(node)[:80]} is Python's, which decides once for all of a tensor",
            None,
            "Write torch.where(x > 0, ..., ...), x.clamp(min=0), or torch.maximum of two terms",
        )
    if name in ("prelu", "PReLU"):
        return ProgramError(
            f"{ast.unparse(node)[:80]} has a weight that is learnt, and an expression's parameters are numbers",
            None,
            "Write F.leaky_relu(x, slope) with a number as slope",
        )
    if (
        name in _OF_SEVERAL.split()
        or isinstance(node, ast.Subscript)
        or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult))
    ):
        return ProgramError(
            f"{ast.unparse(node)[:80]} makes an element of several, and an expression makes each element of one",
            None,
            "Write its kernel yourself: kernelgate scaffold gives you a program to start from, and its problem",
        )
    if name in _TO_ANOTHER_TYPE.split():
        return ProgramError(
            f"{ast.unparse(node)[:80]} changes the type, and a result has the type of x",
            None,
            "Leave it out, and give the operator an input of that type",
        )
    if name in _RANDOM.split():
        return ProgramError(
            f"{ast.unparse(node)[:80]} is random, and an expression gives the same result each time",
            None,
            "Leave it out",
        )
    if len(name) > 2 and name.endswith("_") and not name.endswith("__"):
        return changes_input(node, name.rstrip("_"))
    return ProgramError(
        f"{ast.unparse(node)[:80]} is not known as an elementwise function of x",
        None,
        "Use PyTorch's activations, + - * / **, torch.where, clamp and the elementary functions",
    )


def changes_input(node: ast.expr, instead: str) -> ProgramError:
    return ProgramError(
        f"{ast.unparse(node)[:80]} changes its input, and an operator returns a new tensor",
        None,
        f"Write {instead}",
    )
