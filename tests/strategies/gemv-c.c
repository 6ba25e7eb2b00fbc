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

// entry_main, tests/strategies/gemv-c.fut:7:7-10
static int fun_main(struct futhark_context *ctx, void **r_out, float alpha, int64_t n, int64_t m, const float *restrict a, int64_t m_2, const float *restrict x, float beta, int64_t n_2, const float *restrict y) {
  if (KZ_UNLIKELY(m != m_2)) {
    kz_fail(ctx, FUTHARK_PROGRAM_ERROR, "-> #0  tests/strategies/gemv-c.fut:7:7-10\n",
            "Entry point arguments have invalid sizes: argument 3 (`x`) of shape [%" PRId64 "] cannot match shape of type \"[%" PRId64 "]f32\".", m_2, m);
    return FUTHARK_PROGRAM_ERROR;
  }
  if (KZ_UNLIKELY(n != n_2)) {
    kz_fail(ctx, FUTHARK_PROGRAM_ERROR, "-> #0  tests/strategies/gemv-c.fut:7:7-10\n",
            "Entry point arguments have invalid sizes: argument 5 (`y`) of shape [%" PRId64 "] cannot match shape of type \"[%" PRId64 "]f32\".", n_2, n);
    return FUTHARK_PROGRAM_ERROR;
  }
  float *mapped = kz_alloc(ctx, size_mul_i64(4, n));
  if (KZ_UNLIKELY(mapped == NULL)) return FUTHARK_OUT_OF_MEMORY;
  KZ_INDEPENDENT
  for (int64_t i = 0; i < n; i++) {
    float x_2 = y[i];
    float r = 0.0f;
    int64_t t = 0;
    if (m >= 8) {
      float r_2[8];
      KZ_INDEPENDENT
      KZ_LANES
      for (int64_t l = 0; l < 8; l++) {
        r_2[l] = 0.0f;
      }
      int64_t q = m / 8;
      int64_t b = mul_i64(i, m);
      for (int64_t k = 0; k < q; k++) {
        int64_t b_2 = mul_i64(k, 8);
        int64_t b_3 = add_i64(b, mul_i64(k, 8));
        KZ_INDEPENDENT
        KZ_LANES
        for (int64_t l = 0; l < 8; l++) {
          r_2[l] += a[b_3 + l] * x[b_2 + l];
        }
      }
      int64_t f = mul_i64(q, 8);
      int64_t p = sub_i64(m, f) / 8;
      int64_t b_2 = add_i64(mul_i64(i, m), f);
      for (int64_t k = 0; k < p; k++) {
        int64_t b_3 = add_i64(f, mul_i64(k, 8));
        int64_t b_4 = add_i64(b_2, mul_i64(k, 8));
        KZ_INDEPENDENT
        KZ_LANES
        for (int64_t l = 0; l < 8; l++) {
          r_2[l] += a[b_4 + l] * x[b_3 + l];
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
    int64_t n_3 = min_i64(7, sub_i64(m, t));
    if (n_3 < 8) {
      int64_t b = add_i64(mul_i64(i, m), t);
      for (int64_t r_2 = 0; r_2 < n_3; r_2++) {
        KZ_ONE_BY_ONE
        r += a[b + r_2] * x[t + r_2];
      }
    } else {
      int64_t b = add_i64(mul_i64(i, m), t);
      for (int64_t r_2 = 0; r_2 < n_3; r_2++) {
        r += a[b + r_2] * x[t + r_2];
      }
    }
    mapped[i] = alpha * r + beta * x_2;
  }
  *r_out = mapped;
  return 0;
}

static const struct kz_part parts_f32_2d[] = {{KZ_F32, 2}};
KZ_UNUSED static const struct kz_type type_f32_2d = {"[][]f32", KZ_ARRAY, 1, parts_f32_2d, 0, NULL, NULL, 0};
static const struct kz_part parts_f32_1d[] = {{KZ_F32, 1}};
KZ_UNUSED static const struct kz_type type_f32_1d = {"[]f32", KZ_ARRAY, 1, parts_f32_1d, 0, NULL, NULL, 0};

static int entry_main(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  int err = fun_main(ctx, &out[0].block, in[0].scalar.f32, in[1].shape[0], in[1].shape[1], in[1].block, in[2].shape[0], in[2].block, in[3].scalar.f32, in[4].shape[0], in[4].block);
  if (err != 0) return err;
  out[0].shape[0] = in[1].shape[0];
  return 0;
}
static const struct kz_param_type inputs_main[] = {
  {"alpha", &kz_type_f32, false},
  {"a", &type_f32_2d, false},
  {"x", &type_f32_1d, false},
  {"beta", &kz_type_f32, false},
  {"y", &type_f32_1d, false},
};
static const struct kz_param_type outputs_main[] = {
  {"out0", &type_f32_1d, false},
};

static const struct kz_entry kz_entries[] = {
  {"main", entry_main, 5, 1, inputs_main, outputs_main, 0, NULL},
  {NULL, NULL, 0, 0, NULL, NULL, 0, NULL},
};
