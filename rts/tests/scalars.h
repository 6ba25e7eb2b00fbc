// Calls of the functions on scalars, compiled both by the C compiler and as part of a kernel (device.c), to be compared.

#define SCALAR_2(n, p, T)                                                                                             \
  case n: return (int64_t)add_##p((T)x, (T)y);                                                                        \
  case n + 1: return (int64_t)mul_##p((T)x, (T)y);                                                                    \
  case n + 2: return (int64_t)div_##p((T)x, (T)y);                                                                    \
  case n + 3: return (int64_t)mod_##p((T)x, (T)y);                                                                    \
  case n + 4: return (int64_t)quot_##p((T)x, (T)y);                                                                   \
  case n + 5: return (int64_t)rem_##p((T)x, (T)y);                                                                    \
  case n + 6: return (int64_t)shl_##p((T)x, (T)(y & 127));                                                            \
  case n + 7: return (int64_t)shr_##p((T)x, (T)(y & 127));                                                            \
  case n + 8: return (int64_t)pow_##p((T)x, (T)y);                                                                    \
  case n + 9: return (int64_t)mul_hi_##p((T)x, (T)y);                                                                 \
  case n + 10: return popc_##p((T)x) * 10000 + clz_##p((T)x) * 100 + ctz_##p((T)x);                                   \
  case n + 11: return (int64_t)min_##p((T)x, (T)y) ^ lt_##p((T)x, (T)y);                                              \
  case n + 12: return (int64_t)sgn_##p((T)x) ^ (int64_t)abs_##p((T)x);                                                \
  case n + 13: return to_bits_f32(p##_to_f32((T)x));                                                                  \
  case n + 14: return to_bits_f16(p##_to_f16((T)x));

#define SCALAR_F32(n, p)                                                                                              \
  case n: return (int64_t)f32_to_##p(from_bits_f32((uint32_t)x));                                                     \
  case n + 1: return (int64_t)f16_to_##p((kz_f16)x);

enum { SCALAR_CASES = 174 };
KZ_FN int64_t scalar_case(int which, int64_t x, int64_t y) {
  float f = from_bits_f32((uint32_t)x), g = from_bits_f32((uint32_t)y);
  kz_f16 h = (kz_f16)x, k = (kz_f16)y;
  switch (which) {
    SCALAR_2(0, i8, int8_t) SCALAR_2(15, i16, int16_t) SCALAR_2(30, i32, int32_t) SCALAR_2(45, i64, int64_t)
    SCALAR_2(60, u8, uint8_t) SCALAR_2(75, u16, uint16_t) SCALAR_2(90, u32, uint32_t) SCALAR_2(105, u64, uint64_t)
    SCALAR_F32(120, i8) SCALAR_F32(122, i16) SCALAR_F32(124, i32) SCALAR_F32(126, i64) SCALAR_F32(128, u8)
    SCALAR_F32(130, u16) SCALAR_F32(132, u32) SCALAR_F32(134, u64) SCALAR_F32(136, bool)
  case 138: return to_bits_f32(add_f32(f, g));
  case 139: return to_bits_f32(mul_f32(f, g));
  case 140: return to_bits_f32(min_f32(f, g));
  case 141: return to_bits_f32(max_f32(f, g));
  case 142: return to_bits_f32(floor_f32(f));
  case 143: return to_bits_f32(ceil_f32(f));
  case 144: return to_bits_f32(trunc_f32(f));
  case 145: return to_bits_f32(round_f32(f));
  case 146: return to_bits_f32(sgn_f32(f));
  case 147: return to_bits_f32(abs_f32(f));
  case 148: return to_bits_f32(nextafter_f32(f, g));
  case 149: return to_bits_f32(copysign_f32(f, g));
  case 150: return to_bits_f32(fma_f32(f, g, f));
  case 151: return to_bits_f32(ldexp_f32(f, (int32_t)(y & 63) - 32));
  case 152: return lt_f32(f, g) + 2 * eq_f32(f, g) + 4 * ge_f32(f, g);
  case 153: return f32_to_f16(f);
  case 154: return to_bits_f32(f16_to_f32(h));
  case 155: return add_f16(h, k);
  case 156: return mul_f16(h, k);
  case 157: return fma_f16(h, k, (kz_f16)(x >> 16));
  case 158: return ldexp_f16(h, (int32_t)(y & 31) - 16);
  case 159: return nextafter_f16(h, k);
  case 160: return lt_f16(h, k) + 2 * eq_f16(h, k);
  case 161: return bool_to_f16(x % 2 == 0);
  case 162: return not_bool(x > y) + 2 * xor_bool(x > 0, y > 0);
  case 163: return size_mul_i64(x, y);
#ifndef KZ_NO_F64
  case 164: return (int64_t)to_bits_f64(add_f64(from_bits_f64((uint64_t)x), from_bits_f64((uint64_t)y)));
  case 165: return (int64_t)to_bits_f64(div_f64((double)x, (double)y));
  case 166: return (int64_t)to_bits_f64(i64_to_f64(x));
  case 167: return f64_to_i32((double)x / 3);
  case 168: return f64_to_i64((double)x * 7);
  case 169: return (int64_t)f64_to_u64((double)x * 7);
  case 170: return f64_to_f16((double)x / 5);
  case 171: return (int64_t)to_bits_f64(f16_to_f64(h));
  case 172: return (int64_t)to_bits_f64(fma_f64((double)x, (double)y, (double)x));
  case 173: return (int64_t)to_bits_f64(u64_to_f64((uint64_t)x));
#endif
  default: return 0;
  }
}

enum { REAL_CASES = 27 };
KZ_FN float real_case(int which, float x, float y) {
  switch (which) {
  case 0: return sqrt_f32(x);
  case 1: return rsqrt_f32(x);
  case 2: return cbrt_f32(x);
  case 3: return exp_f32(x);
  case 4: return log_f32(x);
  case 5: return log2_f32(x);
  case 6: return log10_f32(x);
  case 7: return log1p_f32(x);
  case 8: return sin_f32(x);
  case 9: return cos_f32(x);
  case 10: return tan_f32(x);
  case 11: return asin_f32(x / 8);
  case 12: return acos_f32(x / 8);
  case 13: return atan_f32(x);
  case 14: return sinh_f32(x);
  case 15: return cosh_f32(x);
  case 16: return tanh_f32(x);
  case 17: return asinh_f32(x);
  case 18: return acosh_f32(x + 1);
  case 19: return atanh_f32(x / 8);
  case 20: return gamma_f32(x);
  case 21: return lgamma_f32(x + 2);
  case 22: return erf_f32(x);
  case 23: return erfc_f32(x);
  case 24: return pow_f32(x, y);
  case 25: return atan2_f32(x, y) + hypot_f32(x, y);
  case 26: return mod_f32(x, y) + div_f32(x, y);
  default: return 0;
  }
}
