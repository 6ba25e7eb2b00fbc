# A program in Python that calls dotprod.fut, with nothing but the standard library.
#
#   kenaz multicore --library dotprod.fut
#   cc -O3 -march=native -pthread -shared -fPIC dotprod.c -o libdotprod.so -lm
from array import array
from ctypes import CDLL, byref, c_char_p, c_double, c_int64, c_void_p

lib = CDLL("./libdotprod.so")
for name in ["context_config_new", "context_new", "new_f64_1d"]:
    getattr(lib, "futhark_" + name).restype = c_void_p
lib.futhark_context_get_error.restype = c_char_p
ctx = c_void_p(lib.futhark_context_new(c_void_p(lib.futhark_context_config_new())))


def vector(numbers):
    data = array("d", numbers)
    return c_void_p(lib.futhark_new_f64_1d(ctx, c_void_p(data.buffer_info()[0]), c_int64(len(data))))


result = c_double()
if lib.futhark_entry_main(ctx, byref(result), vector([1, 2, 3]), vector([4, 5, 6])):
    raise SystemExit(lib.futhark_context_get_error(ctx).decode())
print(result.value)
