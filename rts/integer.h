// integer.h: the operations on integers and booleans, named {operation}_{type}; for more see bits.h. Needs base.h.
//
// Integers wrap around: they are computed in an unsigned type of at least 32 bits (W below), because smaller ones are
// promoted to int, which does not wrap. Dividing by zero, which a check has prevented, yields zero rather than a trap.
// No operation branches where a choice of values will do, so that loops over them become vector code.

// U: the unsigned type of the width; W: the unsigned type to compute in; T: the type itself.
#define KZ_INTEGER(p, T, U, W, BITS)                                                                                  \
  KZ_FN T add_##p(T x, T y) { return (T)((W)x + (W)y); }                                                              \
  KZ_FN T sub_##p(T x, T y) { return (T)((W)x - (W)y); }                                                              \
  KZ_FN T mul_##p(T x, T y) { return (T)((W)x * (W)y); }                                                              \
  KZ_FN T neg_##p(T x) { return (T)(0 - (W)x); }                                                                      \
  KZ_FN T not_##p(T x) { return (T)~x; }                                                                              \
  KZ_FN T and_##p(T x, T y) { return (T)(x & y); }                                                                    \
  KZ_FN T or_##p(T x, T y) { return (T)(x | y); }                                                                     \
  KZ_FN T xor_##p(T x, T y) { return (T)(x ^ y); }                                                                    \
  KZ_FN T min_##p(T x, T y) { return x < y ? x : y; }                                                                 \
  KZ_FN T max_##p(T x, T y) { return x < y ? y : x; }                                                                 \
  KZ_FN T shl_##p(T x, T y) {                                                                                         \
    T shifted = (T)((W)(U)x << ((U)y & (BITS - 1)));                                                                  \
    return (U)y < BITS ? shifted : 0;                                                                                 \
  }                                                                                                                   \
  KZ_FN T pow_##p(T x, T y) {                                                                                         \
    W base = (W)x, result = 1;                                                                                        \
    for (uint64_t e = (uint64_t)y; e != 0; e >>= 1, base *= base) result *= e & 1 ? base : 1;                         \
    return (T)result;                                                                                                 \
  }                                                                                                                   \
  KZ_COMPARISONS(p, T)

#define KZ_SIGNED(p, T, U, W, BITS)                                                                                   \
  KZ_INTEGER(p, T, U, W, BITS)                                                                                        \
  KZ_FN T abs_##p(T x) { return x < 0 ? neg_##p(x) : x; }                                                             \
  KZ_FN T sgn_##p(T x) { return (T)((x > 0) - (x < 0)); }                                                             \
  KZ_FN T quot_##p(T x, T y) { return y == 0 ? 0 : y == -1 ? neg_##p(x) : (T)(x / y); }                               \
  KZ_FN T rem_##p(T x, T y) { return y == 0 || y == -1 ? 0 : (T)(x % y); }                                            \
  KZ_FN T div_##p(T x, T y) { return (T)((W)quot_##p(x, y) - ((rem_##p(x, y) != 0) & ((x ^ y) < 0))); }               \
  KZ_FN T mod_##p(T x, T y) {                                                                                         \
    T r = rem_##p(x, y);                                                                                              \
    return (T)((W)r + (((r != 0) & ((r ^ y) < 0)) ? (W)y : 0));                                                       \
  }                                                                                                                   \
  KZ_FN T shr_##p(T x, T y) { return (T)(x >> ((U)y < BITS ? (U)y : BITS - 1)); }

#define KZ_UNSIGNED(p, T, W, BITS)                                                                                    \
  KZ_INTEGER(p, T, T, W, BITS)                                                                                        \
  KZ_FN T abs_##p(T x) { return x; }                                                                                  \
  KZ_FN T sgn_##p(T x) { return x != 0; }                                                                             \
  KZ_FN T quot_##p(T x, T y) { return y == 0 ? 0 : (T)(x / y); }                                                      \
  KZ_FN T rem_##p(T x, T y) { return y == 0 ? 0 : (T)(x % y); }                                                       \
  KZ_FN T div_##p(T x, T y) { return quot_##p(x, y); }                                                                \
  KZ_FN T mod_##p(T x, T y) { return rem_##p(x, y); }                                                                 \
  KZ_FN T shr_##p(T x, T y) {                                                                                         \
    T shifted = (T)(x >> (y & (BITS - 1)));                                                                           \
    return y < BITS ? shifted : 0;                                                                                    \
  }

KZ_SIGNED(i8, int8_t, uint8_t, uint32_t, 8)
KZ_SIGNED(i16, int16_t, uint16_t, uint32_t, 16)
KZ_SIGNED(i32, int32_t, uint32_t, uint32_t, 32)
KZ_SIGNED(i64, int64_t, uint64_t, uint64_t, 64)
KZ_UNSIGNED(u8, uint8_t, uint32_t, 8)
KZ_UNSIGNED(u16, uint16_t, uint32_t, 16)
KZ_UNSIGNED(u32, uint32_t, uint32_t, 32)
KZ_UNSIGNED(u64, uint64_t, uint64_t, 64)

KZ_FN bool not_bool(bool x) { return !x; }
KZ_FN bool and_bool(bool x, bool y) { return x & y; }
KZ_FN bool or_bool(bool x, bool y) { return x | y; }
KZ_FN bool xor_bool(bool x, bool y) { return x ^ y; }
KZ_COMPARISONS(bool, bool)

// The product of two sizes: 0 if one of them is negative, and the largest number if it is too large.
KZ_FN int64_t size_mul_i64(int64_t x, int64_t y) {
  if (x <= 0 || y <= 0) return 0;
  return x > INT64_MAX / y ? INT64_MAX : x * y;
}
