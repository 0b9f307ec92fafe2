"""How PyTorch computes in this process: a set of operators and modules on fixed inputs, and the bytes that they give.

In: a device. Out: bytes by name. The judge asks before the candidate is loaded and after its run, and compares the two:
whatever a program did to the process, and however it hid that, is damage where another module computes otherwise.
Not here: what changed (`worker.global_state`).
"""

from __future__ import annotations

import copy
import decimal
import pickle
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

_SIZE = 24
Operation = Callable[[Tensor, Tensor], Tensor]

# Names are looked up when they are called, as another module of the process would look them up.
_ANYWHERE: dict[str, Operation] = {
    "torch.add": lambda x, y: x + y,
    "torch.mul": lambda x, y: torch.mul(x, y),
    "torch.div": lambda x, y: x / (y.abs() + 1),
    "torch.matmul": lambda x, y: x @ y,
    "torch.matmul of half": lambda x, y: (x.half() @ y.half()).float(),
    "torch.exp": lambda x, _: x.exp(),
    "torch.sqrt": lambda x, _: x.abs().sqrt(),
    "torch.tanh": lambda x, _: torch.tanh(x),
    "torch.where": lambda x, y: torch.where(x > y, x, y),
    "torch.clamp": lambda x, _: x.clamp(-0.5, 0.5),
    "torch.sum": lambda x, _: x.sum(dim=1),
    "torch.mean": lambda x, _: x.mean(dim=0),
    "torch.max": lambda x, _: x.max(dim=1).values,
    "torch.cat": lambda x, y: torch.cat([x, y]),
    "torch.Tensor.contiguous": lambda x, _: x.t().contiguous(),
    "torch.Tensor.clone": lambda x, _: x.clone(),
    "torch.zeros": lambda x, _: torch.zeros(4, device=x.device),
    "torch.full": lambda x, _: torch.full((4,), 1e-40, device=x.device) * 1.0,
    "relu": lambda x, _: F.relu(x),
    "leaky_relu": lambda x, _: F.leaky_relu(x, 0.1),
    "gelu": lambda x, _: F.gelu(x),
    "silu": lambda x, _: F.silu(x),
    "sigmoid": lambda x, _: torch.sigmoid(x),
    "softmax": lambda x, _: F.softmax(x, dim=1),
    "log_softmax": lambda x, _: F.log_softmax(x, dim=1),
    "layer_norm": lambda x, _: F.layer_norm(x, x.shape[1:]),
    "linear": lambda x, y: F.linear(x, y, y[0]),
    "dropout in evaluation": lambda x, _: F.dropout(x, training=False),
    "mse_loss": lambda x, y: F.mse_loss(x, y),
    "cross_entropy": lambda x, _: F.cross_entropy(x, torch.arange(_SIZE, device=x.device)),
    "nn.ReLU": lambda x, _: nn.ReLU()(x),
    "nn.LeakyReLU": lambda x, _: nn.LeakyReLU(0.1)(x),
    "nn.GELU": lambda x, _: nn.GELU()(x),
    "nn.Sequential": lambda x, _: nn.Sequential(nn.Tanh(), nn.Softmax(dim=1))(x),
    "nn.LayerNorm": lambda x, _: nn.LayerNorm(_SIZE, device=x.device)(x).detach(),
    "nn.Linear": lambda x, y: _linear(x, y)(x).detach(),
    "autograd": lambda x, y: _gradient(x, y),
    "copy.deepcopy": lambda x, _: copy.deepcopy(x),
    "pickle": lambda x, _: pickle.loads(pickle.dumps(x)),
    "decimal.Decimal": lambda _x, _y: torch.tensor([*str(decimal.Decimal(1) / 3).encode()], dtype=torch.uint8),
}
# On a GPU these load cuDNN or large kernels, which takes longer than a run; the CPU shows the same functions.
_ON_THE_CPU: dict[str, Operation] = {
    "conv2d": lambda x, y: F.conv2d(x[None, None], y[None, None, :3, :3]),
    "max_pool2d": lambda x, _: F.max_pool2d(x[None], 2),
    "batch_norm": lambda x, _: F.batch_norm(x, None, None, training=True),
    "scaled_dot_product_attention": lambda x, y: F.scaled_dot_product_attention(x[None], y[None], x[None]),
    "torch.linalg.norm": lambda x, _: torch.linalg.norm(x),
    "torch.sort": lambda x, _: x.sort(dim=1).values,
    "nn.init": lambda x, _: nn.init.zeros_(x.clone()),
}


def behaviour(device: torch.device) -> dict[str, Tensor]:
    """Each name with what it gives, as bytes; uint8, CPU, shape (n,). What raises gives none, and so is no name."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # so that no thread starts before the program's own
    try:
        return _each(device)
    finally:
        torch.set_num_threads(threads)


def _each(device: torch.device) -> dict[str, Tensor]:
    operations = _ANYWHERE if device.type == "cuda" else {**_ANYWHERE, **_ON_THE_CPU}
    x, y = (part.to(device) for part in _inputs())
    found = {}
    for name, operation in operations.items():
        try:
            result = operation(x, y).cpu().contiguous()
            found[name] = result.view(-1).view(torch.uint8)
        except Exception:  # whatever a changed function raises: it is missed by its name
            continue
    return found


def _inputs() -> tuple[Tensor, Tensor]:
    """Numbers of both signs, made without the random generators, which a program could watch."""
    steps = torch.arange(_SIZE * _SIZE, dtype=torch.float32).view(_SIZE, _SIZE)
    return (steps * 37 % 101 - 50) / 17, (steps * 53 % 97 - 48) / 13


def _linear(x: Tensor, weight: Tensor) -> nn.Module:
    generator = torch.get_rng_state()
    with torch.no_grad():
        module = nn.Linear(_SIZE, _SIZE)
        module.weight.copy_(weight)
        module.bias.copy_(weight[0])
    torch.set_rng_state(generator)
    return module.to(x.device)


def _gradient(x: Tensor, y: Tensor) -> Tensor:
    with torch.enable_grad():
        leaf = x.clone().requires_grad_()
        (gradient,) = torch.autograd.grad((torch.tanh(leaf) * y).sum(), leaf)
    return gradient
