// real.h: the operations on f32 and f64, named {operation}_{type}. Needs base.h.

// The bits of one variable as those of another, of type T; kernels have their own way.
#ifndef KZ_SAME_BITS
#define KZ_SAME_BITS(T, to, from) memcpy(&to, &from, sizeof to)
#endif
// Floats: f is the suffix of the functions of <math.h>. The smaller or larger of a number and NaN is the number.
#define KZ_FLOAT1(p, T, op, function)                                                                                 \
  KZ_FN T op##_##p(T x) { return function(x); }
#define KZ_FLOAT2(p, T, op, function)                                                                                 \
  KZ_FN T op##_##p(T x, T y) { return function(x, y); }
#define KZ_FLOAT(p, T, U, f)                                                                                          \
  KZ_FN T add_##p(T x, T y) { return x + y; }                                                                         \
  KZ_FN T sub_##p(T x, T y) { return x - y; }                                                                         \
  KZ_FN T mul_##p(T x, T y) { return x * y; }                                                                         \
  KZ_FN T div_##p(T x, T y) { return x / y; }                                                                         \
  KZ_FN T neg_##p(T x) { return -x; }                                                                                 \
  KZ_FN T min_##p(T x, T y) {                                                                                         \
    T less = y < x ? y : x;                                                                                           \
    return x != x ? y : less;                                                                                         \
  }                                                                                                                   \
  KZ_FN T max_##p(T x, T y) {                                                                                         \
    T more = y > x ? y : x;                                                                                           \
    return x != x ? y : more;                                                                                         \
  }                                                                                                                   \
  KZ_FN T sgn_##p(T x) { return x != x || x == 0 ? x : copysign##f((T)1, x); }                                        \
  KZ_FN T rsqrt_##p(T x) { return 1 / sqrt##f(x); }                                                                   \
  KZ_FN T fma_##p(T x, T y, T z) { return fma##f(x, y, z); }                                                          \
  KZ_FN T ldexp_##p(T x, int32_t n) { return ldexp##f(x, n); }                                                        \
  KZ_FN U to_bits_##p(T x) {                                                                                          \
    U bits;                                                                                                           \
    KZ_SAME_BITS(U, bits, x);                                                                                         \
    return bits;                                                                                                      \
  }                                                                                                                   \
  KZ_FN T from_bits_##p(U bits) {                                                                                     \
    T x;                                                                                                              \
    KZ_SAME_BITS(T, x, bits);                                                                                         \
    return x;                                                                                                         \
  }                                                                                                                   \
  KZ_COMPARISONS(p, T)                                                                                                \
  KZ_FLOAT2(p, T, mod, fmod##f) KZ_FLOAT2(p, T, pow, pow##f) KZ_FLOAT2(p, T, atan2, atan2##f)                         \
  KZ_FLOAT2(p, T, hypot, hypot##f) KZ_FLOAT2(p, T, copysign, copysign##f)                                             \
  KZ_FLOAT2(p, T, nextafter, nextafter##f) KZ_FLOAT1(p, T, abs, fabs##f) KZ_FLOAT1(p, T, sqrt, sqrt##f)               \
  KZ_FLOAT1(p, T, cbrt, cbrt##f) KZ_FLOAT1(p, T, exp, exp##f) KZ_FLOAT1(p, T, log, log##f)                            \
  KZ_FLOAT1(p, T, log2, log2##f) KZ_FLOAT1(p, T, log10, log10##f) KZ_FLOAT1(p, T, log1p, log1p##f)                    \
  KZ_FLOAT1(p, T, sin, sin##f) KZ_FLOAT1(p, T, cos, cos##f) KZ_FLOAT1(p, T, tan, tan##f)                              \
  KZ_FLOAT1(p, T, asin, asin##f) KZ_FLOAT1(p, T, acos, acos##f) KZ_FLOAT1(p, T, atan, atan##f)                        \
  KZ_FLOAT1(p, T, sinh, sinh##f) KZ_FLOAT1(p, T, cosh, cosh##f) KZ_FLOAT1(p, T, tanh, tanh##f)                        \
  KZ_FLOAT1(p, T, asinh, asinh##f) KZ_FLOAT1(p, T, acosh, acosh##f) KZ_FLOAT1(p, T, atanh, atanh##f)                  \
  KZ_FLOAT1(p, T, gamma, tgamma##f) KZ_FLOAT1(p, T, lgamma, lgamma##f) KZ_FLOAT1(p, T, erf, erf##f)                   \
  KZ_FLOAT1(p, T, erfc, erfc##f) KZ_FLOAT1(p, T, ceil, ceil##f) KZ_FLOAT1(p, T, floor, floor##f)                      \
  KZ_FLOAT1(p, T, trunc, trunc##f) KZ_FLOAT1(p, T, round, rint##f)

KZ_FLOAT(f32, float, uint32_t, f)
#ifndef KZ_NO_F64
KZ_FLOAT(f64, double, uint64_t, )
#endif
