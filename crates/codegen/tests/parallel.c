// a loop of entry_square
static int loop_square_1(struct futhark_context *ctx, const double *restrict xs, double *ys, int64_t start, int64_t len) {
  for (int64_t i = start; i < start + len; i++) {
    if (KZ_UNLIKELY(kz_has_stopped(ctx))) return FUTHARK_PROGRAM_ERROR;
    double x = xs[i];
    if (KZ_UNLIKELY(!(x >= 0.0))) {
      kz_fail(ctx, FUTHARK_PROGRAM_ERROR, NULL,
              "negative: %s", kz_float_text((char[KZ_FLOAT_TEXT]){0}, x, true, "f64"));
      return FUTHARK_PROGRAM_ERROR;
    }
    ys[i] = x * x;
  }
  return 0;
}

struct env_square_1 {
  const double *xs;
  double *ys;
};

static int run_square_1(struct futhark_context *ctx, const void *with, int64_t chunk, int64_t start, int64_t len, int64_t worker) {
  const struct env_square_1 *env = with;
  (void)chunk;
  (void)worker;
  return loop_square_1(ctx, env->xs, env->ys, start, len);
}

// entry_square
static int fun_square(struct futhark_context *ctx, void **rm_out, int64_t n, const double *restrict xm) {
  int err;
  double *ys = kz_alloc(ctx, mul_i64(n, 8));
  if (KZ_UNLIKELY(ys == NULL)) return FUTHARK_OUT_OF_MEMORY;
  int64_t chunks = kz_chunks(ctx, n, 10, false);
  struct env_square_1 env = {xm, ys};
  err = kz_parallel(ctx, run_square_1, &env, n, chunks);
  if (err != 0) return err;
  *rm_out = ys;
  return 0;
}

// a loop of sum
static void loop_sum_1(const int64_t *restrict xs, int64_t *partial, int64_t chunk, int64_t start, int64_t len) {
  int64_t own = 0;
  for (int64_t i = start; i < start + len; i++) {
    own = add_i64(own, xs[i]);
  }
  partial[chunk] = own;
}

struct env_sum_1 {
  const int64_t *xs;
  int64_t *partial;
};

static int run_sum_1(struct futhark_context *ctx, const void *with, int64_t chunk, int64_t start, int64_t len, int64_t worker) {
  const struct env_sum_1 *env = with;
  (void)ctx;
  (void)worker;
  loop_sum_1(env->xs, env->partial, chunk, start, len);
  return 0;
}

// sum
static int fun_sum(struct futhark_context *ctx, int64_t *r_out, int64_t n, const int64_t *restrict xm) {
  int64_t chunks = kz_chunks(ctx, n, 10, false);
  int64_t *partial = kz_alloc(ctx, mul_i64(chunks, 8));
  if (KZ_UNLIKELY(partial == NULL)) return FUTHARK_OUT_OF_MEMORY;
  struct env_sum_1 env = {xm, partial};
  kz_parallel(ctx, run_sum_1, &env, n, chunks);
  int64_t total = 0;
  for (int64_t k = 0; k < chunks; k++) {
    total = add_i64(total, partial[k]);
  }
  kz_free(ctx, partial);
  *r_out = total;
  return 0;
}

// a loop of entry_sum
static void loop_sum_2_1(const int64_t *restrict xs, int64_t *partial, int64_t chunk, int64_t start, int64_t len) {
  int64_t own = 0;
  for (int64_t i = start; i < start + len; i++) {
    own = add_i64(own, xs[i]);
  }
  partial[chunk] = own;
}

struct env_sum_2_1 {
  const int64_t *xs;
  int64_t *partial;
};

static int run_sum_2_1(struct futhark_context *ctx, const void *with, int64_t chunk, int64_t start, int64_t len, int64_t worker) {
  const struct env_sum_2_1 *env = with;
  (void)ctx;
  (void)worker;
  loop_sum_2_1(env->xs, env->partial, chunk, start, len);
  return 0;
}

// entry_sum
static int fun_sum_2(struct futhark_context *ctx, int64_t *r_out, int64_t n, const int64_t *restrict xm) {
  int64_t chunks = kz_chunks(ctx, n, 10, false);
  int64_t *partial = kz_alloc(ctx, mul_i64(chunks, 8));
  if (KZ_UNLIKELY(partial == NULL)) return FUTHARK_OUT_OF_MEMORY;
  struct env_sum_2_1 env = {xm, partial};
  kz_parallel(ctx, run_sum_2_1, &env, n, chunks);
  int64_t total = 0;
  for (int64_t k = 0; k < chunks; k++) {
    total = add_i64(total, partial[k]);
  }
  kz_free(ctx, partial);
  *r_out = total;
  return 0;
}

// a loop of entry_sums
static int loop_sums_1(struct futhark_context *ctx, const int64_t *restrict xs, int64_t n, int64_t *out, int64_t start, int64_t len) {
  int err;
  for (int64_t i = start; i < start + len; i++) {
    if (KZ_UNLIKELY(kz_has_stopped(ctx))) return FUTHARK_PROGRAM_ERROR;
    int64_t *scratch = kz_alloc(ctx, 8);
    if (KZ_UNLIKELY(scratch == NULL)) return FUTHARK_OUT_OF_MEMORY;
    int64_t got;
    err = fun_sum(ctx, &got, n, xs);
    if (err != 0) return err;
    scratch[0] = got;
    out[i] = add_i64(scratch[0], i);
    kz_free(ctx, scratch);
  }
  return 0;
}

struct env_sums_1 {
  const int64_t *xs;
  int64_t n;
  int64_t *out;
};

static int run_sums_1(struct futhark_context *ctx, const void *with, int64_t chunk, int64_t start, int64_t len, int64_t worker) {
  const struct env_sums_1 *env = with;
  (void)chunk;
  (void)worker;
  return loop_sums_1(ctx, env->xs, env->n, env->out, start, len);
}

// entry_sums
static int fun_sums(struct futhark_context *ctx, void **rm_out, int64_t k, int64_t n, const int64_t *restrict xm) {
  int err;
  int64_t *out = kz_alloc(ctx, mul_i64(k, 8));
  if (KZ_UNLIKELY(out == NULL)) return FUTHARK_OUT_OF_MEMORY;
  int64_t chunks = kz_chunks(ctx, k, 10, true);
  struct env_sums_1 env = {xm, n, out};
  err = kz_parallel(ctx, run_sums_1, &env, k, chunks);
  if (err != 0) return err;
  *rm_out = out;
  return 0;
}

// a loop of entry_find
static void loop_find_1(const float *restrict xs, float x, uint8_t *found, int64_t start, int64_t len) {
  for (int64_t i = start; i < start + len; i++) {
    if (xs[i] == x) {
      KZ_RACE(&found[0], true);
    }
  }
}

struct env_find_1 {
  const float *xs;
  float x;
  uint8_t *found;
};

static int run_find_1(struct futhark_context *ctx, const void *with, int64_t chunk, int64_t start, int64_t len, int64_t worker) {
  const struct env_find_1 *env = with;
  (void)ctx;
  (void)chunk;
  (void)worker;
  loop_find_1(env->xs, env->x, env->found, start, len);
  return 0;
}

// entry_find
static bool fun_find(struct futhark_context *ctx, float x, int64_t n, const float *restrict xm) {
  uint8_t found[1];
  found[0] = false;
  int64_t chunks = kz_chunks(ctx, n, 10, false);
  struct env_find_1 env = {xm, x, found};
  kz_parallel(ctx, run_find_1, &env, n, chunks);
  return found[0] != 0;
}

static const struct kz_part parts_f64_1d[] = {{KZ_F64, 1}};
KZ_UNUSED static const struct kz_type type_f64_1d = {"[]f64", KZ_ARRAY, 1, parts_f64_1d, 0, NULL, NULL, 0};
static const struct kz_part parts_i64_1d[] = {{KZ_I64, 1}};
KZ_UNUSED static const struct kz_type type_i64_1d = {"[]i64", KZ_ARRAY, 1, parts_i64_1d, 0, NULL, NULL, 0};
static const struct kz_part parts_f32_1d[] = {{KZ_F32, 1}};
KZ_UNUSED static const struct kz_type type_f32_1d = {"[]f32", KZ_ARRAY, 1, parts_f32_1d, 0, NULL, NULL, 0};

static int entry_find(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  out[0].scalar.b = fun_find(ctx, in[0].scalar.f32, in[1].shape[0], in[1].block);
  return 0;
}
static const struct kz_param_type inputs_find[] = {
  {"x", &kz_type_f32, false},
  {"xs", &type_f32_1d, false},
};
static const struct kz_param_type outputs_find[] = {
  {"", &kz_type_bool, false},
};

static int entry_square(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  int err = fun_square(ctx, &out[0].block, in[0].shape[0], in[0].block);
  if (err != 0) return err;
  out[0].shape[0] = in[0].shape[0];
  return 0;
}
static const struct kz_param_type inputs_square[] = {
  {"xs", &type_f64_1d, false},
};
static const struct kz_param_type outputs_square[] = {
  {"", &type_f64_1d, false},
};

static int entry_sum(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  int err = fun_sum_2(ctx, &out[0].scalar.i64, in[0].shape[0], in[0].block);
  if (err != 0) return err;
  return 0;
}
static const struct kz_param_type inputs_sum[] = {
  {"xs", &type_i64_1d, false},
};
static const struct kz_param_type outputs_sum[] = {
  {"", &kz_type_i64, false},
};

static int entry_sums(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  int err = fun_sums(ctx, &out[0].block, in[0].scalar.i64, in[1].shape[0], in[1].block);
  if (err != 0) return err;
  out[0].shape[0] = in[0].scalar.i64;
  return 0;
}
static const struct kz_param_type inputs_sums[] = {
  {"k", &kz_type_i64, false},
  {"xs", &type_i64_1d, false},
};
static const struct kz_param_type outputs_sums[] = {
  {"", &type_i64_1d, false},
};

static const struct kz_entry kz_entries[] = {
  {"find", entry_find, 2, 1, inputs_find, outputs_find, 0, NULL},
  {"square", entry_square, 1, 1, inputs_square, outputs_square, 0, NULL},
  {"sum", entry_sum, 1, 1, inputs_sum, outputs_sum, 0, NULL},
  {"sums", entry_sums, 2, 1, inputs_sums, outputs_sums, 0, NULL},
  {NULL, NULL, 0, 0, NULL, NULL, 0, NULL},
};
