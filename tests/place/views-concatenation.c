// The iterations of the loop that follows do not depend on each other; they are the lanes of vectors; all of them should be
// written out.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define KZ_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#define KZ_LANES
#define KZ_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define KZ_INDEPENDENT _Pragma("GCC ivdep")
// GCC unrolls short loops before it looks for vectors, and then it does not find all of them.
#define KZ_LANES _Pragma("GCC unroll 1")
#define KZ_UNROLL _Pragma("GCC unroll 8")
#else
#define KZ_INDEPENDENT
#define KZ_LANES
#define KZ_UNROLL
#endif

// entry_destination, tests/place/views-concatenation.fut:4:7-17
static int fun_destination(struct futhark_context *ctx, int64_t *k_out, void **r_out, int64_t n, const float *restrict a, int64_t m, const float *restrict b) {
  int64_t add = add_i64(n, m);
  float *c = kz_alloc(ctx, size_mul_i64(4, add));
  if (KZ_UNLIKELY(c == NULL)) return FUTHARK_OUT_OF_MEMORY;
  KZ_INDEPENDENT
  for (int64_t i = 0; i < n; i++) {
    c[i] = a[i] * 2.0f;
  }
  KZ_INDEPENDENT
  for (int64_t i = 0; i < m; i++) {
    c[n + i] = b[i] + 1.0f;
  }
  *k_out = add;
  *r_out = c;
  return 0;
}

// entry_source, tests/place/views-concatenation.fut:7:7-12
static int fun_source(struct futhark_context *ctx, int64_t *k_out, void **r_out, int64_t n, const float *restrict a, int64_t m, const float *restrict b) {
  int64_t add = add_i64(n, m);
  float *mapped = kz_alloc(ctx, size_mul_i64(4, add));
  if (KZ_UNLIKELY(mapped == NULL)) return FUTHARK_OUT_OF_MEMORY;
  if (add <= INT64_C(1152921504606846976) && n >= INT64_C(-1152921504606846976) && n <= INT64_C(1152921504606846976)) {
    int64_t a_2 = 0;
    int64_t b_2 = mul_i64(n, -1);
    for (int64_t part = 0; part < 2; part++) {
      int64_t begin = a_2;
      int64_t end = n > begin && n < add ? n : add;
      bool inside = n > begin;
      int64_t b_3 = add_i64(b_2, begin);
      KZ_INDEPENDENT
      for (int64_t i = 0; i < sub_i64(end, begin); i++) {
        float x;
        if (inside) {
          x = a[begin + i];
        } else {
          x = b[b_3 + i];
        }
        mapped[begin + i] = x * 2.0f;
      }
      a_2 = end;
    }
  } else {
    int64_t b_2 = mul_i64(n, -1);
    KZ_INDEPENDENT
    for (int64_t i = 0; i < add; i++) {
      float x;
      if (n > i) {
        x = a[i];
      } else {
        x = b[b_2 + i];
      }
      mapped[i] = x * 2.0f;
    }
  }
  *k_out = add;
  *r_out = mapped;
  return 0;
}

static const struct kz_part parts_f32_1d[] = {{KZ_F32, 1}};
KZ_UNUSED static const struct kz_type type_f32_1d = {"[]f32", KZ_ARRAY, 1, parts_f32_1d, 0, NULL, NULL, 0};

static int entry_destination(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  int err = fun_destination(ctx, &out[0].shape[0], &out[0].block, in[0].shape[0], in[0].block, in[1].shape[0], in[1].block);
  if (err != 0) return err;
  return 0;
}
static const struct kz_param_type inputs_destination[] = {
  {"a", &type_f32_1d, false},
  {"b", &type_f32_1d, false},
};
static const struct kz_param_type outputs_destination[] = {
  {"out0", &type_f32_1d, true},
};

static int entry_source(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  int err = fun_source(ctx, &out[0].shape[0], &out[0].block, in[0].shape[0], in[0].block, in[1].shape[0], in[1].block);
  if (err != 0) return err;
  return 0;
}
static const struct kz_param_type inputs_source[] = {
  {"a", &type_f32_1d, false},
  {"b", &type_f32_1d, false},
};
static const struct kz_param_type outputs_source[] = {
  {"out0", &type_f32_1d, true},
};

static const struct kz_entry kz_entries[] = {
  {"destination", entry_destination, 2, 1, inputs_destination, outputs_destination, 0, NULL},
  {"source", entry_source, 2, 1, inputs_source, outputs_source, 0, NULL},
  {NULL, NULL, 0, 0, NULL, NULL, 0, NULL},
};
