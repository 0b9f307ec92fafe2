"""Attention within sequences that lie behind each other; where each begins is always the same."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, query, key, value, starts):
        result = torch.empty_like(query)
        for begin, end in zip(starts[:-1].tolist(), starts[1:].tolist()):
            parts = [one[begin:end].transpose(0, 1) for one in (query, key, value)]
            result[begin:end] = F.scaled_dot_product_attention(*parts, is_causal=True).transpose(0, 1)
        return result

def get_inputs():
    return [*(torch.randn(60, 4, 16) for _ in range(3)), torch.tensor([0, 13, 40, 60], dtype=torch.int32)]
"""
HONEST = """
class ModelNew(nn.Module):
    def forward(self, query, key, value, starts):
        place = torch.arange(query.shape[0], device=query.device)
        sequence = torch.bucketize(place, starts, right=True)
        hidden = (sequence[:, None] != sequence) | (place[:, None] < place)
        score = torch.einsum("ihd,jhd->hij", query, key) / math.sqrt(query.shape[-1])
        return torch.einsum("hij,jhd->ihd", score.masked_fill(hidden, -math.inf).softmax(-1), value)
"""
CUDA = ""
MISTAKE = ("sequence[:, None] != sequence", "sequence[:, None] > sequence + 1")
SAYS = "differ"
DROP_IN = "NaN is not passed on"
