"""``python -m kenaz stubs FILE.fut``: the types of a program for type checkers."""

import argparse
import os
import sys
import tempfile

from . import CompileError, Error, compile


def main(arguments=None):
    """Runs the command; its exit code is that of the command line of the compiler."""
    parser = argparse.ArgumentParser(prog="python -m kenaz", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    stubs = commands.add_parser("stubs", help="write FILE.pyi with the types of the entry points of FILE.fut")
    stubs.add_argument("file", help="the program")
    stubs.add_argument("-o", "--output", help="where to write them, `-` for the standard output")
    args = parser.parse_args(arguments)
    output = args.output or os.path.splitext(args.file)[0] + ".pyi"
    try:
        text = compile(args.file, backend="c").stub()
    except CompileError as error:
        print(error, file=sys.stderr)
        return 2
    except Error as error:
        print(error, file=sys.stderr)
        return 3
    if output == "-":
        sys.stdout.write(text)
        return 0
    try:
        _write(output, text)
    except OSError as error:
        print(f"error: cannot write {output}: {error.strerror}", file=sys.stderr)
        return 1
    return 0


def _write(path, text):
    """Writes a file that nobody sees a part of."""
    handle, unfinished = tempfile.mkstemp(dir=os.path.dirname(path) or ".", suffix=".unfinished")
    try:
        with os.fdopen(handle, "w") as file:
            file.write(text)
        os.replace(unfinished, path)
    except BaseException:
        os.unlink(unfinished)
        raise


if __name__ == "__main__":
    sys.exit(main())
