// What the programs share: arguments and results in Futhark's binary data format, vectors, and timing.
//
//   PROGRAM INPUT
//
// reads the arguments from INPUT and then obeys the lines of its standard input: at `run` it computes the result once and
// prints the microseconds that this took, at `store FILE` it writes the result and prints `stored`.
//
// A program includes this file, and defines `load`, which reads the arguments and makes room for the result, and
// `compute`. The memory of the result is there from the start, as that of a compiled program is there after its first run.
#pragma once

#define _GNU_SOURCE
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

// Elements in row-major order and their shape. A scalar has no dimensions.
typedef struct {
  int rank;
  int64_t shape[2];
  const char *type;
  size_t element;
  void *data;
} Array;

static Array result;
static void load(void);
static void compute(void);

static FILE *bench_input;

static void bench_fail(const char *why) {
  fprintf(stderr, "%s\n", why);
  exit(1);
}

static int64_t bench_count(const Array *array) {
  int64_t count = 1;
  for (int i = 0; i < array->rank; i++) count *= array->shape[i];
  return count;
}

// Memory in large pages, where there are some, so that few addresses need translating.
static void *bench_memory(size_t bytes) {
  const size_t page = (size_t)2 << 20;
  const bool large = bytes >= page;
  const size_t size = large ? (bytes + page - 1) / page * page : (bytes + 127) / 64 * 64;
  void *memory = aligned_alloc(large ? page : 64, size);
  if (memory == NULL) bench_fail("out of memory");
#ifdef MADV_HUGEPAGE
  if (large) (void)madvise(memory, size, MADV_HUGEPAGE);
#endif
  memset(memory, 0, size);
  return memory;
}

static Array bench_array(const char *type, size_t element, int rank, int64_t rows, int64_t columns) {
  Array array = {rank, {rows, columns}, type, element, NULL};
  array.data = bench_memory((size_t)bench_count(&array) * element);
  return array;
}

// The next argument.
static Array bench_argument(const char *type, size_t element, int rank) {
  char head[7];
  int64_t shape[2] = {1, 1};
  if (fread(head, sizeof head, 1, bench_input) != 1 || head[0] != 'b' || head[1] != 2 || head[2] != (char)rank ||
      memcmp(head + 3, type, 4) != 0)
    bench_fail("an argument of another type is expected");
  if (rank > 0 && fread(shape, sizeof *shape, (size_t)rank, bench_input) != (size_t)rank) bench_fail("no shape");
  const Array array = bench_array(type, element, rank, shape[0], shape[1]);
  const size_t count = (size_t)bench_count(&array);
  if (fread(array.data, element, count, bench_input) != count) bench_fail("the input ends early");
  return array;
}

static void bench_store(const char *path) {
  FILE *file = fopen(path, "wb");
  if (file == NULL) bench_fail("cannot open the output");
  const char head[3] = {'b', 2, (char)result.rank};
  fwrite(head, sizeof head, 1, file);
  fwrite(result.type, 4, 1, file);
  fwrite(result.shape, sizeof *result.shape, (size_t)result.rank, file);
  fwrite(result.data, result.element, (size_t)bench_count(&result), file);
  if (fclose(file) != 0) bench_fail("cannot write the output");
}

static double bench_microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

int main(int argc, char **argv) {
  if (argc != 2 || (bench_input = fopen(argv[1], "rb")) == NULL) bench_fail("an INPUT is expected");
  load();
  char line[4096];
  while (fgets(line, sizeof line, stdin) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    if (strcmp(line, "run") == 0) {
      const double start = bench_microseconds();
      compute();
      printf("%.3f\n", bench_microseconds() - start);
    } else if (strncmp(line, "store ", 6) == 0) {
      bench_store(line + 6);
      puts("stored");
    } else {
      bench_fail("`run` or `store FILE` is expected");
    }
    fflush(stdout);
  }
  return 0;
}

#define F32 " f32", sizeof(float)
#define F64 " f64", sizeof(double)
#define I64 " i64", sizeof(int64_t)

// Lines of the cache as vectors, at any address that an element may have. Whether functions agree on how to pass them does
// not matter inside one file.
#pragma GCC diagnostic ignored "-Wpsabi"
typedef float Floats __attribute__((vector_size(64), aligned(4)));
typedef double Doubles __attribute__((vector_size(64), aligned(8)));
enum { FLOATS = 16, DOUBLES = 8 };

static inline Floats floats_at(const float *from) { return *(const Floats *)from; }
static inline Doubles doubles_at(const double *from) { return *(const Doubles *)from; }

// Halves are added to each other, which takes four steps instead of fifteen.
static inline float floats_sum(Floats x) {
  typedef float Eight __attribute__((vector_size(32)));
  typedef float Four __attribute__((vector_size(16)));
  const Eight low = __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7);
  const Eight high = __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15);
  const Eight sums = low + high;
  const Four four = __builtin_shufflevector(sums, sums, 0, 1, 2, 3) + __builtin_shufflevector(sums, sums, 4, 5, 6, 7);
  return (four[0] + four[2]) + (four[1] + four[3]);
}

// Writes a whole line past the caches; its address must be that of a line.
static inline void stream_doubles(double *to, Doubles x) {
#if defined(__AVX512F__)
  _mm512_stream_pd(to, (__m512d)x);
#elif defined(__SSE2__)
  for (int i = 0; i < DOUBLES; i += 2) _mm_stream_pd(to + i, _mm_set_pd(x[i + 1], x[i]));
#else
  *(Doubles *)to = x;
#endif
}

static inline void stream_floats(float *to, Floats x) { stream_doubles((double *)to, (Doubles)x); }

// What was streamed is to be seen by the other threads.
static inline void stream_end(void) {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

// Whether so many bytes, read and written, do not stay in the last cache, such that it pays to write past it. What
// `sysconf` says about the cache counts it once for every core on some processors.
static inline bool bench_streams(size_t bytes) {
  static size_t cache = 0;
  if (cache == 0) {
    FILE *file = fopen("/sys/devices/system/cpu/cpu0/cache/index3/size", "r");
    size_t kilobytes = 0;
    if (file == NULL || fscanf(file, "%zuK", &kilobytes) != 1) kilobytes = (size_t)32 << 10;
    if (file != NULL) fclose(file);
    cache = kilobytes << 10;
  }
  return bytes > cache;
}

// The part of `0..n` that is this thread's, in multiples of a number, except for the last.
static inline void bench_share(int64_t n, int64_t multiple, int64_t *from, int64_t *to) {
  const int64_t threads = omp_get_num_threads(), thread = omp_get_thread_num();
  const int64_t share = (n / multiple + threads) / threads * multiple;
  *from = thread * share < n ? thread * share : n;
  *to = *from + share < n ? *from + share : n;
}
