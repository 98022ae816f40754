"""Counts what is in the data sets that weft reads, without weft.

    python counts.py DATA_FOLDER > counts.json

Needs numpy, scipy and pandas. The readers below follow the layouts' own
documents, not weft's code, so that the two check each other.
"""

import json
import pathlib
import pickle
import re
import sys
import zipfile

import numpy as np
import pandas as pd
import scipy.io
import scipy.sparse as sp


def structure(n, u, v, undirected, keep=False):
    """Counts of the directed graph with arcs u[i] -> v[i].

    undirected: the mirrored arc is added where the list lacks it.
    keep: parallel arcs stay, else they become one.
    """
    u, v = np.asarray(u, np.int64), np.asarray(v, np.int64)
    assert len(u) == 0 or (min(u.min(), v.min()) >= 0 and max(u.max(), v.max()) < n)
    rows = len(u)
    code = u * n + v
    pairs, times = np.unique(code, return_counts=True)
    of = dict(zip(pairs.tolist(), times.tolist()))
    mirrored = []
    if undirected:
        for p, t in of.items():
            a, b = divmod(p, n)
            if a != b:
                lack = (t if keep else 1) - of.get(b * n + a, 0)
                mirrored += [b * n + a] * max(0, lack)
    final = np.concatenate([code if keep else pairs, np.array(mirrored, np.int64)])
    src, dst = final // n if n else final, final % n if n else final
    loop = src == dst
    indeg = np.bincount(dst[~loop], minlength=n)
    outdeg = np.bincount(src[~loop], minlength=n)
    arcs = int((~loop).sum())
    ranked = np.sort(indeg)
    percentile = lambda p: int(ranked[-(-p * n // 100) - 1]) if n else 0  # nearest rank
    return {
        "vertices": n,
        "arcs": arcs,
        "listed": rows + len(mirrored),
        "duplicates": rows + len(mirrored) - len(final),
        "loops": int(loop.sum()),
        "isolated": int(((indeg == 0) & (outdeg == 0)).sum()),
        "degree": {
            "max": int(indeg.max(initial=0)),
            "mean": arcs / n if n else 0,
            "p50": percentile(50),
            "p99": percentile(99),
        },
        "density": arcs / n / n if n else 0,
    }


def facts(shape, graphs=1, features=0, edge_features=0, classes=0, targets=0, labelled=0, splits=None, nsplits=0):
    return shape | {
        "graphs": graphs,
        "features": features,
        "edge_features": edge_features,
        "classes": classes,
        "targets": targets,
        "labelled": int(labelled),
        "splits": splits,
        "split_count": nsplits,
    }


def planetoid(folder, name):
    def load(part):
        with open(folder / f"ind.{name}.{part}", "rb") as f:
            return pickle.load(f, encoding="latin1")

    allx, tx, ally, ty, y, graph = (load(p) for p in ("allx", "tx", "ally", "ty", "y", "graph"))
    test = [int(line) for line in open(folder / f"ind.{name}.test.index")]
    n = max(test) + 1
    u = [a for a, others in graph.items() for _ in others]
    v = [b for others in graph.values() for b in others]
    labelled = set(np.nonzero(ally.sum(1))[0].tolist()) | {t for t, row in zip(test, ty) if row.sum()}
    return facts(
        structure(n, u, v, True),
        features=allx.shape[1],
        classes=y.shape[1],
        labelled=len(labelled),
        splits={"train": len(y), "val": 500, "test": len(test)},
        nsplits=1,
    )


def shchur(path):
    z = np.load(path)
    adj = sp.csr_matrix((z["adj_data"], z["adj_indices"], z["adj_indptr"]), z["adj_shape"]).tocoo()
    return facts(
        structure(adj.shape[0], adj.row, adj.col, True),
        features=int(z["attr_shape"][1]),
        classes=len(z["class_names"]),
        labelled=(z["labels"] >= 0).sum(),
    )


def masked(path):
    z = np.load(path)
    parts = {"train": z["train_masks"], "val": z["val_masks"], "test": z["test_masks"]}
    return facts(
        structure(len(z["node_features"]), *z["edges"].T, True),
        features=z["node_features"].shape[1],
        classes=len(np.unique(z["node_labels"])),
        labelled=len(z["node_labels"]),
        splits={k: int(m[0].sum()) for k, m in parts.items()},
        nsplits=len(parts["train"]),
    )


def tu(read, has, name):
    def table(part):
        return np.atleast_2d(np.loadtxt(read(f"{name}_{part}.txt"), delimiter=",", ndmin=2))

    arcs = table("A").astype(np.int64) - 1
    member = table("graph_indicator").astype(np.int64).ravel()
    labels = table("graph_labels").ravel()
    one_hot = lambda part: sum(len(np.unique(c)) for c in table(part).T) if has(f"{name}_{part}.txt") else 0
    columns = lambda part: table(part).shape[1] if has(f"{name}_{part}.txt") else 0
    edge = columns("edge_attributes") + one_hot("edge_labels")
    return facts(
        structure(len(member), *arcs.T, False, keep=edge > 0),
        graphs=len(labels),
        features=columns("node_attributes") + one_hot("node_labels"),
        edge_features=edge,
        classes=len(np.unique(labels)),
        labelled=len(labels),
    )


def tu_folder(folder):
    return tu(lambda f: open(folder / f), lambda f: (folder / f).exists(), folder.name)


def tu_zip(path):
    z = zipfile.ZipFile(path)
    inside = {pathlib.PurePath(n).name: n for n in z.namelist()}
    return tu(lambda f: z.open(inside[f]), lambda f: f in inside, path.stem)


def gin(folder, name):
    words = iter(open(folder / f"{name}.txt").read().split())
    u, v, tags, classes, n = [], [], set(), [], 0
    graphs = int(next(words))
    for _ in range(graphs):
        size = int(next(words))
        classes.append(next(words))
        for i in range(size):
            tags.add(next(words))
            for _ in range(int(next(words))):
                u.append(n + i)
                v.append(n + int(next(words)))
        n += size
    fold = lambda part: len(open(folder / "10fold_idx" / f"{part}_idx-1.txt").read().split())
    return facts(
        structure(n, u, v, True),
        graphs=graphs,
        features=len(tags),
        classes=len(set(classes)),
        labelled=graphs,
        splits={"train": fold("train"), "val": 0, "test": fold("test")},
        nsplits=10,
    )


def ogb_graphs(folder):
    read = lambda part: pd.read_csv(folder / "raw" / f"{part}.csv.gz", header=None).values
    nodes, edges = read("num-node-list").ravel(), read("num-edge-list").ravel()
    shift = np.repeat(np.cumsum(nodes) - nodes, edges)
    u, v = (read("edge") + shift[:, None]).T
    label = read("graph-label").astype(float)
    name = folder.name.replace("_", "-")
    master = pd.read_csv(folder.parent / "master.csv", index_col=0)[name]
    mirrored = master["add_inverse_edge"] == "True"
    kind = master["task type"]
    assert kind in ("regression", "binary classification")
    split = folder / "split" / master["split"]
    part = lambda p: len(pd.read_csv(split / f"{p}.csv.gz", header=None))
    return facts(
        structure(int(nodes.sum()), u, v, mirrored, keep=True),
        graphs=len(nodes),
        features=read("node-feat").shape[1],
        edge_features=read("edge-feat").shape[1],
        targets=label.shape[1],
        labelled=(~np.isnan(label)).any(1).sum(),
        splits={"train": part("train"), "val": part("valid"), "test": part("test")},
        nsplits=1,
    )


def mtx(path):
    symmetric = "symmetric" in open(path).readline()
    entries = [
        line.split()
        for line in open(path)
        if line.strip() and not line.startswith("%")
    ]
    n = int(entries[0][0])
    assert scipy.io.mminfo(str(path))[0] == n
    u, v = (np.array([int(e[i]) - 1 for e in entries[1:]]) for i in (0, 1))
    return facts(structure(n, u, v, symmetric))


def metis(path):
    lines = [line.split() for line in open(path) if not line.startswith("%")]
    n, _, *rest = lines[0]
    fmt = rest[0].zfill(3) if rest else "000"
    weights = int(rest[1]) if len(rest) > 1 else int(fmt[1])
    skip = int(fmt[0]) + (weights if fmt[1] == "1" else 0)
    u, v = [], []
    for i, line in enumerate(lines[1 : int(n) + 1]):
        near = line[skip:]
        for w in near[:: 2 if fmt[2] == "1" else 1]:
            u.append(i)
            v.append(int(w) - 1)
    return facts(structure(int(n), u, v, True), features=skip)


def snap(path, truth=None):
    lines = [line for line in open(path) if not line.startswith("#")]
    pairs = np.array([[int(w) for w in re.split(r"[\s,]+", line.strip())[:2]] for line in lines])
    ids, index = np.unique(pairs, return_inverse=True)
    u, v = index.reshape(pairs.shape).T
    labels = [] if truth is None else open(truth).read().split()
    return facts(structure(len(ids), u, v, True), classes=len(set(labels)), labelled=len(labels))


def main(folder):
    out = {}
    for name in ("cora", "citeseer"):
        out[f"planetoid/{name}"] = planetoid(folder / "planetoid", name)
    out["npz/cora"] = shchur(folder / "npz/cora.npz")
    for name in ("actor", "minesweeper", "texas"):
        out[f"heterophilous-npz/{name}"] = masked(folder / f"heterophilous-npz/{name}.npz")
    for name in ("MUTAG", "PTC_MR"):
        out[f"tu/{name}"] = tu_folder(folder / "tu" / name)
    out["tu/IMDB-BINARY"] = tu_zip(folder / "tu/IMDB-BINARY.zip")
    out["gin-txt/MUTAG"] = gin(folder / "gin-txt/MUTAG", "MUTAG")
    for name in ("molbace", "molesol"):
        out[f"ogb/{name}"] = ogb_graphs(folder / f"ogb/ogbg_{name}")
    for name in ("comments_west0067", "jagmesh7", "karate", "mangled_bool", "mangled_int8", "matrix_bool",
                 "matrix_fp32", "matrix_int32", "skew_fp32", "structure", "west0067"):
        out[f"mtx/{name}"] = mtx(folder / f"mtx/{name}.mtx")
    out["metis/4elt"] = metis(folder / "metis/4elt.graph")
    out["metis/test"] = metis(folder / "metis/test.mgraph")
    for name in ("facebook_combined", "karate"):
        out[f"snap/{name}"] = snap(folder / f"snap/{name}.txt")
    out["snap/email-Eu-core"] = snap(folder / "snap/email-Eu-core.txt", folder / "snap/email-Eu-core-groundtruth.txt")
    json.dump(out, sys.stdout, indent=1, sort_keys=True)
    print()


main(pathlib.Path(sys.argv[1]))
