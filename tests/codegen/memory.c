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

// double
static int fun_double(struct futhark_context *ctx, void **rm_out, int64_t *p_out, int64_t n, const double *restrict xm, int64_t o) {
  double *ym = kz_alloc(ctx, mul_i64(n, 8));
  if (KZ_UNLIKELY(ym == NULL)) return FUTHARK_OUT_OF_MEMORY;
  KZ_INDEPENDENT
  for (int64_t i = 0; i < n; i++) {
    double x = xm[o + i];
    ym[i] = x + x;
  }
  *rm_out = ym;
  *p_out = 0;
  return 0;
}

// entry_twice
static int fun_twice(struct futhark_context *ctx, void **rm_out, int64_t n, const double *restrict xm) {
  int err;
  void *ym;
  int64_t o;
  err = fun_double(ctx, &ym, &o, n, xm, 0);
  if (err != 0) return err;
  double *ym_2 = ym;
  void *zm;
  int64_t p;
  err = fun_double(ctx, &zm, &p, n, ym_2, o);
  if (err != 0) return err;
  double *zm_2 = zm;
  kz_free(ctx, ym_2);
  double *cm = kz_alloc(ctx, mul_i64(n, 8));
  if (KZ_UNLIKELY(cm == NULL)) return FUTHARK_OUT_OF_MEMORY;
  memcpy(cm, zm_2 + p, (size_t)n * sizeof(double));
  kz_free(ctx, zm_2);
  *rm_out = cm;
  return 0;
}

// entry_same
static void fun_same(void **rm_out, void *xm) {
  void *sm = kz_share(xm);
  *rm_out = sm;
}

// entry_transposed
static int fun_transposed(struct futhark_context *ctx, void **rm_out, int64_t n, int64_t m, const int32_t *restrict xm) {
  int32_t *ym = kz_alloc(ctx, mul_i64(mul_i64(n, m), 4));
  if (KZ_UNLIKELY(ym == NULL)) return FUTHARK_OUT_OF_MEMORY;
  kz_copy(sizeof(int32_t), 2, (const int64_t[]){m, n}, ym, (const int64_t[]){n, 1}, xm, (const int64_t[]){1, m});
  *rm_out = ym;
  return 0;
}

// entry_smooth
static int fun_smooth(struct futhark_context *ctx, void **rm_out, int32_t k, int64_t n, const float *restrict xm) {
  int64_t b = mul_i64(n, 4);
  float *am = kz_alloc(ctx, b);
  if (KZ_UNLIKELY(am == NULL)) return FUTHARK_OUT_OF_MEMORY;
  memcpy(am, xm, (size_t)n * sizeof(float));
  void *bm = kz_alloc(ctx, b);
  if (KZ_UNLIKELY(bm == NULL)) return FUTHARK_OUT_OF_MEMORY;
  int64_t last = sub_i64(n, 1);
  float *em = am;
  float *fm = bm;
  for (int32_t i = 0; i < k; i++) {
    KZ_INDEPENDENT
    for (int64_t j = 0; j < n; j++) {
      fm[j] = abs_f32(max_f32(em[max_i64(sub_i64(j, 1), 0)], em[min_i64(add_i64(j, 1), last)]) - em[j]);
    }
    void *em_2 = em;
    em = fm;
    fm = em_2;
  }
  kz_free(ctx, fm);
  *rm_out = em;
  return 0;
}

// entry_reuse
static int fun_reuse(struct futhark_context *ctx, void **rm_out, int64_t n, const float *restrict xm) {
  void *am = kz_alloc(ctx, mul_i64(n, 4));
  if (KZ_UNLIKELY(am == NULL)) return FUTHARK_OUT_OF_MEMORY;
  KZ_INDEPENDENT
  for (int64_t i = 0; i < n; i++) {
    ((float *)am)[i] = xm[i] * 2.0f;
  }
  KZ_INDEPENDENT
  for (int64_t i = 0; i < n; i++) {
    ((int32_t *)am)[i] = f32_to_i32(((float *)am)[i]);
  }
  *rm_out = am;
  return 0;
}

// entry_choose
static int fun_choose(struct futhark_context *ctx, void **rm_out, bool c, int64_t n, void *xm) {
  void *ym;
  if (c) {
    void *sm = kz_share(xm);
    ym = sm;
  } else {
    int8_t *am = kz_alloc(ctx, n);
    if (KZ_UNLIKELY(am == NULL)) return FUTHARK_OUT_OF_MEMORY;
    KZ_INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
      am[i] = 9;
    }
    ym = am;
  }
  *rm_out = ym;
  return 0;
}

static const struct kz_part parts_f64_1d[] = {{KZ_F64, 1}};
KZ_UNUSED static const struct kz_type type_f64_1d = {"[]f64", KZ_ARRAY, 1, parts_f64_1d, 0, NULL, NULL, 0};
static const struct kz_part parts_i16_1d[] = {{KZ_I16, 1}};
KZ_UNUSED static const struct kz_type type_i16_1d = {"[]i16", KZ_ARRAY, 1, parts_i16_1d, 0, NULL, NULL, 0};
static const struct kz_part parts_i32_2d[] = {{KZ_I32, 2}};
KZ_UNUSED static const struct kz_type type_i32_2d = {"[][]i32", KZ_ARRAY, 1, parts_i32_2d, 0, NULL, NULL, 0};
static const struct kz_part parts_f32_1d[] = {{KZ_F32, 1}};
KZ_UNUSED static const struct kz_type type_f32_1d = {"[]f32", KZ_ARRAY, 1, parts_f32_1d, 0, NULL, NULL, 0};
static const struct kz_part parts_i32_1d[] = {{KZ_I32, 1}};
KZ_UNUSED static const struct kz_type type_i32_1d = {"[]i32", KZ_ARRAY, 1, parts_i32_1d, 0, NULL, NULL, 0};
static const struct kz_part parts_i8_1d[] = {{KZ_I8, 1}};
KZ_UNUSED static const struct kz_type type_i8_1d = {"[]i8", KZ_ARRAY, 1, parts_i8_1d, 0, NULL, NULL, 0};

static int entry_choose(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  int err = fun_choose(ctx, &out[0].block, in[0].scalar.b, in[1].shape[0], in[1].block);
  if (err != 0) return err;
  out[0].shape[0] = in[1].shape[0];
  return 0;
}
static const struct kz_param_type inputs_choose[] = {
  {"c", &kz_type_bool, false},
  {"xs", &type_i8_1d, false},
};
static const struct kz_param_type outputs_choose[] = {
  {"", &type_i8_1d, false},
};

static int entry_reuse(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  int err = fun_reuse(ctx, &out[0].block, in[0].shape[0], in[0].block);
  if (err != 0) return err;
  out[0].shape[0] = in[0].shape[0];
  return 0;
}
static const struct kz_param_type inputs_reuse[] = {
  {"xs", &type_f32_1d, false},
};
static const struct kz_param_type outputs_reuse[] = {
  {"", &type_i32_1d, false},
};

static int entry_same(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  (void)ctx;
  fun_same(&out[0].block, in[0].block);
  out[0].shape[0] = in[0].shape[0];
  return 0;
}
static const struct kz_param_type inputs_same[] = {
  {"xs", &type_i16_1d, false},
};
static const struct kz_param_type outputs_same[] = {
  {"", &type_i16_1d, false},
};

static int entry_smooth(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  int err = fun_smooth(ctx, &out[0].block, in[0].scalar.i32, in[1].shape[0], in[1].block);
  if (err != 0) return err;
  out[0].shape[0] = in[1].shape[0];
  return 0;
}
static const struct kz_param_type inputs_smooth[] = {
  {"k", &kz_type_i32, false},
  {"xs", &type_f32_1d, false},
};
static const struct kz_param_type outputs_smooth[] = {
  {"", &type_f32_1d, false},
};

static int entry_transposed(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  int err = fun_transposed(ctx, &out[0].block, in[0].shape[0], in[0].shape[1], in[0].block);
  if (err != 0) return err;
  out[0].shape[0] = in[0].shape[1];
  out[0].shape[1] = in[0].shape[0];
  return 0;
}
static const struct kz_param_type inputs_transposed[] = {
  {"xs", &type_i32_2d, false},
};
static const struct kz_param_type outputs_transposed[] = {
  {"", &type_i32_2d, false},
};

static int entry_twice(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  int err = fun_twice(ctx, &out[0].block, in[0].shape[0], in[0].block);
  if (err != 0) return err;
  out[0].shape[0] = in[0].shape[0];
  return 0;
}
static const struct kz_param_type inputs_twice[] = {
  {"xs", &type_f64_1d, false},
};
static const struct kz_param_type outputs_twice[] = {
  {"", &type_f64_1d, false},
};

static const struct kz_entry kz_entries[] = {
  {"choose", entry_choose, 2, 1, inputs_choose, outputs_choose, 0, NULL},
  {"reuse", entry_reuse, 1, 1, inputs_reuse, outputs_reuse, 0, NULL},
  {"same", entry_same, 1, 1, inputs_same, outputs_same, 0, NULL},
  {"smooth", entry_smooth, 2, 1, inputs_smooth, outputs_smooth, 0, NULL},
  {"transposed", entry_transposed, 1, 1, inputs_transposed, outputs_transposed, 0, NULL},
  {"twice", entry_twice, 1, 1, inputs_twice, outputs_twice, 0, NULL},
  {NULL, NULL, 0, 0, NULL, NULL, 0, NULL},
};
