// The inner product of two vectors.
#include "bench.h"

static Array xs, ys;

static void load(void) {
  xs = bench_argument(F32, 1);
  ys = bench_argument(F32, 1);
  result = bench_array(F32, 0, 1, 1);
}

static void compute(void) {
  const float *x = xs.data, *y = ys.data;
  float total = 0;
#pragma omp parallel reduction(+ : total)
  {
    int64_t i, to;
    bench_share(xs.shape[0], FLOATS, &i, &to);
    // Several sums, because an addition takes longer than until the next one could start.
    Floats sums[4] = {{0}};
    for (; i + 4 * FLOATS <= to; i += 4 * FLOATS)
#pragma GCC unroll 4
      for (int k = 0; k < 4; k++) sums[k] += floats_at(x + i + k * FLOATS) * floats_at(y + i + k * FLOATS);
    total += floats_sum((sums[0] + sums[1]) + (sums[2] + sums[3]));
    for (; i < to; i++) total += x[i] * y[i];
  }
  *(float *)result.data = total;
}
