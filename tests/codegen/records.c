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

// entry_flip
static void fun_flip(float *result_out, void **rm_out, float x, void *ym) {
  void *sm = kz_share(ym);
  *result_out = -x;
  *rm_out = sm;
}

// entry_pair
static void fun_pair(int64_t *result_out, uint8_t *result_out_2, int64_t n, uint8_t t) {
  *result_out = n;
  *result_out_2 = t;
}

// entry_first
static int fun_first(struct futhark_context *ctx, float *result_out, int64_t n, const float *restrict xm) {
  if (KZ_UNLIKELY(n <= 0)) {
    kz_fail(ctx, FUTHARK_PROGRAM_ERROR, NULL,
            "Index [0] out of bounds for array of shape [%" PRId64 "].", n);
    return FUTHARK_PROGRAM_ERROR;
  }
  *result_out = xm[0];
  return 0;
}

// entry_make
static int fun_make(struct futhark_context *ctx, int32_t *result_out, void **rm_out, int32_t n) {
  double *am = kz_alloc(ctx, 16);
  if (KZ_UNLIKELY(am == NULL)) return FUTHARK_OUT_OF_MEMORY;
  KZ_INDEPENDENT
  for (int64_t i = 0; i < 1; i++) {
    int64_t b = mul_i64(i, 2);
    KZ_INDEPENDENT
    for (int64_t i_2 = 0; i_2 < 2; i_2++) {
      am[b + i_2] = 0.5;
    }
  }
  *result_out = n;
  *rm_out = am;
  return 0;
}

// entry_unit
static void fun_unit(void) {
}

// entry_show
static int32_t fun_show(struct futhark_context *ctx, int32_t x, int64_t n, const float *restrict ym) {
  kz_trace(ctx, "x", KZ_I32, 0, NULL, NULL, &(int32_t){x});
  kz_trace(ctx, "Trace", KZ_F32, 1, (const int64_t[]){n}, (const int64_t[]){1}, ym);
  return x;
}

// entry_count
static int64_t fun_count(void) {
  return 7;
}

static const struct kz_part parts_f32_1d[] = {{KZ_F32, 1}};
KZ_UNUSED static const struct kz_type type_f32_1d = {"[]f32", KZ_ARRAY, 1, parts_f32_1d, 0, NULL, NULL, 0};
static const struct kz_part parts_opaque_point[] = {{KZ_F32, 0}, {KZ_F32, 1}};
static const struct kz_field fields_opaque_point[] = {
  {"x", &kz_type_f32, 0},
  {"y", &type_f32_1d, 1},
};
KZ_UNUSED static const struct kz_type type_opaque_point = {"point", KZ_RECORD, 2, parts_opaque_point, 2, fields_opaque_point, NULL, 0};
static const struct kz_part parts_opaque_tup2_i32_point[] = {{KZ_I32, 0}, {KZ_F32, 0}, {KZ_F32, 1}};
static const struct kz_field fields_opaque_tup2_i32_point[] = {
  {"0", &kz_type_i32, 0},
  {"1", &type_opaque_point, 1},
};
KZ_UNUSED static const struct kz_type type_opaque_tup2_i32_point = {"(i32, point)", KZ_RECORD, 3, parts_opaque_tup2_i32_point, 2, fields_opaque_tup2_i32_point, NULL, 0};
static const struct kz_part parts_opaque_shape[] = {{KZ_U8, 0}, {KZ_F32, 0}};
KZ_UNUSED static const struct kz_type type_opaque_shape = {"shape", KZ_SUM, 2, parts_opaque_shape, 0, NULL, NULL, 0};
static const struct kz_part parts_f32_2d[] = {{KZ_F32, 2}};
KZ_UNUSED static const struct kz_type type_f32_2d = {"[][]f32", KZ_ARRAY, 1, parts_f32_2d, 0, NULL, NULL, 0};
static const struct kz_part parts_opaque_arr1d_point[] = {{KZ_F32, 1}, {KZ_F32, 2}};
static const struct kz_field fields_opaque_arr1d_point[] = {
  {"x", &type_f32_1d, 0},
  {"y", &type_f32_2d, 1},
};
KZ_UNUSED static const struct kz_type type_opaque_arr1d_point = {"[]point", KZ_RECORD_ARRAY, 2, parts_opaque_arr1d_point, 2, fields_opaque_arr1d_point, &type_opaque_point, 1};
static const struct kz_part parts_opaque_m_t[] = {{KZ_I32, 0}, {KZ_F64, 2}};
KZ_UNUSED static const struct kz_type type_opaque_m_t = {"m.t", KZ_OPAQUE, 2, parts_opaque_m_t, 0, NULL, NULL, 0};
KZ_UNUSED static const struct kz_type type_opaque_unit = {"()", KZ_RECORD, 0, NULL, 0, NULL, NULL, 0};

static int entry_count(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  (void)ctx;
  (void)in;
  out[0].scalar.i64 = fun_count();
  return 0;
}
static const struct kz_param_type outputs_count[] = {
  {"result", &kz_type_i64, false},
};

static int entry_first(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  if (KZ_UNLIKELY(in[1].shape[0] != in[0].shape[0])) {
    return kz_fail(ctx, FUTHARK_PROGRAM_ERROR, NULL,
                   "Argument 1 (`ps`) should have shape [%" PRId64 "][%" PRId64 "], but has [%" PRId64 "][%" PRId64 "].", in[0].shape[0], in[1].shape[1], in[1].shape[0], in[1].shape[1]);
  }
  int err = fun_first(ctx, &out[0].scalar.f32, in[0].shape[0], in[0].block);
  if (err != 0) return err;
  return 0;
}
static const struct kz_param_type inputs_first[] = {
  {"ps", &type_opaque_arr1d_point, false},
};
static const struct kz_param_type outputs_first[] = {
  {"", &kz_type_f32, false},
};

static int entry_flip(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  (void)ctx;
  fun_flip(&out[0].scalar.f32, &out[1].block, in[0].scalar.f32, in[1].block);
  out[1].shape[0] = in[1].shape[0];
  return 0;
}
static const struct kz_param_type inputs_flip[] = {
  {"p", &type_opaque_point, false},
};
static const struct kz_param_type outputs_flip[] = {
  {"", &type_opaque_point, false},
};

static int entry_make(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  int err = fun_make(ctx, &out[0].scalar.i32, &out[1].block, in[0].scalar.i32);
  if (err != 0) return err;
  out[1].shape[0] = 1;
  out[1].shape[1] = 2;
  return 0;
}
static const struct kz_param_type inputs_make[] = {
  {"n", &kz_type_i32, false},
};
static const struct kz_param_type outputs_make[] = {
  {"", &type_opaque_m_t, false},
};

static int entry_pair(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  (void)ctx;
  fun_pair(&out[0].scalar.i64, &out[1].scalar.u8, in[2].shape[0], in[3].scalar.u8);
  return 0;
}
static const struct kz_param_type inputs_pair[] = {
  {"p", &type_opaque_tup2_i32_point, false},
  {"s", &type_opaque_shape, false},
};
static const struct kz_param_type outputs_pair[] = {
  {"", &kz_type_i64, false},
  {"", &kz_type_u8, false},
};

static int entry_show(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  out[0].scalar.i32 = fun_show(ctx, in[0].scalar.i32, in[1].shape[0], in[1].block);
  return 0;
}
static const struct kz_param_type inputs_show[] = {
  {"x", &kz_type_i32, false},
  {"ys", &type_f32_1d, false},
};
static const struct kz_param_type outputs_show[] = {
  {"", &kz_type_i32, false},
};

static int entry_unit(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  (void)ctx;
  (void)out;
  (void)in;
  fun_unit();
  return 0;
}
static const struct kz_param_type inputs_unit[] = {
  {"u", &type_opaque_unit, false},
};
static const struct kz_param_type outputs_unit[] = {
  {"", &type_opaque_unit, false},
};

static const struct kz_entry kz_entries[] = {
  {"count", entry_count, 0, 1, NULL, outputs_count, 0, NULL},
  {"first", entry_first, 1, 1, inputs_first, outputs_first, 0, NULL},
  {"flip", entry_flip, 1, 1, inputs_flip, outputs_flip, 0, NULL},
  {"make", entry_make, 1, 1, inputs_make, outputs_make, 0, NULL},
  {"pair", entry_pair, 2, 2, inputs_pair, outputs_pair, 0, NULL},
  {"show", entry_show, 2, 1, inputs_show, outputs_show, 0, NULL},
  {"unit", entry_unit, 1, 1, inputs_unit, outputs_unit, 0, NULL},
  {NULL, NULL, 0, 0, NULL, NULL, 0, NULL},
};
