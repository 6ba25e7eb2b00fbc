// half.h: numbers of half precision. Needs real.h and convert.h. They are stored as their bits and computed as float, which is
// exact enough that rounding the result once more gives what rounding once would for + - * / and sqrt.

typedef uint16_t kz_f16;
#define KZ_HALF

#ifdef __F16C__
#include <immintrin.h>
KZ_FN float f16_to_f32(kz_f16 x) { return _cvtsh_ss(x); }
KZ_FN kz_f16 f32_to_f16(float x) { return _cvtss_sh(x, 0); }
#else
KZ_FN float f16_to_f32(kz_f16 x) {
  uint32_t sign = (uint32_t)(x & 0x8000) << 16, exponent = x >> 10 & 31, fraction = x & 1023;
  // Subnormal halves are fractions of 2^-24, which a float holds exactly.
  float small = (float)fraction * 0x1p-24f;
  uint32_t bits = exponent == 31 ? 0x7f800000 | fraction << 13 | (fraction != 0) << 22
      : (exponent + 112) << 23 | fraction << 13;
  return from_bits_f32(sign | (exponent == 0 ? to_bits_f32(small) : bits));
}
KZ_FN kz_f16 f32_to_f16(float x) {
  uint32_t bits = to_bits_f32(x), sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
  if (size > 0x7f800000) return (kz_f16)(sign | 0x7e00 | (size >> 13 & 1023));
  if (size >= 0x477ff000) return (kz_f16)(sign | 0x7c00);
  // Adding one half leaves a multiple of 2^-24 in the last bits, rounded to the nearest, ties to even.
  if (size < 0x38800000) return (kz_f16)(sign | (to_bits_f32(from_bits_f32(size) + 0.5f) - 0x3f000000));
  return (kz_f16)(sign | ((size - 0x38000000 + 0xfff + (size >> 13 & 1)) >> 13));
}
#endif

// A device may have no f64. Numbers of 65536 or more are infinite as halves, and a float holds the others.
#ifdef KZ_NO_F64
KZ_FN kz_f16 kz_half_of(int64_t x) { return f32_to_f16(x < -65536 ? -65536.0f : (float)x); }
#define KZ_HALF_OF(x) kz_half_of((x) > 0 && (uint64_t)(x) > 65536 ? 65536 : (int64_t)(x))
#else
#define KZ_HALF_OF(x) f64_to_f16((double)(x))
KZ_FN double f16_to_f64(kz_f16 x) { return f16_to_f32(x); }
// By way of a float whose last bit says whether any bit was lost, so that it is not rounded twice.
KZ_FN kz_f16 f64_to_f16(double x) {
  float nearest = (float)x;
  uint32_t bits = to_bits_f32(nearest);
  if ((double)nearest != x) bits = (bits - (fabs((double)nearest) > fabs(x))) | 1;
  return f32_to_f16(from_bits_f32(bits));
}
#endif

KZ_FN kz_f16 f16_to_f16(kz_f16 x) { return x; }

#define KZ_HALF_INTEGER(p, T)                                                                                         \
  KZ_FN kz_f16 p##_to_f16(T x) { return KZ_HALF_OF(x); }                                                              \
  KZ_FN T f16_to_##p(kz_f16 x) { return f32_to_##p(f16_to_f32(x)); }
KZ_HALF_INTEGER(i8, int8_t) KZ_HALF_INTEGER(i16, int16_t) KZ_HALF_INTEGER(i32, int32_t) KZ_HALF_INTEGER(i64, int64_t)
KZ_HALF_INTEGER(u8, uint8_t) KZ_HALF_INTEGER(u16, uint16_t) KZ_HALF_INTEGER(u32, uint32_t)
KZ_HALF_INTEGER(u64, uint64_t) KZ_HALF_INTEGER(bool, bool)

#define KZ_HALF1(op)                                                                                                  \
  KZ_FN kz_f16 op##_f16(kz_f16 x) { return f32_to_f16(op##_f32(f16_to_f32(x))); }
#define KZ_HALF2(op)                                                                                                  \
  KZ_FN kz_f16 op##_f16(kz_f16 x, kz_f16 y) { return f32_to_f16(op##_f32(f16_to_f32(x), f16_to_f32(y))); }
#define KZ_HALF_COMPARE(op)                                                                                           \
  KZ_FN bool op##_f16(kz_f16 x, kz_f16 y) { return op##_f32(f16_to_f32(x), f16_to_f32(y)); }

KZ_HALF2(add) KZ_HALF2(sub) KZ_HALF2(mul) KZ_HALF2(div) KZ_HALF2(mod) KZ_HALF2(pow) KZ_HALF2(min) KZ_HALF2(max)
KZ_HALF2(atan2) KZ_HALF2(hypot) KZ_HALF2(copysign)
KZ_HALF1(sgn) KZ_HALF1(sqrt) KZ_HALF1(rsqrt) KZ_HALF1(cbrt) KZ_HALF1(exp) KZ_HALF1(log) KZ_HALF1(log2) KZ_HALF1(log10)
KZ_HALF1(log1p) KZ_HALF1(sin) KZ_HALF1(cos) KZ_HALF1(tan) KZ_HALF1(asin) KZ_HALF1(acos) KZ_HALF1(atan) KZ_HALF1(sinh)
KZ_HALF1(cosh) KZ_HALF1(tanh) KZ_HALF1(asinh) KZ_HALF1(acosh) KZ_HALF1(atanh) KZ_HALF1(gamma) KZ_HALF1(lgamma)
KZ_HALF1(erf) KZ_HALF1(erfc) KZ_HALF1(ceil) KZ_HALF1(floor) KZ_HALF1(trunc) KZ_HALF1(round)
KZ_HALF_COMPARE(eq) KZ_HALF_COMPARE(ne) KZ_HALF_COMPARE(lt) KZ_HALF_COMPARE(le) KZ_HALF_COMPARE(gt) KZ_HALF_COMPARE(ge)

KZ_FN kz_f16 neg_f16(kz_f16 x) { return x ^ 0x8000; }
KZ_FN kz_f16 abs_f16(kz_f16 x) { return x & 0x7fff; }
KZ_FN uint16_t to_bits_f16(kz_f16 x) { return x; }
KZ_FN kz_f16 from_bits_f16(uint16_t x) { return x; }
#ifdef KZ_NO_F64
KZ_FN kz_f16 ldexp_f16(kz_f16 x, int32_t n) { return f32_to_f16(ldexp_f32(f16_to_f32(x), n)); }
// The product is exact in a float. The last bit of the sum says whether any bit was lost.
KZ_FN kz_f16 fma_f16(kz_f16 x, kz_f16 y, kz_f16 z) {
  float product = f16_to_f32(x) * f16_to_f32(y), other = f16_to_f32(z), sum = product + other;
  float share = sum - product, lost = (product - (sum - share)) + (other - share);
  uint32_t bits = to_bits_f32(sum);
  if (lost != 0 && lost - lost == 0) bits = (bits - ((lost < 0) != (sum < 0))) | 1;
  return f32_to_f16(from_bits_f32(bits));
}
#else
KZ_FN kz_f16 ldexp_f16(kz_f16 x, int32_t n) { return f64_to_f16(ldexp(f16_to_f64(x), n)); }
// The product is exact in a double, and so is the sum but for numbers far too small to matter.
KZ_FN kz_f16 fma_f16(kz_f16 x, kz_f16 y, kz_f16 z) { return f64_to_f16(fma(f16_to_f64(x), f16_to_f64(y),
    f16_to_f64(z))); }
#endif
KZ_FN kz_f16 nextafter_f16(kz_f16 x, kz_f16 y) {
  float from = f16_to_f32(x), to = f16_to_f32(y);
  if (from != from || to != to) return 0x7e00;
  if (from == to) return y;
  if (from == 0) return (y & 0x8000) | 1;
  return (kz_f16)((from < to) == (from > 0) ? x + 1 : x - 1);
}
