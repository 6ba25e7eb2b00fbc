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

// entry_single
static int32_t fun_single(double x) {
  return f64_to_i32_alone(x);
}

// entry_many
static int fun_many(struct futhark_context *ctx, void **rm_out, int64_t n, const double *restrict xm) {
  int32_t *rm = kz_alloc(ctx, mul_i64(n, 4));
  if (KZ_UNLIKELY(rm == NULL)) return FUTHARK_OUT_OF_MEMORY;
  KZ_INDEPENDENT
  for (int64_t i = 0; i < n; i++) {
    rm[i] = f64_to_i32(xm[i]);
  }
  *rm_out = rm;
  return 0;
}

// entry_steps
static uint8_t fun_steps(float x) {
  bool c = x > 10.0f;
  float z = x;
  uint8_t k = 0;
  while (c) {
    float w = z / 8.0f;
    uint8_t e = add_u8(add_u8(k, mod_u8(f32_to_u8_alone(w), 4)), 1);
    c = w > 10.0f;
    z = w;
    k = e;
  }
  return k;
}

static const struct kz_part parts_f64_1d[] = {{KZ_F64, 1}};
KZ_UNUSED static const struct kz_type type_f64_1d = {"[]f64", KZ_ARRAY, 1, parts_f64_1d, 0, NULL, NULL, 0};
static const struct kz_part parts_i32_1d[] = {{KZ_I32, 1}};
KZ_UNUSED static const struct kz_type type_i32_1d = {"[]i32", KZ_ARRAY, 1, parts_i32_1d, 0, NULL, NULL, 0};

static int entry_many(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  int err = fun_many(ctx, &out[0].block, in[0].shape[0], in[0].block);
  if (err != 0) return err;
  out[0].shape[0] = in[0].shape[0];
  return 0;
}
static const struct kz_param_type inputs_many[] = {
  {"xs", &type_f64_1d, false},
};
static const struct kz_param_type outputs_many[] = {
  {"", &type_i32_1d, false},
};

static int entry_single(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  (void)ctx;
  out[0].scalar.i32 = fun_single(in[0].scalar.f64);
  return 0;
}
static const struct kz_param_type inputs_single[] = {
  {"x", &kz_type_f64, false},
};
static const struct kz_param_type outputs_single[] = {
  {"result", &kz_type_i32, false},
};

static int entry_steps(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  (void)ctx;
  out[0].scalar.u8 = fun_steps(in[0].scalar.f32);
  return 0;
}
static const struct kz_param_type inputs_steps[] = {
  {"x", &kz_type_f32, false},
};
static const struct kz_param_type outputs_steps[] = {
  {"result", &kz_type_u8, false},
};

static const struct kz_entry kz_entries[] = {
  {"many", entry_many, 1, 1, inputs_many, outputs_many, 0, NULL},
  {"single", entry_single, 1, 1, inputs_single, outputs_single, 0, NULL},
  {"steps", entry_steps, 1, 1, inputs_steps, outputs_steps, 0, NULL},
  {NULL, NULL, 0, 0, NULL, NULL, 0, NULL},
};
