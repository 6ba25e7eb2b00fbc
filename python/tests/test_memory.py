"""Who owns memory: nothing is copied that need not be, nothing is lost, and nothing is used after it was freed."""

import gc
import threading

import kenaz
import numpy as np
import pytest


def resident():
    """The memory of this process, in KiB."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:"))


def test_results_are_where_the_program_has_put_them(prog):
    a = np.arange(1 << 16, dtype=np.int32)
    result = prog.bump(a)
    assert not result.flags.owndata and result.base is not None
    assert result.flags.c_contiguous and result.flags.aligned and result.flags.writeable
    assert result.ctypes.data % 64 == 0
    result[1] = 7
    assert prog.bump(result)[1] == 7 and a[1] == 1


def test_results_that_are_arguments_are_copies(prog):
    a = np.array([1, 2], np.int32)
    results = prog.twice(a)
    for result in results:
        result[0] = 50
    assert a.tolist() == [1, 2] and [result.tolist() for result in results] == [[50, 2]] * 2
    again = prog.twice(results[0])
    results[0][1] = 60
    assert [result.tolist() for result in again] == [[50, 2]] * 2


def test_overlapping_arguments(prog):
    a = np.arange(5, dtype=np.float32)
    assert prog.add(a[:-1], a[1:]).tolist() == [1, 3, 5, 7]
    assert prog.add(a, a).tolist() == [0, 2, 4, 6, 8]


def test_arguments_are_not_copied():
    # A program that reads one element of 256 MiB takes no memory for the others.
    prog = kenaz.compile(source="entry at [n] (xs: [n]u8) (i: i64) : u8 = xs[i]\n", backend="c")
    a = np.ones(256 << 20, np.uint8)
    prog.at(a, 0)
    before = resident()
    assert [prog.at(a, i) for i in range(0, a.size, a.size // 8)] == [1] * 8
    assert resident() - before < 64 << 10


def test_results_outlive_the_program():
    prog = kenaz.compile(source="entry up (n: i64) : []i64 = iota n\n", backend="c")
    up = prog.up
    results = [up(1000) for _ in range(10)]
    view = results[0][10:20]
    del prog, up, results
    gc.collect()
    assert view.tolist() == list(range(10, 20))


def test_nothing_leaks(one):
    a, point = np.arange(2000, dtype=np.int32), {"x": 1, "y": 2}
    dots = one.dots(1000)

    def calls(count):
        for _ in range(count):
            one.bump(a)
            one.twice(a)
            one.mirror(point)
            one.area(one.shape(1))
            one.on(dots)
            one.next(one.start(3))
            for wrong in [lambda: one.divide(1, 0), lambda: one.add(1, 2), lambda: one.on(3), lambda: one.area("none")]:
                with pytest.raises((kenaz.Error, TypeError, ValueError)):
                    wrong()

    calls(1000)
    before = resident()
    calls(10000)
    # A leak of one array, or of one object for each call, would be more.
    assert resident() - before < 2048


def test_contexts_are_freed():
    prog = kenaz.compile(source="entry up (n: i64) : []i64 = iota n\n", backend="multicore")
    threads = threading.active_count()

    def contexts(count):
        for _ in range(count):
            assert prog.context(threads=2).up(100000)[-1] == 99999

    contexts(20)
    before = resident()
    contexts(200)
    assert resident() - before < 16 << 10 and threading.active_count() == threads


def test_threads_with_contexts_of_their_own_and_with_one(prog):
    wrong = []

    def work(prog, k):
        a = np.full(1000, k, np.float32)
        for i in range(200):
            result = prog.add(a, a)
            if not (result == 2 * k).all():
                wrong.append((k, i))

    programs = [prog, prog, prog.context(), prog.context()]
    threads = [threading.Thread(target=work, args=(prog, k)) for k, prog in enumerate(programs)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert wrong == []


def test_other_threads_run_meanwhile(prog):
    started, count = threading.Event(), [0]
    other = prog.context()

    def work():
        started.set()
        other.slow(30_000_000)
        count.append("done")

    # An array that is dropped does not wait for a call, nor does one of another context.
    dropped = other.twice(np.zeros(10, np.int32))
    thread = threading.Thread(target=work)
    thread.start()
    started.wait()
    del dropped
    while len(count) == 1:
        count[0] += prog.divide(1, 1)
    thread.join()
    assert count[0] > 10
