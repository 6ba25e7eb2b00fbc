"""Values go in and out: every type, every layout, and what is refused."""

import kenaz
import numpy as np
import pytest

LIMITS = {
    "i8": [-(2**7), 2**7 - 1], "i16": [-(2**15), 2**15 - 1], "i32": [-(2**31), 2**31 - 1], "i64": [-(2**63), 2**63 - 1],
    "u8": [0, 2**8 - 1], "u16": [0, 2**16 - 1], "u32": [0, 2**32 - 1], "u64": [0, 2**64 - 1],
}
DTYPES = {
    "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "u8": np.uint8, "u16": np.uint16, "u32": np.uint32,
    "u64": np.uint64, "f16": np.float16, "f32": np.float32, "f64": np.float64, "bool": np.bool_,
}


@pytest.mark.parametrize("prim", LIMITS)
def test_integers(prog, prim):
    entry, dtype = prog.entry_points[f"id_{prim}"], DTYPES[prim]
    for x in LIMITS[prim]:
        result, array = entry(x, np.array([x, 1], dtype))
        assert (result, type(result)) == (x, int)
        assert array.dtype == dtype and array.tolist() == [x, 1]
        # A number of NumPy, and an array without dimensions.
        assert entry(dtype(x), np.empty(0, dtype))[0] == x
        assert entry(np.array(x, dtype), np.empty(0, dtype))[0] == x
    for x in [LIMITS[prim][0] - 1, LIMITS[prim][1] + 1, 10**40]:
        with pytest.raises(OverflowError, match=f"`id_{prim}`: the parameter `x` is `{prim}`, and {x} is not one"):
            entry(x, np.empty(0, dtype))


@pytest.mark.parametrize("prim", ["f16", "f32", "f64"])
def test_floats(prog, prim):
    entry, dtype = prog.entry_points[f"id_{prim}"], DTYPES[prim]
    for x in [0.0, -0.5, 1024.0, float("inf"), -float("inf")]:
        result, array = entry(x, np.array([x], dtype))
        assert (result, type(result)) == (x, float)
        assert array.dtype == dtype and array[0] == x
    assert np.isnan(entry(float("nan"), np.empty(0, dtype))[0])
    assert np.signbit(entry(-0.0, np.empty(0, dtype))[0])
    assert entry(7, np.empty(0, dtype))[0] == 7.0
    # A number of Python is rounded as one that is written in a program.
    assert entry(0.1, np.empty(0, dtype))[0] == float(dtype(0.1))
    if prim != "f64":
        with pytest.raises(OverflowError, match="too large"):
            entry(1e300, np.empty(0, dtype))
    with pytest.raises(OverflowError, match="too large"):
        entry(10**400, np.empty(0, dtype))


def test_booleans(prog):
    for x in [True, False]:
        result, array = prog.id_bool(x, np.array([x, True]))
        assert result is x and array.dtype == bool and array.tolist() == [x, True]
    # Bytes that are neither 0 nor 1 are true, as NumPy has it.
    odd = np.array([0, 1, 2, 255], np.uint8).view(np.bool_)
    assert prog.negated(odd).tolist() == [True, False, False, False]


LAYOUTS = {
    "plain": lambda a: a,
    "strided": lambda a: np.repeat(a, 2, axis=1)[:, ::2],
    "rows": lambda a: np.repeat(a, 2, axis=0)[::2],
    "reversed": lambda a: a[::-1, ::-1].copy()[::-1, ::-1],
    "Fortran": np.asfortranarray,
    "broadcast": lambda a: a,
    "other bytes": lambda a: a.astype(a.dtype.newbyteorder()),
    "unaligned": lambda a: np.frombuffer(b"\0" + a.tobytes(), a.dtype, offset=1).reshape(a.shape),
    "read only": lambda a: np.frombuffer(a.tobytes(), a.dtype).reshape(a.shape),
    "subclass": lambda a: a.view(type("Own", (np.ndarray,), {})),
    "memory": lambda a: memoryview(a),
    "list": lambda a: a.tolist(),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(prog, layout):
    a = np.arange(6, dtype=np.int32).reshape(2, 3) - 2
    given = LAYOUTS[layout](a)
    for _ in range(2):
        result = prog.turned(given)
        assert result.shape == (3, 2) and result.tolist() == [[-2, 1], [-1, 2], [0, 3]]
    assert np.array_equal(np.asarray(given), a)


def test_layouts_of_one_row_and_broadcasts(prog):
    column = np.broadcast_to(np.arange(2, dtype=np.int32)[:, None], (2, 3))
    assert prog.turned(column).tolist() == [[0, 1]] * 3
    assert prog.turned(np.arange(3, dtype=np.int32)[None, :]).tolist() == [[0], [1], [2]]


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
def test_arrays_without_elements(prog, shape):
    assert prog.turned(np.empty(shape, np.int32)).shape == shape[::-1]
    assert prog.rank3(np.empty((2, *shape), np.int64)) == 0


def test_three_dimensions(prog):
    a = np.arange(24).reshape(2, 3, 4)
    assert prog.rank3(a) == prog.rank3(a.T) == prog.rank3(a.tolist()) == 276


def test_exact_conversions(prog):
    empty = np.empty(0, np.float64)
    for dtype in [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.float16, np.float32]:
        assert prog.id_f64(dtype(7), np.array([7], dtype))[1].tolist() == [7.0]
    for dtype in [np.int64, np.uint64, np.bool_]:
        with pytest.raises(TypeError, match=f"`id_f64`: the parameter `xs` is `\\[\\]f64`, and was given an array of "):
            prog.id_f64(1.0, np.array([1], dtype))
        with pytest.raises(TypeError, match="the parameter `x` is `f64`, and was given a "):
            prog.id_f64(dtype(1), empty)
    assert prog.id_i16(np.uint8(200), np.array([200], np.uint8))[1].tolist() == [200]
    for dtype in [np.uint16, np.int32, np.float32, np.bool_]:
        with pytest.raises(TypeError, match="`id_i16`: the parameter `xs` is `\\[\\]i16`, and was given an array of "):
            prog.id_i16(1, np.array([1], dtype))


def test_refusals_say_what_to_do(prog):
    with pytest.raises(TypeError) as refused:
        prog.add(np.zeros(2), np.zeros(2, np.float32))
    assert str(refused.value) == (
        "`add`: the parameter `xs` is `[]f32`, and was given an array of float64 with 1 dimension; "
        "`.astype(numpy.float32)` converts it"
    )
    xs = np.zeros(2, np.float32)
    for wrong in [np.zeros((2, 2), np.float32), np.float32(1), 3, "text", None, {}, ["a"], [1j], [[1], [2, 3]], object()]:
        with pytest.raises(TypeError, match="`add`: the parameter `ys` is `\\[\\]f32`, and was given "):
            prog.add(xs, wrong)
    for wrong in [1.0, True, "1", None, [1], np.zeros(1, np.int32), np.float32(1)]:
        with pytest.raises(TypeError, match="`divide`: the parameter `y` is `i32`, and was given "):
            prog.divide(1, wrong)


def test_lists_have_no_type(prog):
    assert prog.id_u8(1, [1, 255])[1].tolist() == [1, 255]
    assert prog.id_f32(1, [1, 2])[1].tolist() == [1.0, 2.0]
    assert prog.id_f16(1, [0.5])[1].tolist() == [0.5]
    assert prog.id_bool(True, [True])[1].tolist() == [True]
    assert prog.id_i8(1, [])[1].tolist() == []
    for entry, wrong in [("id_u8", [256]), ("id_u8", [-1]), ("id_u8", [1.0]), ("id_i8", [True]), ("id_bool", [1]), ("id_f16", [1e9])]:
        with pytest.raises(TypeError, match=f"`{entry}`: the parameter `xs` "):
            prog.entry_points[entry](0 if entry != "id_bool" else True, wrong)


def test_records(prog):
    point = prog.types["point"]
    mirrored = prog.mirror(point(x=1, y=2))
    assert type(mirrored) is point and mirrored == (2.0, 1.0) and mirrored.x == 2.0
    assert prog.mirror({"y": 2, "x": 1}) == mirrored
    # What has the fields is one, whatever their order.
    other = type("Other", (tuple,), {"x": 1.0, "y": 2.0})((2.0, 1.0))
    assert prog.mirror(other) == mirrored
    # A field may be called like a word of Python.
    line = prog.types["line"]
    assert line._fields == ("from_", "to")
    back = prog.reversed(line(point(1, 2), point(3, 4)))
    assert back == ((3, 4), (1, 2)) and back.from_.y == 4
    assert prog.reversed({"from": {"x": 1, "y": 2}, "to": point(3, 4)}) == back
    for wrong in [3, {"x": 1}, (1, 2)]:
        with pytest.raises(TypeError, match="`mirror`: the parameter `p` is `point`, and what was given has no field"):
            prog.mirror(wrong)
    with pytest.raises(TypeError, match="`reversed`: the parameter `l.to.y` is `f32`, and was given a value of type str"):
        prog.reversed({"from": point(1, 2), "to": point(3, "4")})


def test_tuples_and_arrays_of_them(prog):
    assert prog.swap((1, (True, 2.5))) == ((True, 2.5), 1)
    for wrong in [(1,), (1, 2, 3)]:
        with pytest.raises(TypeError, match="a tuple of 2, and was given one of "):
            prog.swap(wrong)
    with pytest.raises(TypeError, match="`swap`: the parameter `a.1.0` is `bool`"):
        prog.swap((1, (2, 2.5)))
    x = np.array([1, 2], np.float32)
    points = prog.points({"x": x, "y": x + 2})
    assert type(points).__name__ == "point_array"
    assert points.x.tolist() == [3, 4] and points.y.tolist() == [1, 2]
    assert prog.points(points).x.tolist() == [1, 2]
    flags, numbers = prog.pairs((np.array([7], np.int32), np.array([True])))
    assert flags.tolist() == [True] and numbers.tolist() == [7]
    # Columns have the same length, whether the program names it or not.
    with pytest.raises(kenaz.RunError, match="should have shape \\[2\\], but has \\[1\\]"):
        prog.points({"x": x, "y": x[:1]})
    with pytest.raises(kenaz.RunError, match="should have shape \\[1\\], but has \\[2\\]"):
        prog.pairs((np.array([7], np.int32), np.array([True, False])))


def test_sums(prog):
    assert prog.shape(0) == ("circle", 1.5)
    name, corners = prog.shape(1)
    assert name == "polygon" and corners.tolist() == [1, 2, 3]
    assert prog.shape(2) == ("nothing",)
    assert [prog.area(prog.shape(k)) for k in range(3)] == [2.25, 6.0, -1.0]
    assert prog.area(("polygon", [1, 2])) == 3.0 and prog.area("nothing") == -1.0
    with pytest.raises(ValueError, match="which has no constructor 'square'; there are 'circle', 'nothing', 'polygon'"):
        prog.area(("square", 1.0))
    with pytest.raises(TypeError, match="'circle' holds 1 values, not 2"):
        prog.area(("circle", 1.0, 2.0))
    with pytest.raises(TypeError, match="the parameter `s.circle.0` is `f32`"):
        prog.area(("circle", "1"))
    for wrong in [3, (), (1, 2)]:
        with pytest.raises(TypeError, match="the parameter `s` is `shape`"):
            prog.area(wrong)


def test_abstract_types(prog):
    first = prog.start(5)
    second = prog.next(first)
    number, seen = prog.seen(second)
    assert number == 6 and seen.tolist() == [5, 6]
    assert prog.seen(first)[1].tolist() == [5]


def test_opaque_values(prog):
    dots = prog.dots(7)
    assert type(dots) is kenaz.Opaque and dots.type == "[]dot" and repr(dots) == "<kenaz value of type []dot>"
    assert [prog.on(dots) for _ in range(3)] == [12] * 3
    # Another context of the same program takes it, and it outlives its own.
    other = prog.context()
    mine = other.dots(5)
    assert (other.on(dots), prog.on(mine)) == (12, 6)
    del other
    assert prog.on(mine) == 6
    for wrong in [3, None, np.zeros(3), ("on", 1)]:
        with pytest.raises(TypeError, match="`on`: the parameter `ds` is `\\[\\]dot`, and was given a value of type"):
            prog.on(wrong)
    source = "type dot = #a | #b\nentry one : []dot = [#a]\n"
    foreign = kenaz.compile(source=source, backend="c").one()
    with pytest.raises(TypeError, match="was given a value of another program"):
        prog.on(foreign)


def test_units_and_names(prog):
    assert prog.unit(()) == ()
    assert prog.names(lambda_=1, x_=2, arg3=9) == 120


def test_consumed_arguments_stay(prog):
    a = np.array([1, 2], np.int32)
    assert prog.bump(a).tolist() == [99, 2] and a.tolist() == [1, 2]
    result = prog.bump(a)
    assert prog.bump(result).tolist() == [99, 2]
