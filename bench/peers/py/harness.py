"""What both peers share: the settings, the data, the loop that is measured.

A peer's program defines build(settings, data) and calls run(build, versions).
One process measures one path of one row and prints one JSON object.
"""

import argparse
import json
import resource
import statistics
import struct
import sys
import time
from pathlib import Path

# Names of the models' parameters are weft's, so that its files of weights fit.
HEADS = 8
LAYERS = 2


def settings():
    p = argparse.ArgumentParser()
    p.add_argument("--path", required=True)
    p.add_argument("--model", choices=["gcn", "sage", "gin", "gat"], required=True)
    p.add_argument("--hidden", type=int, required=True)
    p.add_argument("--threads", type=int, required=True)
    p.add_argument("--data", type=Path, required=True, help="folder in weft's form")
    p.add_argument("--init", type=Path, required=True, help="safetensors file of initial weights")
    p.add_argument("--lr", type=float, required=True)
    p.add_argument("--epochs", type=int, required=True, help="epochs to measure at least")
    p.add_argument("--seconds", type=float, required=True, help="time to measure at least")
    p.add_argument("--slow", type=float, required=True, help="seconds of an epoch from which fewer are measured")
    p.add_argument("--best", type=float, default=0, help="fastest peer so far in ms; 0 for none")
    p.add_argument("--memory", type=int, required=True, help="bytes of data the process may have")
    return p.parse_args()


# Steps before the measured ones, of slow paths one; steps that are measured of
# slow and of losing paths; the step whose loss is compared is the one after 5
# updates.
WARM = 3
FEW = 3
COMPARED = 5
LOSING = 2.0


class Data:
    """A folder in weft's form. The rows of the graph are destinations."""

    def __init__(self, folder, torch, np):
        load = lambda name: np.load(folder / name)
        self.indptr = torch.from_numpy(load("weft_csr/indptr.npy").astype(np.int64))
        self.src = torch.from_numpy(load("weft_csr/indices.npy").astype(np.int64))
        self.n = self.indptr.numel() - 1
        self.dst = torch.repeat_interleave(torch.arange(self.n), self.indptr.diff())
        self.x = torch.from_numpy(load("feat.npy"))
        self.y = torch.from_numpy(load("labels.npy").astype(np.int64)).view(-1)
        self.train = torch.from_numpy(load("split_0_train.npy").astype(np.int64)).view(-1)
        self.targets = self.y[self.train]
        meta = json.loads((folder / "weft.json").read_text())
        self.classes = len(meta["classes"])

    def with_loops(self, torch):
        """Arcs over N̂: exactly one loop per vertex, sorted by destination."""
        keep = self.src != self.dst
        every = torch.arange(self.n)
        src = torch.cat([self.src[keep], every])
        dst = torch.cat([self.dst[keep], every])
        order = torch.argsort(dst * self.n + src)
        return src[order], dst[order]


def weights(path, torch):
    """Reads a safetensors file of float32 matrices."""
    raw = path.read_bytes()
    (size,) = struct.unpack_from("<Q", raw)
    header = json.loads(raw[8 : 8 + size])
    out = {}
    for name, t in header.items():
        if name == "__metadata__":
            continue
        assert t["dtype"] == "F32", (name, t)
        begin, end = t["data_offsets"]
        body = bytearray(raw[8 + size + begin : 8 + size + end])
        out[name] = torch.frombuffer(body, dtype=torch.float32).view(t["shape"])
    return out


def set_weights(model, named, torch):
    """Copies weights into parameters; named maps (parameter, transposed) to each name."""
    own = dict(model.named_parameters())
    with torch.no_grad():
        for value, (name, transposed) in named:
            value = value.t() if transposed else value
            own.pop(name).copy_(value.reshape(dict(model.named_parameters())[name].shape))
    assert not own, f"parameters without initial weights: {list(own)}"


def names(model, layers):
    """Pairs weft's names with the peer's: layers maps a suffix to (name, transposed)."""
    return {f"layer{l}.{suffix}": (f"layers.{l}.{name}", t) for l in range(LAYERS) for suffix, (name, t) in layers.items()}


def resident(field):
    """VmHWM or VmRSS of this process, in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) * 1024
    return None


def measure(step, s):
    """Runs steps; returns the times of the measured ones in ms, the losses, and why it stopped early."""
    losses, times = [], []
    while True:
        start = time.perf_counter()
        losses.append(step())
        times.append((time.perf_counter() - start) * 1e3)
        slow = statistics.median(times[1:] or times) > s.slow * 1e3
        measured = times[1 if slow else WARM :]
        if len(measured) < FEW:
            continue
        if s.best and statistics.median(measured) > LOSING * s.best:
            return measured, losses, f"slower than {LOSING:g} times another path: {len(measured)} epochs measured"
        if len(losses) <= COMPARED:
            continue
        if slow:
            return measured, losses, f"slow: {len(measured)} epochs measured"
        if len(measured) >= s.epochs and sum(measured) >= s.seconds * 1e3:
            return measured, losses, ""


def run(build, versions):
    """Measures what build returns and prints the result as JSON."""
    s = settings()
    resource.setrlimit(resource.RLIMIT_DATA, (s.memory, s.memory))
    import numpy as np
    import torch
    import torch.nn.functional as F

    torch.set_num_threads(s.threads)
    out = {"versions": versions(), "base_rss_bytes": resident("VmRSS")}
    try:
        data = Data(s.data, torch, np)
        model, forward = build(s, data, weights(s.init, torch))
        fused = {"fused": True} if torch.__version__ >= "2.5" else {}
        adam = torch.optim.Adam(model.parameters(), lr=s.lr, betas=(0.9, 0.999), eps=1e-8, **fused)
        model.train()

        def step():
            adam.zero_grad()
            loss = F.cross_entropy(forward()[data.train], data.targets)
            loss.backward()
            adam.step()
            return loss.item()

        out["epoch_ms"], out["loss"], out["note"] = measure(step, s)
    except (MemoryError, RuntimeError) as e:
        if not isinstance(e, MemoryError) and "allocate memory" not in str(e):
            raise
        out["error"] = f"out of memory (limit {s.memory >> 30} GiB)"
    out["peak_rss_bytes"] = resident("VmHWM")
    json.dump(out, sys.stdout)
    print()
