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

// a loop of entry_main, tests/strategies/dot-naive-multicore.fut:8:23-63
static void loop_main_1(bool streams, float *mapped, const float *restrict xs, const float *restrict ys, int64_t start, int64_t len) {
  if (streams && len >= 512) {
    int64_t head = sub_i64(16, start % 16) % 16;
    KZ_INDEPENDENT
    for (int64_t g = 0; g < head; g++) {
      mapped[start + g] = xs[start + g] * ys[start + g];
    }
    int64_t q = sub_i64(len, head) / 128;
    int64_t b = add_i64(start, head);
    KZ_INDEPENDENT
    for (int64_t h = 0; h < q; h++) {
      float lines[128];
      int64_t b_2 = add_i64(b, mul_i64(h, 128));
      KZ_INDEPENDENT
      for (int64_t g = 0; g < 128; g++) {
        lines[g] = xs[b_2 + g] * ys[b_2 + g];
      }
      kz_stream_lines(&mapped[b + h * 128], lines);
    }
    int64_t t = mul_i64(q, 128);
    int64_t n = sub_i64(len, add_i64(head, t));
    int64_t b_2 = add_i64(add_i64(start, head), t);
    KZ_INDEPENDENT
    for (int64_t g = 0; g < n; g++) {
      mapped[b_2 + g] = xs[b_2 + g] * ys[b_2 + g];
    }
  } else {
    KZ_INDEPENDENT
    for (int64_t i = 0; i < len; i++) {
      mapped[start + i] = xs[start + i] * ys[start + i];
    }
  }
}

struct env_main_1 {
  bool streams;
  float *mapped;
  const float *xs;
  const float *ys;
};

static int run_main_1(struct futhark_context *ctx, const void *with, int64_t chunk, int64_t start, int64_t len, int64_t worker) {
  const struct env_main_1 *env = with;
  (void)ctx;
  (void)chunk;
  (void)worker;
  loop_main_1(env->streams, env->mapped, env->xs, env->ys, start, len);
  return 0;
}

// entry_main, tests/strategies/dot-naive-multicore.fut:7:7-10
static int fun_main(struct futhark_context *ctx, float *r_out, int64_t n, const float *restrict xs, int64_t n_2, const float *restrict ys) {
  if (KZ_UNLIKELY(n != n_2)) {
    kz_fail(ctx, FUTHARK_PROGRAM_ERROR, "-> #0  tests/strategies/dot-naive-multicore.fut:7:7-10\n",
            "Entry point arguments have invalid sizes: argument 2 (`ys`) of shape [%" PRId64 "] cannot match shape of type \"[%" PRId64 "]f32\".", n_2, n);
    return FUTHARK_PROGRAM_ERROR;
  }
  float *mapped = kz_alloc(ctx, size_mul_i64(4, n));
  if (KZ_UNLIKELY(mapped == NULL)) return FUTHARK_OUT_OF_MEMORY;
  int64_t chunks = kz_chunks(ctx, n, 4, false);
  bool streams = kz_streams(size_mul_i64(4, n));
  struct env_main_1 env = {streams, mapped, xs, ys};
  kz_parallel(ctx, run_main_1, &env, max_i64(n, 0), chunks);
  float r = 0.0f;
  for (int64_t i = 0; i < n; i++) {
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
