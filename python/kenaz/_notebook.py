"""The magic ``%%futhark`` of notebooks."""

import shlex
import sys

from . import _kenaz
from ._program import compile

USAGE = "usage: %%futhark [--backend NAME] [--threads N] [PROGRAM]"


def register(shell):
    """Adds the magic to a shell of IPython."""

    def futhark(line, cell):
        """Compiles the cell. Its entry points become functions, and the program a variable if the line names one.

        %%futhark [--backend NAME] [--threads N] [PROGRAM]
        """
        try:
            options, name = _options(line)
            program = compile(source=cell, name="cell.fut", **options)
        except (_kenaz.Error, ValueError) as error:
            # The place that matters is in the cell, and not in the code that compiles it.
            print(error, file=sys.stderr)
            return
        if program.warnings:
            print(program.warnings, end="", file=sys.stderr)
        made = {function.__name__: function for function in program.entry_points.values()}
        shell.push({**made, name: program} if name else made)

    shell.register_magic_function(futhark, magic_kind="cell", magic_name="futhark")


def _options(line):
    """The options and the name of the program."""
    options, name, words = {}, None, shlex.split(line)
    while words:
        word = words.pop(0)
        if word in ("--backend", "--threads") and words:
            value = words.pop(0)
            if word == "--threads" and not value.isdigit():
                raise ValueError(USAGE)
            options[word[2:]] = int(value) if word == "--threads" else value
        elif name is None and word.isidentifier():
            name = word
        else:
            raise ValueError(USAGE)
    return options, name
