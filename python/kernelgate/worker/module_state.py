"""A module's parameters and buffers, whatever its own methods make of them: a program may override any of these.

In: a candidate's module. Out: its tensors by name, and the reference's written into them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from kernelgate.backend.memory import dtype_of
from kernelgate.check.construction import in_dtype, tensor_in_dtype
from kernelgate.check.parameter_names import assignments
from kernelgate.messages.construct import Construct, Constructed, StateLoaded


def _moved(module: torch.nn.Module, result: Any) -> torch.nn.Module:
    """The module that `to` gives, or the module itself: a program may override `to` and forget to return it."""
    return result if isinstance(result, torch.nn.Module) else module


def own_state(module: torch.nn.Module) -> dict[str, torch.Tensor]:
    """The very parameters and buffers by name; a program's own state_dict may give copies, or other names."""
    state = torch.nn.Module.state_dict(module)
    return {name: one for name, one in state.items() if isinstance(one, torch.Tensor)}


def prepared(
    module: torch.nn.Module,
    asked: Construct,
    state: Mapping[str, torch.Tensor],
    to_device: Callable[[torch.nn.Module], Any],
) -> tuple[torch.nn.Module, Constructed]:
    """A module that has just been made, with the reference's parameters. It stays as its author wrote it, and only what
    stands for a tensor of the reference's takes that one's dtype, unless the whole module is to be `converted`."""
    dtype = dtype_of(asked.dtype)
    if asked.converted:
        module = _moved(module, in_dtype(module, dtype))
    module = _moved(module, to_device(module))
    own = own_state(module)
    found = assignments(own, state, asked.optional) if asked.assignment is not None and state else []
    names = found[min(asked.assignment or 0, len(found) - 1)] if found else {}
    for name in names if found or not asked.has_state else own:
        if (right := tensor_in_dtype(own[name].data, dtype)).dtype != own[name].dtype:
            own[name].data = right
    for name, other in names.items():
        own[name].copy_(state[other])
    by_name = len(found) == 1 and own.keys() == state.keys() and all(map(str.__eq__, names, names.values()))
    how: StateLoaded = "by name" if by_name or not asked.has_state else "by assignment" if found else "no"
    return module, Constructed(how, names, len(found))


def put_state(module: torch.nn.Module, names: Mapping[str, str], state: dict[str, Any], how: str) -> bool:
    """Gives a module that has been called the reference's parameters. False, and nothing is written, where its own no
    longer have their shapes: a call may put other buffers in the place of the first. `how`: as in `SetState`; `names`:
    those of the reference by the module's own."""
    own = own_state(module)
    state = {name: state[other] for name, other in names.items() if other in state}
    if how == "load":
        module.load_state_dict(state, strict=own.keys() == state.keys())
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
