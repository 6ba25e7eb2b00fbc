"""Products of matrices by NumPy, which has them from a library such as OpenBLAS.

  products.py INPUT PRODUCT    reads the arguments from INPUT, in Futhark's binary data format, and then obeys the lines of
                               its standard input: at `run` it computes once and prints the microseconds that this took,
                               at `store FILE` it writes the result and prints `stored`
  products.py --version        says which NumPy and library there are
"""

import struct
import sys
import time

import numpy as np

TYPES = {b" f32": np.float32, b" f64": np.float64, b" i32": np.int32}


def read(path):
    """The arrays of a file."""
    arrays = []
    with open(path, "rb") as file:
        while head := file.read(3):
            letter, version, rank = struct.unpack("cBB", head)
            if letter != b"b" or version != 2:
                sys.exit("this is not the binary format")
            dtype = np.dtype(TYPES[file.read(4)])
            shape = struct.unpack(f"<{rank}q", file.read(8 * rank))
            arrays.append(np.fromfile(file, dtype, int(np.prod(shape))).reshape(shape))
    return arrays


def write(path, array):
    name = next(name for name, dtype in TYPES.items() if dtype == array.dtype)
    with open(path, "wb") as file:
        file.write(struct.pack("cBB", b"b", 2, array.ndim) + name + struct.pack(f"<{array.ndim}q", *array.shape))
        np.ascontiguousarray(array).tofile(file)


def plain(out, a, b):
    return np.matmul(a, b, out=out)


def left(out, a, b):
    return np.matmul(a.T, b, out=out)


def right(out, a, b):
    return np.matmul(a, b.T, out=out)


def both(out, a, b):
    return np.matmul(a.T, b.T, out=out)


def minplus(out, a, b):
    """Not fast: there is nothing for it in the library."""
    return np.stack([(row[:, None] + b).min(axis=0) for row in a])


def epilogue(out, a, b, bias):
    out = np.matmul(a, b, out=out)
    np.add(out, bias, out=out)
    return np.maximum(out, 0, out=out)


def version():
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return f"NumPy {np.__version__}, {blas['name']} {blas['version']}"


def main():
    if sys.argv[1:] == ["--version"]:
        print(version())
        return
    arguments = read(sys.argv[1])
    product = {it.__name__: it for it in (plain, left, right, both, minplus, epilogue)}[sys.argv[2]]
    # The memory of the result is kept, as that of a compiled program is.
    result = None
    for line in sys.stdin:
        command, _, path = line.rstrip("\n").partition(" ")
        if command == "run":
            start = time.perf_counter_ns()
            result = product(result, *arguments)
            print(f"{(time.perf_counter_ns() - start) / 1e3:.3f}", flush=True)
        elif command == "store":
            write(path, result)
            print("stored", flush=True)
        else:
            sys.exit("`run` or `store FILE` is expected")


main()
