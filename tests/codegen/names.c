// entry_ctx_f
static int32_t fun_ctx_f(int32_t x) {
  return add_i32(x, 1);
}

// entry_in_f
static int32_t fun_in_f(void) {
  return 3;
}

// entry_out_f
static void fun_out_f(void) {
}


static int entry_ctx_f(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  (void)ctx;
  out[0].scalar.i32 = fun_ctx_f(in[0].scalar.i32);
  return 0;
}
static const struct kz_param_type inputs_ctx_f[] = {
  {"x", &kz_type_i32, false},
};
static const struct kz_param_type outputs_ctx_f[] = {
  {"", &kz_type_i32, false},
};

static int entry_in_f(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  (void)ctx;
  (void)in;
  out[0].scalar.i32 = fun_in_f();
  return 0;
}
static const struct kz_param_type outputs_in_f[] = {
  {"", &kz_type_i32, false},
};

static int entry_out_f(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  (void)ctx;
  (void)out;
  (void)in;
  fun_out_f();
  return 0;
}
static const struct kz_param_type inputs_out_f[] = {
  {"x", &kz_type_bool, false},
};

static const struct kz_entry kz_entries[] = {
  {"ctx_f", entry_ctx_f, 1, 1, inputs_ctx_f, outputs_ctx_f, 0, NULL},
  {"in_f", entry_in_f, 0, 1, NULL, outputs_in_f, 0, NULL},
  {"out_f", entry_out_f, 1, 0, inputs_out_f, NULL, 0, NULL},
  {NULL, NULL, 0, 0, NULL, NULL, 0, NULL},
};
