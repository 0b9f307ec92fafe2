"""Attention over pages of a cache; the table of pages is a view of a longer permutation."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, query, keys, values, table, lengths):
        results = []
        for row in range(query.shape[0]):
            count, pages = int(lengths[row]), table[row]
            key, value = keys[pages].flatten(0, 1)[:count], values[pages].flatten(0, 1)[:count]
            score = torch.einsum("hd,lhd->hl", query[row], key) / query.shape[-1] ** 0.5
            results.append(torch.einsum("hl,lhd->hd", score.softmax(-1), value))
        return torch.stack(results)

def get_inputs():
    cache = torch.randn(2, 20, 8, 4, 16)
    return [torch.randn(3, 4, 16), cache[0], cache[1], torch.randperm(20)[:18].view(3, 6), torch.randint(1, 49, (3,))]
"""
HONEST = """
class ModelNew(nn.Module):
    def forward(self, query, keys, values, table, lengths):
        key, value = keys[table].flatten(1, 2), values[table].flatten(1, 2)
        score = torch.einsum("bhd,blhd->bhl", query, key) / math.sqrt(query.shape[-1])
        place = torch.arange(key.shape[1], device=query.device)
        score = score.masked_fill((place >= lengths[:, None])[:, None], -math.inf)
        return torch.einsum("bhl,blhd->bhd", score.softmax(-1), value)
"""
CUDA = ""
MISTAKE = ("place >= lengths", "place > lengths")
SAYS = "differ"
DROP_IN = True
