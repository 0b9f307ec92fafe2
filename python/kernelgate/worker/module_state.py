"""A module's parameters and buffers, whatever its own methods make of them: a program may override any of these.

In: a candidate's module. Out: its tensors by name, and the reference's written into them.
"""

from __future__ import annotations

from typing import Any

import torch

from kernelgate.check.parameter_names import matched
from kernelgate.messages.worker import StateLoaded


def moved(module: torch.nn.Module, result: Any) -> torch.nn.Module:
    """The module that `to` gives, or the module itself: a program may override `to` and forget to return it."""
    return result if isinstance(result, torch.nn.Module) else module


def own_state(module: torch.nn.Module) -> dict[str, torch.Tensor]:
    """The very parameters and buffers by name; a program's own state_dict may give copies, or other names."""
    state: dict[str, torch.Tensor] = torch.nn.Module.state_dict(module)
    return state


def take_state(own: dict[str, torch.Tensor], state: dict[str, Any]) -> StateLoaded:
    """Writes the reference's parameters into a module's own."""
    names = matched(own, state)
    if names is None:
        return "no"
    for name, other in names.items():
        own[name].copy_(state[other])
    return "by name" if own.keys() == state.keys() else "by order"


def put_state(module: torch.nn.Module, state: dict[str, Any], how: str) -> bool:
    """Gives a module that has been called the reference's parameters. False, and nothing is written, where its own no
    longer have their shapes: a call may put other buffers in the place of the first. `how`: as in `SetState`."""
    names = matched(own_state(module), state)
    if names is not None:
        state = {name: state[other] for name, other in names.items()}
    if how == "load":
        module.load_state_dict(state)
    elif how == "halve":
        for parameter in (*module.parameters(), *module.buffers()):
            if parameter.is_floating_point():
                parameter.mul_(0.5)
    else:
        own = {
            **dict(module.named_parameters(remove_duplicate=False)),
            **dict(module.named_buffers(remove_duplicate=False)),
        }
        if any(name not in own or own[name].shape != value.shape for name, value in state.items()):
            return False
        for name, value in state.items():
            if how == "other memory":
                own[name].data = value.to(own[name].dtype)
            else:
                own[name].copy_(value)
    return True
