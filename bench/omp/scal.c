// A vector times a number.
#include "bench.h"

static Array factor, xs;

static void load(void) {
  factor = bench_argument(F32, 0);
  xs = bench_argument(F32, 1);
  result = bench_array(F32, 1, xs.shape[0], 1);
}

static void compute(void) {
  const float a = *(float *)factor.data, *x = xs.data;
  float *to = result.data;
  const int64_t n = xs.shape[0];
  const bool streams = bench_streams(2 * sizeof(float) * (size_t)n);
#pragma omp parallel
  {
    int64_t i, end;
    bench_share(n, FLOATS, &i, &end);
    if (streams) {
      for (; i + FLOATS <= end; i += FLOATS) stream_floats(to + i, a * floats_at(x + i));
      stream_end();
    }
#pragma omp simd
    for (int64_t k = i; k < end; k++) to[k] = a * x[k];
  }
}
