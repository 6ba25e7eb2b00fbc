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

// a loop of entry_main, tests/strategies/dot-tiled-multicore.fut:9:26-98
static void loop_main_1(const float *restrict xs, const float *restrict ys, float *mapped, int64_t start, int64_t len) {
  KZ_INDEPENDENT
  for (int64_t i = 0; i < len; i++) {
    float r = 0.0f;
    int64_t b = mul_i64(add_i64(start, i), 4);
    for (int64_t i_2 = 0; i_2 < 4; i_2++) {
      r += xs[b + i_2] * ys[b + i_2];
    }
    mapped[start + i] = r;
  }
}

struct env_main_1 {
  const float *xs;
  const float *ys;
  float *mapped;
};

static int run_main_1(struct futhark_context *ctx, const void *with, int64_t chunk, int64_t start, int64_t len, int64_t worker) {
  const struct env_main_1 *env = with;
  (void)ctx;
  (void)chunk;
  (void)worker;
  loop_main_1(env->xs, env->ys, env->mapped, start, len);
  return 0;
}

// entry_main, tests/strategies/dot-tiled-multicore.fut:7:7-10
static int fun_main(struct futhark_context *ctx, float *r_out, int64_t n, const float *restrict xs, int64_t n_2, const float *restrict ys) {
  if (KZ_UNLIKELY(n != n_2)) {
    kz_fail(ctx, FUTHARK_PROGRAM_ERROR, "-> #0  tests/strategies/dot-tiled-multicore.fut:7:7-10\n",
            "Entry point arguments have invalid sizes: argument 2 (`ys`) of shape [%" PRId64 "] cannot match shape of type \"[%" PRId64 "]f32\".", n_2, n);
    return FUTHARK_PROGRAM_ERROR;
  }
  int64_t div_ = shr_i64(n, 2);
  int64_t mul = mul_i64(div_, 4);
  if (KZ_UNLIKELY(n != mul)) {
    kz_fail(ctx, FUTHARK_PROGRAM_ERROR, "-> #0  tests/strategies/dot-tiled-multicore.fut:8:20-31\n   #1  tests/strategies/dot-tiled-multicore.fut:7:7-10\n",
            "Value of shape [%" PRId64 "] cannot match shape of type \"[%" PRId64 "]f32\".", n, mul);
    return FUTHARK_PROGRAM_ERROR;
  }
  if (KZ_UNLIKELY(mul != size_mul_i64(div_, 4))) {
    kz_fail(ctx, FUTHARK_PROGRAM_ERROR, "-> #0  tests/strategies/dot-tiled-multicore.fut:8:20-31\n   #1  tests/strategies/dot-tiled-multicore.fut:7:7-10\n",
            "Cannot unflatten array of shape [%" PRId64 "] to array of shape [%" PRId64 "][%" PRId64 "].", mul, div_, (int64_t)4);
    return FUTHARK_PROGRAM_ERROR;
  }
  float *mapped = kz_alloc(ctx, size_mul_i64(4, div_));
  if (KZ_UNLIKELY(mapped == NULL)) return FUTHARK_OUT_OF_MEMORY;
  int64_t chunks = kz_chunks(ctx, div_, 29, false);
  struct env_main_1 env = {xs, ys, mapped};
  kz_parallel(ctx, run_main_1, &env, max_i64(div_, 0), chunks);
  float r = 0.0f;
  for (int64_t i = 0; i < div_; i++) {
    r += mapped[i];
  }
  kz_free(ctx, mapped);
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
