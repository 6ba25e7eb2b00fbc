"""Programs: how they are compiled and described, and what is said when something is wrong."""

import ast
import copy
import inspect
import os
import pickle
import pydoc
import subprocess
import sys

import kenaz
import numpy as np
import pytest


def test_files_and_what_they_import(tmp_path, monkeypatch):
    (tmp_path / "lib.fut").write_text("def twice (x: i32) = x + x\n")
    (tmp_path / "main.fut").write_text('import "lib"\nentry main (x: i32) : i32 = twice x\n')
    for path in [tmp_path / "main.fut", str(tmp_path / "main.fut")]:
        prog = kenaz.compile(path, backend="c")
        assert prog.main(4) == 8 and prog.backend == "c" and prog.warnings == ""
    assert repr(prog) == f"<kenaz program {tmp_path / 'main.fut'} for c: main>"
    # A source imports from the folder of its name.
    monkeypatch.chdir(tmp_path)
    assert kenaz.compile(source='import "lib"\nentry main (x: i32) : i32 = twice x\n').main(5) == 10


def test_mistakes_in_programs():
    with pytest.raises(kenaz.CompileError) as error:
        kenaz.compile(source="entry main (x: i32) : i32 =\n  x + y\n", name="wrong.fut")
    lines = str(error.value).splitlines()
    assert lines[:2] == ["error[unknown-name]: no value called `y` is in scope", " --> wrong.fut:2:7"]
    assert "2 |   x + y" in lines and any(line.rstrip().endswith("^ not found") for line in lines)
    assert isinstance(error.value, kenaz.Error)
    with pytest.raises(kenaz.CompileError, match="there is no file `nowhere.fut`"):
        kenaz.compile("nowhere.fut")


def test_mistakes_in_calls_of_compile():
    with pytest.raises(ValueError, match="there is no back end `none`; there are c, multicore, opencl, cuda and gpu"):
        kenaz.compile(source="entry main = 1i32", backend="none")
    for given in [{}, {"path": "a.fut", "source": "entry main = 1i32"}]:
        with pytest.raises(TypeError, match="one of `path` and `source` must be given"):
            kenaz.compile(**given)
    with pytest.raises(ValueError, match="only the back end multicore has a number of threads"):
        kenaz.compile(source="entry main = 1i32", backend="c", threads=2)
    with pytest.raises(ValueError, match="a number of threads is from 1 to 65536"):
        kenaz.compile(source="entry main = 1i32", threads=0)
    with pytest.raises(ValueError, match="only the back ends opencl and cuda have devices"):
        kenaz.compile(source="entry main = 1i32", backend="c", device="GPU")
    with pytest.raises(kenaz.RunError, match="There is no tuning parameter none."):
        kenaz.compile(source="entry main = 1i32", backend="c", tuning={"none": 1})


def test_without_a_c_compiler(monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(kenaz.CompileError, match="the C compiler `no-such-compiler` cannot be run: .*`\\$CC` says which"):
        kenaz.compile(source="entry main = 1i32")


def test_warnings_are_kept():
    prog = kenaz.compile(source="entry main (x: i32) : i32 = let y = 1 in x\n", backend="c")
    assert prog.warnings.startswith("warning[unused-name]: ")


def test_failures_while_running(prog):
    for _ in range(2):
        with pytest.raises(kenaz.RunError) as error:
            prog.divide(1, 0)
        message, trace = str(error.value).split("\n\n")
        assert message == "Error: division by zero"
        assert trace.startswith("Backtrace:\n-> #0  all.fut:")
        assert prog.divide(7, 2) == 3
    xs = np.zeros(2, np.float32)
    with pytest.raises(kenaz.RunError, match="argument 2 \\(`ys`\\) of shape \\[1\\] cannot match"):
        prog.add(xs, xs[:1])


def test_numbers_of_arguments(prog):
    with pytest.raises(TypeError, match="add\\(\\) missing 1 required positional argument: 'ys'"):
        prog.add(np.zeros(1, np.float32))
    with pytest.raises(TypeError, match="add\\(\\) takes 2 positional arguments but 3 were given"):
        prog.add(1, 2, 3)
    assert prog.divide(y=2, x=9) == 4
    with pytest.raises(AttributeError, match="the program has no entry point `none`; there are: add, id_i8, "):
        prog.none


def test_documentation(prog):
    assert inspect.getdoc(prog.add) == (
        "Adds two vectors,\nelement by element.\n\nentry add (xs: []f32) (ys: []f32) : []f32"
    )
    assert inspect.getdoc(prog.bump) == "entry bump (xs: *[]i32) : []i32"
    assert list(inspect.signature(prog.add).parameters) == ["xs", "ys"]
    shown = pydoc.plain(pydoc.render_doc(prog.add))
    assert "add(xs: 'NDArray[numpy.float32]', ys: 'NDArray[numpy.float32]') -> 'NDArray[numpy.float32]'" in shown
    assert "element by element." in shown
    assert prog.add.__name__ == "add" and "add" in dir(prog) and list(prog.entry_points)[:2] == ["add", "id_i8"]


def test_entry_points_called_like_something_of_programs():
    prog = kenaz.compile(source="entry stub (x: i32) : i32 = x\nentry lambda' (x: i32) : i32 = x + 1\n", backend="c")
    assert prog.entry_points["stub"](3) == 3 and "class Program" in prog.stub()
    assert prog.entry_points["lambda'"](3) == prog.lambda_(3) == 4


def test_stubs(prog):
    text = prog.stub()
    tree = ast.parse(text)
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    assert {"point", "line", "point_array", "Program"} <= set(classes)
    methods = {node.name: ast.unparse(node) for node in classes["Program"].body}
    assert methods["mirror"].startswith("def mirror(self, p: point) -> point:")
    assert methods["points"].startswith("def points(self, ps: point_array) -> point_array:")
    assert methods["dots"].startswith("def dots(self, n: int) -> Opaque:")
    assert methods["id_f16"].startswith(
        "def id_f16(self, x: float, xs: NDArray[numpy.float16]) -> tuple[float, NDArray[numpy.float16]]:"
    )
    assert "tuple[Literal['circle'], float] | tuple[Literal['nothing']]" in methods["area"]
    assert "from_: point\n    to: point" in ast.unparse(classes["line"])
    assert "Adds two vectors" in methods["add"]


def test_the_command_for_stubs(tmp_path):
    (tmp_path / "a.fut").write_text("entry main (x: i32) : i32 = x\n")
    (tmp_path / "b.fut").write_text("entry main = x\n")

    def run(*args):
        command = [sys.executable, "-m", "kenaz", "stubs", *args]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    assert run("a.fut").returncode == 0
    assert "def main(self, x: int) -> int:" in (tmp_path / "a.pyi").read_text()
    assert run("a.fut", "-o", "-").stdout == (tmp_path / "a.pyi").read_text()
    wrong = run("b.fut")
    assert wrong.returncode == 2 and "error[unknown-name]" in wrong.stderr and "Traceback" not in wrong.stderr
    full = run("a.fut", "-o", "nowhere/a.pyi")
    assert full.returncode == 1 and full.stderr == "error: cannot write nowhere/a.pyi: No such file or directory\n"
    assert sorted(os.listdir(tmp_path)) == ["a.fut", "a.pyi", "b.fut"]


def test_programs_in_the_documentation_of_functions():
    @kenaz.fut(backend="c")
    def dot(xs, ys):
        """
        def product (x: f64) (y: f64) = x * y
        -- | The product of two vectors.
        entry dot [n] (xs: [n]f64) (ys: [n]f64) : f64 = f64.sum (map2 product xs ys)
        """

    assert dot([1, 2], [3, 4]) == 11.0
    assert dot.program.backend == "c" and dot.__doc__.startswith("The product of two vectors.")

    @kenaz.fut
    def other(x):
        "entry main (x: i32) : i32 = x + 1"

    assert other(1) == 2
    with pytest.raises(kenaz.CompileError, match="/wrong.fut:1:15"):

        @kenaz.fut
        def wrong():
            "entry wrong = x"

    for source, what in [
        ("", "`f` has no documentation"),
        ("entry g (x: i32) = x\nentry h (x: i32) = x", "has no entry point of that name; there are: g, h"),
        ("entry f (x: i32) (y: i32) = x + y", "`f` has 1 parameters, and the entry point `f` has 2"),
    ]:

        def f(x):
            pass

        f.__doc__ = source
        with pytest.raises(TypeError, match=what):
            kenaz.fut(f)


class Shell:
    """What a magic needs of IPython."""

    def __init__(self):
        self.variables = {}

    def register_magic_function(self, function, magic_kind, magic_name):
        assert (magic_kind, magic_name) == ("cell", "futhark")
        self.magic = function

    def push(self, variables):
        self.variables.update(variables)


def test_notebooks(capsys):
    shell = Shell()
    kenaz.load_ipython_extension(shell)
    shell.magic("--backend c prog", "entry inc (x: i32) : i32 = x + 1\n")
    assert shell.variables["inc"](1) == 2 and shell.variables["prog"].backend == "c"
    assert capsys.readouterr() == ("", "")
    shell.magic("", "entry main (x: i32) =\n  x + y\n")
    shown = capsys.readouterr().err
    assert shown.startswith("error[unknown-name]: ") and "cell.fut:2:7" in shown and "Traceback" not in shown
    for wrong in ["--backend", "a b", "--threads x", "--backend none", "--threads 2 --backend c"]:
        shell.magic(wrong, "entry main (x: i32) = x\n")
        assert capsys.readouterr().err.count("\n") == 1
    assert "main" not in shell.variables
    shell.magic("--threads 2", "entry main (x: i32) = let y = 1 in x\n")
    assert shell.variables["main"](5) == 5 and "warning[unused-name]" in capsys.readouterr().err


def test_what_can_be_pickled(prog):
    for what in [prog, prog.dots(3)]:
        for attempt in [pickle.dumps, copy.copy, copy.deepcopy]:
            with pytest.raises(TypeError, match="cannot be pickled or copied"):
                attempt(what)
    point = prog.mirror({"x": 1, "y": 2})
    again = pickle.loads(pickle.dumps(point))
    assert again == point and again.x == point.x
    # It is given to a program like one of its own.
    assert prog.mirror(again) == (1.0, 2.0)
    assert pickle.loads(pickle.dumps(prog.shape(0))) == ("circle", 1.5)
