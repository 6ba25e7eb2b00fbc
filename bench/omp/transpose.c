// A transposed matrix.
#include "bench.h"

static Array xss;

static void load(void) {
  xss = bench_argument(F32, 2);
  result = bench_array(F32, 2, xss.shape[1], xss.shape[0]);
}

// In four steps each vector exchanges halves with its partner: blocks of 8 elements, of 4, of 2, and single ones.
#define EXCHANGE(DISTANCE, LOW, HIGH)                                                                                          \
  _Pragma("GCC unroll 16") for (int i = 0; i < FLOATS; i++) {                                                                  \
    if (i & DISTANCE) continue;                                                                                                \
    const Floats x = rows[i], y = rows[i + DISTANCE];                                                                          \
    rows[i] = __builtin_shuffle(x, y, (Index)LOW);                                                                             \
    rows[i + DISTANCE] = __builtin_shuffle(x, y, (Index)HIGH);                                                                 \
  }
#define LIST(...) {__VA_ARGS__}

typedef int32_t Index __attribute__((vector_size(64)));

// A square of a line's width, in registers.
static inline void transpose_square(const float *from, int64_t from_stride, float *to, int64_t to_stride, bool streams) {
  Floats rows[FLOATS];
#pragma GCC unroll 16
  for (int i = 0; i < FLOATS; i++) rows[i] = floats_at(from + i * from_stride);
  EXCHANGE(8, LIST(0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23),
           LIST(8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31))
  EXCHANGE(4, LIST(0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27),
           LIST(4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31))
  EXCHANGE(2, LIST(0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29),
           LIST(2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31))
  EXCHANGE(1, LIST(0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30),
           LIST(1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31))
#pragma GCC unroll 16
  for (int i = 0; i < FLOATS; i++)
    if (streams)
      stream_floats(to + i * to_stride, rows[i]);
    else
      *(Floats *)(to + i * to_stride) = rows[i];
}

static void compute(void) {
  const float *from = xss.data;
  float *to = result.data;
  const int64_t n = xss.shape[0], m = xss.shape[1];
  // A line is written at once, so no block is larger than one in that direction; in the other a few lines are.
  const bool streams = n % FLOATS == 0 && bench_streams(2 * sizeof(float) * (size_t)(n * m));
#pragma omp parallel
  {
    int64_t top, end;
    bench_share(n, FLOATS, &top, &end);
    for (; top + FLOATS <= end; top += FLOATS) {
      int64_t j = 0;
      for (; j + FLOATS <= m; j += FLOATS) transpose_square(from + top * m + j, m, to + j * n + top, n, streams);
      for (; j < m; j++)
        for (int64_t i = top; i < top + FLOATS; i++) to[j * n + i] = from[i * m + j];
    }
    for (int64_t i = top; i < end; i++)
      for (int64_t j = 0; j < m; j++) to[j * n + i] = from[i * m + j];
    stream_end();
  }
}
