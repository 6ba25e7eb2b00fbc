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

// entry_pad, pad.fut:1:1-2:50
static int fun_pad(struct futhark_context *ctx, int64_t *k_out, void **rm_out, int64_t n, int64_t m, const float *restrict am) {
  int64_t k = add_i64(2, m);
  int64_t l = sub_i64(m, 1);
  if (KZ_UNLIKELY(n != 0 && m <= 0)) {
    kz_fail(ctx, FUTHARK_PROGRAM_ERROR, "-> #0  pad.fut:2:15-18\n",
            "Index [0] out of bounds for array of shape [%" PRId64 "].", m);
    return FUTHARK_PROGRAM_ERROR;
  }
  float *bm = kz_alloc(ctx, mul_i64(mul_i64(n, k), 4));
  if (KZ_UNLIKELY(bm == NULL)) return FUTHARK_OUT_OF_MEMORY;
  KZ_INDEPENDENT
  for (int64_t i = 0; i < n; i++) {
    bm[i * k] = am[i * m];
    int64_t b = mul_i64(i, m);
    int64_t b_2 = mul_i64(i, k);
    KZ_INDEPENDENT
    for (int64_t j = 0; j < m; j++) {
      bm[b_2 + j + 1] = am[b + j] * 2.0f;
    }
    bm[m + i * k + 1] = am[l + i * m];
  }
  *k_out = k;
  *rm_out = bm;
  return 0;
}

static const struct kz_part parts_f32_2d[] = {{KZ_F32, 2}};
KZ_UNUSED static const struct kz_type type_f32_2d = {"[][]f32", KZ_ARRAY, 1, parts_f32_2d, 0, NULL, NULL, 0};

static int entry_pad(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  int err = fun_pad(ctx, &out[0].shape[1], &out[0].block, in[0].shape[0], in[0].shape[1], in[0].block);
  if (err != 0) return err;
  out[0].shape[0] = in[0].shape[0];
  return 0;
}
static const struct kz_param_type inputs_pad[] = {
  {"a", &type_f32_2d, false},
};
static const struct kz_param_type outputs_pad[] = {
  {"", &type_f32_2d, false},
};

static const struct kz_entry kz_entries[] = {
  {"pad", entry_pad, 1, 1, inputs_pad, outputs_pad, 0, NULL},
  {NULL, NULL, 0, 0, NULL, NULL, 0, NULL},
};
