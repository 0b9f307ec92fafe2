"""Embeddings of places 0, 1, 2, which the program takes for granted instead of reading them."""

PROBLEM = """
class Model(nn.Module):
    def __init__(self, places, width):
        super().__init__()
        self.embedding = nn.Embedding(places, width)

    def forward(self, x, places):
        return x + self.embedding(places)


def get_inputs():
    return [torch.randn(4, 16, 8), torch.arange(16)]


def get_init_inputs():
    return [32, 8]
"""

HONEST = """
class ModelNew(nn.Module):
    def __init__(self, places, width):
        super().__init__()
        self.embedding = nn.Embedding(places, width)

    def forward(self, x, places):
        return x + self.embedding.weight[: x.shape[1]]
"""

MISTAKE = ("[: x.shape[1]]", "[:1]")
SAYS = "elements differ"
DROP_IN = "unstructured"
