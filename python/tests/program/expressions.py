"""Twenty elementwise expressions with their parameters: KernelBench's activations, and tails of its level 2."""

EXPRESSIONS: dict[str, tuple[str, dict[str, float]]] = {
    "relu": ("torch.relu(x)", {}),
    "leaky_relu": ("F.leaky_relu(x, slope)", {"slope": 0.01}),
    "sigmoid": ("torch.sigmoid(x)", {}),
    "tanh": ("torch.tanh(x)", {}),
    "swish": ("x * torch.sigmoid(x)", {}),
    "gelu": ("torch.nn.GELU()", {}),
    "selu": ("torch.nn.SELU", {}),
    "hardsigmoid": ("F.hardsigmoid", {}),
    "softplus": ("F.softplus(x)", {}),
    "softsign": ("x / (1 + torch.abs(x))", {}),
    "elu": ("F.elu(x, alpha=alpha)", {"alpha": 1.5}),
    "hardtanh": ("F.hardtanh(x, min_val=-1.0, max_val=1.0)", {}),
    "new_gelu": ("0.5 * x * (1 + torch.tanh(0.7978845608 * (x + 0.044715 * torch.pow(x, 3))))", {}),
    "silu": ("torch.nn.functional.silu(x)", {}),
    "scale_leaky_relu": ("F.leaky_relu(x * multiplier, slope)", {"multiplier": 2.0, "slope": 0.1}),
    "subtract_mish": ("F.mish(x - first - second)", {"first": 0.5, "second": 0.2}),
    "scale_hardtanh_gelu": ("F.gelu(F.hardtanh(x * scale, -2, 2))", {"scale": 0.5}),
    "add_hardswish": ("(x + shift) * F.hardswish(x + shift)", {"shift": 0.3}),
    "clamp_divide": ("torch.clamp(x, min=-1.0) / divisor", {"divisor": 2.0}),
    "tanh_scale_sigmoid": ("torch.sigmoid(torch.tanh(x) * scale)", {"scale": 3.0}),
}
