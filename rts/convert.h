// convert.h: conversions between scalars but f16, named {from}_to_{to}. Needs base.h.

// The integer in a float (F), towards zero. None is in NaN and the infinities, which give 0. Beyond the range of the
// integer type (I) it is the nearest number there is; BOUND is the first number above that range. With masks instead of
// conditions, so that compilers vectorise it.
#ifndef KZ_TRUNCATE // kernel.h may know better
#define KZ_TRUNCATE(name, F, MAX, I, LOW, HIGH, BOUND)                                                                \
  KZ_FN I name(F x) {                                                                                                 \
    F inside = x < BOUND ? x : 0;                                                                                     \
    inside = inside >= -BOUND ? inside : 0;                                                                           \
    I above = -(I)(x >= BOUND) & HIGH, below = -(I)(x < -BOUND) & LOW, finite = -(I)((x >= -MAX) & (x <= MAX));       \
    return ((I)inside | above | below) & finite;                                                                      \
  }
#endif
KZ_TRUNCATE(f32_to_i32, float, FLT_MAX, int32_t, INT32_MIN, INT32_MAX, 0x1p31f)
KZ_TRUNCATE(f32_to_i64, float, FLT_MAX, int64_t, INT64_MIN, INT64_MAX, 0x1p63f)
#ifndef KZ_NO_F64
KZ_TRUNCATE(f64_to_i32, double, DBL_MAX, int32_t, INT32_MIN, INT32_MAX, 0x1p31)
KZ_TRUNCATE(f64_to_i64, double, DBL_MAX, int64_t, INT64_MIN, INT64_MAX, 0x1p63)
#endif

// A signed number becomes an unsigned one of its own width (U) first.
#define KZ_CONVERT_INTEGER(p, T, U)                                                                                   \
  KZ_FN int8_t p##_to_i8(T x) { return (int8_t)x; }                                                                   \
  KZ_FN int16_t p##_to_i16(T x) { return (int16_t)x; }                                                                \
  KZ_FN int32_t p##_to_i32(T x) { return (int32_t)x; }                                                                \
  KZ_FN int64_t p##_to_i64(T x) { return (int64_t)x; }                                                                \
  KZ_FN uint8_t p##_to_u8(T x) { return (uint8_t)(U)x; }                                                              \
  KZ_FN uint16_t p##_to_u16(T x) { return (uint16_t)(U)x; }                                                           \
  KZ_FN uint32_t p##_to_u32(T x) { return (uint32_t)(U)x; }                                                           \
  KZ_FN uint64_t p##_to_u64(T x) { return (uint64_t)(U)x; }                                                           \
  KZ_CONVERT_ANY(p, T)
// To the other types, a float is converted as to i32 or i64 first, and wraps around; u64 also has what is beyond i64.
#define KZ_CONVERT_FLOAT(p, T, MAX)                                                                                   \
  KZ_FN int8_t p##_to_i8(T x) { return (int8_t)p##_to_i32(x); }                                                       \
  KZ_FN int16_t p##_to_i16(T x) { return (int16_t)p##_to_i32(x); }                                                    \
  KZ_FN uint8_t p##_to_u8(T x) { return (uint8_t)p##_to_i32(x); }                                                     \
  KZ_FN uint16_t p##_to_u16(T x) { return (uint16_t)p##_to_i32(x); }                                                  \
  KZ_FN uint32_t p##_to_u32(T x) { return (uint32_t)p##_to_i64(x); }                                                  \
  KZ_FN uint64_t p##_to_u64(T x) {                                                                                    \
    if (x >= (T)0x1p63 && x <= MAX) return x < (T)0x1p64 ? (uint64_t)x : UINT64_MAX;                                  \
    return (uint64_t)p##_to_i64(x);                                                                                   \
  }                                                                                                                   \
  KZ_CONVERT_ANY(p, T)
// A device may have no f64.
#ifdef KZ_NO_F64
#define KZ_CONVERT_F64(p, T)
#else
#define KZ_CONVERT_F64(p, T)                                                                                          \
  KZ_FN double p##_to_f64(T x) { return (double)x; }
#endif
#define KZ_CONVERT_ANY(p, T)                                                                                          \
  KZ_CONVERT_F64(p, T)                                                                                                \
  KZ_FN float p##_to_f32(T x) { return (float)x; }                                                                    \
  KZ_FN bool p##_to_bool(T x) { return x != 0; }

KZ_CONVERT_INTEGER(i8, int8_t, uint8_t)
KZ_CONVERT_INTEGER(i16, int16_t, uint16_t)
KZ_CONVERT_INTEGER(i32, int32_t, uint32_t)
KZ_CONVERT_INTEGER(i64, int64_t, uint64_t)
KZ_CONVERT_INTEGER(u8, uint8_t, uint8_t)
KZ_CONVERT_INTEGER(u16, uint16_t, uint16_t)
KZ_CONVERT_INTEGER(u32, uint32_t, uint32_t)
KZ_CONVERT_INTEGER(u64, uint64_t, uint64_t)
KZ_CONVERT_INTEGER(bool, bool, bool)
KZ_CONVERT_FLOAT(f32, float, FLT_MAX)
#ifndef KZ_NO_F64
KZ_CONVERT_FLOAT(f64, double, DBL_MAX)
#endif
