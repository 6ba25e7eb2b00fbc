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

// entry_sum
static int32_t fun_sum(int64_t n, const int32_t *restrict xm) {
  int32_t a = 0;
  for (int64_t i = 0; i < n; i++) {
    a = add_i32(a, xm[i]);
  }
  return a;
}

// entry_collatz
static int32_t fun_collatz(int64_t n) {
  bool c = n != 1;
  int64_t x = n;
  int32_t k = 0;
  while (c) {
    int64_t y;
    if ((x & 1) == 0) {
      y = shr_i64(x, 1);
    } else {
      y = add_i64(mul_i64(x, 3), 1);
    }
    int32_t l = add_i32(k, 1);
    c = y != 1;
    x = y;
    k = l;
  }
  return k;
}

// entry_grade
static uint8_t fun_grade(int32_t p) {
  uint8_t g;
  switch (div_i32(p, 10)) {
  case 9: {
    g = 65;
    break;
  }
  case 8: {
    g = 66;
    break;
  }
  default: {
    g = 70;
    break;
  }
  }
  return g;
}

// entry_powers
static int fun_powers(struct futhark_context *ctx, void **rm_out, int64_t n) {
  int32_t *am = kz_alloc(ctx, mul_i64(n, 4));
  if (KZ_UNLIKELY(am == NULL)) return FUTHARK_OUT_OF_MEMORY;
  int32_t p = 1;
  for (int64_t i = 0; i < n; i++) {
    am[i] = p;
    p = mul_i32(p, 2);
  }
  *rm_out = am;
  return 0;
}

// entry_dot
static float fun_dot(int64_t n, const float *restrict xm, const float *restrict ym) {
  float s = 0.0f;
  int64_t t = 0;
  if (n >= 16) {
    float s_2[32];
    KZ_INDEPENDENT
    KZ_LANES
    for (int64_t l = 0; l < 32; l++) {
      s_2[l] = 0.0f;
    }
    int64_t q = n / 32;
    for (int64_t k = 0; k < q; k++) {
      int64_t b = mul_i64(k, 32);
      KZ_INDEPENDENT
      KZ_LANES
      for (int64_t l = 0; l < 32; l++) {
        s_2[l] += xm[b + l] * ym[b + l];
      }
    }
    KZ_INDEPENDENT
    KZ_LANES
    for (int64_t l = 0; l < 16; l++) {
      s_2[l] += s_2[l + 16];
    }
    KZ_INDEPENDENT
    KZ_LANES
    for (int64_t l = 0; l < 8; l++) {
      s_2[l] += s_2[l + 8];
    }
    int64_t f = mul_i64(q, 32);
    int64_t p = sub_i64(n, f) / 8;
    for (int64_t k = 0; k < p; k++) {
      int64_t b = add_i64(f, mul_i64(k, 8));
      KZ_INDEPENDENT
      KZ_LANES
      for (int64_t l = 0; l < 8; l++) {
        s_2[l] += xm[b + l] * ym[b + l];
      }
    }
    KZ_INDEPENDENT
    KZ_LANES
    for (int64_t l = 0; l < 4; l++) {
      s_2[l] += s_2[l + 4];
    }
    KZ_INDEPENDENT
    KZ_LANES
    for (int64_t l = 0; l < 2; l++) {
      s_2[l] += s_2[l + 2];
    }
    KZ_INDEPENDENT
    KZ_LANES
    for (int64_t l = 0; l < 1; l++) {
      s_2[l] += s_2[l + 1];
    }
    s = s_2[0];
    t = add_i64(f, mul_i64(p, 8));
  }
  int64_t n_2 = min_i64(15, sub_i64(n, t));
  if (n_2 < 8) {
    for (int64_t r = 0; r < n_2; r++) {
      KZ_ONE_BY_ONE
      s += xm[t + r] * ym[t + r];
    }
  } else {
    for (int64_t r = 0; r < n_2; r++) {
      s += xm[t + r] * ym[t + r];
    }
  }
  return s;
}

// entry_last
static int64_t fun_last(int64_t n) {
  int64_t c = 0;
  for (int64_t i = 0; i < n; i++) {
    int64_t x = add_i64(c, 1);
    c = x;
  }
  return c;
}

static const struct kz_part parts_i32_1d[] = {{KZ_I32, 1}};
KZ_UNUSED static const struct kz_type type_i32_1d = {"[]i32", KZ_ARRAY, 1, parts_i32_1d, 0, NULL, NULL, 0};
static const struct kz_part parts_f32_1d[] = {{KZ_F32, 1}};
KZ_UNUSED static const struct kz_type type_f32_1d = {"[]f32", KZ_ARRAY, 1, parts_f32_1d, 0, NULL, NULL, 0};

static int entry_collatz(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  (void)ctx;
  out[0].scalar.i32 = fun_collatz(in[0].scalar.i64);
  return 0;
}
static const struct kz_param_type inputs_collatz[] = {
  {"n", &kz_type_i64, false},
};
static const struct kz_param_type outputs_collatz[] = {
  {"result", &kz_type_i32, false},
};

static int entry_dot(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  if (KZ_UNLIKELY(in[1].shape[0] != in[0].shape[0])) {
    return kz_fail(ctx, FUTHARK_PROGRAM_ERROR, NULL,
                   "Argument 2 (`ys`) should have shape [%" PRId64 "], but has [%" PRId64 "].", in[0].shape[0], in[1].shape[0]);
  }
  out[0].scalar.f32 = fun_dot(in[0].shape[0], in[0].block, in[1].block);
  return 0;
}
static const struct kz_param_type inputs_dot[] = {
  {"xs", &type_f32_1d, false},
  {"ys", &type_f32_1d, false},
};
static const struct kz_param_type outputs_dot[] = {
  {"", &kz_type_f32, false},
};

static int entry_grade(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  (void)ctx;
  out[0].scalar.u8 = fun_grade(in[0].scalar.i32);
  return 0;
}
static const struct kz_param_type inputs_grade[] = {
  {"p", &kz_type_i32, false},
};
static const struct kz_param_type outputs_grade[] = {
  {"result", &kz_type_u8, false},
};

static int entry_last(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  (void)ctx;
  out[0].scalar.i64 = fun_last(in[0].scalar.i64);
  return 0;
}
static const struct kz_param_type inputs_last[] = {
  {"n", &kz_type_i64, false},
};
static const struct kz_param_type outputs_last[] = {
  {"result", &kz_type_i64, false},
};

static int entry_powers(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  int err = fun_powers(ctx, &out[0].block, in[0].scalar.i64);
  if (err != 0) return err;
  out[0].shape[0] = in[0].scalar.i64;
  return 0;
}
static const struct kz_param_type inputs_powers[] = {
  {"n", &kz_type_i64, false},
};
static const struct kz_param_type outputs_powers[] = {
  {"", &type_i32_1d, false},
};

static int entry_sum(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  (void)ctx;
  out[0].scalar.i32 = fun_sum(in[0].shape[0], in[0].block);
  return 0;
}
static const struct kz_param_type inputs_sum[] = {
  {"xs", &type_i32_1d, false},
};
static const struct kz_param_type outputs_sum[] = {
  {"", &kz_type_i32, false},
};

static const struct kz_entry kz_entries[] = {
  {"collatz", entry_collatz, 1, 1, inputs_collatz, outputs_collatz, 0, NULL},
  {"dot", entry_dot, 2, 1, inputs_dot, outputs_dot, 0, NULL},
  {"grade", entry_grade, 1, 1, inputs_grade, outputs_grade, 0, NULL},
  {"last", entry_last, 1, 1, inputs_last, outputs_last, 0, NULL},
  {"powers", entry_powers, 1, 1, inputs_powers, outputs_powers, 0, NULL},
  {"sum", entry_sum, 1, 1, inputs_sum, outputs_sum, 0, NULL},
  {NULL, NULL, 0, 0, NULL, NULL, 0, NULL},
};
