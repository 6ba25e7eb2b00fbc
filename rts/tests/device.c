// What the compiler would make of a program for a device. UNITS makes a test of what is inside, SERVER a server. The texts of
// kernels are in files NAME.inc, which run.sh makes of rts/NAME.h.
#ifdef CHECKED
#include "checked.h"
#endif
#define KZ_DEVICE
#define KZ_MAX_RANK 10
#define KZ_PARAMS(X) X("sample.limit", "threshold", 1000)
#define KZ_CONSTANTS void *table;
#include "base.h"
#include "integer.h"
#include "bits.h"
#include "real.h"
#include "convert.h"
#include "half.h"
#ifdef KZ_CUDA
#include "cuda.h"
#include "crew.h"
#else
#define KZ_OPENCL
#include "opencl.h"
#endif
#include "context.h"
#include "memory.h"
#include "device.h"
#include "values.h"
#include "api.h"
#include "print.h"
#include "binary.h"
#include "opaque.h"
#include "text.h"
#include "scalars.h"

#define TEXT(...) #__VA_ARGS__ "\n"
static const char kernel_text[] =
#include "kernel.inc"
    ;
static const char scalar_text[] =
#include "integer.inc"
#include "bits.inc"
#include "real.inc"
#include "convert.inc"
#include "half.inc"
#include "scalars.inc"
    ;
static const char own_text[] =
    TEXT(KZ_KERNEL squares(KZ_GLOBAL int *kz_error, int64_t kz_threads, KZ_GLOBAL int64_t *out, int64_t n) {
      int64_t thread = kz_thread();
      if (thread >= kz_threads) return;
      for (int64_t i = thread; i < n; i += kz_threads) out[i] = mul_i64(i, i);
    })
    TEXT(KZ_KERNEL scale(KZ_GLOBAL int *kz_error, int64_t kz_threads, KZ_GLOBAL float *out, const KZ_GLOBAL float *xs,
        float a) {
      int64_t i = kz_thread();
      if (i < kz_threads) out[i] = mul_f32(a, xs[i]);
    })
    TEXT(KZ_KERNEL gather(KZ_GLOBAL int *kz_error, int64_t kz_threads, KZ_GLOBAL int32_t *out,
        const KZ_GLOBAL int32_t *xs, const KZ_GLOBAL int64_t *is, int64_t n) {
      int64_t i = kz_thread();
      if (i >= kz_threads) return;
      int64_t at = is[i];
      if (at < 0 || at >= n) {
        KZ_FAIL(7, 2, at, n);
        return;
      }
      out[i] = xs[at];
    })
    TEXT(KZ_KERNEL partial(KZ_GLOBAL int *kz_error, int64_t kz_threads, KZ_GLOBAL int64_t *out,
        const KZ_GLOBAL int32_t *xs, int64_t n) {
      int64_t c = kz_thread();
      if (c >= kz_threads) return;
      int64_t len = n / kz_threads;
      int64_t longer = n % kz_threads;
      int64_t start = len * c + (c < longer ? c : longer);
      int64_t sum = 0;
      for (int64_t i = start; i < start + len + (c < longer ? 1 : 0); i++) sum = add_i64(sum, i32_to_i64(xs[i]));
      out[c] = sum;
    })
    TEXT(KZ_KERNEL refuse(KZ_GLOBAL int *kz_error, int64_t kz_threads) {
      if (kz_thread() < kz_threads) KZ_FAIL(3, 0, 0);
    })
    TEXT(KZ_KERNEL scalars(KZ_GLOBAL int *kz_error, int64_t kz_threads, KZ_GLOBAL int64_t *out,
        const KZ_GLOBAL int64_t *xs, const KZ_GLOBAL int64_t *ys, int64_t n) {
      int64_t i = kz_thread();
      if (i < kz_threads) out[i] = scalar_case((int)(i / n), xs[i % n], ys[i % n]);
    })
    TEXT(KZ_KERNEL reals(KZ_GLOBAL int *kz_error, int64_t kz_threads, KZ_GLOBAL float *out,
        const KZ_GLOBAL float *xs, const KZ_GLOBAL float *ys, int64_t n) {
      int64_t i = kz_thread();
      if (i < kz_threads) out[i] = real_case((int)(i / n), xs[i % n], ys[i % n]);
    });
enum { SQUARES, SCALE, GATHER, PARTIAL, REFUSE, SCALARS, REALS };
static const char *const *kz_kernel_texts(void) {
  static const char *const texts[] = {kernel_text, scalar_text, own_text, NULL};
  static const char *const without_f64[] = {"#undef cl_khr_fp64\n", kernel_text, scalar_text, own_text, NULL};
  return getenv("WITHOUT_F64") == NULL ? texts : without_f64;
}
static const char *const *kz_kernel_list(void) {
  static const char *const names[] = {"squares", "scale", "gather", "partial", "refuse", "scalars", "reals", NULL};
  return names;
}
#ifdef KZ_CUDA
KZ_FN bool kz_kernel_is_narrow(int kernel) { return kernel < 0; }
#endif
static int kz_kernel_failed(struct futhark_context *ctx, int id, const int64_t *values) {
  if (id == 7) return kz_fail(ctx, FUTHARK_PROGRAM_ERROR, "-> #0  device.fut:9:38-43\n",
      "Index [%" PRId64 "] out of bounds for array of shape [%" PRId64 "].", values[0], values[1]);
  return kz_fail(ctx, FUTHARK_PROGRAM_ERROR, NULL, "Check %d has failed.", id);
}
#define SCALAR(x) {sizeof(x), &(x)}
#define BLOCK(x) {0, x}
#define LAUNCH(kernel, threads, may_fail, ...)                                                                        \
  kz_launch(ctx, kernel, threads, threads, (int)(sizeof((struct kz_arg[]){__VA_ARGS__}) / sizeof(struct kz_arg)),              \
      (struct kz_arg[]){__VA_ARGS__}, may_fail)

static int squares(struct futhark_context *ctx, void **out, int64_t n) {
  if ((*out = kz_alloc(ctx, 8 * n)) == NULL) return FUTHARK_OUT_OF_MEMORY;
  return LAUNCH(SQUARES, kz_chunks(ctx, n, 1, false, false), false, BLOCK(*out), SCALAR(n));
}
static bool skips_constants = false;
static int kz_init_constants(struct futhark_context *ctx) { return skips_constants ? 0 : squares(ctx, &ctx->constants.table, 4); }

static int run_main(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  int64_t n = out[0].shape[0] = in[0].scalar.i64;
  return squares(ctx, &out[0].block, n);
}
static int run_constant(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  (void)in;
  out[0].block = kz_share(ctx->constants.table);
  out[0].shape[0] = 4;
  return 0;
}
static int run_scale(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  int64_t n = out[0].shape[0] = in[1].shape[0];
  if ((out[0].block = kz_alloc(ctx, 4 * n)) == NULL) return FUTHARK_OUT_OF_MEMORY;
  return LAUNCH(SCALE, n, false, BLOCK(out[0].block), BLOCK(in[1].block), SCALAR(in[0].scalar.f32));
}
static int run_gather(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  int64_t n = in[0].shape[0], m = out[0].shape[0] = in[1].shape[0];
  kz_share(in[0].block); // a reference that a failure leaves behind
  if ((out[0].block = kz_alloc(ctx, 4 * m)) == NULL) return FUTHARK_OUT_OF_MEMORY;
  int code = LAUNCH(GATHER, m, true, BLOCK(out[0].block), BLOCK(in[0].block), BLOCK(in[1].block), SCALAR(n));
  if (code != 0) return code;
  kz_free(ctx, in[0].block);
  return 0;
}
static int run_sum(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  int64_t n = in[0].shape[0], chunks = kz_chunks(ctx, n, 1, false, true), sum = 0;
  int64_t partial[KZ_MOST_ORDERED];
  void *block = kz_alloc(ctx, 8 * chunks);
  if (block == NULL) return FUTHARK_OUT_OF_MEMORY;
  int code = LAUNCH(PARTIAL, chunks, false, BLOCK(block), BLOCK(in[0].block), SCALAR(n));
  if (code == 0) code = kz_read(ctx, partial, block, 0, 8 * chunks);
  if (code != 0) return code;
  for (int64_t i = 0; i < chunks; i++) sum = add_i64(sum, partial[i]);
  kz_free(ctx, block);
  out[0].scalar.i64 = sum;
  return 0;
}
static int run_transposed(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  int64_t n = in[0].shape[0], m = in[0].shape[1];
  if ((out[0].block = kz_alloc(ctx, n * m * 4)) == NULL) return FUTHARK_OUT_OF_MEMORY;
  out[0].shape[0] = m, out[0].shape[1] = n;
  return kz_copy_blocks(ctx, 4, 2, (int64_t[]){m, n}, out[0].block, 0, (int64_t[]){n, 1}, in[0].block, 0,
      (int64_t[]){1, m});
}
static int run_bump(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  int32_t x;
  int code = kz_read(ctx, &x, in[0].block, 0, 4);
  x = add_i32(x, 1);
  if (code == 0) code = kz_write(ctx, in[0].block, 0, &x, 4);
  x = 0;
  out[0] = in[0];
  kz_share(out[0].block);
  return code;
}
static int run_traced(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  out[0] = in[0];
  kz_share(out[0].block);
  return kz_trace_block(ctx, "backwards", KZ_I32, 1, in[0].shape, (int64_t[]){-1}, in[0].block, in[0].shape[0] - 1);
}
static int run_large(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  out[0].shape[0] = in[0].scalar.i64;
  out[0].block = kz_alloc(ctx, size_mul_i64(in[0].scalar.i64, 8));
  return out[0].block == NULL ? FUTHARK_OUT_OF_MEMORY : 0;
}

static const struct kz_part f32_1d[] = {{KZ_F32, 1}}, i32_1d[] = {{KZ_I32, 1}}, i32_2d[] = {{KZ_I32, 2}},
    i64_1d[] = {{KZ_I64, 1}}, pairs[] = {{KZ_I32, 2}, {KZ_I64, 1}}, pair[] = {{KZ_I32, 1}, {KZ_I64, 0}};
static const struct kz_type type_f32_1d = {"[]f32", KZ_ARRAY, 1, f32_1d, 0, NULL, NULL, 0};
static const struct kz_type type_i32_1d = {"[]i32", KZ_ARRAY, 1, i32_1d, 0, NULL, NULL, 0};
static const struct kz_type type_i32_2d = {"[][]i32", KZ_ARRAY, 1, i32_2d, 0, NULL, NULL, 0};
static const struct kz_type type_i64_1d = {"[]i64", KZ_ARRAY, 1, i64_1d, 0, NULL, NULL, 0};
static const struct kz_field pair_fields[] = {{"0", &type_i32_1d, 0}, {"1", &kz_type_i64, 1}};
static const struct kz_type type_pair = {"([]i32, i64)", KZ_RECORD, 2, pair, 2, pair_fields, NULL, 0};
static const struct kz_field pairs_fields[] = {{"0", &type_i32_2d, 0}, {"1", &type_i64_1d, 1}};
KZ_UNUSED static const struct kz_type type_pairs = {"[]([]i32, i64)", KZ_RECORD_ARRAY, 2, pairs, 2, pairs_fields, &type_pair, 1};

#define PARAMS(name, ...) static const struct kz_param_type name[] = {__VA_ARGS__};
PARAMS(one_i64, {"n", &kz_type_i64, false})
PARAMS(one_i64s, {"out0", &type_i64_1d, false})
PARAMS(one_i32s, {"xs", &type_i32_1d, false})
PARAMS(unique_i32s, {"xs", &type_i32_1d, true})
PARAMS(one_i32s2, {"a", &type_i32_2d, false})
PARAMS(one_f32s, {"out0", &type_f32_1d, false})
PARAMS(scale_in, {"a", &kz_type_f32, false}, {"xs", &type_f32_1d, false})
PARAMS(gather_in, {"xs", &type_i32_1d, false}, {"is", &type_i64_1d, false})
static const struct kz_entry kz_entries[] = {
    {"bump", run_bump, 1, 1, unique_i32s, unique_i32s, 0, NULL},
    {"constant", run_constant, 0, 1, NULL, one_i64s, 0, NULL},
    {"gather", run_gather, 2, 1, gather_in, one_i32s, 0, NULL},
    {"large", run_large, 1, 1, one_i64, one_i64s, 0, NULL},
    {"main", run_main, 1, 1, one_i64, one_i64s, 0, NULL},
    {"scale", run_scale, 2, 1, scale_in, one_f32s, 0, NULL},
    {"sum", run_sum, 1, 1, one_i32s, one_i64, 0, NULL},
    {"traced", run_traced, 1, 1, one_i32s, one_i32s, 0, NULL},
    {"transposed", run_transposed, 1, 1, one_i32s2, one_i32s2, 0, NULL},
    {NULL, NULL, 0, 0, NULL, NULL, 0, NULL},
};

#ifdef UNITS
#include "device-units.h"
#else
#include "program.h"
#ifdef SERVER
static const struct kz_type *const kz_types[] = {&type_i32_2d, &type_f32_1d, &type_i32_1d, &type_i64_1d, NULL};
#include "server.h"
#else
#include "main.h"
#endif
#endif
