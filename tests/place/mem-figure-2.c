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

// entry_main, tests/place/mem-figure-2.fut:4:7-10
static int fun_main(struct futhark_context *ctx, int64_t *k_out, void **r_out, bool zcond, int64_t xsize, int64_t ysize) {
  int64_t k = zcond ? xsize : ysize;
  int64_t *r = kz_alloc(ctx, size_mul_i64(8, k));
  if (KZ_UNLIKELY(r == NULL)) return FUTHARK_OUT_OF_MEMORY;
  if (zcond) {
    if (KZ_UNLIKELY(xsize < 0)) {
      kz_fail(ctx, FUTHARK_PROGRAM_ERROR, "-> #0  tests/place/mem-figure-2.fut:5:17-26\n   #1  tests/place/mem-figure-2.fut:4:7-10\n",
              "Range %" PRId64 "..<%" PRId64 " is invalid.", (int64_t)0, xsize);
      return FUTHARK_PROGRAM_ERROR;
    }
    KZ_INDEPENDENT
    for (int64_t i = 0; i < k; i++) {
      r[i] = i;
    }
  } else {
    if (KZ_UNLIKELY(ysize < 0)) {
      kz_fail(ctx, FUTHARK_PROGRAM_ERROR, "-> #0  tests/place/mem-figure-2.fut:5:33-42\n   #1  tests/place/mem-figure-2.fut:4:7-10\n",
              "Range %" PRId64 "..<%" PRId64 " is invalid.", (int64_t)0, ysize);
      return FUTHARK_PROGRAM_ERROR;
    }
    KZ_INDEPENDENT
    for (int64_t i = 0; i < k; i++) {
      r[i] = i;
    }
  }
  *k_out = k;
  *r_out = r;
  return 0;
}

static const struct kz_part parts_i64_1d[] = {{KZ_I64, 1}};
KZ_UNUSED static const struct kz_type type_i64_1d = {"[]i64", KZ_ARRAY, 1, parts_i64_1d, 0, NULL, NULL, 0};

static int entry_main(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  int err = fun_main(ctx, &out[0].shape[0], &out[0].block, in[0].scalar.b, in[1].scalar.i64, in[2].scalar.i64);
  if (err != 0) return err;
  return 0;
}
static const struct kz_param_type inputs_main[] = {
  {"zcond", &kz_type_bool, false},
  {"xsize", &kz_type_i64, false},
  {"ysize", &kz_type_i64, false},
};
static const struct kz_param_type outputs_main[] = {
  {"out0", &type_i64_1d, false},
};

static const struct kz_entry kz_entries[] = {
  {"main", entry_main, 3, 1, inputs_main, outputs_main, 0, NULL},
  {NULL, NULL, 0, 0, NULL, NULL, 0, NULL},
};
