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

// entry_main, tests/place/views-padding.fut:6:7-10
static int fun_main(struct futhark_context *ctx, int64_t *k_out, int64_t *k_out_2, void **r_out, int64_t n, int64_t m, const float *restrict mat) {
  int64_t sub = add_i64(n, -2);
  int64_t sub_2 = add_i64(m, -2);
  if (KZ_UNLIKELY(sub < 0)) {
    kz_fail(ctx, FUTHARK_PROGRAM_ERROR, "-> #0  tests/place/views-padding.fut:11:58-69\n   #1  tests/place/views-padding.fut:6:7-10\n",
            "Range %" PRId64 "..<%" PRId64 " is invalid.", (int64_t)0, sub);
    return FUTHARK_PROGRAM_ERROR;
  }
  bool idle = sub <= 0;
  if (KZ_UNLIKELY(sub_2 < 0 && !idle)) {
    kz_fail(ctx, FUTHARK_PROGRAM_ERROR, "-> #0  tests/place/views-padding.fut:11:41-52\n   #1  tests/place/views-padding.fut:6:7-10\n",
            "Range %" PRId64 "..<%" PRId64 " is invalid.", (int64_t)0, sub_2);
    return FUTHARK_PROGRAM_ERROR;
  }
  if (KZ_UNLIKELY(sub_2 <= 0 && !idle)) {
    kz_fail(ctx, FUTHARK_PROGRAM_ERROR, "-> #0  tests/place/views-padding.fut:4:31-36\n   #1  tests/place/views-padding.fut:11:22-54\n   #2  tests/place/views-padding.fut:6:7-10\n",
            "Index [%" PRId64 "] out of bounds for array of shape [%" PRId64 "].", (int64_t)0, sub_2);
    return FUTHARK_PROGRAM_ERROR;
  }
  float *c = kz_alloc(ctx, size_mul_i64(size_mul_i64(4, n), m));
  if (KZ_UNLIKELY(c == NULL)) return FUTHARK_OUT_OF_MEMORY;
  int64_t b = add_i64(m, add_i64(m, -3));
  int64_t b_2 = add_i64(m, sub_2);
  KZ_INDEPENDENT
  for (int64_t i = 0; i < sub; i++) {
    int64_t b_3 = mul_i64(i, m);
    int64_t b_4 = mul_i64(add_i64(i, 1), m);
    int64_t b_5 = mul_i64(add_i64(i, 2), m);
    int64_t b_6 = add_i64(m, mul_i64(i, m));
    KZ_INDEPENDENT
    for (int64_t i_2 = 0; i_2 < sub_2; i_2++) {
      float x = mat[b_4 + i_2 + 2];
      float add = mat[b_3 + i_2] + mat[b_3 + i_2 + 1] + mat[b_3 + i_2 + 2] + mat[b_4 + i_2] + mat[b_4 + i_2 + 1] + x;
      c[b_6 + i_2 + 1] = add + mat[b_5 + i_2] + mat[b_5 + i_2 + 1] + mat[b_5 + i_2 + 2];
    }
    c[m + i * m] = c[m + i * m + 1];
    c[b_2 + i * m + 1] = c[b + i * m + 1];
  }
  if (KZ_UNLIKELY(sub <= 0)) {
    kz_fail(ctx, FUTHARK_PROGRAM_ERROR, "-> #0  tests/place/views-padding.fut:4:31-36\n   #1  tests/place/views-padding.fut:11:6-71\n   #2  tests/place/views-padding.fut:6:7-10\n",
            "Index [%" PRId64 "] out of bounds for array of shape [%" PRId64 "].", (int64_t)0, sub);
    return FUTHARK_PROGRAM_ERROR;
  }
  memcpy(c, c + m, (size_t)m * sizeof(float));
  memcpy(c + add_i64(m, mul_i64(m, sub)), c + add_i64(m, mul_i64(m, add_i64(n, -3))), (size_t)m * sizeof(float));
  *k_out = n;
  *k_out_2 = m;
  *r_out = c;
  return 0;
}

static const struct kz_part parts_f32_2d[] = {{KZ_F32, 2}};
KZ_UNUSED static const struct kz_type type_f32_2d = {"[][]f32", KZ_ARRAY, 1, parts_f32_2d, 0, NULL, NULL, 0};

static int entry_main(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  int err = fun_main(ctx, &out[0].shape[0], &out[0].shape[1], &out[0].block, in[0].shape[0], in[0].shape[1], in[0].block);
  if (err != 0) return err;
  return 0;
}
static const struct kz_param_type inputs_main[] = {
  {"mat", &type_f32_2d, false},
};
static const struct kz_param_type outputs_main[] = {
  {"out0", &type_f32_2d, true},
};

static const struct kz_entry kz_entries[] = {
  {"main", entry_main, 1, 1, inputs_main, outputs_main, 0, NULL},
  {NULL, NULL, 0, 0, NULL, NULL, 0, NULL},
};
