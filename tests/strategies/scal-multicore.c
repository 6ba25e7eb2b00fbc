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

// a loop of entry_main, tests/strategies/scal-multicore.fut:8:11-53
static void loop_main_1(bool streams, float *v, float a, const float *restrict xs, int64_t start, int64_t len) {
  int64_t b = mul_i64(start, 2);
  KZ_INDEPENDENT
  for (int64_t i = 0; i < len; i++) {
    int64_t i_2 = add_i64(start, i);
    if (streams && le_i64(512, 2)) {
      int64_t head = sub_i64(16, add_i64(b, mul_i64(i, 2)) % 16) % 16;
      int64_t b_2 = mul_i64(i_2, 2);
      KZ_INDEPENDENT
      for (int64_t g = 0; g < head; g++) {
        v[b_2 + g] = a * xs[b_2 + g];
      }
      int64_t q = sub_i64(2, head) / 128;
      int64_t b_3 = add_i64(mul_i64(i_2, 2), head);
      KZ_INDEPENDENT
      for (int64_t h = 0; h < q; h++) {
        float lines[128];
        int64_t b_4 = add_i64(b_3, mul_i64(h, 128));
        KZ_INDEPENDENT
        for (int64_t g = 0; g < 128; g++) {
          lines[g] = a * xs[b_4 + g];
        }
        kz_stream_lines(&v[b_3 + h * 128], lines);
      }
      int64_t t = mul_i64(q, 128);
      int64_t n = sub_i64(2, add_i64(head, t));
      int64_t b_4 = add_i64(add_i64(mul_i64(i_2, 2), head), t);
      KZ_INDEPENDENT
      for (int64_t g = 0; g < n; g++) {
        v[b_4 + g] = a * xs[b_4 + g];
      }
    } else {
      int64_t b_2 = mul_i64(i_2, 2);
      KZ_INDEPENDENT
      for (int64_t i_3 = 0; i_3 < 2; i_3++) {
        v[b_2 + i_3] = a * xs[b_2 + i_3];
      }
    }
  }
}

struct env_main_1 {
  bool streams;
  float *v;
  float a;
  const float *xs;
};

static int run_main_1(struct futhark_context *ctx, const void *with, int64_t chunk, int64_t start, int64_t len, int64_t worker) {
  const struct env_main_1 *env = with;
  (void)ctx;
  (void)chunk;
  (void)worker;
  loop_main_1(env->streams, env->v, env->a, env->xs, start, len);
  return 0;
}

// entry_main, tests/strategies/scal-multicore.fut:7:7-10
static int fun_main(struct futhark_context *ctx, int64_t *k_out, void **r_out, float a, int64_t n, const float *restrict xs) {
  int64_t div_ = shr_i64(n, 1);
  int64_t mul = mul_i64(div_, 2);
  if (KZ_UNLIKELY(n != mul)) {
    kz_fail(ctx, FUTHARK_PROGRAM_ERROR, "-> #0  tests/strategies/scal-multicore.fut:8:41-52\n   #1  tests/strategies/scal-multicore.fut:7:7-10\n",
            "Value of shape [%" PRId64 "] cannot match shape of type \"[%" PRId64 "]f32\".", n, mul);
    return FUTHARK_PROGRAM_ERROR;
  }
  if (KZ_UNLIKELY(mul != size_mul_i64(div_, 2))) {
    kz_fail(ctx, FUTHARK_PROGRAM_ERROR, "-> #0  tests/strategies/scal-multicore.fut:8:41-52\n   #1  tests/strategies/scal-multicore.fut:7:7-10\n",
            "Cannot unflatten array of shape [%" PRId64 "] to array of shape [%" PRId64 "][%" PRId64 "].", mul, div_, (int64_t)2);
    return FUTHARK_PROGRAM_ERROR;
  }
  float *v = kz_alloc(ctx, size_mul_i64(4, mul));
  if (KZ_UNLIKELY(v == NULL)) return FUTHARK_OUT_OF_MEMORY;
  int64_t chunks = kz_chunks(ctx, div_, 11, false);
  bool streams = kz_streams(size_mul_i64(size_mul_i64(4, div_), 2));
  struct env_main_1 env = {streams, v, a, xs};
  kz_parallel(ctx, run_main_1, &env, max_i64(div_, 0), chunks);
  *k_out = mul;
  *r_out = v;
  return 0;
}

static const struct kz_part parts_f32_1d[] = {{KZ_F32, 1}};
KZ_UNUSED static const struct kz_type type_f32_1d = {"[]f32", KZ_ARRAY, 1, parts_f32_1d, 0, NULL, NULL, 0};

static int entry_main(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  int err = fun_main(ctx, &out[0].shape[0], &out[0].block, in[0].scalar.f32, in[1].shape[0], in[1].block);
  if (err != 0) return err;
  return 0;
}
static const struct kz_param_type inputs_main[] = {
  {"a", &kz_type_f32, false},
  {"xs", &type_f32_1d, false},
};
static const struct kz_param_type outputs_main[] = {
  {"out0", &type_f32_1d, false},
};

static const struct kz_entry kz_entries[] = {
  {"main", entry_main, 2, 1, inputs_main, outputs_main, 0, NULL},
  {NULL, NULL, 0, 0, NULL, NULL, 0, NULL},
};
