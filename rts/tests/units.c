// Checks of the run-time text from inside: scalars, blocks and the functions of the API.
#define KZ_API // as in a library
#define KZ_MAX_RANK 4
#include "base.h"
#include "integer.h"
#include "bits.h"
#include "real.h"
#include "convert.h"
#include "half.h"
#include "context.h"
#include "memory.h"
#include "values.h"
#include "api.h"
#include "print.h"
#include "binary.h"
#include "opaque.h"

static int failures = 0;
#define CHECK(condition)                                                                                              \
  do {                                                                                                                \
    if (!(condition)) {                                                                                               \
      failures++;                                                                                                     \
      fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                                         \
    }                                                                                                                 \
  } while (0)

static int floor_div(int x, int y) { return x / y - (x % y != 0 && (x < 0) != (y < 0)); }

// All pairs of bytes, against the same in int, where nothing overflows.
static void test_bytes(void) {
  for (int x = -128; x < 128; x++) {
    for (int y = -128; y < 128; y++) {
      int8_t a = (int8_t)x, b = (int8_t)y;
      uint8_t c = (uint8_t)x, d = (uint8_t)y;
      CHECK(add_i8(a, b) == (int8_t)(x + y) && sub_i8(a, b) == (int8_t)(x - y) && mul_i8(a, b) == (int8_t)(x * y));
      CHECK(add_u8(c, d) == (uint8_t)(c + d) && sub_u8(c, d) == (uint8_t)(c - d) && mul_u8(c, d) == (uint8_t)(c * d));
      CHECK(quot_i8(a, b) == (y == 0 ? 0 : (int8_t)(x / y)) && rem_i8(a, b) == (y == 0 ? 0 : x % y));
      CHECK(div_i8(a, b) == (y == 0 ? 0 : (int8_t)floor_div(x, y)));
      CHECK(mod_i8(a, b) == (y == 0 ? 0 : x - floor_div(x, y) * y));
      CHECK(div_u8(c, d) == (d == 0 ? 0 : c / d) && mod_u8(c, d) == (d == 0 ? 0 : c % d));
      CHECK(mul_hi_i8(a, b) == (x * y) >> 8 && mul_hi_u8(c, d) == (c * d) >> 8);
      CHECK(shl_i8(a, b) == (y < 0 || y > 7 ? 0 : (int8_t)(x * (1 << y))));
      CHECK(shr_i8(a, b) == (y < 0 || y > 7 ? (x < 0 ? -1 : 0) : x >> y));
      CHECK(shr_u8(c, d) == (d > 7 ? 0 : c >> d) && min_i8(a, b) == (x < y ? x : y) && max_u8(c, d) == (c > d ? c : d));
    }
    CHECK(neg_i8((int8_t)x) == (int8_t)-x && abs_i8((int8_t)x) == (int8_t)abs(x)
        && sgn_i8((int8_t)x) == (x > 0) - (x < 0));
    CHECK(popc_i8((int8_t)x) + popc_i8(not_i8((int8_t)x)) == 8);
  }
}

static void test_integers(void) {
  CHECK(div_i32(INT32_MIN, -1) == INT32_MIN && mod_i32(INT32_MIN, -1) == 0 && quot_i64(INT64_MIN, -1) == INT64_MIN);
  CHECK(div_i64(-7, 2) == -4 && mod_i64(-7, 2) == 1 && mod_i64(7, -2) == -1 && rem_i64(-7, 2) == -1 && div_i64(1,
      0) == 0);
  CHECK(add_i64(INT64_MAX, 1) == INT64_MIN && mul_u16(65535, 65535) == 1 && mul_i16(-32768, -1) == -32768);
  CHECK(shl_i64(1, 63) == INT64_MIN && shl_i64(1, 64) == 0 && shl_i64(1, -1) == 0 && shr_i64(-8, 99) == -1
      && shr_u64(8, 64) == 0);
  CHECK(pow_i32(3, 4) == 81 && pow_i32(-2, 31) == INT32_MIN && pow_u8(2, 8) == 0 && pow_i64(7, 0) == 1 && pow_i8(3,
      -1) == (int8_t)-85);
  CHECK(clz_i32(0) == 32 && clz_u8(1) == 7 && clz_i64(-1) == 0 && ctz_i16(0) == 16 && ctz_u64(8) == 3
      && popc_u64(UINT64_MAX) == 64);
  CHECK(mul_hi_i64(INT64_MIN, INT64_MIN) == (int64_t)1 << 62 && mul_hi_u64(UINT64_MAX, UINT64_MAX) == UINT64_MAX - 1);
  CHECK(mul_hi_i64(-1, 1) == -1 && mul_hi_i32(INT32_MIN, 2) == -1 && mul_hi_u16(65535, 65535) == 65534);
  CHECK(i8_to_u64(-1) == 255 && i8_to_i64(-1) == -1 && i32_to_u64(-1) == UINT32_MAX && u64_to_i8(255) == -1
      && bool_to_i32(true) == 1);
  CHECK(i32_to_bool(2) && !u8_to_bool(0) && i64_to_f32(16777217) == 16777216.0f && u64_to_f64(UINT64_MAX) == 0x1p64);
}

static void test_floats(void) {
  float nan = NAN;
  CHECK(min_f32(nan, 1) == 1 && min_f32(1, nan) == 1 && max_f64(2, NAN) == 2 && isnan(max_f32(nan, nan)));
  CHECK(min_f64(1, 2) == 1 && max_f64(-INFINITY, 2) == 2 && signbit(sgn_f32(-0.0f)) && sgn_f64(-3) == -1
      && isnan(sgn_f32(nan)));
  CHECK(round_f64(2.5) == 2 && round_f32(3.5f) == 4 && mod_f64(-7, 2) == -1 && rsqrt_f32(4) == 0.5f);
  CHECK(to_bits_f32(1) == 0x3f800000 && from_bits_f64(0x3ff0000000000000) == 1 && ldexp_f32(1, 100000) == INFINITY);
  CHECK(f64_to_i32(-1.9) == -1 && f64_to_i32(NAN) == 0 && f64_to_i64(INFINITY) == 0 && f64_to_i64(1e300) == INT64_MAX);
  CHECK(f64_to_i64(-1e300) == INT64_MIN && f64_to_u64(1e300) == UINT64_MAX && f64_to_u64(0x1p63) == (uint64_t)1 << 63);
  CHECK(f64_to_u64(18446744073709549568.0) == 18446744073709549568u && f64_to_i32(4294967297.0) == INT32_MAX
      && f32_to_u8(-1) == 255);
  CHECK(f32_to_i32(-3e9f) == INT32_MIN && f32_to_i32(-0x1p31f) == INT32_MIN && f32_to_i32(0x1p31f) == INT32_MAX
      && f32_to_i32(NAN) == 0 && f32_to_i32(-INFINITY) == 0 && f32_to_i32(2147483520.0f) == 2147483520);
  CHECK(f64_to_i32(2147483647.9) == INT32_MAX && f64_to_i32(-2147483648.9) == INT32_MIN && f32_to_i8(300) == 44
      && f32_to_i16(-70000) == -4464 && f32_to_i8(1e10f) == -1 && f32_to_u16(-1e10f) == 0);
  CHECK(f32_to_u32(3e9f) == 3000000000u && f64_to_u32(-1) == UINT32_MAX && f64_to_u32(1e300) == UINT32_MAX
      && f64_to_u32(-INFINITY) == 0 && f32_to_u64(1e19f) == 9999999980506447872u && f32_to_u64(-2) == UINT64_MAX - 1
      && f64_to_u64(INFINITY) == 0 && f32_to_u64(FLT_MAX) == UINT64_MAX);
  CHECK(f64_to_i64(0x1p63) == INT64_MAX && f64_to_i64(-0x1p63) == INT64_MIN && f32_to_bool(0.5f) && f64_to_bool(NAN)
      && !f32_to_bool(-0.0f));
}

static void test_halves(void) {
  for (uint32_t bits = 0; bits < 65536; bits++) {
    kz_f16 half = (kz_f16)bits;
    float single = f16_to_f32(half);
    CHECK(isnan(single) ? (f32_to_f16(single) & 0x7fff) > 0x7c00 : f32_to_f16(single) == half);
    CHECK(isnan(single) || f64_to_f16(f16_to_f64(half)) == half);
    // Half way to the next one goes to the even one, and a little more, which only a double can tell, away from it.
    if (bits >= 0x7bff) continue;
    double next = f16_to_f64((kz_f16)(half + 1)), middle = ((double)single + next) / 2;
    CHECK(f64_to_f16(middle) == (bits & 1 ? half + 1 : half) && f32_to_f16((float)middle) == (bits & 1 ? half + 1
        : half));
    CHECK(f64_to_f16(middle * (1 + 0x1p-50)) == half + 1 && f64_to_f16(middle * (1 - 0x1p-50)) == half);
  }
  CHECK(f32_to_f16(65519) == 0x7bff && f32_to_f16(65520) == 0x7c00 && f64_to_f16(1e300) == 0x7c00
      && f64_to_f16(-1e-300) == 0x8000);
  CHECK(add_f16(0x3c00, 0x3c00) == 0x4000 && i64_to_f16(2049) == 0x6800 && f16_to_i32(0xc100) == -2 && lt_f16(0xbc00,
      0x3c00));
  CHECK(nextafter_f16(0x3c00, 0x4000) == 0x3c01 && nextafter_f16(0, 0xbc00) == 0x8001 && neg_f16(0) == 0x8000);
}

static uint32_t random_state = 1;
static int random_below(int n) {
  random_state = random_state * 1664525 + 1013904223;
  return (int)((random_state >> 8) % (uint32_t)n);
}

// Exact arithmetic gives what rounding with printf does to the fewest digits that are read as the same float.
static void test_digits(void) {
  for (int i = 0; i < 20000; i++) {
    bool is_double = i % 2 == 0;
    double x = i % 4 < 2 ? ldexp((double)random_below(1 << 24) + 1, (int)random_below(80) - 60)
        : (double)random_below(1 << 30) / (double)(1 + random_below(1 << 20));
    if (i % 8 < 2) x = ldexp(1, (int)random_below(80) - 40);
    if (is_double && i % 3 == 0) x = nextafter(x, i % 2 == 0 ? 0 : 1e9) / 3;
    if (!is_double) x = (double)(float)x;
    if (x == 0) continue;
    char digits[24], text[40], expected[40];
    int exponent = 0, count = kz_digits_exactly(x, is_double, digits, &exponent);
    if (count == 0) continue;
    for (int precision = is_double ? 15 : 6; precision <= 17; precision++) {
      snprintf(expected, sizeof expected, "%.*e", precision - 1, x);
      if ((is_double ? strtod(expected, NULL) : (double)strtof(expected, NULL)) == x) break;
    }
    snprintf(text, sizeof text, "%c.%.*s", digits[0], count - 1, digits + 1);
    char *mark = strchr(expected, 'e');
    CHECK(atoi(mark + 1) == exponent);
    while (mark[-1] == '0' || mark[-1] == '.') mark--;
    if (mark == expected + 1) *mark++ = '.';
    *mark = '\0';
    CHECK(strcmp(text, expected) == 0);
  }
}

static void test_memory(struct futhark_context *ctx) {
  char *a = kz_alloc(ctx, 100000), *b = kz_alloc(ctx, 0);
  CHECK(a != NULL && b != NULL && (uintptr_t)a % 64 == 0 && (uintptr_t)b % 64 == 0 && ctx->live_bytes >= 100000);
  kz_free(ctx, b);
  kz_share(a);
  CHECK(!kz_is_unshared(a));
  kz_free(ctx, a);
  CHECK(kz_is_unshared(a));
  kz_free(ctx, a);
  CHECK(ctx->live_bytes == 0 && kz_alloc(ctx, 90000) == a); // the same again
  CHECK(kz_alloc(ctx, 10000) != a);
  CHECK(kz_unwind(ctx) == 2 && ctx->live_bytes == 0);
  // A part of a larger block that is kept, and the rest of it; free parts are one block again. Small parts leave it whole.
  futhark_context_clear_caches(ctx);
  CHECK((a = kz_alloc(ctx, 100032)) != NULL);
  kz_free(ctx, a);
  b = kz_alloc(ctx, 40000);
  char *c = kz_alloc(ctx, 20032), *d = kz_alloc(ctx, 8192);
  CHECK(b == a && c == a + 40000 + KZ_HEADER && d == c + 20032 + KZ_HEADER);
  // One whose last reference another thread has just dropped is not yet kept, so that its neighbours do not take it.
  kz_block_of(c)->refs = 0;
  kz_free(ctx, d);
  CHECK(kz_block_of(c)->size == 20032 && ctx->cached_count == 1 && kz_alloc(ctx, 8192) == d);
  kz_block_of(c)->refs = 1;
  kz_free(ctx, c);
  kz_shrink_cache(ctx, 0);
  CHECK(ctx->cached_count == 2); // the rest and the hole, while others are in use
  kz_free(ctx, b);
  kz_free(ctx, d);
  CHECK(ctx->cached_count == 1 && ctx->cached_bytes == 100032 && kz_alloc(ctx, 4096) != a && kz_alloc(ctx, 100032) == a);
  CHECK(kz_unwind(ctx) == 2 && ctx->live_bytes == 0);
  kz_shrink_cache(ctx, 0);
  CHECK(ctx->cached == NULL && ctx->oldest_cached == NULL && ctx->cached_bytes == 0);
  // What is kept never exceeds the peak.
  for (int i = 0; i < 1000; i++) {
    void *blocks[8];
    for (int k = 0; k < 8; k++) CHECK((blocks[k] = kz_alloc(ctx, random_below(200000))) != NULL);
    for (int k = 0; k < 8; k++) kz_free(ctx, blocks[k]);
    CHECK(ctx->cached_bytes + ctx->live_bytes <= ctx->peak_bytes && ctx->cached_count <= KZ_MOST_CACHED);
  }
  // Sizes that would overflow with the header, as product sizes do that are cut off at the largest number.
  CHECK(kz_alloc(ctx, INT64_MAX) == NULL && kz_alloc(ctx, -1) == NULL && kz_alloc(ctx, INT64_MIN) == NULL);
  CHECK(kz_alloc(ctx, INT64_MAX - 63) == NULL && kz_alloc(ctx, INT64_MAX / 2) == NULL);
  CHECK(kz_alloc(ctx, INT64_MAX / 2 - 1) == NULL && ctx->live_bytes == 0);
  char *error = futhark_context_get_error(ctx);
  CHECK(error != NULL && strstr(error, "out of memory: cannot allocate 9223372036854775807 bytes") != NULL);
  free(error);
  CHECK(futhark_context_get_error(ctx) == NULL);
  futhark_context_clear_caches(ctx);
  CHECK(ctx->cached_bytes == 0 && ctx->cached == NULL && ctx->oldest_cached == NULL && ctx->peak_bytes == 0);
}

static const struct kz_part i32_2d[] = {{KZ_I32, 2}}, rows[] = {{KZ_I32, 2}, {KZ_F64, 1}}, row[] = {{KZ_I32, 1},
    {KZ_F64, 0}};
static const struct kz_part f64_1d[] = {{KZ_F64, 1}}, i32_1d[] = {{KZ_I32, 1}};
static const struct kz_type matrix = {"[][]i32", KZ_ARRAY, 1, i32_2d, 0, NULL, NULL, 0};
static const struct kz_type vector = {"[]f64", KZ_ARRAY, 1, f64_1d, 0, NULL, NULL, 0};
static const struct kz_type integers = {"[]i32", KZ_ARRAY, 1, i32_1d, 0, NULL, NULL, 0};
static const struct kz_field row_fields[] = {{"0", &integers, 0}, {"1", &kz_type_f64, 1}};
static const struct kz_type row_type = {"([]i32, f64)", KZ_RECORD, 2, row, 2, row_fields, NULL, 0};
static const struct kz_field rows_fields[] = {{"0", &matrix, 0}, {"1", &vector, 1}};
static const struct kz_type rows_type = {"[]([]i32, f64)", KZ_RECORD_ARRAY, 2, rows, 2, rows_fields, &row_type, 1};

static void test_values(struct futhark_context *ctx) {
  const int32_t data[] = {1, 2, 3, 4, 5, 6};
  int32_t back[6], element = 0;
  double scalars[] = {0.5, 1.5, 2.5}, scalar = 0;
  struct kz_value *a = kz_array_new(ctx, &matrix, data, (int64_t[]){3, 2}), *v = kz_array_new(ctx, &vector, scalars,
      (int64_t[]){3});
  struct kz_value *zipped = NULL, *one = NULL, *part = NULL, *restored = NULL, *none = NULL;
  CHECK(kz_array_shape(a)[0] == 3 && kz_array_shape(a)[1] == 2);
  CHECK(kz_array_values(a, back) == 0 && memcmp(back, data, sizeof data) == 0);
  CHECK(kz_array_index(ctx, &element, a, (int64_t[]){2, 1}) == 0 && element == 6);
  CHECK(kz_array_index(ctx, &element, a, (int64_t[]){3, 0}) != 0);
  CHECK(kz_record_new(ctx, &zipped, &rows_type, (const void *[]){a, v}) == 0);
  kz_value_free(ctx, a);
  CHECK(kz_array_index(ctx, &one, zipped, (int64_t[]){1}) == 0 && one->slots[1].scalar.f64 == 1.5);
  CHECK(kz_record_project(ctx, &part, one, 0) == 0 && ((int32_t *)kz_array_raw(part))[1] == 4);
  CHECK(kz_record_project(ctx, &scalar, one, 1) == 0 && scalar == 1.5);
  void *bytes = NULL;
  size_t size = 0, size_again = 0;
  CHECK(kz_value_store(ctx, zipped, NULL, &size) == 0 && kz_value_store(ctx, zipped, &bytes, &size_again) == 0
      && size == size_again);
  restored = kz_value_restore(ctx, &rows_type, bytes);
  CHECK(restored != NULL && memcmp(restored->slots[0].block, data, sizeof data) == 0
      && restored->slots[1].shape[0] == 3);
  ((char *)bytes)[8 + 7] = 100; // more than there is
  CHECK(kz_value_restore(ctx, &rows_type, bytes) == NULL);
  free(bytes);
  struct kz_value *shorter = kz_array_new(ctx, &vector, scalars, (int64_t[]){2});
  struct kz_value *again = restored == NULL ? NULL : kz_value_part(ctx, &matrix, restored->slots);
  CHECK(kz_record_new(ctx, &none, &rows_type, (const void *[]){again, shorter}) != 0 && none == NULL);
  struct kz_value *all[] = {v, zipped, one, part, restored, shorter, again};
  for (int i = 0; i < 7; i++) kz_value_free(ctx, all[i]);
  CHECK(ctx->live_bytes == 0 && ctx->live == NULL);
  CHECK(kz_array_new(ctx, &matrix, NULL, (int64_t[]){INT64_MAX, INT64_MAX}) == NULL);
  CHECK(kz_array_new(ctx, &matrix, NULL, (int64_t[]){-1, 2}) == NULL);
}

int main(void) {
  struct futhark_context_config *config = futhark_context_config_new();
  struct futhark_context *ctx = futhark_context_new(config);
  test_bytes();
  test_integers();
  test_floats();
  test_halves();
  test_digits();
  test_memory(ctx);
  test_values(ctx);
  char *report = futhark_context_report(ctx);
  CHECK(strncmp(report, "{\"memory\":{\"default space\": ", 27) == 0);
  free(report);
  CHECK(futhark_context_config_set_tuning_param(config, "none", 1) != 0 && futhark_get_tuning_param_count() == 0);
  futhark_context_free(ctx);
  futhark_context_config_free(config);
  printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
