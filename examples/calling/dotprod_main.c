// A program in C that calls dotprod.fut.
//
//   kenaz multicore --library dotprod.fut
//   cc -O3 -march=native -pthread dotprod_main.c dotprod.c -o dotprod_main -lm
#include <stdio.h>
#include "dotprod.h"

int main(void) {
  struct futhark_context_config *cfg = futhark_context_config_new();
  struct futhark_context *ctx = futhark_context_new(cfg);
  double a[] = {1, 2, 3}, b[] = {4, 5, 6}, out;
  struct futhark_f64_1d *xs = futhark_new_f64_1d(ctx, a, 3), *ys = futhark_new_f64_1d(ctx, b, 3);
  // A failed call leaves its message in the context, which can be used again.
  int failed = futhark_entry_main(ctx, &out, xs, ys) || futhark_context_sync(ctx);
  if (failed)
    fprintf(stderr, "%s\n", futhark_context_get_error(ctx));
  else
    printf("%f\n", out);
  futhark_free_f64_1d(ctx, xs);
  futhark_free_f64_1d(ctx, ys);
  futhark_context_free(ctx);
  futhark_context_config_free(cfg);
  return failed;
}
