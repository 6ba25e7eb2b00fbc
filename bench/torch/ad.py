"""The Gaussian mixtures, the LSTM and the network of bench/ad by PyTorch, on the same numbers.

  ad.py [cpu|cuda] [RUNS]    prints a row of a table for each data set: the objective, and the milliseconds of the
                             objective and of its gradient by autograd, each the median of RUNS runs (20) after three
                             others
"""

import statistics
import sys
import time

import numpy as np
import torch

device = sys.argv[1] if len(sys.argv) > 1 else "cuda"
runs = int(sys.argv[2]) if len(sys.argv) > 2 else 20


def at(seed, count):
    """The numbers of lib/random.fut."""

    def mix(x):
        x = (x ^ (x >> np.uint32(16))) * np.uint32(0x45D9F3B)
        x = (x ^ (x >> np.uint32(16))) * np.uint32(0x45D9F3B)
        return x ^ (x >> np.uint32(16))

    start = mix(np.array([seed + 1], np.uint32))
    return mix(start + np.arange(count, dtype=np.uint32)).astype(np.float64) / 2147483648 - 1


def array(seed, *shape, dtype=torch.float64, by=1.0):
    x = torch.from_numpy(at(seed, int(np.prod(shape))).reshape(shape) / by)
    return x.to(device=device, dtype=dtype)


def gmm(n, d, k):
    xs, alphas, means = array(1, n, d), array(2, k), array(3, k, d)
    qs, ls = array(4, k, d, by=4), array(5, k, d * (d - 1) // 2, by=4)
    rows, columns = torch.tril_indices(d, d, -1, device=device)

    def objective(alphas, means, qs, ls):
        roots = torch.diag_embed(qs.exp()).index_put((torch.arange(k, device=device)[:, None], rows, columns), ls)
        v = xs[:, None, :] - means
        r = torch.einsum("kij,nkj->nki", roots, v)
        of_point = torch.logsumexp(alphas + qs.sum(1) - (r * r).sum(2) / 2, 1)
        norms = (qs.exp() ** 2).sum() + (ls**2).sum()
        return of_point.sum() - n * torch.logsumexp(alphas, 0) + norms / 2

    return objective, [alphas, means, qs, ls]


def lstm(n, b, d, h):
    xs, wanted = torch.stack([array(100 + i, b, d) for i in range(n)]), array(1, b, h)
    wi = torch.stack([array(10 + g, h, d, by=4) for g in range(4)])
    wh = torch.stack([array(20 + g, h, h, by=4) for g in range(4)])
    bias = array(3, 4, h)

    def objective(wi, wh, bias):
        s = c = torch.zeros(b, h, dtype=torch.float64, device=device)
        for x in xs:
            gates = x @ wi.reshape(4 * h, d).T + s @ wh.reshape(4 * h, h).T + bias.reshape(4 * h)
            forget, ingate, outgate, change = gates.split(h, 1)
            c = forget.sigmoid() * c + ingate.sigmoid() * change.tanh()
            s = outgate.sigmoid() * c.tanh()
        return ((s - wanted) ** 2).sum() / b

    return objective, [wi, wh, bias]


def network(b, n, h, k):
    labels = (torch.arange(b, device=device) * 7 + 3) % k
    single = {"dtype": torch.float32}

    def weights(seed, m, n):
        return array(seed, m, n, by=n**0.5, **single)

    xs = array(1, b, n, **single)
    layers = [weights(2, h, n), array(3, h, **single), weights(4, h, h), array(5, h, **single)]
    layers += [weights(6, k, h), array(7, k, **single)]

    def objective(w1, b1, w2, b2, w3, b3):
        said = torch.relu(torch.relu(xs @ w1.T + b1) @ w2.T + b2) @ w3.T + b3
        return torch.nn.functional.cross_entropy(said, labels)

    return objective, layers


def wait():
    if device == "cuda":
        torch.cuda.synchronize()


def median(f):
    times = []
    for _ in range(runs + 3):
        wait()
        start = time.perf_counter()
        f()
        wait()
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times[3:])


CASES = [
    ("gmm", "n 1000, d 64, k 5", gmm(1000, 64, 5)),
    ("gmm", "n 10000, d 32, k 10", gmm(10000, 32, 10)),
    ("lstm", "10 steps, batch 64, 32 to 64", lstm(10, 64, 32, 64)),
    ("lstm", "20 steps, batch 128, 80 to 96", lstm(20, 128, 80, 96)),
    ("network", "batch 128, 256, 128, 10", network(128, 256, 128, 10)),
    ("network", "batch 512, 784, 256, 10", network(512, 784, 256, 10)),
]

torch.backends.cuda.matmul.allow_tf32 = False
print(f"PyTorch {torch.__version__} on {torch.cuda.get_device_name() if device == 'cuda' else 'the CPU'}\n")
print("| program | data set | objective | primal ms | derivative ms | ratio |\n|---|---|---:|---:|---:|---:|")
for name, data, (objective, arguments) in CASES:
    with torch.no_grad():
        value = objective(*arguments).item()
        primal = median(lambda: objective(*arguments))
    for x in arguments:
        x.requires_grad_()
    gradient = median(lambda: torch.autograd.grad(objective(*arguments), arguments))
    print(f"| {name} | {data} | {value:.6g} | {primal:.3f} | {gradient:.3f} | {gradient / primal:.2f} |", flush=True)
