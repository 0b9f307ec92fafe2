"""A loss over one-hot rows, which the program takes as indices."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, logits, hot):
        return (logits.log_softmax(-1) * hot).sum(-1)


def get_inputs():
    return [torch.randn(24, 10), F.one_hot(torch.randint(0, 10, (24,)), 10).float()]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, logits, hot):
        return logits.log_softmax(-1).gather(-1, hot.argmax(-1, keepdim=True)).squeeze(-1)
"""

MISTAKE = ("hot.argmax", "hot.argmin")
SAYS = "elements differ"
DROP_IN = "unstructured"
