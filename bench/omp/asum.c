// The sum of the magnitudes of a vector.
#include "bench.h"

#include <math.h>

static Array xs;

static void load(void) {
  xs = bench_argument(F32, 1);
  result = bench_array(F32, 0, 1, 1);
}

static inline Floats magnitudes(Floats x) {
  typedef int32_t Ints __attribute__((vector_size(64), aligned(4)));
  return (Floats)((Ints)x & INT32_MAX);
}

static void compute(void) {
  const float *x = xs.data;
  float total = 0;
#pragma omp parallel reduction(+ : total)
  {
    int64_t i, to;
    bench_share(xs.shape[0], FLOATS, &i, &to);
    // Several sums, because an addition takes longer than until the next one could start.
    Floats sums[4] = {{0}};
    for (; i + 4 * FLOATS <= to; i += 4 * FLOATS)
#pragma GCC unroll 4
      for (int k = 0; k < 4; k++) sums[k] += magnitudes(floats_at(x + i + k * FLOATS));
    total += floats_sum((sums[0] + sums[1]) + (sums[2] + sums[3]));
    for (; i < to; i++) total += fabsf(x[i]);
  }
  *(float *)result.data = total;
}
