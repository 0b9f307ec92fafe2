"""Methods of tensors as PyTorch made them: taken before a candidate is loaded, which may put others in their place.

In: a tensor. Out: what its method gives. `torch.Tensor` can be changed from Python, the class below it cannot.
"""

from __future__ import annotations

from typing import Any

import torch

_Base: Any = torch._C.TensorBase
_Storage: Any = torch._C.StorageBase

detach = torch.Tensor.detach  # in Python, and so taken as it is now
contiguous = _Base.contiguous
clone = _Base.clone
set_ = _Base.set_
resolve_conj = _Base.resolve_conj
stride = _Base.stride
numel = _Base.numel
element_size = _Base.element_size
storage_offset = _Base.storage_offset
data_pointer = _Base.data_ptr
untyped_storage = _Base.untyped_storage
storage_nbytes = _Storage.nbytes
storage_pointer = _Storage.data_ptr
empty = torch.empty


def shape(tensor: torch.Tensor) -> list[int]:
    return list(_Base.shape.__get__(tensor))


def wants_gradient(tensor: torch.Tensor) -> bool:
    return bool(_Base.requires_grad.__get__(tensor))


def is_leaf(tensor: torch.Tensor) -> bool:
    return bool(_Base.is_leaf.__get__(tensor))


def dtype(tensor: torch.Tensor) -> Any:
    return _Base.dtype.__get__(tensor)


def is_resolved(tensor: torch.Tensor) -> bool:
    """Whether its elements are what lies in memory: PyTorch can note that they are to be negated or conjugated."""
    return not (_Base.is_neg(tensor) or _Base.is_conj(tensor))


def resolved(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor itself, or a copy whose elements are what lies in memory."""
    result: torch.Tensor = _Base.resolve_neg(_Base.resolve_conj(tensor))
    return result


def has_gradient(tensor: torch.Tensor) -> bool:
    return bool(_Base.is_leaf.__get__(tensor)) and _Base.grad.__get__(tensor) is not None


def hooks(tensor: torch.Tensor) -> int:
    """How many functions see its gradient."""
    return len(_Base._backward_hooks.__get__(tensor) or ())
