// alpha A x + beta y, for a matrix A and vectors x and y.
#include "bench.h"

static Array alpha, beta, a, x, y;

static void load(void) {
  alpha = bench_argument(F32, 0);
  beta = bench_argument(F32, 0);
  a = bench_argument(F32, 2);
  x = bench_argument(F32, 1);
  y = bench_argument(F32, 1);
  result = bench_array(F32, 1, a.shape[0], 1);
}

// The inner products of x and a number of rows, each with sums of its own; an element of x is loaded once for all of them.
static inline void dots(const float *rows, int64_t count, int64_t m, const float *xs, float *sums) {
  Floats partial[4][2] = {{{0}}};
  int64_t j = 0;
  for (; j + 2 * FLOATS <= m; j += 2 * FLOATS)
#pragma GCC unroll 2
    for (int k = 0; k < 2; k++) {
      const Floats factor = floats_at(xs + j + k * FLOATS);
#pragma GCC unroll 4
      for (int64_t r = 0; r < count; r++) partial[r][k] += floats_at(rows + r * m + j + k * FLOATS) * factor;
    }
  for (int64_t r = 0; r < count; r++) {
    sums[r] = floats_sum(partial[r][0] + partial[r][1]);
    for (int64_t k = j; k < m; k++) sums[r] += rows[r * m + k] * xs[k];
  }
}

static void compute(void) {
  const float *rows = a.data, *xs = x.data, *ys = y.data;
  const float scale = *(float *)alpha.data, keep = *(float *)beta.data;
  float *to = result.data;
  const int64_t n = a.shape[0], m = a.shape[1];
#pragma omp parallel
  {
    int64_t i, end;
    bench_share(n, 4, &i, &end);
    float sums[4];
    for (; i + 4 <= end; i += 4) {
      dots(rows + i * m, 4, m, xs, sums);
      for (int r = 0; r < 4; r++) to[i + r] = scale * sums[r] + keep * ys[i + r];
    }
    for (; i < end; i++) {
      dots(rows + i * m, 1, m, xs, sums);
      to[i] = scale * sums[0] + keep * ys[i];
    }
  }
}
