"""Compiles texts of kernels by one NVRTC. Usage: nvrtc.py LIBRARY, with lines `ARCHITECTURE BITS FILE` on
standard input; BITS is 32 or 64, the size of numbers in the kernels.

Prints what is refused and why, and fails if something is.
"""

import ctypes
import sys


def compiled(nvrtc, architecture, bits, text):
    """Nothing, or what the compiler says."""
    # As rts/cuda.h has them.
    options = [f"--gpu-architecture={architecture}".encode(), b"--std=c++17"]
    if bits == "32":
        options.append(b"-DKZ_NARROW")
    program = ctypes.c_void_p()
    if nvrtc.nvrtcCreateProgram(ctypes.byref(program), text, b"kernels.cu", 0, None, None) != 0:
        return "the program cannot be created"
    code = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    size = ctypes.c_size_t()
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(max(size.value, 1))
    nvrtc.nvrtcGetProgramLog(program, log)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return None if code == 0 else log.value.decode(errors="replace") or f"code {code}"


def main():
    nvrtc = ctypes.CDLL(sys.argv[1])
    refused = 0
    for line in sys.stdin:
        architecture, bits, path = line.rstrip("\n").split(" ", 2)
        with open(path, "rb") as file:
            said = compiled(nvrtc, architecture, bits, file.read())
        if said is not None:
            refused += 1
            print(f"{path}: {sys.argv[1]} refuses it for {architecture}:\n{said[:2000]}")
    sys.exit(1 if refused > 0 else 0)


main()
