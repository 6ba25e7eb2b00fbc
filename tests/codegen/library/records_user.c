// A user of the library that tests/codegen/records.ir becomes.
#include "records.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  struct futhark_context_config *cfg = futhark_context_config_new();
  struct futhark_context *ctx = futhark_context_new(cfg);
  assert(futhark_context_get_error(ctx) == NULL);

  // Arrays go in and out.
  const float data[] = {1, 2, 3};
  struct futhark_f32_1d *xs = futhark_new_f32_1d(ctx, data, 3);
  float back[3], element;
  assert(futhark_values_f32_1d(ctx, xs, back) == 0 && memcmp(data, back, sizeof data) == 0);
  assert(futhark_shape_f32_1d(ctx, xs)[0] == 3);
  assert(futhark_index_f32_1d(ctx, &element, xs, 2) == 0 && element == 3);
  assert(futhark_index_f32_1d(ctx, &element, xs, 3) != 0);
  free(futhark_context_get_error(ctx));

  // Records are made, passed and taken apart.
  struct futhark_opaque_point *p, *q;
  assert(futhark_new_opaque_point(ctx, &p, 0.5f, xs) == 0);
  assert(futhark_entry_flip(ctx, &q, p) == 0);
  struct futhark_f32_1d *ys;
  assert(futhark_project_opaque_point_x(ctx, &element, q) == 0 && element == -0.5f);
  assert(futhark_project_opaque_point_y(ctx, &ys, q) == 0);
  assert(futhark_values_f32_1d(ctx, ys, back) == 0 && back[1] == 2);

  // They survive as bytes.
  void *bytes = NULL;
  size_t size = 0;
  assert(futhark_store_opaque_point(ctx, q, &bytes, &size) == 0 && size > 0);
  struct futhark_opaque_point *r = futhark_restore_opaque_point(ctx, bytes);
  assert(r != NULL && futhark_project_opaque_point_x(ctx, &element, r) == 0 && element == -0.5f);
  free(bytes);

  // Arrays of records are zipped and indexed, and an error is only that.
  const float table[] = {1, 2, 3, 4, 5, 6};
  struct futhark_f32_2d *rows = futhark_new_f32_2d(ctx, table, 3, 2);
  struct futhark_opaque_arr1d_point *ps;
  struct futhark_opaque_point *one;
  assert(futhark_zip_opaque_arr1d_point(ctx, &ps, xs, rows) == 0);
  assert(futhark_shape_opaque_arr1d_point(ctx, ps)[0] == 3);
  assert(futhark_entry_first(ctx, &element, ps) == 0 && element == 1);
  assert(futhark_index_opaque_arr1d_point(ctx, &one, ps, 1) == 0);
  assert(futhark_project_opaque_point_x(ctx, &element, one) == 0 && element == 2);
  struct futhark_f32_1d *none = futhark_new_f32_1d(ctx, data, 0);
  struct futhark_f32_2d *no_rows = futhark_new_f32_2d(ctx, table, 0, 2);
  struct futhark_opaque_arr1d_point *empty;
  assert(futhark_zip_opaque_arr1d_point(ctx, &empty, none, no_rows) == 0);
  assert(futhark_entry_first(ctx, &element, empty) == FUTHARK_PROGRAM_ERROR && element == 2);
  char *error = futhark_context_get_error(ctx);
  assert(strcmp(error, "Error: Index [0] out of bounds for array of shape [0].") == 0);
  free(error);

  futhark_free_opaque_arr1d_point(ctx, empty);
  futhark_free_f32_2d(ctx, no_rows);
  futhark_free_f32_1d(ctx, none);
  futhark_free_opaque_point(ctx, one);
  futhark_free_opaque_arr1d_point(ctx, ps);
  futhark_free_f32_2d(ctx, rows);
  futhark_free_opaque_point(ctx, r);
  futhark_free_f32_1d(ctx, ys);
  futhark_free_opaque_point(ctx, q);
  futhark_free_opaque_point(ctx, p);
  futhark_free_f32_1d(ctx, xs);
  futhark_context_free(ctx);
  futhark_context_config_free(cfg);
  return 0;
}
