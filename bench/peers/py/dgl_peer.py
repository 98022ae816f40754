"""DGL: the layers of dgl.nn over one graph whose formats are made beforehand."""

import os

os.environ.setdefault("DGLBACKEND", "pytorch")

import dgl
import torch
from dgl.nn import GATConv, GINConv, GraphConv, SAGEConv
from torch.nn import Linear, ModuleList, ReLU, Sequential

import harness


def gin(k_in, k):
    return GINConv(Sequential(Linear(k_in, k), ReLU(), Linear(k, k)), "sum", learn_eps=True)


def layers_of(s, widths):
    k_in, k, c = widths
    if s.model == "gcn":
        return [GraphConv(k_in, k), GraphConv(k, c)]
    if s.model == "sage":
        return [SAGEConv(k_in, k, "mean"), SAGEConv(k, c, "mean")]
    if s.model == "gin":
        return [gin(k_in, k), gin(k, c)]
    return [GATConv(k_in, k // harness.HEADS, harness.HEADS), GATConv(k, c, 1)]


NAMES = {
    "gcn": {"weight": ("weight", False), "bias": ("bias", False)},
    "sage": {"weight_neigh": ("fc_neigh.weight", True), "weight_self": ("fc_self.weight", True), "bias": ("fc_self.bias", False)},
    "gin": {
        "eps": ("eps", False),
        "mlp0.weight": ("apply_func.0.weight", True),
        "mlp0.bias": ("apply_func.0.bias", False),
        "mlp1.weight": ("apply_func.2.weight", True),
        "mlp1.bias": ("apply_func.2.bias", False),
    },
    "gat": {
        "weight": ("fc.weight", True),
        "att_src": ("attn_l", False),
        "att_dst": ("attn_r", False),
        "bias": ("bias", False),
    },
}


class Net(torch.nn.Module):
    def __init__(self, s, widths):
        super().__init__()
        self.layers = ModuleList(layers_of(s, widths))
        self.gat = s.model == "gat"

    def forward(self, g, x):
        if self.gat:
            h = torch.nn.functional.elu(self.layers[0](g, x).flatten(1))
            return self.layers[1](g, h).mean(1)
        return self.layers[1](g, torch.relu(self.layers[0](g, x)))


def build(s, d, weights):
    net = Net(s, (d.x.size(1), s.hidden, d.classes))
    named = harness.names(net, NAMES[s.model])
    harness.set_weights(net, [(w, named[name]) for name, w in weights.items()], torch)
    src, dst = d.with_loops(torch) if s.model in ("gcn", "gat") else (d.src, d.dst)
    g = dgl.graph((src, dst), num_nodes=d.n)
    del d.src, d.dst, d.indptr, src, dst
    g.create_formats_()
    return net, lambda: net(g, d.x)


def versions():
    return {"torch": torch.__version__, "dgl": dgl.__version__}


if __name__ == "__main__":
    harness.run(build, versions)
