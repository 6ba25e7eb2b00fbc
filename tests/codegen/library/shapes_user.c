// A user of the library that shapes.fut becomes. Each line that it prints is the name of an entry point, its arguments and
// its results, with tabulators between them; the interpreter must agree. Whatever else it finds out, it asserts itself.
#include "shapes.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                                              \
  do {                                                                                                                \
    if (!(condition)) {                                                                                               \
      fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                                         \
      exit(1);                                                                                                        \
    }                                                                                                                 \
  } while (0)

// The next error must have this text in it.
static void fails(struct futhark_context *ctx, const char *part) {
  char *error = futhark_context_get_error(ctx);
  CHECK(error != NULL);
  if (strstr(error, part) == NULL) {
    fprintf(stderr, "`%s` is not in: %s\n", part, error);
    exit(1);
  }
  free(error);
  CHECK(futhark_context_get_error(ctx) == NULL);
}

static void configuration(void) {
  struct futhark_context_config *cfg = futhark_context_config_new();
  CHECK(cfg != NULL);
  futhark_context_config_set_debugging(cfg, 1);
  futhark_context_config_set_profiling(cfg, 1);
  futhark_context_config_set_logging(cfg, 1);
  futhark_context_config_set_cache_file(cfg, "no-such-file");
  futhark_context_config_set_cache_file(cfg, NULL);
  CHECK(futhark_context_config_set_tuning_param(cfg, "no such parameter", 1) != 0);
  for (int i = 0; i < futhark_get_tuning_param_count(); i++) {
    CHECK(futhark_get_tuning_param_name(i) != NULL && futhark_get_tuning_param_class(i) != NULL);
    CHECK(futhark_context_config_set_tuning_param(cfg, futhark_get_tuning_param_name(i), 1) == 0);
  }
  struct futhark_context *ctx = futhark_context_new(cfg);
  CHECK(ctx != NULL && futhark_context_get_error(ctx) == NULL);
  // What it logs goes where it is told to.
  FILE *log = tmpfile();
  CHECK(log != NULL);
  futhark_context_set_logging_file(ctx, log);
  futhark_context_pause_profiling(ctx);
  futhark_context_unpause_profiling(ctx);
  float out;
  CHECK(futhark_entry_area_of_circle(ctx, &out, 2) == FUTHARK_SUCCESS && out == 12);
  CHECK(ftell(log) > 0);
  char *report = futhark_context_report(ctx);
  CHECK(report != NULL && report[0] == '{');
  free(report);
  CHECK(futhark_context_sync(ctx) == 0 && futhark_context_clear_caches(ctx) == 0);
  futhark_context_free(ctx);
  futhark_context_config_free(cfg);
  fclose(log);
}

static void arrays(struct futhark_context *ctx) {
  const int32_t ints[] = {4, 5, 6};
  struct futhark_i32_1d *xs = futhark_new_i32_1d(ctx, ints, 3), *same, *bumped;
  // A result that is the argument has a life of its own.
  CHECK(futhark_entry_same(ctx, &same, xs) == 0);
  CHECK(futhark_free_i32_1d(ctx, xs) == 0);
  int32_t back[3], one;
  CHECK(futhark_values_i32_1d(ctx, same, back) == 0 && memcmp(back, ints, sizeof ints) == 0);
  CHECK(futhark_shape_i32_1d(ctx, same)[0] == 3);
#ifdef FUTHARK_BACKEND_opencl
  // The array is in the memory of a device; a new one may be made of the same memory.
  struct futhark_i32_1d *again = futhark_new_raw_i32_1d(ctx, futhark_values_raw_i32_1d(ctx, same), 3);
  int32_t seen[3] = {0};
  CHECK(futhark_values_i32_1d(ctx, again, seen) == 0 && futhark_context_sync(ctx) == 0 && seen[2] == 6);
  CHECK(futhark_free_i32_1d(ctx, again) == 0);
#else
  CHECK(((const int32_t *)(const void *)futhark_values_raw_i32_1d(ctx, same))[2] == 6);
#endif
  // What is consumed is freed as well.
  CHECK(futhark_entry_bump(ctx, &bumped, same) == 0);
  CHECK(futhark_free_i32_1d(ctx, same) == 0);
  CHECK(futhark_index_i32_1d(ctx, &one, bumped, 0) == 0);
  printf("at\t[7i32, 5i32, 6i32] 0i64\t%" PRId32 "i32\n", one);
  // Errors say what is wrong, once, and leave everything as it was.
  one = 99;
  CHECK(futhark_entry_at(ctx, &one, bumped, 3) == FUTHARK_PROGRAM_ERROR && one == 99);
  fails(ctx, "Index [3] out of bounds for array of shape [3].");
  CHECK(futhark_index_i32_1d(ctx, &one, bumped, -1) != 0 && futhark_index_i32_1d(ctx, &one, bumped, 3) != 0);
  fails(ctx, "ndex");
  CHECK(futhark_entry_at(ctx, &one, bumped, 1) == 0);
  printf("at\t[7i32, 5i32, 6i32] 1i64\t%" PRId32 "i32\n", one);
  CHECK(futhark_free_i32_1d(ctx, bumped) == 0);
  CHECK(futhark_new_i32_1d(ctx, NULL, -1) == NULL);
  fails(ctx, "memory");

  const double table[] = {1, 2, 3, 4, 5, 6};
  struct futhark_f64_2d *m = futhark_new_f64_2d(ctx, table, 2, 3), *t;
  CHECK(futhark_entry_transposed(ctx, &t, m) == 0);
  const int64_t *shape = futhark_shape_f64_2d(ctx, t);
  CHECK(shape[0] == 3 && shape[1] == 2);
  double turned[6], corner;
  CHECK(futhark_values_f64_2d(ctx, t, turned) == 0 && futhark_index_f64_2d(ctx, &corner, t, 2, 0) == 0 && corner == 3);
  printf("transposed\t[[1f64, 2f64, 3f64], [4f64, 5f64, 6f64]]\t[[%.1ff64, %.1ff64], [%.1ff64, %.1ff64], [%.1ff64, %.1ff64]]\n",
      turned[0], turned[1], turned[2], turned[3], turned[4], turned[5]);
  futhark_free_f64_2d(ctx, t);
  futhark_free_f64_2d(ctx, m);

  // Bytes of the caller, and numbers of half precision as their bits: 1 and 2.5.
  uint16_t halves[] = {0x3c00, 0x4100}, halved[2];
#ifdef FUTHARK_BACKEND_opencl
  struct futhark_f16_1d *hs = futhark_new_f16_1d(ctx, halves, 2), *half;
#else
  struct futhark_f16_1d *hs = futhark_new_raw_f16_1d(ctx, (unsigned char *)halves, 2), *half;
#endif
  CHECK(futhark_entry_halves(ctx, &half, hs) == 0 && futhark_values_f16_1d(ctx, half, halved) == 0);
  CHECK(halved[0] == 0x3800 && halved[1] == 0x3d00);
  futhark_free_f16_1d(ctx, half);
  futhark_free_f16_1d(ctx, hs);
}

static void records(struct futhark_context *ctx) {
  struct futhark_u8_1d *name = futhark_new_u8_1d(ctx, (const uint8_t *)"ab", 2), *again;
  struct futhark_opaque_tup2_f32_i64 *at, *found;
  struct futhark_opaque_tagged *record;
  CHECK(futhark_new_opaque_tup2_f32_i64(ctx, &at, 0.5f, 40) == 0);
  CHECK(futhark_new_opaque_tagged(ctx, &record, at, true, name) == 0);
  CHECK(futhark_free_opaque_tup2_f32_i64(ctx, at) == 0 && futhark_free_u8_1d(ctx, name) == 0);
  int64_t sum, second;
  float first;
  bool flag;
  CHECK(futhark_entry_tag(ctx, &sum, &first, &flag, record) == 0);
  printf("tag_of\t[97u8, 98u8] 0.5f32 40i64 true\t%" PRId64 "i64 %.1ff32 %s\n", sum, first, flag ? "true" : "false");
  CHECK(futhark_project_opaque_tagged_name(ctx, &again, record) == 0 && futhark_shape_u8_1d(ctx, again)[0] == 2);
  CHECK(futhark_project_opaque_tagged_at(ctx, &found, record) == 0);
  CHECK(futhark_project_opaque_tagged_flag(ctx, &flag, record) == 0 && flag);
  futhark_free_opaque_tagged(ctx, record);
  CHECK(futhark_project_opaque_tup2_f32_i64_1(ctx, &second, found) == 0 && second == 40);
  futhark_free_opaque_tup2_f32_i64(ctx, found);
  futhark_free_u8_1d(ctx, again);

  // Arrays of records.
  struct futhark_f32_1d *x = futhark_new_f32_1d(ctx, (const float[]){1, 2}, 2), *out;
  struct futhark_i32_1d *i = futhark_new_i32_1d(ctx, (const int32_t[]){3, 4}, 2);
  struct futhark_i32_1d *longer = futhark_new_i32_1d(ctx, (const int32_t[]){3, 4, 5}, 3);
  struct futhark_opaque_arr1d_tup2_f32_i32 *zipped = NULL;
  struct futhark_opaque_arr1d_tup2_i32_f32 *swapped;
  struct futhark_opaque_tup2_i32_f32 *one;
  CHECK(futhark_zip_opaque_arr1d_tup2_f32_i32(ctx, &zipped, x, longer) != 0 && zipped == NULL);
  fails(ctx, "different shapes");
  CHECK(futhark_zip_opaque_arr1d_tup2_f32_i32(ctx, &zipped, x, i) == 0);
  CHECK(futhark_entry_swap(ctx, &swapped, zipped) == 0);
  CHECK(futhark_shape_opaque_arr1d_tup2_i32_f32(ctx, swapped)[0] == 2);
  CHECK(futhark_project_opaque_arr1d_tup2_i32_f32_1(ctx, &out, swapped) == 0);
  float values[2];
  CHECK(futhark_values_f32_1d(ctx, out, values) == 0);
  printf("swapped_floats_of\t[1f32, 2f32] [3i32, 4i32]\t[%.1ff32, %.1ff32]\n", values[0], values[1]);
  CHECK(futhark_index_opaque_arr1d_tup2_i32_f32(ctx, &one, swapped, 2) != 0);
  fails(ctx, "ndex");
  CHECK(futhark_index_opaque_arr1d_tup2_i32_f32(ctx, &one, swapped, 1) == 0);
  CHECK(futhark_project_opaque_tup2_i32_f32_1(ctx, &first, one) == 0 && first == 2);
  futhark_free_opaque_tup2_i32_f32(ctx, one);
  futhark_free_f32_1d(ctx, out);
  futhark_free_opaque_arr1d_tup2_i32_f32(ctx, swapped);
  futhark_free_opaque_arr1d_tup2_f32_i32(ctx, zipped);
  futhark_free_i32_1d(ctx, longer);
  futhark_free_i32_1d(ctx, i);
  futhark_free_f32_1d(ctx, x);
}

// The record in a segment has no name of its own, so it has a hash for one.
#define ENDS(function) futhark_##function##opaque_f11148baeb3f361532f974d2fd1dba37

// Variants are numbered as the manifest lists them.
enum { CIRCLE, NOTHING, POLYGON, SEGMENT };

static void print_area(struct futhark_context *ctx, const char *name, const char *arguments, struct futhark_opaque_shape *s) {
  float area;
  CHECK(futhark_entry_area_any(ctx, &area, s) == 0);
  printf("%s\t%s\t%.1ff32\n", name, arguments, area);
  CHECK(futhark_free_opaque_shape(ctx, s) == 0);
}

static void sums(struct futhark_context *ctx) {
  struct futhark_opaque_shape *s, *t;
  CHECK(futhark_new_opaque_shape_circle(ctx, &s, 2) == 0 && futhark_variant_opaque_shape(ctx, s) == CIRCLE);
  print_area(ctx, "area_of_circle", "2f32", s);
  CHECK(futhark_new_opaque_shape_nothing(ctx, &s) == 0 && futhark_variant_opaque_shape(ctx, s) == NOTHING);
  CHECK(futhark_destruct_opaque_shape_nothing(ctx, s) == 0);
  print_area(ctx, "area_of_nothing", "true", s);

  // A payload of a record of tuples.
  struct futhark_opaque_tup2_f32_f32 *from, *to;
  CHECK(futhark_new_opaque_tup2_f32_f32(ctx, &from, 1, 2) == 0 && futhark_new_opaque_tup2_f32_f32(ctx, &to, 4, 8) == 0);
  struct ENDS() *ends, *same;
  CHECK(ENDS(new_)(ctx, &ends, from, to) == 0);
  CHECK(futhark_new_opaque_shape_segment(ctx, &s, ends) == 0 && futhark_variant_opaque_shape(ctx, s) == SEGMENT);
  CHECK(futhark_destruct_opaque_shape_segment(ctx, &same, s) == 0);
  print_area(ctx, "area_of_segment", "1f32 2f32 4f32 8f32", s);
  ENDS(free_)(ctx, same);
  ENDS(free_)(ctx, ends);
  futhark_free_opaque_tup2_f32_f32(ctx, to);
  futhark_free_opaque_tup2_f32_f32(ctx, from);

  // An array inside outlives the sum that it was taken from, and the other way round.
  struct futhark_f32_1d *sides = futhark_new_f32_1d(ctx, (const float[]){3, 4, 5}, 3), *grown = NULL;
  bool closed = false;
  CHECK(futhark_new_opaque_shape_polygon(ctx, &s, sides, true) == 0);
  CHECK(futhark_free_f32_1d(ctx, sides) == 0 && futhark_variant_opaque_shape(ctx, s) == POLYGON);
  CHECK(futhark_entry_grow(ctx, &t, s, 0.5f) == 0);
  print_area(ctx, "area_of_polygon", "[3f32, 4f32, 5f32] true", s);
  float radius = 7;
  CHECK(futhark_destruct_opaque_shape_circle(ctx, &radius, t) == FUTHARK_PROGRAM_ERROR && radius == 7);
  fails(ctx, "variant 2, not 0");
  // It survives as bytes.
  void *bytes = NULL;
  size_t size;
  CHECK(futhark_store_opaque_shape(ctx, t, &bytes, &size) == 0);
  CHECK(futhark_free_opaque_shape(ctx, t) == 0);
  CHECK((t = futhark_restore_opaque_shape(ctx, bytes)) != NULL);
  free(bytes);
  CHECK(futhark_destruct_opaque_shape_polygon(ctx, &grown, &closed, t) == 0);
  CHECK(futhark_free_opaque_shape(ctx, t) == 0);
  float values[3];
  CHECK(futhark_shape_f32_1d(ctx, grown)[0] == 3 && futhark_values_f32_1d(ctx, grown, values) == 0);
  printf("grow_polygon_of\t[3f32, 4f32, 5f32] true 0.5f32\t[%.1ff32, %.1ff32, %.1ff32] %s\n", values[0], values[1],
      values[2], closed ? "true" : "false");
  futhark_free_f32_1d(ctx, grown);

  // What the program makes has the same numbers.
  sides = futhark_new_f32_1d(ctx, (const float[]){1, 2}, 2);
  const int numbers[] = {CIRCLE, POLYGON, NOTHING, SEGMENT};
  for (int k = 0; k < 4; k++) {
    CHECK(futhark_entry_pick(ctx, &s, k, sides) == 0 && futhark_variant_opaque_shape(ctx, s) == numbers[k]);
    futhark_free_opaque_shape(ctx, s);
  }

  // Arrays of sums.
  struct futhark_opaque_arr1d_shape *all;
  float total;
  CHECK(futhark_entry_all_shapes(ctx, &all, 5, sides) == 0 && futhark_shape_opaque_arr1d_shape(ctx, all)[0] == 5);
  CHECK(futhark_entry_total(ctx, &total, all) == 0);
  printf("total_of\t5i64 [1f32, 2f32]\t%.1ff32\n", total);
  CHECK(futhark_index_opaque_arr1d_shape(ctx, &s, all, 5) != 0);
  fails(ctx, "ndex");
  CHECK(futhark_index_opaque_arr1d_shape(ctx, &s, all, 3) == 0 && futhark_variant_opaque_shape(ctx, s) == POLYGON);
  futhark_free_opaque_arr1d_shape(ctx, all);
  print_area(ctx, "nth_area_of", "5i64 [1f32, 2f32] 3i64", s);
  futhark_free_f32_1d(ctx, sides);
}

int main(void) {
  configuration();
  // Two contexts at once have nothing to do with each other.
  struct futhark_context_config *cfg = futhark_context_config_new(), *other_cfg = futhark_context_config_new();
  struct futhark_context *ctx = futhark_context_new(cfg), *other = futhark_context_new(other_cfg);
  CHECK(futhark_new_i32_1d(other, NULL, -1) == NULL && futhark_context_get_error(ctx) == NULL);
  fails(other, "memory");
  arrays(ctx);
  records(ctx);
  sums(ctx);
  futhark_context_free(other);
  futhark_context_free(ctx);
  futhark_context_config_free(other_cfg);
  futhark_context_config_free(cfg);
  return 0;
}
