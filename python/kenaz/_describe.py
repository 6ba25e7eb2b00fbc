"""Types of entry points for people and for type checkers: names, annotations, comments and stubs."""

import keyword

_SCALARS = {"bool": "bool", "f16": "float", "f32": "float", "f64": "float"}
_DTYPES = {"f16": "float16", "f32": "float32", "f64": "float64", "bool": "bool_"}


def identifier(name):
    """The name of a parameter, field or entry point as Python can have it: ``x'`` is ``x_``, ``from`` is ``from_``."""
    made = "".join(c if c.isalnum() or c == "_" else "_" for c in name)
    if not made.isidentifier():
        made = "_" + made
    return made + "_" if keyword.iskeyword(made) else made


def identifiers(names, unnamed="arg"):
    """The same of several that must differ; those that are only ``_`` are numbered."""
    made = []
    for number, name in enumerate(names, 1):
        own = f"{unnamed}{number}" if name.strip("_") == "" else identifier(name)
        while own in made:
            own += "_"
        made.append(own)
    return made


def class_name(name):
    """The class of a record: the name of its type, or ``record`` if that has none; of an array of them, ``point_array``."""
    element = name.lstrip("[]")
    own = identifier(element) if element[:1].isalpha() or element[:1] == "_" else "record"
    return own if element == name else own + "_array"


def dtype(prim):
    """The name of a type in NumPy."""
    return _DTYPES.get(prim) or {"i": "int", "u": "uint"}[prim[0]] + prim[1:]


def annotation(form, classes):
    """A described type as an annotation. ``classes`` gives the name of the class of a record."""
    kind = form[0]
    if kind == "scalar":
        return _SCALARS.get(form[1], "int")
    if kind == "array":
        return f"NDArray[numpy.{dtype(form[1])}]"
    if kind == "tuple":
        inner = ", ".join(annotation(field, classes) for field in form[1])
        return f"tuple[{inner or '()'}]"
    if kind == "record":
        return classes(form[1])
    if kind == "sum":
        def variant(name, payload):
            inner = "".join(", " + annotation(held, classes) for held in payload)
            return f"tuple[Literal[{name!r}]{inner}]"

        return " | ".join(variant(name, payload) for name, payload in form[1])
    return "Opaque"


def result(results, classes):
    """The annotation of what an entry point returns."""
    made = [annotation(form, classes) for _, form in results]
    return made[0] if len(made) == 1 else f"tuple[{', '.join(made) or '()'}]"


def comment(name, doc, params, results):
    """The documentation of an entry point: its comment, and its type in the language."""
    shown = [f"({param}: {'*' if consumed else ''}{ty})" for param, ty, _, consumed in params]
    types = [ty for ty, _ in results]
    back = types[0] if len(types) == 1 else f"({', '.join(types)})"
    signature = " ".join(["entry", name, *shown, ":", back])
    return f"{doc.strip()}\n\n{signature}" if doc and doc.strip() else signature


def stub(entries, classes, title):
    """The text of a file ``.pyi``: a class for each record, and a class of programs with a method for each entry point."""

    def named(made):
        return made.__name__

    lines = [
        f"# What {title} offers to Python.",
        "",
        "from typing import Any, Literal, NamedTuple",
        "",
        "import numpy",
        "from numpy.typing import NDArray",
        "",
        "import kenaz",
        "from kenaz import Opaque",
    ]
    for made in classes.values():
        lines += ["", f"class {made.__name__}(NamedTuple):"]
        fields = getattr(made, "_forms", ())
        lines += [f"    {field}: {annotation(form, named)}" for field, form in zip(made._fields, fields)]
    lines += ["", "class Program(kenaz.Program):"]
    for name, doc, params, results in entries:
        own = identifiers([param for param, _, _, _ in params])
        taken = "".join(f", {ident}: {annotation(form, named)}" for ident, (_, _, form, _) in zip(own, params))
        text = comment(name, doc, params, results).replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
        lines.append(f"    def {identifier(name)}(self{taken}) -> {result(results, named)}:")
        lines.append("        " + '"""' + text.replace("\n", "\n        ").replace("\n        \n", "\n\n") + '"""')
        lines.append("        ...")
    if not entries:
        lines.append("    ...")
    return "\n".join(lines) + "\n"
