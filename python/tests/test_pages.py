"""The examples of the page of the package: what a comment behind an expression says is what it gives."""

import contextlib
import io
import os
import re
import sys

import pytest

PAGE = os.path.join(os.path.dirname(__file__), "..", "README.md")


def blocks():
    with open(PAGE, encoding="utf-8") as file:
        return re.findall(r"^```python\n(.*?)^```", file.read(), re.DOTALL | re.MULTILINE)


def run(block, space):
    """Runs the lines of an example, and gives what they say next to what they should."""
    said = []
    failure = re.search(r"^# (\w[\w.]*): (.*?)\Z", block, re.DOTALL | re.MULTILINE)
    if failure:
        expected = "\n".join(line.removeprefix("#").removeprefix(" ") for line in failure.group(2).rstrip().splitlines())
        try:
            exec(block, space)
        except Exception as error:
            module = type(error).__module__
            name = type(error).__name__ if module == "builtins" else f"{module}.{type(error).__name__}"
            return [((name, str(error)), (failure.group(1), expected))]
        return [("nothing", failure.group(1))]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        lines = block.splitlines()
        exec(block, space)
        for line in lines:
            shown = re.match(r"^( *)(\S.*?)  +# (.*)$", line)
            if not shown:
                continue
            indent, code, expected = shown.groups()
            assignment = re.match(r"^(\w+) = ", code)
            if code.startswith("print("):
                said.append((printed.getvalue().strip(), expected))
            elif not indent or assignment:
                said.append((repr(eval(assignment.group(1) if assignment else code, space)), expected))
            else:
                said.append((repr(eval(code, space)), expected))
    return said


@pytest.mark.skipif(sys.version_info < (3, 10), reason="the page matches patterns")
def test_the_page():
    space, said = {}, []
    for block in blocks():
        said += run(block, space)
    assert len(said) >= 9
    for given, expected in said:
        assert given == expected
    assert "The sum of the squares" in space["kenaz"].compile(source=first_program()).squares.__doc__


def first_program():
    return re.search(r'source=r"""\n(.*?)"""', blocks()[0], re.DOTALL).group(1)
