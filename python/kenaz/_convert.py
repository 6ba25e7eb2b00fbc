"""Values that are not what a program takes as they are. The extension module calls this when its own way fails.

What is exact is converted and everything else is refused: nobody should have to find out why a result is a little wrong.
Numbers of Python have no type of their own, so that they become one of any type that they fit.
"""

import numpy

# The types of which every value is also one of the other type.
_BITS = {"float16": 11, "float32": 24, "float64": 53}


def _is_exact(given, wanted):
    """Whether every number of one type is one of another."""
    if given == wanted:
        return True
    if given.kind == "f" and wanted.kind == "f":
        return given.itemsize < wanted.itemsize
    if given.kind in "iu" and wanted.kind == "f":
        return 8 * given.itemsize - (given.kind == "i") <= _BITS[wanted.name]
    if given.kind in "iu" and wanted.kind in "iu":
        return numpy.can_cast(given, wanted, "safe")
    return False


def _described(value):
    return f"an array of {value.dtype} with {value.ndim} dimension{'' if value.ndim == 1 else 's'}"


def array(value, dtype, rank, what):
    """The elements of a value in the order of their rows; ``what`` is how a complaint about it begins."""
    wanted = numpy.dtype(dtype)
    is_python = isinstance(value, (list, tuple, int, float))
    try:
        found = numpy.asarray(value)
    except (TypeError, ValueError, RuntimeError) as error:
        raise TypeError(f"{what}, and was given a value of type {type(value).__name__}: {error}") from None
    if found.dtype.kind not in "iufb":
        raise TypeError(f"{what}, and was given a value of type {type(value).__name__}, of which NumPy makes "
                        f"an array of {found.dtype}")
    if is_python and found.size == 0:
        found = found.astype(wanted)
    if found.ndim != rank:
        raise TypeError(f"{what}, and was given {_described(found)}")
    if not _is_exact(found.dtype.newbyteorder("="), wanted):
        fits = is_python and _fits(found, wanted)
        if not fits:
            raise TypeError(f"{what}, and was given {_described(found)}; `.astype(numpy.{wanted.name})` converts it")
    if wanted.kind == "b":
        # A byte of an array that was said to be one of `bool` may be anything.
        found = numpy.ascontiguousarray(found).view(numpy.uint8) != 0
    return numpy.require(found, wanted, ["C_CONTIGUOUS", "ALIGNED"])


def _fits(found, wanted):
    """Whether the numbers of a list, which have no type, fit one."""
    if found.dtype.kind == "b" or wanted.kind == "b":
        return False
    if wanted.kind == "f":
        with numpy.errstate(over="ignore"):
            return bool(numpy.array_equal(numpy.isfinite(found.astype(wanted)), numpy.isfinite(found)))
    if found.dtype.kind == "f":
        return False
    limits = numpy.iinfo(wanted)
    return int(found.min()) >= limits.min and int(found.max()) <= limits.max


def scalar(value, dtype, what):
    """A number as an ``int``, ``float`` or ``bool``."""
    wanted = numpy.dtype(dtype)
    if not isinstance(value, (bool, int, float)) or isinstance(value, numpy.generic):
        try:
            found = numpy.asarray(value)
        except (TypeError, ValueError, RuntimeError):
            found = numpy.asarray(None)
        if found.ndim != 0 or found.dtype.kind not in "iufb":
            given = _described(found) if found.ndim > 0 else f"a value of type {type(value).__name__}"
            raise TypeError(f"{what}, and was given {given}")
        if not _is_exact(found.dtype.newbyteorder("="), wanted):
            raise TypeError(f"{what}, and was given a {found.dtype}; `{_class(wanted)}(…)` converts it")
        return found.item()
    is_bool = isinstance(value, bool)
    if is_bool != (wanted.kind == "b") or isinstance(value, float) and wanted.kind != "f":
        raise TypeError(f"{what}, and was given a value of type {type(value).__name__}")
    if wanted.kind in "iu":
        limits = numpy.iinfo(wanted)
        if not limits.min <= value <= limits.max:
            raise OverflowError(f"{what}, and {int(value)} is not one")
        return int(value)
    if wanted.kind == "f":
        try:
            number = float(value)
        except OverflowError:
            number = numpy.inf
        with numpy.errstate(over="ignore"):
            if not numpy.isfinite(wanted.type(number)) and value == value and abs(value) != numpy.inf:
                raise OverflowError(f"{what}, and the number is too large for one")
        return number
    return value


def _class(wanted):
    return {"f": "float", "b": "bool"}.get(wanted.kind, "int")


def cuda(value, dtype, rank, what):
    """Where the elements of an array on a GPU are, and its shape; ``None`` if it is no such array."""
    interface = getattr(value, "__cuda_array_interface__", None)
    if interface is None:
        return None
    found = numpy.dtype(interface["typestr"])
    shape = tuple(interface["shape"])
    if found != numpy.dtype(dtype) or len(shape) != rank:
        raise TypeError(f"{what}, and was given an array of {found} with {len(shape)} dimensions on a GPU")
    strides = interface.get("strides")
    if strides is not None and 0 not in shape:
        step = found.itemsize
        for size, stride in zip(reversed(shape), reversed(strides)):
            if size != 1 and stride != step:
                raise TypeError(f"{what}, and was given an array on a GPU that is not contiguous")
            step *= size
    return interface["data"][0], list(shape)
