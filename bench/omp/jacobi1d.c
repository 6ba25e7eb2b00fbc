// Steps of a stencil of three points; those at the ends become what their neighbours become.
#include "bench.h"

static Array steps, xs;
static double *spare;

static void load(void) {
  steps = bench_argument(I64, 0);
  xs = bench_argument(F64, 1);
  result = bench_array(F64, 1, xs.shape[0], 1);
  spare = bench_memory((size_t)xs.shape[0] * sizeof(double));
}

static void compute(void) {
  const int64_t count = *(int64_t *)steps.data, n = xs.shape[0];
  const bool streams = count == 1 && bench_streams(2 * sizeof(double) * (size_t)n);
  // All steps in one region: between two of them the threads only wait for each other.
#pragma omp parallel
  {
    int64_t first, end;
    bench_share(n, DOUBLES, &first, &end);
    if (first == 0) first = 1;
    if (end == n) end = n - 1;
    const double *from = xs.data;
    for (int64_t t = 0; t < count; t++) {
      double *to = (count - t) % 2 == 1 ? result.data : spare;
      int64_t i = first;
      if (streams) {
        for (; i < end && i % DOUBLES != 0; i++) to[i] = (from[i - 1] + from[i] + from[i + 1]) / 3;
        for (; i + DOUBLES <= end; i += DOUBLES) {
          const Doubles sum = doubles_at(from + i - 1) + doubles_at(from + i) + doubles_at(from + i + 1);
          stream_doubles(to + i, sum / 3);
        }
        stream_end();
      }
#pragma omp simd
      for (int64_t k = i; k < end; k++) to[k] = (from[k - 1] + from[k] + from[k + 1]) / 3;
      if (first == 1) to[0] = to[1];
      if (end == n - 1 && end > first) to[n - 1] = to[n - 2];
#pragma omp barrier
      from = to;
    }
  }
}
