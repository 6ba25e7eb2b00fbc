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

// entry_at
static int fun_at(struct futhark_context *ctx, int64_t *result_out, int64_t n, const int64_t *restrict xm, int64_t i) {
  if (KZ_UNLIKELY((uint64_t)i >= (uint64_t)n)) {
    kz_fail(ctx, FUTHARK_PROGRAM_ERROR, NULL,
            "no element %" PRId64, i);
    return FUTHARK_PROGRAM_ERROR;
  }
  *result_out = xm[i];
  return 0;
}

// entry_below
static int fun_below(struct futhark_context *ctx, int64_t *result_out, int64_t n, int64_t i) {
  if (n >= 0) {
    int64_t *m = kz_alloc(ctx, size_mul_i64(8, n));
    if (KZ_UNLIKELY(m == NULL)) return FUTHARK_OUT_OF_MEMORY;
    KZ_INDEPENDENT
    for (int64_t i_2 = 0; i_2 < n; i_2++) {
      m[i_2] = i_2;
    }
    kz_free(ctx, m);
  }
  if (KZ_UNLIKELY(i < 0 || n <= i)) {
    kz_fail(ctx, FUTHARK_PROGRAM_ERROR, NULL,
            "no element %" PRId64, i);
    return FUTHARK_PROGRAM_ERROR;
  }
  *result_out = sub_i64(n, i);
  return 0;
}

static const struct kz_part parts_i64_1d[] = {{KZ_I64, 1}};
KZ_UNUSED static const struct kz_type type_i64_1d = {"[]i64", KZ_ARRAY, 1, parts_i64_1d, 0, NULL, NULL, 0};

static int entry_at(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  int err = fun_at(ctx, &out[0].scalar.i64, in[0].shape[0], in[0].block, in[1].scalar.i64);
  if (err != 0) return err;
  return 0;
}
static const struct kz_param_type inputs_at[] = {
  {"xs", &type_i64_1d, false},
  {"i", &kz_type_i64, false},
};
static const struct kz_param_type outputs_at[] = {
  {"", &kz_type_i64, false},
};

static int entry_below(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  int err = fun_below(ctx, &out[0].scalar.i64, in[0].scalar.i64, in[1].scalar.i64);
  if (err != 0) return err;
  return 0;
}
static const struct kz_param_type inputs_below[] = {
  {"n", &kz_type_i64, false},
  {"i", &kz_type_i64, false},
};
static const struct kz_param_type outputs_below[] = {
  {"", &kz_type_i64, false},
};

static const struct kz_entry kz_entries[] = {
  {"at", entry_at, 2, 1, inputs_at, outputs_at, 0, NULL},
  {"below", entry_below, 2, 1, inputs_below, outputs_below, 0, NULL},
  {NULL, NULL, 0, 0, NULL, NULL, 0, NULL},
};
