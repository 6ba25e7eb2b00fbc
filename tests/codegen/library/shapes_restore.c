// Damaged bytes as values of the library that shapes.fut becomes: what is restored of them is used like any value. Takes
// how many there are. Prints how many were values.
#include "shapes.h"
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                                              \
  do {                                                                                                                \
    if (!(condition)) {                                                                                               \
      fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                                         \
      exit(1);                                                                                                        \
    }                                                                                                                 \
  } while (0)

// The elements of an array, so that damage to a size leaves one of quite another length.
enum { MANY = 40 };

static struct futhark_context *ctx;

static uint64_t state = 0x9e3779b97f4a7c15;
static uint64_t below(uint64_t n) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state % n;
}

// A call may fail, and says why.
static bool fine(int code) {
  char *error = futhark_context_get_error(ctx);
  CHECK((code == 0) == (error == NULL));
  free(error);
  return code == 0;
}

static void use_shape(struct futhark_opaque_shape *s) {
  float area;
  struct futhark_opaque_shape *grown = NULL;
  fine(futhark_entry_area_any(ctx, &area, s));
  if (fine(futhark_entry_grow(ctx, &grown, s, 1))) futhark_free_opaque_shape(ctx, grown);
  struct futhark_f32_1d *sides = NULL;
  bool closed;
  if (fine(futhark_destruct_opaque_shape_polygon(ctx, &sides, &closed, s))) {
    CHECK(futhark_variant_opaque_shape(ctx, s) == 2 && futhark_shape_f32_1d(ctx, sides)[0] >= 0);
    futhark_free_f32_1d(ctx, sides);
  }
}
static void use_tagged(struct futhark_opaque_tagged *t) {
  int64_t n;
  float x;
  bool flag;
  struct futhark_u8_1d *name = NULL;
  fine(futhark_entry_tag(ctx, &n, &x, &flag, t));
  CHECK(fine(futhark_project_opaque_tagged_name(ctx, &name, t)));
  futhark_free_u8_1d(ctx, name);
}
static void use_pairs(struct futhark_opaque_arr1d_tup2_f32_i32 *pairs) {
  struct futhark_opaque_arr1d_tup2_i32_f32 *swapped = NULL;
  struct futhark_opaque_tup2_f32_i32 *pair = NULL;
  int64_t n = futhark_shape_opaque_arr1d_tup2_f32_i32(ctx, pairs)[0];
  if (fine(futhark_entry_swap(ctx, &swapped, pairs))) futhark_free_opaque_arr1d_tup2_i32_f32(ctx, swapped);
  if (fine(futhark_index_opaque_arr1d_tup2_f32_i32(ctx, &pair, pairs, n - 1)))
    futhark_free_opaque_tup2_f32_i32(ctx, pair);
}
static void use_shapes(struct futhark_opaque_arr1d_shape *shapes) {
  float total;
  struct futhark_opaque_shape *shape = NULL;
  int64_t n = futhark_shape_opaque_arr1d_shape(ctx, shapes)[0];
  fine(futhark_entry_total(ctx, &total, shapes));
  if (fine(futhark_index_opaque_arr1d_shape(ctx, &shape, shapes, n - 1)))
    futhark_free_opaque_shape(ctx, shape);
}

// The bytes with something wrong, in as much memory as there is. The length before them stays true, or is smaller:
// nobody else knows how much there is.
static char *damaged(const char *bytes, uint64_t length) {
  uint64_t kept = below(8) == 0 ? below(length + 1) : length;
  char *copy = malloc(sizeof kept + (size_t)kept);
  CHECK(copy != NULL);
  memcpy(copy, &kept, sizeof kept);
  memcpy(copy + sizeof kept, bytes, (size_t)kept);
  for (uint64_t i = kept == 0 ? 0 : below(4); i > 0; i--) {
    char *at = copy + sizeof kept + below(kept);
    *at = below(2) == 0 ? (char)below(256) : below(2) == 0 ? (char)(*at ^ 1 << below(8)) : (char)below(4);
  }
  return copy;
}

#define TRY(type, value, use)                                                                                         \
  do {                                                                                                                \
    void *bytes = NULL;                                                                                               \
    size_t size;                                                                                                      \
    CHECK(fine(futhark_store_##type(ctx, value, &bytes, &size)));                                                     \
    for (long i = 0; i < count / 4; i++) {                                                                            \
      char *copy = damaged((char *)bytes + sizeof(uint64_t), size - sizeof(uint64_t));                                \
      struct futhark_##type *restored = futhark_restore_##type(ctx, copy);                                            \
      free(copy);                                                                                                     \
      if (!fine(restored == NULL)) continue;                                                                          \
      values++;                                                                                                       \
      use(restored);                                                                                                  \
      futhark_free_##type(ctx, restored);                                                                             \
    }                                                                                                                 \
    free(bytes);                                                                                                      \
    futhark_free_##type(ctx, value);                                                                                  \
  } while (0)

int main(int argc, char **argv) {
  long count = argc > 1 ? atol(argv[1]) : 0, values = 0;
  struct futhark_context_config *cfg = futhark_context_config_new();
  ctx = futhark_context_new(cfg);
  static const float floats[MANY];
  static const int32_t ints[MANY];
  struct futhark_f32_1d *fs = futhark_new_f32_1d(ctx, floats, MANY);
  struct futhark_i32_1d *is = futhark_new_i32_1d(ctx, ints, MANY);
  struct futhark_u8_1d *name = futhark_new_u8_1d(ctx, (const uint8_t *)"abc", 3);
  struct futhark_opaque_tup2_f32_i64 *at;
  struct futhark_opaque_shape *shape;
  struct futhark_opaque_tagged *tagged;
  struct futhark_opaque_arr1d_tup2_f32_i32 *pairs;
  struct futhark_opaque_arr1d_shape *shapes;
  CHECK(fine(futhark_new_opaque_shape_polygon(ctx, &shape, fs, true)));
  CHECK(fine(futhark_new_opaque_tup2_f32_i64(ctx, &at, 1, 2)));
  CHECK(fine(futhark_new_opaque_tagged(ctx, &tagged, at, true, name)));
  CHECK(fine(futhark_zip_opaque_arr1d_tup2_f32_i32(ctx, &pairs, fs, is)));
  CHECK(fine(futhark_entry_all_shapes(ctx, &shapes, 4, fs)));
  TRY(opaque_shape, shape, use_shape);
  TRY(opaque_tagged, tagged, use_tagged);
  TRY(opaque_arr1d_tup2_f32_i32, pairs, use_pairs);
  TRY(opaque_arr1d_shape, shapes, use_shapes);
  futhark_free_opaque_tup2_f32_i64(ctx, at);
  futhark_free_u8_1d(ctx, name);
  futhark_free_i32_1d(ctx, is);
  futhark_free_f32_1d(ctx, fs);
  futhark_context_free(ctx);
  futhark_context_config_free(cfg);
  printf("%ld\n", values);
  return 0;
}
