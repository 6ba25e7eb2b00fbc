// f'
static double fun_f_prime(double x) {
  return x * 1.8 + 32.0;
}

// entry_fahrenheit
static double fun_fahrenheit(double x) {
  double y = fun_f_prime(x);
  return y;
}

// entry_bits
static void fun_bits(uint8_t *result_out, uint8_t *result_out_2, bool *result_out_3, uint8_t x, uint8_t y) {
  *result_out = add_u8(x, y);
  *result_out_2 = not_u8(x);
  *result_out_3 = x < y && ge_u8(x, 0);
}

// entry_shifts
static void fun_shifts(int32_t *result_out, int32_t *result_out_2, int32_t *result_out_3, int32_t x, int32_t y, int32_t z) {
  *result_out = shl_i32(x, y);
  *result_out_2 = shr_i32(z, 2);
  *result_out_3 = add_i32(2147483647, x);
}

// entry_last_bits
static void fun_last_bits(bool *result_out, bool *result_out_2, bool *result_out_3, bool *result_out_4, int32_t x, uint64_t y) {
  *result_out = (x & 1) > 0;
  *result_out_2 = (y & 1u) > 0;
  *result_out_3 = mod_i32(x, 2) == 0;
  *result_out_4 = mod_i32(x, 2) > 0;
}

// entry_mean
static int fun_mean(struct futhark_context *ctx, float *result_out, int64_t n, int64_t m) {
  if (KZ_UNLIKELY(m == 0)) {
    kz_fail(ctx, FUTHARK_PROGRAM_ERROR, "-> #0  mean.fut:3:5-9\n   #1  mean.fut:7:1-4\n",
            "Division by zero: %" PRId64 " / %" PRId64 " = 50%%.", n, m);
    return FUTHARK_PROGRAM_ERROR;
  }
  *result_out = (float)add_i64(n, m) / 2.0f;
  return 0;
}

// entry_below
static int fun_below(struct futhark_context *ctx, float *result_out, float x, double y, kz_f16 z) {
  if (KZ_UNLIKELY(!(x < 1.0f))) {
    kz_fail(ctx, FUTHARK_PROGRAM_ERROR, "-> #0  below.fut:1:1-2\n",
            "%s is not below %s, nor is %s.", kz_float_text((char[KZ_FLOAT_TEXT]){0}, x, false, "f32"), kz_float_text((char[KZ_FLOAT_TEXT]){0}, y, true, "f64"), kz_float_text((char[KZ_FLOAT_TEXT]){0}, f16_to_f64(z), false, "f16"));
    return FUTHARK_PROGRAM_ERROR;
  }
  *result_out = max_f32(x, 0.0f);
  return 0;
}

// entry_half
static kz_f16 fun_half(kz_f16 x) {
  return add_f16(x, x);
}

// entry_names
static int32_t fun_names(int32_t int_) {
  int32_t x_prime = add_i32(int_, 1);
  return add_i32(mul_i32(x_prime, x_prime), int_);
}

// entry_nothing
static void fun_nothing(void) {
}

// entry_special
static void fun_special(float *result_out, double *result_out_2, int64_t *result_out_3, int64_t *result_out_4) {
  *result_out = from_bits_f32(0x7fc00000u);
  *result_out_2 = -(double)INFINITY;
  *result_out_3 = INT64_C(9223372036854775807);
  *result_out_4 = INT64_MIN;
}


static int entry_below(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  int err = fun_below(ctx, &out[0].scalar.f32, in[0].scalar.f32, in[1].scalar.f64, in[2].scalar.f16);
  if (err != 0) return err;
  return 0;
}
static const struct kz_param_type inputs_below[] = {
  {"x", &kz_type_f32, false},
  {"y", &kz_type_f64, false},
  {"z", &kz_type_f16, false},
};
static const struct kz_param_type outputs_below[] = {
  {"result", &kz_type_f32, false},
};

static int entry_bits(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  (void)ctx;
  fun_bits(&out[0].scalar.u8, &out[1].scalar.u8, &out[2].scalar.b, in[0].scalar.u8, in[1].scalar.u8);
  return 0;
}
static const struct kz_param_type inputs_bits[] = {
  {"x", &kz_type_u8, false},
  {"y", &kz_type_u8, false},
};
static const struct kz_param_type outputs_bits[] = {
  {"result", &kz_type_u8, false},
  {"result", &kz_type_u8, false},
  {"result", &kz_type_bool, false},
};

static int entry_fahrenheit(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  (void)ctx;
  out[0].scalar.f64 = fun_fahrenheit(in[0].scalar.f64);
  return 0;
}
static const struct kz_param_type inputs_fahrenheit[] = {
  {"x", &kz_type_f64, false},
};
static const struct kz_param_type outputs_fahrenheit[] = {
  {"result", &kz_type_f64, false},
};

static int entry_half(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  (void)ctx;
  out[0].scalar.f16 = fun_half(in[0].scalar.f16);
  return 0;
}
static const struct kz_param_type inputs_half[] = {
  {"x", &kz_type_f16, false},
};
static const struct kz_param_type outputs_half[] = {
  {"result", &kz_type_f16, false},
};

static int entry_last_bits(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  (void)ctx;
  fun_last_bits(&out[0].scalar.b, &out[1].scalar.b, &out[2].scalar.b, &out[3].scalar.b, in[0].scalar.i32, in[1].scalar.u64);
  return 0;
}
static const struct kz_param_type inputs_last_bits[] = {
  {"x", &kz_type_i32, false},
  {"y", &kz_type_u64, false},
};
static const struct kz_param_type outputs_last_bits[] = {
  {"result", &kz_type_bool, false},
  {"result", &kz_type_bool, false},
  {"result", &kz_type_bool, false},
  {"result", &kz_type_bool, false},
};

static int entry_mean(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  int err = fun_mean(ctx, &out[0].scalar.f32, in[0].scalar.i64, in[1].scalar.i64);
  if (err != 0) return err;
  return 0;
}
static const struct kz_param_type inputs_mean[] = {
  {"n", &kz_type_i64, false},
  {"m", &kz_type_i64, false},
};
static const struct kz_param_type outputs_mean[] = {
  {"result", &kz_type_f32, false},
};

static int entry_names(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  (void)ctx;
  out[0].scalar.i32 = fun_names(in[0].scalar.i32);
  return 0;
}
static const struct kz_param_type inputs_names[] = {
  {"int", &kz_type_i32, false},
};
static const struct kz_param_type outputs_names[] = {
  {"result", &kz_type_i32, false},
};

static int entry_nothing(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  (void)ctx;
  (void)out;
  (void)in;
  fun_nothing();
  return 0;
}

static int entry_shifts(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  (void)ctx;
  fun_shifts(&out[0].scalar.i32, &out[1].scalar.i32, &out[2].scalar.i32, in[0].scalar.i32, in[1].scalar.i32, in[2].scalar.i32);
  return 0;
}
static const struct kz_param_type inputs_shifts[] = {
  {"x", &kz_type_i32, false},
  {"y", &kz_type_i32, false},
  {"z", &kz_type_i32, false},
};
static const struct kz_param_type outputs_shifts[] = {
  {"result", &kz_type_i32, false},
  {"result", &kz_type_i32, false},
  {"result", &kz_type_i32, false},
};

static int entry_special(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  (void)ctx;
  (void)in;
  fun_special(&out[0].scalar.f32, &out[1].scalar.f64, &out[2].scalar.i64, &out[3].scalar.i64);
  return 0;
}
static const struct kz_param_type outputs_special[] = {
  {"result", &kz_type_f32, false},
  {"result", &kz_type_f64, false},
  {"result", &kz_type_i64, false},
  {"result", &kz_type_i64, false},
};

static const struct kz_entry kz_entries[] = {
  {"below", entry_below, 3, 1, inputs_below, outputs_below, 0, NULL},
  {"bits", entry_bits, 2, 3, inputs_bits, outputs_bits, 0, NULL},
  {"fahrenheit", entry_fahrenheit, 1, 1, inputs_fahrenheit, outputs_fahrenheit, 0, NULL},
  {"half", entry_half, 1, 1, inputs_half, outputs_half, 0, NULL},
  {"last_bits", entry_last_bits, 2, 4, inputs_last_bits, outputs_last_bits, 0, NULL},
  {"mean", entry_mean, 2, 1, inputs_mean, outputs_mean, 0, NULL},
  {"names", entry_names, 1, 1, inputs_names, outputs_names, 0, NULL},
  {"nothing", entry_nothing, 0, 0, NULL, NULL, 0, NULL},
  {"shifts", entry_shifts, 3, 3, inputs_shifts, outputs_shifts, 0, NULL},
  {"special", entry_special, 0, 4, NULL, outputs_special, 0, NULL},
  {NULL, NULL, 0, 0, NULL, NULL, 0, NULL},
};
