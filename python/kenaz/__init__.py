"""Programs of the array language Futhark, compiled and called from Python.

>>> import numpy, kenaz
>>> prog = kenaz.compile(source="entry dot [n] (xs: [n]f64) (ys: [n]f64) = f64.sum (map2 (*) xs ys)")
>>> prog.dot(numpy.array([1.0, 2.0]), numpy.array([3.0, 4.0]))
11.0
"""

from ._kenaz import CompileError, DeviceArray, Error, Opaque, RunError, __version__
from ._program import Program, compile, fut

__all__ = [
    "CompileError",
    "DeviceArray",
    "Error",
    "Opaque",
    "Program",
    "RunError",
    "__version__",
    "compile",
    "fut",
]


def load_ipython_extension(shell):
    """Adds the magic ``%%futhark`` to a notebook: ``%load_ext kenaz``."""
    from ._notebook import register

    register(shell)
