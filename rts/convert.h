// convert.h: conversions between scalars but f16, named {from}_to_{to}. Needs base.h.

// The integer in a float, towards zero; none is in NaN and the infinities. Beyond the range of i64 it is that of u64, and
// beyond that the nearest there is.
KZ_FN int64_t kz_integer(double x) {
  bool is_small = x >= -0x1p63 && x < 0x1p63, is_large = x >= 0x1p63 && x < 0x1p64;
  int64_t inside = (int64_t)(is_small ? x : is_large ? x - 0x1p64 : 0.0);
  return x >= 0x1p64 && x <= DBL_MAX ? -1 : x < -0x1p63 && x >= -DBL_MAX ? INT64_MIN : inside;
}

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
#define KZ_CONVERT_FLOAT(p, T)                                                                                        \
  KZ_FN int8_t p##_to_i8(T x) { return (int8_t)kz_integer(x); }                                                       \
  KZ_FN int16_t p##_to_i16(T x) { return (int16_t)kz_integer(x); }                                                    \
  KZ_FN int32_t p##_to_i32(T x) { return (int32_t)kz_integer(x); }                                                    \
  KZ_FN int64_t p##_to_i64(T x) { return kz_integer(x); }                                                             \
  KZ_FN uint8_t p##_to_u8(T x) { return (uint8_t)kz_integer(x); }                                                     \
  KZ_FN uint16_t p##_to_u16(T x) { return (uint16_t)kz_integer(x); }                                                  \
  KZ_FN uint32_t p##_to_u32(T x) { return (uint32_t)kz_integer(x); }                                                  \
  KZ_FN uint64_t p##_to_u64(T x) { return (uint64_t)kz_integer(x); }                                                  \
  KZ_CONVERT_ANY(p, T)
#define KZ_CONVERT_ANY(p, T)                                                                                          \
  KZ_FN float p##_to_f32(T x) { return (float)x; }                                                                    \
  KZ_FN double p##_to_f64(T x) { return (double)x; }                                                                  \
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
KZ_CONVERT_FLOAT(f32, float)
KZ_CONVERT_FLOAT(f64, double)
