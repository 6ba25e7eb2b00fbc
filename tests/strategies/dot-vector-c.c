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

// The loop around this has few iterations, and no vectors are to be made of them.
#if defined(__GNUC__)
#define KZ_ONE_BY_ONE __asm__ volatile("");
#else
#define KZ_ONE_BY_ONE
#endif

// entry_main, tests/strategies/dot-vector-c.fut:7:7-10
static int fun_main(struct futhark_context *ctx, float *r_out, int64_t n, const float *restrict xs, int64_t n_2, const float *restrict ys) {
  if (KZ_UNLIKELY(n != n_2)) {
    kz_fail(ctx, FUTHARK_PROGRAM_ERROR, "-> #0  tests/strategies/dot-vector-c.fut:7:7-10\n",
            "Entry point arguments have invalid sizes: argument 2 (`ys`) of shape [%" PRId64 "] cannot match shape of type \"[%" PRId64 "]f32\".", n_2, n);
    return FUTHARK_PROGRAM_ERROR;
  }
  float r = 0.0f;
  int64_t t = 0;
  if (n >= 8) {
    float r_2[8];
    KZ_INDEPENDENT
    KZ_LANES
    for (int64_t l = 0; l < 8; l++) {
      r_2[l] = 0.0f;
    }
    int64_t q = n / 8;
    for (int64_t k = 0; k < q; k++) {
      int64_t b = mul_i64(k, 8);
      KZ_INDEPENDENT
      KZ_LANES
      for (int64_t l = 0; l < 8; l++) {
        r_2[l] += xs[b + l] * ys[b + l];
      }
    }
    int64_t f = mul_i64(q, 8);
    int64_t p = sub_i64(n, f) / 8;
    for (int64_t k = 0; k < p; k++) {
      int64_t b = add_i64(f, mul_i64(k, 8));
      KZ_INDEPENDENT
      KZ_LANES
      for (int64_t l = 0; l < 8; l++) {
        r_2[l] += xs[b + l] * ys[b + l];
      }
    }
    KZ_INDEPENDENT
    KZ_LANES
    for (int64_t l = 0; l < 4; l++) {
      r_2[l] += r_2[l + 4];
    }
    KZ_INDEPENDENT
    KZ_LANES
    for (int64_t l = 0; l < 2; l++) {
      r_2[l] += r_2[l + 2];
    }
    KZ_INDEPENDENT
    KZ_LANES
    for (int64_t l = 0; l < 1; l++) {
      r_2[l] += r_2[l + 1];
    }
    r = r_2[0];
    t = add_i64(f, mul_i64(p, 8));
  }
  int64_t n_3 = min_i64(7, sub_i64(n, t));
  if (n_3 < 8) {
    for (int64_t r_2 = 0; r_2 < n_3; r_2++) {
      KZ_ONE_BY_ONE
      r += xs[t + r_2] * ys[t + r_2];
    }
  } else {
    for (int64_t r_2 = 0; r_2 < n_3; r_2++) {
      r += xs[t + r_2] * ys[t + r_2];
    }
  }
  *r_out = r;
  return 0;
}

static const struct kz_part parts_f32_1d[] = {{KZ_F32, 1}};
KZ_UNUSED static const struct kz_type type_f32_1d = {"[]f32", KZ_ARRAY, 1, parts_f32_1d, 0, NULL, NULL, 0};

static int entry_main(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  int err = fun_main(ctx, &out[0].scalar.f32, in[0].shape[0], in[0].block, in[1].shape[0], in[1].block);
  if (err != 0) return err;
  return 0;
}
static const struct kz_param_type inputs_main[] = {
  {"xs", &type_f32_1d, false},
  {"ys", &type_f32_1d, false},
};
static const struct kz_param_type outputs_main[] = {
  {"out0", &kz_type_f32, false},
};

static const struct kz_entry kz_entries[] = {
  {"main", entry_main, 2, 1, inputs_main, outputs_main, 0, NULL},
  {NULL, NULL, 0, 0, NULL, NULL, 0, NULL},
};
