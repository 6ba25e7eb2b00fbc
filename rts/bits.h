// bits.h: the operations popc, clz, ctz and mul_hi on integers, named {operation}_{type}. Needs base.h.

#if defined(KZ_POPC) // in a kernel
KZ_FN int32_t kz_popc(uint64_t x) { return KZ_POPC(x); }
KZ_FN int32_t kz_clz(uint64_t x) { return KZ_CLZ(x); }
KZ_FN int32_t kz_ctz(uint64_t x) { return x == 0 ? 64 : KZ_POPC(~x & (x - 1)); }
#elif defined(__GNUC__)
KZ_FN int32_t kz_popc(uint64_t x) { return __builtin_popcountll(x); }
KZ_FN int32_t kz_clz(uint64_t x) { return x == 0 ? 64 : __builtin_clzll(x); }
KZ_FN int32_t kz_ctz(uint64_t x) { return x == 0 ? 64 : __builtin_ctzll(x); }
#else
KZ_FN int32_t kz_popc(uint64_t x) {
  int32_t n = 0;
  for (; x != 0; x &= x - 1) n++;
  return n;
}
KZ_FN int32_t kz_clz(uint64_t x) {
  int32_t n = 64;
  for (; x != 0; x >>= 1) n--;
  return n;
}
KZ_FN int32_t kz_ctz(uint64_t x) { return x == 0 ? 64 : kz_popc(~x & (x - 1)); }
#endif

// Zero has as many leading and trailing zeros as the type has bits.
#define KZ_BITS(p, T, U, BITS)                                                                                        \
  KZ_FN int32_t popc_##p(T x) { return kz_popc((U)x); }                                                               \
  KZ_FN int32_t clz_##p(T x) { return kz_clz((U)x) - (64 - BITS); }                                                   \
  KZ_FN int32_t ctz_##p(T x) { return x == 0 ? BITS : kz_ctz((U)x); }
KZ_BITS(i8, int8_t, uint8_t, 8) KZ_BITS(i16, int16_t, uint16_t, 16) KZ_BITS(i32, int32_t, uint32_t, 32)
KZ_BITS(i64, int64_t, uint64_t, 64) KZ_BITS(u8, uint8_t, uint8_t, 8) KZ_BITS(u16, uint16_t, uint16_t, 16)
KZ_BITS(u32, uint32_t, uint32_t, 32) KZ_BITS(u64, uint64_t, uint64_t, 64)

KZ_FN int8_t mul_hi_i8(int8_t x, int8_t y) { return (int8_t)((x * y) >> 8); }
KZ_FN int16_t mul_hi_i16(int16_t x, int16_t y) { return (int16_t)((x * y) >> 16); }
KZ_FN int32_t mul_hi_i32(int32_t x, int32_t y) { return (int32_t)(((int64_t)x * y) >> 32); }
KZ_FN uint8_t mul_hi_u8(uint8_t x, uint8_t y) { return (uint8_t)((x * y) >> 8); }
KZ_FN uint16_t mul_hi_u16(uint16_t x, uint16_t y) { return (uint16_t)(((uint32_t)x * y) >> 16); }
KZ_FN uint32_t mul_hi_u32(uint32_t x, uint32_t y) { return (uint32_t)(((uint64_t)x * y) >> 32); }
KZ_FN uint64_t mul_hi_u64(uint64_t x, uint64_t y) {
#if defined(KZ_MUL_HI)
  return KZ_MUL_HI(x, y);
#elif defined(__SIZEOF_INT128__)
  return (uint64_t)(__extension__((unsigned __int128)x) * y >> 64);
#else
  uint64_t low = (x & 0xffffffff) * (y & 0xffffffff);
  uint64_t cross = (x >> 32) * (y & 0xffffffff) + (low >> 32);
  uint64_t other = (x & 0xffffffff) * (y >> 32) + (cross & 0xffffffff);
  return (x >> 32) * (y >> 32) + (cross >> 32) + (other >> 32);
#endif
}
KZ_FN int64_t mul_hi_i64(int64_t x, int64_t y) {
  uint64_t high = mul_hi_u64((uint64_t)x, (uint64_t)y);
  return (int64_t)(high - (x < 0 ? (uint64_t)y : 0) - (y < 0 ? (uint64_t)x : 0));
}
