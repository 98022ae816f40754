"""PyTorch Geometric: the layers of torch_geometric.nn over one kind of graph.

Paths: edge (edge_index), sparse (torch_sparse.SparseTensor), csr (PyTorch's
own CSR tensor), compile (torch.compile over edge_index). Loops and
normalisation are prepared before the first step.
"""

from importlib.metadata import version

import torch
from torch.nn import Linear, ModuleList, ReLU, Sequential
from torch_geometric.nn import GATConv, GCNConv, GINConv, SAGEConv

import harness


def gin(k_in, k):
    return GINConv(Sequential(Linear(k_in, k), ReLU(), Linear(k, k)), train_eps=True)


def layers_of(s, widths):
    k_in, k, c = widths
    if s.model == "gcn":
        return [GCNConv(k_in, k, normalize=False), GCNConv(k, c, normalize=False)]
    if s.model == "sage":
        return [SAGEConv(k_in, k, aggr="mean"), SAGEConv(k, c, aggr="mean")]
    if s.model == "gin":
        return [gin(k_in, k), gin(k, c)]
    return [
        GATConv(k_in, k // harness.HEADS, heads=harness.HEADS, add_self_loops=False),
        GATConv(k, c, heads=1, concat=False, add_self_loops=False),
    ]


NAMES = {
    "gcn": {"weight": ("lin.weight", True), "bias": ("bias", False)},
    "sage": {"weight_neigh": ("lin_l.weight", True), "weight_self": ("lin_r.weight", True), "bias": ("lin_l.bias", False)},
    "gin": {
        "eps": ("eps", False),
        "mlp0.weight": ("nn.0.weight", True),
        "mlp0.bias": ("nn.0.bias", False),
        "mlp1.weight": ("nn.2.weight", True),
        "mlp1.bias": ("nn.2.bias", False),
    },
    "gat": {
        "weight": ("lin.weight", True),
        "att_src": ("att_src", False),
        "att_dst": ("att_dst", False),
        "bias": ("bias", False),
    },
}


class Net(torch.nn.Module):
    def __init__(self, s, widths):
        super().__init__()
        self.layers = ModuleList(layers_of(s, widths))
        self.act = torch.nn.functional.elu if s.model == "gat" else torch.relu

    def forward(self, x, graph, weight):
        args = () if weight is None else (weight,)
        h = self.act(self.layers[0](x, graph, *args))
        return self.layers[1](h, graph, *args)


def graph_of(s, d):
    """The graph as the path holds it, and the weights of arcs where they stand apart."""
    src, dst, value = d.src, d.dst, None
    if s.model in ("gcn", "gat"):
        src, dst = d.with_loops(torch)
    if s.model == "gcn":
        scale = torch.bincount(dst, minlength=d.n).float().rsqrt()
        value = scale[src] * scale[dst]
    if s.path in ("edge", "compile"):
        return torch.stack([src, dst]), value
    if s.path == "sparse":
        from torch_sparse import SparseTensor

        return SparseTensor(row=dst, col=src, value=value, sparse_sizes=(d.n, d.n), is_sorted=True), None
    if value is None:
        value = torch.ones(src.numel())
    # The faster index type, but PyTorch 2.15's gradient of a mean is wrong with it:
    # on directed graphs of some size (arxiv's) it is another than with int64.
    index = torch.int64 if s.model == "sage" else torch.int32
    indptr = torch.zeros(d.n + 1, dtype=index)
    indptr[1:] = torch.bincount(dst, minlength=d.n).cumsum(0)
    return torch.sparse_csr_tensor(indptr, src.to(index), value, size=(d.n, d.n)), None


def build(s, d, weights):
    net = Net(s, (d.x.size(1), s.hidden, d.classes))
    named = harness.names(net, NAMES[s.model])
    harness.set_weights(net, [(w, named[name]) for name, w in weights.items()], torch)
    graph, value = graph_of(s, d)
    del d.src, d.dst, d.indptr
    apply = torch.compile(net) if s.path == "compile" else net
    return net, lambda: apply(d.x, graph, value)


def versions():
    return {name: version(name) for name in ("torch", "torch-geometric", "torch-scatter", "torch-sparse")}


if __name__ == "__main__":
    harness.run(build, versions)
