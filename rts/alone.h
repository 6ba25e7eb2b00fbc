// alone.h: conversions from floats to integers, named {from}_to_{to}_alone, where one is made at a time. Needs base.h and
// convert.h.

// The conversions of convert.h with a branch that nearly always goes one way in place of the masks: a third of the
// instructions outside of vectors.
#define KZ_ALONE(name, F, I, BOUND)                                                                                   \
  KZ_COLD I name##_beyond(F x) { return name(x); }                                                                    \
  KZ_FN I name##_alone(F x) {                                                                                         \
    if (KZ_UNLIKELY(!(x > -BOUND && x < BOUND))) return name##_beyond(x);                                             \
    return (I)x;                                                                                                      \
  }
#define KZ_ALONE_TO(from, to, F, T, wide)                                                                             \
  KZ_FN T from##_to_##to##_alone(F x) { return (T)from##_to_##wide##_alone(x); }
#define KZ_ALONE_FROM(p, F)                                                                                           \
  KZ_ALONE_TO(p, i8, F, int8_t, i32)                                                                                  \
  KZ_ALONE_TO(p, i16, F, int16_t, i32)                                                                                \
  KZ_ALONE_TO(p, u8, F, uint8_t, i32)                                                                                 \
  KZ_ALONE_TO(p, u16, F, uint16_t, i32)                                                                               \
  KZ_ALONE_TO(p, u32, F, uint32_t, i64)
KZ_ALONE(f32_to_i32, float, int32_t, 0x1p31f)
KZ_ALONE(f32_to_i64, float, int64_t, 0x1p63f)
KZ_ALONE(f64_to_i32, double, int32_t, 0x1p31)
KZ_ALONE(f64_to_i64, double, int64_t, 0x1p63)
KZ_ALONE_FROM(f32, float)
KZ_ALONE_FROM(f64, double)
