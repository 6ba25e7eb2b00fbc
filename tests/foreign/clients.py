"""Clients of other projects, unchanged, with programs that `kenaz` compiles: futhark-server, futhark-data and futhark-ffi.

Usage: clients.py KENAZ PROGRAM FOLDER BACKEND...
"""

import importlib
import os
import subprocess
import sys
import tempfile
import unittest
from importlib.metadata import version

import futhark_data
import numpy as np
from futhark_ffi import Futhark
from futhark_ffi.compat import FutharkCompat
from futhark_server import Failure, Server

KENAZ, PROGRAM, FOLDER, *BACKENDS = sys.argv[1:]
CLIENTS = ["futhark-server", "futhark-data", "futhark-ffi"]
# NumPy 2 has dropped a function that futhark-data calls.
np.product = np.prod
OUT_OF_BOUNDS = r"Index \[2\] out of bounds for array of shape \[2\]"


def compiled(backend, kind, name):
    """The path of what the program becomes, without the ending of a library."""
    path = os.path.join(FOLDER, name + "_" + backend)
    subprocess.run([KENAZ, backend, kind, PROGRAM, "-o", path], check=True)
    return path


def f32(*values):
    return np.array(values, np.float32)


class Data(unittest.TestCase):
    """What futhark-data writes, kenaz reads, and the other way round."""

    TYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64", "bool"]
    SHAPES = [(), (1,), (5,), (2, 3), (2, 1, 4)]

    def values(self):
        random = np.random.default_rng(7)
        for name in self.TYPES:
            dtype = np.dtype(name)
            for shape in self.SHAPES:
                if dtype.kind == "b":
                    value = random.integers(0, 2, shape)
                elif dtype.kind == "f":
                    value = random.integers(-9, 9, shape) / 4
                else:
                    limits = np.iinfo(dtype)
                    value = random.integers(limits.min, limits.max, shape, dtype, endpoint=True)
                # A scalar is a value of its type, and no array of rank 0.
                yield np.asarray(value).astype(dtype)[()]
            yield np.array([dtype.type(0)])[:0]
            if dtype.kind == "f":
                yield np.array([np.inf, -np.inf, np.nan, -0.0], dtype)

    def converted(self, data, *options):
        args = [KENAZ, "dataset", *options]
        return subprocess.run(args, input=data, stdout=subprocess.PIPE, check=True).stdout

    def same(self, expected, found):
        self.assertEqual(len(expected), len(found))
        for value, other in zip(expected, found):
            other = np.asarray(other)
            self.assertEqual((value.dtype, value.shape), (other.dtype, other.shape))
            np.testing.assert_array_equal(value, other)

    def test_binary(self):
        values = list(self.values())
        data = b"".join(bytes(futhark_data.dumpb(value)) for value in values)
        self.same(values, list(futhark_data.loadb(self.converted(data, "-b"))))

    def test_text(self):
        values = list(self.values())
        text = "\n".join(futhark_data.dumps(value) for value in values)
        binary = self.converted(text.encode(), "-b")
        self.same(values, list(futhark_data.loadb(binary)))
        # It writes infinities and no numbers, but does not read them.
        values = [value for value in values if np.isfinite(value).all()]
        binary = b"".join(bytes(futhark_data.dumpb(value)) for value in values)
        self.same(values, list(futhark_data.loads(self.converted(binary, "--text").decode())))


class OnServer:
    """Every command of a server, by the methods of the client."""

    @classmethod
    def setUpClass(cls):
        cls.program = compiled(cls.backend, "--server", "server")

    def setUp(self):
        self.server = Server(self.program).__enter__()
        self.addCleanup(self.server.__exit__, None, None, None)

    def test_what_there_is(self):
        self.assertEqual(
            self.server.cmd_entry_points(),
            ["at", "divide", "dot", "fill", "matmul", "norm2", "point_of", "scaled"],
        )
        types = self.server.cmd_types()
        for name in ["i8", "f16", "bool", "[][]i32", "[]f32", "[]i64", "[]u8", "point"]:
            self.assertIn(name, types)
        self.assertEqual(self.server.cmd_inputs("fill"), ["*[]i64", "i64"])
        self.assertEqual(self.server.cmd("outputs", "divide"), ["i64", "i64"])

    def test_calls(self):
        self.server.put_value("a", np.arange(6, dtype=np.int32).reshape(2, 3))
        self.server.put_value("b", np.arange(3, dtype=np.int32).reshape(3, 1))
        [runtime] = self.server.cmd_call("matmul", "c", "a", "b")
        self.assertRegex(runtime, r"^runtime: \d+$")
        np.testing.assert_array_equal(self.server.get_value("c"), [[5], [14]])
        self.server.put_value("x", np.int64(-17))
        self.server.put_value("y", np.int64(5))
        self.server.cmd_call("divide", "quotient", "remainder", "x", "y")
        self.assertEqual(self.server.get_value("quotient"), -4)
        self.assertEqual(self.server.get_value("remainder"), 3)

    def test_variables(self):
        self.server.put_value("a", f32(1, 2))
        self.server.cmd_rename("a", "b")
        np.testing.assert_array_equal(self.server.get_value("b"), f32(1, 2))
        for command in [lambda: self.server.get_value("a"), lambda: self.server.cmd_call("dot", "b", "b", "b")]:
            self.assertRaises(Failure, command)
        self.server.cmd_free("b")
        self.assertRaises(Failure, lambda: self.server.cmd_free("b"))

    def test_bytes(self):
        data = bytes(futhark_data.dumpb(np.int64(3))) + bytes(futhark_data.dumpb(np.arange(4, dtype=np.int64)))
        with tempfile.NamedTemporaryFile() as file:
            file.write(data)
            file.flush()
            self.server.cmd_restore(file.name, ("x", "i64"), ("xs", "[]i64"))
        self.assertEqual(self.server.get_value_bytes("xs"), bytes(futhark_data.dumpb(np.arange(4, dtype=np.int64))))

    def test_records(self):
        self.assertEqual(self.server.cmd_fields("point"), ["x f32", "y f32"])
        self.server.put_value("x", np.float32(3))
        self.server.put_value("y", np.float32(4))
        self.server.cmd("new", "p", "point", "x", "y")
        self.server.put_value("by", np.float32(2))
        self.server.cmd_call("scaled", "q", "p", "by")
        self.server.cmd_project("qx", "q", "x")
        self.assertEqual(self.server.get_value("qx"), 6)
        self.server.cmd_call("norm2", "n", "q")
        self.assertEqual(self.server.get_value("n"), 100)

    def test_errors(self):
        self.server.put_value("xs", np.array([7, 8], np.uint8))
        self.server.put_value("i", np.int64(2))
        self.assertRaisesRegex(Failure, OUT_OF_BOUNDS, lambda: self.server.cmd_call("at", "x", "xs", "i"))
        self.assertRaisesRegex(Failure, "Wrong input type", lambda: self.server.cmd_call("at", "x", "i", "i"))
        self.assertRaises(Failure, lambda: self.server.cmd("no_such_command"))
        # It goes on after errors.
        self.assertIn("dot", self.server.cmd_entry_points())

    def test_tuning_and_profiles(self):
        for param in self.server.cmd_tuning_params("matmul"):
            name = param.split(" ")[0]
            self.assertNotEqual(self.server.cmd_tuning_param_class(name), "")
            self.server.cmd_set_tuning_param(name, "1024")
        self.assertRaises(Failure, lambda: self.server.cmd_set_tuning_param("no_such_parameter", "1"))
        self.server.cmd_pause_profiling()
        self.server.cmd_unpause_profiling()
        self.assertEqual(self.server.cmd_report()[0][0], "{")
        self.server.cmd_clear()


class OnLibrary:
    """A library by way of CFFI."""

    @classmethod
    def setUpClass(cls):
        library = os.path.basename(compiled(cls.backend, "--library", "library"))
        build = os.path.join(os.path.dirname(sys.executable), "build_futhark_ffi")
        subprocess.run([build, library], cwd=FOLDER, stdout=subprocess.DEVNULL, check=True)
        cls.module = importlib.import_module("_" + library)

    def test_calls(self):
        library = Futhark(self.module)
        self.assertEqual(library.dot(f32(1, 2, 3), f32(4, 5, 6)), 32)
        a = np.arange(6, dtype=np.int32).reshape(2, 3)
        np.testing.assert_array_equal(library.from_futhark(library.matmul(a, a.T)), a @ a.T)
        self.assertEqual(library.divide(-17, 5), (-4, 3))
        xs = np.zeros(4, np.int64)
        np.testing.assert_array_equal(library.from_futhark(library.fill(xs, 9)), [9] * 4)
        np.testing.assert_array_equal(xs, [0] * 4)

    def test_results_are_arguments(self):
        library = Futhark(self.module)
        a = np.arange(4, dtype=np.int32).reshape(2, 2)
        np.testing.assert_array_equal(library.from_futhark(library.matmul(library.matmul(a, a), a)), a @ a @ a)

    def test_opaque_values(self):
        library = Futhark(self.module)
        point = library.point_of(3, 4)
        self.assertEqual(library.norm2(library.scaled(point, 2)), 100)
        stored = bytes(library.store_point(point))
        self.assertEqual(library.norm2(library.restore_point(stored)), 25)
        self.assertRaises(ValueError, lambda: library.restore_point(bytes(len(stored))))

    def test_errors(self):
        library = Futhark(self.module)
        xs = np.array([7, 8], np.uint8)
        self.assertRaisesRegex(ValueError, OUT_OF_BOUNDS, lambda: library.at(xs, 2))
        self.assertEqual(library.at(xs, 1), 8)

    def test_options(self):
        library = Futhark(self.module, profiling=True, cache_file_path=os.path.join(FOLDER, "cache_" + self.backend))
        library.pause_profiling()
        library.unpause_profiling()
        self.assertEqual(library.divide(1, 1), (1, 0))
        self.assertEqual(library.report()[0], "{")

    def test_compatible_results(self):
        library = FutharkCompat(self.module)
        a = np.arange(4, dtype=np.int32).reshape(2, 2)
        np.testing.assert_array_equal(library.matmul(library.matmul(a, a), a).get(), a @ a @ a)


def suite():
    loader, cases = unittest.TestLoader(), [Data]
    for base in [OnServer, OnLibrary]:
        for backend in BACKENDS:
            cases.append(type(f"{base.__name__}_{backend}", (base, unittest.TestCase), {"backend": backend}))
    return unittest.TestSuite(loader.loadTestsFromTestCase(case) for case in cases)


if __name__ == "__main__":
    sys.path.insert(0, FOLDER)
    print(", ".join(f"{name} {version(name)}" for name in CLIENTS), "on", ", ".join(BACKENDS), flush=True)
    sys.exit(not unittest.TextTestRunner(verbosity=1).run(suite()).wasSuccessful())
