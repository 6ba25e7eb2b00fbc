// A user of the library that shapes.fut becomes, in which one request for memory fails (rts/tests/checked.h): whichever it
// is, the call says so, passes nothing out, and nothing is lost. Prints which of its calls failed, or that none did.
#include "shapes.h"
#include <stdlib.h>
#include <string.h>

#define TRY(condition)                                                                                                \
  if (!(condition)) {                                                                                                 \
    failed = #condition;                                                                                              \
    goto end;                                                                                                         \
  }

int main(void) {
  const char *failed = NULL;
  struct futhark_context_config *cfg = futhark_context_config_new();
  if (cfg == NULL) return puts("no configuration"), 0;
  struct futhark_context *ctx = futhark_context_new(cfg);
  if (ctx == NULL) return futhark_context_config_free(cfg), puts("no context"), 0;
  struct futhark_f32_1d *sides = NULL, *again = NULL, *field = NULL;
  struct futhark_opaque_shape *s = NULL, *t = NULL, *circle = NULL;
  struct futhark_opaque_arr1d_shape *all = NULL;
  struct futhark_opaque_tup2_f32_i64 *at = NULL;
  struct futhark_i32_1d *ints = NULL;
  struct futhark_opaque_arr1d_tup2_f32_i32 *zipped = NULL;
  struct futhark_opaque_tup2_f32_i32 *pair = NULL;
  void *bytes = NULL;
  size_t size;
  bool closed = false;
  float area;

  TRY((sides = futhark_new_f32_1d(ctx, (const float[]){3, 4, 5}, 3)) != NULL);
  TRY(futhark_new_opaque_shape_polygon(ctx, &s, sides, true) == 0);
  TRY(futhark_new_opaque_shape_circle(ctx, &circle, 2) == 0);
  TRY(futhark_entry_area_any(ctx, &area, s) == 0);
  TRY(futhark_entry_grow(ctx, &t, s, 1) == 0);
  TRY(futhark_destruct_opaque_shape_polygon(ctx, &again, &closed, t) == 0);
  TRY(futhark_store_opaque_shape(ctx, t, &bytes, &size) == 0);
  futhark_free_opaque_shape(ctx, t);
  TRY((t = futhark_restore_opaque_shape(ctx, bytes)) != NULL);
  TRY(futhark_entry_all_shapes(ctx, &all, 4, sides) == 0);
  futhark_free_opaque_shape(ctx, s);
  s = NULL;
  TRY(futhark_index_opaque_arr1d_shape(ctx, &s, all, 1) == 0);
  TRY(futhark_new_opaque_tup2_f32_i64(ctx, &at, 1, 2) == 0);
  TRY((ints = futhark_new_i32_1d(ctx, (const int32_t[]){1, 2, 3}, 3)) != NULL);
  TRY(futhark_zip_opaque_arr1d_tup2_f32_i32(ctx, &zipped, sides, ints) == 0);
  TRY(futhark_index_opaque_arr1d_tup2_f32_i32(ctx, &pair, zipped, 2) == 0);
  TRY(futhark_project_opaque_arr1d_tup2_f32_i32_0(ctx, &field, zipped) == 0);
end:
  if (failed != NULL) {
    char *error = futhark_context_get_error(ctx);
    if (error == NULL || strstr(error, "out of memory") == NULL) return fprintf(stderr, "%s: %s\n", failed, error), 1;
    free(error);
    // What was not passed out is as it was, and the context is as good as before.
    if (again == NULL && closed) return fprintf(stderr, "%s has passed out a part\n", failed), 1;
    if (futhark_entry_area_of_circle(ctx, &area, 2) != 0 || area != 12) return fprintf(stderr, "it does not go on\n"), 1;
  }
  puts(failed == NULL ? "none" : failed);
  free(bytes);
  futhark_free_f32_1d(ctx, sides);
  futhark_free_f32_1d(ctx, again);
  futhark_free_f32_1d(ctx, field);
  futhark_free_opaque_shape(ctx, s);
  futhark_free_opaque_shape(ctx, t);
  futhark_free_opaque_shape(ctx, circle);
  futhark_free_opaque_arr1d_shape(ctx, all);
  futhark_free_opaque_tup2_f32_i64(ctx, at);
  futhark_free_i32_1d(ctx, ints);
  futhark_free_opaque_arr1d_tup2_f32_i32(ctx, zipped);
  futhark_free_opaque_tup2_f32_i32(ctx, pair);
  futhark_context_free(ctx);
  futhark_context_config_free(cfg);
  return 0;
}
