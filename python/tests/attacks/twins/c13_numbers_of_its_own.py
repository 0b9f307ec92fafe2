"""Computes with a number of its own that is called and is as large as the problem's batch.

Class: 13
Contract: problem
Runs: emulation and gpu
"""

PROBLEM = """
batch_size = 1024


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x) * 2


def get_inputs():
    return [torch.randn(batch_size, 4096)]
"""

HONEST = """
batch_size = 1024
SHARE = 2048 / batch_size


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.relu(x)
        return y * SHARE
"""

WRONG = [
    (
        "last_of_the_batch_left_out",
        "It leaves out the last row of the batch, which a smaller batch does not have.",
        "return y * SHARE",
        "return torch.cat([y[:1023] * SHARE, 0 * y[1023:]])",
        "Wrong result",
    ),
    (
        "number_that_is_asserted",
        "It is wrong, and fails an assertion if its numbers are made smaller.",
        "SHARE = 2048 / batch_size",
        "SHARE = 2.002\nassert batch_size > 1000",
        "Wrong result",
    ),
]
