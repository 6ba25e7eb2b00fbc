"""Programs, with a function for each entry point."""

import collections
import functools
import inspect
import os
import sys
import textwrap

from . import _describe, _kenaz


def compile(path=None, *, source=None, backend="multicore", threads=None, device=None, tuning=None, name=None):
    """Compiles a program and starts it.

    The program is in the file ``path``, or is the text ``source``; then ``name`` is what messages call it, and what it
    imports is read from the folder of that name. A ``backend`` is ``"c"``, ``"multicore"``, ``"opencl"``, ``"cuda"``, or
    ``"gpu"`` for that of the last two for which there is a device. What a program needs to run: with ``"multicore"`` a
    number of ``threads``, on a device a part of the name of the ``device``; ``tuning`` is a dictionary of tuning parameters.

    Raises :class:`kenaz.CompileError`, with the messages of the compiler, if the program is not right or there is no C
    compiler, which is ``$CC`` or ``cc``. What the C compiler makes is kept for the next time.
    """
    if (path is None) == (source is None):
        raise TypeError("a program is in a file or is a source, so that one of `path` and `source` must be given")
    file = os.fspath(path) if path is not None else name or "source.fut"
    compiled = _kenaz.compile(file, source, backend, _Records())
    return Program(compiled, file, threads, device, tuning)


class _Records:
    """Makes the classes of the records of a program, whose names differ."""

    def __init__(self):
        self.names = set()

    def __call__(self, name, fields):
        base = own = _describe.class_name(name)
        number = 1
        while own in self.names:
            number += 1
            own = f"{base}_{number}"
        self.names.add(own)
        made = _record(own, tuple(_describe.identifiers(fields, "field")))
        made.__doc__ = f"A value of type {name}."
        return made


def _record(name, fields):
    made = collections.namedtuple(name, fields, rename=True)
    made.__module__ = "kenaz"
    # The class belongs to a program, and another process has none.
    made.__reduce__ = lambda self: (_remade, (name, fields, tuple(self)))
    return made


@functools.lru_cache(None)
def _record_again(name, fields):
    return _record(name, fields)


def _remade(name, fields, values):
    """A record that was pickled: of a class like that of the program, and equal to what it was."""
    return _record_again(name, fields)(*values)


class Program:
    """A program with a context of its own: its memory, and with some back ends threads or a device.

    The entry points are functions of the same names: ``prog.main(x)``. They are also in ``entry_points``, for those whose
    names a program shares with this class. Calls of one program take turns; ``context`` makes another that runs at the
    same time. A program cannot be pickled: compile it again in the other process.
    """

    def __init__(self, compiled, file, threads=None, device=None, tuning=None):
        self._compiled = compiled
        self._file = file
        self._described = compiled.described()
        self._remember_fields()
        started = compiled.start(threads, device, sorted((tuning or {}).items()))
        functions = [_function(entry, *described) for entry, described in zip(started, self._described)]
        #: The entry points by their names.
        self.entry_points = {described[0]: made for made, described in zip(functions, self._described)}
        for made in functions:
            if not hasattr(type(self), made.__name__):
                setattr(self, made.__name__, made)

    @property
    def backend(self):
        """For what the program was compiled."""
        return self._compiled.backend

    @property
    def warnings(self):
        """What the compiler has to say about the program; empty if there is nothing."""
        return self._compiled.warnings

    @property
    def types(self):
        """The classes of records, by the names of their types: ``prog.types["point"](x=1, y=2)``."""
        return dict(self._compiled.classes)

    def context(self, *, threads=None, device=None, tuning=None):
        """The same program with another context, without compiling it again."""
        return Program(self._compiled, self._file, threads, device, tuning)

    def stub(self):
        """The types of the entry points for type checkers, as the text of a file ``.pyi``."""
        return _describe.stub(self._described, self._compiled.classes, os.path.basename(self._file))

    def __getattr__(self, name):
        # Only called for what is not there.
        there = ", ".join(self.__dict__.get("entry_points", {})) or "none"
        raise AttributeError(f"the program has no entry point `{name}`; there are: {there}")

    def __dir__(self):
        return sorted({*super().__dir__(), *(made.__name__ for made in self.entry_points.values())})

    def __repr__(self):
        return f"<kenaz program {self._file} for {self.backend}: {', '.join(self.entry_points)}>"

    def __reduce__(self):
        raise TypeError("a program that runs cannot be pickled or copied; compile it where it is needed")

    def _remember_fields(self):
        """Notes the types of the fields of records, for stubs."""

        def look(form):
            if form[0] == "record":
                form[1]._forms = form[2]
            for inner in form[2] if form[0] == "record" else form[1] if form[0] == "tuple" else ():
                look(inner)
            for _, payload in form[1] if form[0] == "sum" else ():
                for inner in payload:
                    look(inner)

        for _, _, params, results in self._described:
            for form in [form for _, _, form, _ in params] + [form for _, form in results]:
                look(form)


def _function(entry, name, doc, params, results):
    """A function with the names of the parameters, so that it is called, looked up and completed like any other."""
    own = _describe.identifier(name)
    taken = _describe.identifiers([param for param, _, _, _ in params])
    listed = ", ".join(taken)
    call = "_entry"
    while call in taken or call == own:
        call += "_"
    # All names are identifiers that are no keywords.
    space = {call: entry, "__name__": "kenaz.programs"}
    exec(f"def {own}({listed}): return {call}({listed})", space)
    # Not a cycle, so that memory is freed with the last reference.
    made = space.pop(own)
    made.__doc__ = _describe.comment(name, doc, params, results)
    made.__annotations__ = {
        ident: _describe.annotation(form, _class_name) for ident, (_, _, form, _) in zip(taken, params)
    } | {"return": _describe.result(results, _class_name)}
    return made


def _class_name(made):
    return made.__name__


def fut(function=None, **options):
    """Compiles the documentation of a function, which is a program, to a function that runs it.

    The program has one entry point, or one that is called like the function; its parameters are those of the function.
    Options are those of :func:`kenaz.compile`: ``@kenaz.fut(backend="c")``. The program is the attribute ``program``.
    """
    if function is None:
        return lambda function: fut(function, **options)
    source = textwrap.dedent(function.__doc__ or "").strip("\n")
    if not source:
        raise TypeError(f"`{function.__name__}` has no documentation, which should be a program")
    folder = os.path.dirname(getattr(sys.modules.get(function.__module__), "__file__", None) or "")
    options.setdefault("name", os.path.join(folder, function.__name__ + ".fut"))
    program = compile(source=source + "\n", **options)
    entries = program.entry_points
    made = entries.get(function.__name__) or (next(iter(entries.values())) if len(entries) == 1 else None)
    if made is None:
        there = ", ".join(entries) or "none"
        raise TypeError(f"the program of `{function.__name__}` has no entry point of that name; there are: {there}")
    wanted, given = len(inspect.signature(function).parameters), len(inspect.signature(made).parameters)
    if wanted != given:
        raise TypeError(f"`{function.__name__}` has {wanted} parameters, and the entry point `{made.__name__}` has {given}")
    made.program = program
    return made
