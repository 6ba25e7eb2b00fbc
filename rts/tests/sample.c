// What the compiler would make of a program with most kinds of values at its border; SERVER makes a server of it. The
// entry points are those of sample.fut.
#ifdef CHECKED
#include "checked.h"
#endif
#define KZ_MAX_RANK 3
#define KZ_PARAMS(X) X("sample.limit", "threshold", 1000)
#define KZ_CONSTANTS int64_t count; double *table;
#include "base.h"
#include "integer.h"
#include "bits.h"
#include "real.h"
#include "convert.h"
#include "half.h"
#include "context.h"
#include "memory.h"
#include "stream.h"
#include "copy.h"
#include "values.h"
#include "print.h"
#include "binary.h"
#include "text.h"

static int kz_init_constants(struct futhark_context *ctx) {
  ctx->constants.count = 4;
  ctx->constants.table = kz_alloc(ctx, 4 * 8);
  if (ctx->constants.table == NULL) return FUTHARK_OUT_OF_MEMORY;
  for (int64_t i = 0; i < 4; i++) ctx->constants.table[i] = i64_to_f64(i) / 2;
  return 0;
}

static int run_main(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  (void)ctx;
  out[0].scalar.i64 = mul_i64(in[0].scalar.i64, 2);
  out[1].scalar.f64 = in[1].scalar.f64 + 1;
  return 0;
}

static int run_scale(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  int64_t n = in[1].shape[0];
  const float *xs = in[1].block;
  float *ys = kz_alloc(ctx, n * 4);
  if (ys == NULL) return FUTHARK_OUT_OF_MEMORY;
  for (int64_t i = 0; i < n; i++) ys[i] = in[0].scalar.f32 * xs[i];
  out[0].block = ys;
  out[0].shape[0] = n;
  return 0;
}

static int run_transposed(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  int64_t n = in[0].shape[0], m = in[0].shape[1];
  int32_t *ys = kz_alloc(ctx, n * m * 4);
  if (ys == NULL) return FUTHARK_OUT_OF_MEMORY;
  kz_copy(4, 2, (int64_t[]){m, n}, ys, (int64_t[]){n, 1}, in[0].block, (int64_t[]){1, m});
  out[0].block = ys;
  out[0].shape[0] = m;
  out[0].shape[1] = n;
  return 0;
}

static int run_swap(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  (void)ctx;
  out[0] = in[1];
  out[1] = in[0];
  return 0;
}

static int run_pair(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  (void)ctx;
  for (int i = 0; i < 3; i++) out[i] = in[i];
  kz_share(out[0].block);
  return 0;
}

static int run_at(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  int64_t i = in[1].scalar.i64, n = in[0].shape[0];
  // References that a failure leaves behind, to a new block and to that of an input.
  if (kz_alloc(ctx, 100) == NULL) return FUTHARK_OUT_OF_MEMORY;
  kz_share(in[0].block);
  if (i < 0 || i >= n) {
    return kz_fail(ctx, FUTHARK_PROGRAM_ERROR, "-> #0  sample.fut:9:38-43\n",
        "Index [%" PRId64 "] out of bounds for array of shape [%" PRId64 "].", i, n);
  }
  out[0].scalar.i32 = ((const int32_t *)in[0].block)[i];
  kz_unwind(ctx);
  return 0;
}

// Allocates and frees in a loop.
static int run_grow(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  int64_t sum = 0;
  for (int64_t i = 0; i < in[0].scalar.i64; i++) {
    int64_t *xs = kz_alloc(ctx, (i + 1) * 8), total = 0;
    if (xs == NULL) return FUTHARK_OUT_OF_MEMORY;
    for (int64_t j = 0; j <= i; j++) xs[j] = add_i64(j == 0 ? 0 : xs[j - 1], j);
    for (int64_t j = 0; j <= i; j++) total = add_i64(total, add_i64(xs[j], sum));
    kz_free(ctx, xs);
    sum = add_i64(sum, total);
  }
  out[0].scalar.i64 = sum;
  return 0;
}

static int run_bump(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  int32_t *xs = in[0].block;
  if (in[0].shape[0] == 0) return kz_fail(ctx, FUTHARK_PROGRAM_ERROR, "-> #0  sample.fut:11:49-53\n",
      "Index [0] out of bounds for array of shape [0].");
  xs[0] = add_i32(xs[0], 1);
  out[0] = in[0];
  kz_share(out[0].block);
  return 0;
}

static int run_points(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  int64_t n = in[0].scalar.i64;
  float *x = kz_alloc(ctx, n * 4), *y = x == NULL ? NULL : kz_alloc(ctx, n * 4);
  if (y == NULL) return FUTHARK_OUT_OF_MEMORY;
  for (int64_t i = 0; i < n; i++) x[i] = i64_to_f32(i), y[i] = 1;
  out[0].block = x, out[1].block = y;
  out[0].shape[0] = out[1].shape[0] = n;
  return 0;
}

static int run_floats(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  (void)ctx;
  for (int i = 0; i < 5; i++) out[i] = in[i];
  return 0;
}

static int run_nothing(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  out[0].block = kz_alloc(ctx, 0);
  out[0].shape[0] = in[0].scalar.i32;
  out[0].shape[1] = 0;
  return out[0].block == NULL ? FUTHARK_OUT_OF_MEMORY : 0;
}

static int run_traced(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  kz_trace(ctx, "trace", KZ_I32, 0, NULL, NULL, &in[0].scalar.i32);
  out[0] = in[0];
  return 0;
}

static int run_constant(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  (void)in;
  out[0].block = kz_share(ctx->constants.table);
  out[0].shape[0] = ctx->constants.count;
  return 0;
}

static int run_echo(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {
  (void)ctx;
  out[0] = in[0];
  kz_share(out[0].block);
  return 0;
}

static const struct kz_part f32_1d[] = {{KZ_F32, 1}}, f32_2d[] = {{KZ_F32, 2}}, i32_1d[] = {{KZ_I32, 1}},
    i32_2d[] = {{KZ_I32, 2}};
static const struct kz_part f64_1d[] = {{KZ_F64, 1}}, u8_1d[] = {{KZ_U8, 1}}, f32_f32[] = {{KZ_F32, 0}, {KZ_F32, 0}};
static const struct kz_part f32s_f32s[] = {{KZ_F32, 1}, {KZ_F32, 1}}, i32_bool[] = {{KZ_I32, 0}, {KZ_BOOL, 0}};
static const struct kz_type type_f32_1d = {"[]f32", KZ_ARRAY, 1, f32_1d, 0, NULL, NULL, 0};
static const struct kz_type type_f32_2d = {"[][]f32", KZ_ARRAY, 1, f32_2d, 0, NULL, NULL, 0};
static const struct kz_type type_i32_1d = {"[]i32", KZ_ARRAY, 1, i32_1d, 0, NULL, NULL, 0};
static const struct kz_type type_i32_2d = {"[][]i32", KZ_ARRAY, 1, i32_2d, 0, NULL, NULL, 0};
static const struct kz_type type_f64_1d = {"[]f64", KZ_ARRAY, 1, f64_1d, 0, NULL, NULL, 0};
static const struct kz_type type_u8_1d = {"[]u8", KZ_ARRAY, 1, u8_1d, 0, NULL, NULL, 0};
static const struct kz_field point_fields[] = {{"x", &kz_type_f32, 0}, {"y", &kz_type_f32, 1}};
static const struct kz_type type_point = {"point", KZ_RECORD, 2, f32_f32, 2, point_fields, NULL, 0};
static const struct kz_field points_fields[] = {{"x", &type_f32_1d, 0}, {"y", &type_f32_1d, 1}};
static const struct kz_type type_points = {"[]point", KZ_RECORD_ARRAY, 2, f32s_f32s, 2, points_fields, &type_point, 1};
static const struct kz_field tuple_fields[] = {{"0", &kz_type_i32, 0}, {"1", &kz_type_bool, 1}};
static const struct kz_type type_tuple = {"(i32, bool)", KZ_RECORD, 2, i32_bool, 2, tuple_fields, NULL, 0};

#define PARAMS(name, ...) static const struct kz_param_type name[] = {__VA_ARGS__};
PARAMS(main_in, {"n", &kz_type_i64, false}, {"x", &kz_type_f64, false})
PARAMS(main_out, {"out0", &kz_type_i64, true}, {"out1", &kz_type_f64, true})
PARAMS(scale_in, {"a", &kz_type_f32, false}, {"xs", &type_f32_1d, false})
PARAMS(one_f32s, {"out0", &type_f32_1d, false})
PARAMS(one_i32s2, {"a", &type_i32_2d, false})
PARAMS(one_point, {"p", &type_point, false})
PARAMS(pair, {"xs", &type_i32_1d, false}, {"t", &type_tuple, false})
PARAMS(at_in, {"xs", &type_i32_1d, false}, {"i", &kz_type_i64, false})
PARAMS(one_i32, {"out0", &kz_type_i32, false})
PARAMS(one_i64, {"n", &kz_type_i64, false})
PARAMS(unique_i32s, {"xs", &type_i32_1d, true})
PARAMS(one_points, {"out0", &type_points, false})
PARAMS(five, {"h", &kz_type_f16, false}, {"f", &kz_type_f32, false}, {"d", &kz_type_f64, false}, {"b", &kz_type_bool,
    false}, {"u", &kz_type_u8, false})
PARAMS(one_f32s2, {"out0", &type_f32_2d, false})
PARAMS(one_f64s, {"out0", &type_f64_1d, false})
PARAMS(one_u8s, {"xs", &type_u8_1d, false})
static const int grow_tuning[] = {0};

static const struct kz_entry kz_entries[] = {
    {"at", run_at, 2, 1, at_in, one_i32, 0, NULL},
    {"bump", run_bump, 1, 1, unique_i32s, unique_i32s, 0, NULL},
    {"constant", run_constant, 0, 1, NULL, one_f64s, 0, NULL},
    {"doubles", run_echo, 1, 1, one_f64s, one_f64s, 0, NULL},
    {"floats", run_floats, 5, 5, five, five, 0, NULL},
    {"grow", run_grow, 1, 1, one_i64, one_i64, 1, grow_tuning},
    {"main", run_main, 2, 2, main_in, main_out, 0, NULL},
    {"matrix", run_echo, 1, 1, one_i32s2, one_i32s2, 0, NULL},
    {"nothing", run_nothing, 1, 1, one_i32, one_f32s2, 0, NULL},
    {"pair", run_pair, 2, 2, pair, pair, 0, NULL},
    {"points", run_points, 1, 1, one_i64, one_points, 0, NULL},
    {"scale", run_scale, 2, 1, scale_in, one_f32s, 0, NULL},
    {"string", run_echo, 1, 1, one_u8s, one_u8s, 0, NULL},
    {"swap", run_swap, 1, 1, one_point, one_point, 0, NULL},
    {"traced", run_traced, 1, 1, one_i32, one_i32, 0, NULL},
    {"transposed", run_transposed, 1, 1, one_i32s2, one_i32s2, 0, NULL},
    {NULL, NULL, 0, 0, NULL, NULL, 0, NULL},
};

#include "program.h"
#ifdef SERVER
static const struct kz_type *const kz_types[] = {&type_tuple, &type_f32_2d, &type_i32_2d, &type_f32_1d, &type_f64_1d,
    &type_i32_1d, &type_points, &type_u8_1d, &type_point, NULL};
#include "server.h"
#else
#include "main.h"
#endif
