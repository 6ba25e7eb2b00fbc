"""Arrays on a device, by way of OpenCL where there is one, and of CUDA where that is."""

import pickle

import kenaz
import numpy as np
import pytest


@pytest.fixture(scope="module", params=["opencl", "cuda"])
def prog(request, text):
    try:
        return kenaz.compile(source=text, backend=request.param, name="all.fut")
    except kenaz.RunError as error:
        pytest.skip(str(error))


def test_arrays_stay_on_the_device(prog):
    xs = np.arange(3, dtype=np.float32)
    sums = prog.add(xs, xs)
    assert type(sums) is kenaz.DeviceArray
    assert (sums.shape, sums.ndim, sums.dtype, len(sums)) == ((3,), 1, np.float32, 3)
    assert repr(sums) == "<kenaz array of float32 with the shape (3) on a device>"
    assert np.asarray(sums).tolist() == [0, 2, 4]
    assert np.asarray(sums, np.float64).dtype == np.float64
    again = prog.add(sums, xs)
    assert np.asarray(prog.add(again, sums)).tolist() == [0, 5, 10]
    assert np.asarray(sums).tolist() == [0, 2, 4]


def test_values_of_all_kinds(prog):
    assert prog.mirror({"x": 1, "y": 2}) == (2.0, 1.0)
    assert [prog.area(prog.shape(k)) for k in range(3)] == [2.25, 6.0, -1.0]
    assert prog.on(prog.dots(7)) == 12
    a = np.array([1, 2], np.int32)
    assert np.asarray(prog.bump(a)).tolist() == [99, 2] and a.tolist() == [1, 2]
    result = prog.bump(a)
    assert np.asarray(prog.bump(result)).tolist() == [99, 2]
    first, second = prog.twice(result)
    assert np.asarray(first).tolist() == np.asarray(second).tolist() == [99, 2]
    assert np.asarray(prog.turned(np.empty((0, 3), np.int32))).shape == (3, 0)
    with pytest.raises(kenaz.RunError, match="division by zero"):
        prog.divide(1, 0)
    with pytest.raises(TypeError, match="`add`: the parameter `xs` is `\\[\\]f32`, and was given an array of int32"):
        prog.add(result, result)


def test_other_contexts_have_other_arrays(prog):
    other = prog.context()
    with pytest.raises(ValueError, match="belongs to another context"):
        prog.bump(other.bump(np.zeros(1, np.int32)))


def test_protocols(prog):
    array = prog.bump(np.zeros((3,), np.int32))
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(array)
    with pytest.raises(ValueError, match="must be copied"):
        array.__array__(copy=False)
    if prog.backend == "opencl":
        assert not hasattr(array, "__cuda_array_interface__")
        with pytest.raises(BufferError, match="only arrays of the back end cuda"):
            array.__dlpack__()
        return
    interface = array.__cuda_array_interface__
    assert (interface["shape"], interface["typestr"], interface["version"]) == ((3,), "<i4", 3)
    address, read_only = interface["data"]
    assert address != 0 and not read_only

    class Other:
        __cuda_array_interface__ = interface

    assert np.asarray(prog.bump(Other())).tolist() == [99, 0, 0]
    # The first is not consumed, although the second is what it was made of.
    assert [np.asarray(it).tolist() for it in prog.twice(Other())] == [[99, 0, 0]] * 2
    assert array.__dlpack_device__() == (2, 0)
    assert 'capsule object "dltensor"' in repr(array.__dlpack__())
    with pytest.raises(BufferError):
        array.__dlpack__(dl_device=(1, 0))
    with pytest.raises(BufferError):
        array.__dlpack__(copy=True)


def test_interfaces_of_others_are_read():
    """What is said about an array on a GPU is believed only where it fits."""
    from kenaz._convert import cuda

    class Array:
        def __init__(self, **more):
            self.__cuda_array_interface__ = {"shape": (2, 3), "typestr": "<f4", "data": (4096, False), "version": 3, **more}

    assert cuda(Array(), "float32", 2, "it") == (4096, [2, 3])
    assert cuda(Array(strides=(12, 4)), "float32", 2, "it") == (4096, [2, 3])
    assert cuda(Array(shape=(1, 3), strides=(77, 4)), "float32", 2, "it") == (4096, [1, 3])
    assert cuda(np.zeros(3), "float64", 1, "it") is None
    for wrong in [Array(strides=(4, 8)), Array(typestr="<f8"), Array(shape=(6,))]:
        with pytest.raises(TypeError, match="^it, and was given an array "):
            cuda(wrong, "float32", 2, "it")
