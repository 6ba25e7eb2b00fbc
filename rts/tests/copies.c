// Checks of copies: layouts chosen at random, against one element at a time; with -DKZ_MULTICORE also on several threads, and with
// -DKZ_STREAM_FROM=0 with stores that bypass the caches.
#define KZ_API // as in a library
#define KZ_MAX_RANK 4
#ifdef KZ_MULTICORE
#define KZ_GRAIN INT64_C(1)
#endif
#include "base.h"
#ifdef KZ_MULTICORE
#include "threads.h"
#endif
#include "context.h"
#include "memory.h"
#include "stream.h"
#include "copy.h"
#ifdef KZ_MULTICORE
#include "values.h"
#include "print.h"
#include "parallel.h"
#include "copies.h"
#endif

static int failures = 0;
#define CHECK(condition)                                                                                              \
  do {                                                                                                                \
    if (!(condition)) {                                                                                               \
      failures++;                                                                                                     \
      fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                                         \
    }                                                                                                                 \
  } while (0)

static uint32_t random_state = 1;
static int random_below(int n) {
  random_state = random_state * 1664525 + 1013904223;
  return (int)((random_state >> 8) % (uint32_t)n);
}

// What is not to be written stays 0 on both sides. There is room for 160 by 160 elements of 8 bytes, twice as far apart.
enum { ROOM = 500000 };
static unsigned char from[ROOM], to[ROOM], expected[ROOM];
static bool is_same(void) {
  bool same = memcmp(to, expected, ROOM) == 0;
  memset(to, 0, ROOM), memset(expected, 0, ROOM);
  return same;
}

static void copy(struct futhark_context *ctx, int size, int rank, const int64_t *shape, void *into,
    const int64_t *to_steps, const void *out_of, const int64_t *from_steps) {
#ifdef KZ_MULTICORE
  if (ctx != NULL) {
    kz_copy_on_threads(ctx, size, rank, shape, into, to_steps, out_of, from_steps);
    return;
  }
#endif
  (void)ctx;
  kz_copy(size, rank, shape, into, to_steps, out_of, from_steps);
}

// Up to four dimensions in any order, backwards or not, with elements between them or not, from and to any address.
static void test_layouts(struct futhark_context *ctx) {
  for (int round = 0; round < (ctx == NULL ? 2000 : 500); round++) {
    int rank = random_below(5), size = 1 << random_below(4), order[2][4] = {{0, 1, 2, 3}, {0, 1, 2, 3}};
    int64_t shape[4] = {0}, steps[2][4] = {{0}}, base[2] = {0, 0}, count = 1;
    for (int k = 0; k < rank; k++) count *= shape[k] = rank <= 2 && round % 3 == 0 ? random_below(160)
        : random_below(rank <= 3 && round % 3 == 1 ? 25 : 7);
    for (int side = 0; side < 2; side++) {
      int64_t step = 1 + (side == 1 && random_below(3) == 0);
      for (int k = 0; k < rank; k++) {
        int other = k + random_below(rank - k), swapped = order[side][k];
        order[side][k] = order[side][other], order[side][other] = swapped;
      }
      for (int k = rank - 1; k >= 0; k--) {
        int d = order[side][k];
        bool is_reversed = random_below(4) == 0, is_repeated = side == 1 && random_below(8) == 0;
        steps[side][d] = is_repeated ? 0 : is_reversed ? -step : step;
        if (is_reversed && !is_repeated && shape[d] > 0) base[side] += step * (shape[d] - 1);
        step *= shape[d] + random_below(2);
      }
    }
    unsigned char *into = to + base[0] * size, *out_of = from + base[1] * size;
    if (random_below(2) == 0) into += random_below(65), out_of += random_below(65);
    for (int64_t i = 0; i < count; i++) {
      int64_t at[2] = {0, 0}, left = i;
      for (int k = rank - 1; k >= 0; left /= shape[k--]) at[0] += left % shape[k] * steps[0][k],
          at[1] += left % shape[k] * steps[1][k];
      memcpy(expected + (into - to) + at[0] * size, out_of + at[1] * size, (size_t)size);
    }
    copy(ctx, size, rank, shape, into, steps[0], out_of, steps[1]);
    CHECK(is_same());
  }
}

// Matrices around the sizes of squares and lines, transposed, some of them to rows that begin with a line.
static void test_matrices(struct futhark_context *ctx) {
  static const int64_t lengths[] = {1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 128, 130};
  enum { LENGTHS = sizeof lengths / sizeof *lengths };
  for (int which = 0; which < LENGTHS * LENGTHS; which++) {
    for (int size = 1; size <= 8; size *= 2) {
      int64_t n = lengths[which / LENGTHS], m = lengths[which % LENGTHS];
      int64_t width = which % 2 == 0 ? m : (m + 63) / 64 * 64;
      unsigned char *into = to + 64 - (uintptr_t)to % 64;
      for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++)
          memcpy(expected + (into - to) + (i * width + j) * size, from + (j * n + i) * size, (size_t)size);
      copy(ctx, size, 2, (int64_t[]){n, m}, into, (int64_t[]){width, 1}, from, (int64_t[]){1, n});
      CHECK(is_same());
    }
  }
}

// Contiguous elements may be copied to where some of them are.
static void test_overlaps(struct futhark_context *ctx) {
  for (int64_t n = 1; n < 100000; n = n * 3 + 1) {
    for (int64_t by = -70; by <= 70; by += 7) {
      memcpy(to, from, ROOM), memcpy(expected, from, ROOM);
      memmove(expected + 200 + by, expected + 200, (size_t)n * 4);
      copy(ctx, 4, 1, &n, to + 200 + by, (int64_t[]){1}, to + 200, (int64_t[]){1});
      CHECK(is_same());
    }
  }
}

static void test_streams(void) {
  for (int to_at = 0; to_at < 70; to_at += 3) {
    for (int bytes = 0; bytes < 2000; bytes += 1 + bytes / 20) {
      memcpy(expected + to_at, from + bytes % 67, (size_t)bytes);
      kz_stream(to + to_at, from + bytes % 67, bytes);
      kz_stream_end();
      CHECK(is_same());
    }
  }
#if defined(KZ_STREAM_WIDTH) && !defined(KZ_STREAM_FROM)
  CHECK(!kz_streams(1 << 20) && kz_streams(INT64_MAX) && kz_cache_size() > 0 && kz_cache_size() == kz_find_cache_size());
#endif
}

#ifdef KZ_MULTICORE
// A copy in a chunk of a loop is that chunk's alone.
static int run_copies(struct futhark_context *ctx, const void *env, int64_t chunk, int64_t start, int64_t len,
    int64_t worker) {
  (void)worker;
  (void)env, (void)len;
  copy(ctx, 2, 2, (int64_t[]){40, 30}, to + start * 2400, (int64_t[]){30, 1}, from + chunk, (int64_t[]){1, 40});
  kz_memcpy_on_threads(ctx, to + 100000 + start * 70000, from + chunk, 70000);
  return ctx->is_parallel ? 0 : FUTHARK_PROGRAM_ERROR;
}
static void test_threads(int threads) {
  struct futhark_context_config *config = futhark_context_config_new();
  futhark_context_config_set_num_threads(config, threads);
  struct futhark_context *ctx = futhark_context_new(config);
  test_layouts(ctx);
  test_matrices(ctx);
  test_overlaps(ctx);
  for (size_t bytes = 1; bytes < ROOM - 100; bytes = bytes * 3 + 5) {
    memcpy(expected + 5, from, bytes);
    kz_memcpy_on_threads(ctx, to + 5, from, bytes);
    CHECK(is_same());
  }
  if (threads > 1) CHECK(kz_parallel(ctx, run_copies, NULL, 4, 4) == 0);
  for (int64_t chunk = 0; chunk < (threads > 1 ? 4 : 0); chunk++) {
    for (int64_t i = 0; i < 40; i++)
      for (int64_t j = 0; j < 30; j++)
        memcpy(expected + chunk * 2400 + (i * 30 + j) * 2, from + chunk + (j * 40 + i) * 2, 2);
    memcpy(expected + 100000 + chunk * 70000, from + chunk, 70000);
  }
  CHECK(is_same());
  futhark_context_free(ctx);
  futhark_context_config_free(config);
}
#endif

int main(void) {
  for (size_t i = 0; i < ROOM; i++) from[i] = (unsigned char)(i * 7 + i / 251 + 1);
  test_layouts(NULL);
  test_matrices(NULL);
  test_overlaps(NULL);
  test_streams();
#ifdef KZ_MULTICORE
  for (int threads = 1; threads <= 4; threads++) test_threads(threads);
#endif
  printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
