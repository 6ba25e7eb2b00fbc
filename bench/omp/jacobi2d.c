// Steps of a stencil of five points; those at the borders become what their neighbours become.
#include "bench.h"

static Array steps, grid;
static double *spare;

static void load(void) {
  steps = bench_argument(I64, 0);
  grid = bench_argument(F64, 2);
  result = bench_array(F64, 2, grid.shape[0], grid.shape[1]);
  spare = bench_memory((size_t)bench_count(&grid) * sizeof(double));
}

// A row inside, from its own and the two around it.
static inline void row(const double *restrict above, const double *restrict from, const double *restrict below,
                       double *restrict to, int64_t m, bool streams) {
  int64_t j = 1;
  if (streams) {
    for (; j < m - 1 && (uintptr_t)(to + j) % 64 != 0; j++)
      to[j] = (from[j] + above[j] + below[j] + from[j - 1] + from[j + 1]) / 5;
    for (; j + DOUBLES <= m - 1; j += DOUBLES) {
      const Doubles sum = doubles_at(from + j) + doubles_at(above + j) + doubles_at(below + j);
      stream_doubles(to + j, (sum + doubles_at(from + j - 1) + doubles_at(from + j + 1)) / 5);
    }
  }
#pragma omp simd
  for (int64_t k = j; k < m - 1; k++) to[k] = (from[k] + above[k] + below[k] + from[k - 1] + from[k + 1]) / 5;
  to[0] = to[1];
  to[m - 1] = to[m - 2];
}

static void compute(void) {
  const int64_t count = *(int64_t *)steps.data, n = grid.shape[0], m = grid.shape[1];
  const bool streams = count == 1 && bench_streams(2 * sizeof(double) * (size_t)(n * m));
  // All steps in one region: between two of them the threads only wait for each other.
#pragma omp parallel
  {
    int64_t first, end;
    bench_share(n - 2, 1, &first, &end);
    const double *from = grid.data;
    for (int64_t t = 0; t < count; t++) {
      double *to = (count - t) % 2 == 1 ? result.data : spare;
      for (int64_t i = first + 1; i < end + 1; i++)
        row(from + (i - 1) * m, from + i * m, from + (i + 1) * m, to + i * m, m, streams);
      if (first < end && first == 0) memcpy(to, to + m, (size_t)m * sizeof *to);
      if (first < end && end == n - 2) memcpy(to + (n - 1) * m, to + (n - 2) * m, (size_t)m * sizeof *to);
      stream_end();
#pragma omp barrier
      from = to;
    }
  }
}
