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

// entry_pad, tests/place/design-pad.fut:3:7-9
static int fun_pad(struct futhark_context *ctx, int64_t *k_out, void **r_out, int64_t n, int64_t m, const float *restrict a) {
  int64_t add = add_i64(m, 1);
  int64_t add_2 = add_i64(m, 2);
  bool idle = n <= 0;
  if (KZ_UNLIKELY(m <= 0 && !idle)) {
    kz_fail(ctx, FUTHARK_PROGRAM_ERROR, "-> #0  tests/place/design-pad.fut:4:15-18\n   #1  tests/place/design-pad.fut:3:7-9\n",
            "Index [%" PRId64 "] out of bounds for array of shape [%" PRId64 "].", (int64_t)0, m);
    return FUTHARK_PROGRAM_ERROR;
  }
  if (KZ_UNLIKELY(add < 1 && !idle)) {
    kz_fail(ctx, FUTHARK_PROGRAM_ERROR, "-> #0  tests/place/design-pad.fut:4:14-34\n   #1  tests/place/design-pad.fut:3:7-9\n",
            "Cannot concatenate arrays of sizes %" PRId64 " and %" PRId64 ": too many elements.", (int64_t)1, m);
    return FUTHARK_PROGRAM_ERROR;
  }
  if (KZ_UNLIKELY(add > add_2 && !idle)) {
    kz_fail(ctx, FUTHARK_PROGRAM_ERROR, "-> #0  tests/place/design-pad.fut:4:14-48\n   #1  tests/place/design-pad.fut:3:7-9\n",
            "Cannot concatenate arrays of sizes %" PRId64 " and %" PRId64 ": too many elements.", add, (int64_t)1);
    return FUTHARK_PROGRAM_ERROR;
  }
  int64_t sub = add_i64(m, -1);
  float *mapped = kz_alloc(ctx, size_mul_i64(size_mul_i64(4, n), add_2));
  if (KZ_UNLIKELY(mapped == NULL)) return FUTHARK_OUT_OF_MEMORY;
  KZ_INDEPENDENT
  for (int64_t i = 0; i < n; i++) {
    mapped[i * add_2] = a[i * m];
    int64_t b = mul_i64(i, m);
    int64_t b_2 = mul_i64(i, add_2);
    KZ_INDEPENDENT
    for (int64_t i_2 = 0; i_2 < m; i_2++) {
      mapped[b_2 + i_2 + 1] = a[b + i_2] * 2.0f;
    }
    mapped[m + i * add_2 + 1] = a[sub + i * m];
  }
  *k_out = add_2;
  *r_out = mapped;
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
  {"out0", &type_f32_2d, true},
};

static const struct kz_entry kz_entries[] = {
  {"pad", entry_pad, 1, 1, inputs_pad, outputs_pad, 0, NULL},
  {NULL, NULL, 0, 0, NULL, NULL, 0, NULL},
};
