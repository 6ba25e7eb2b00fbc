// Checks of device.h from inside; part of device.c.
#include <pthread.h>
#include "stream.h"
#include "copy.h"

static int failures = 0;
#define CHECK(condition)                                                                                              \
  do {                                                                                                                \
    if (!(condition)) {                                                                                               \
      failures++;                                                                                                     \
      fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                                         \
    }                                                                                                                 \
  } while (0)
static uint64_t random_state = 1;
static int64_t random_below(int64_t n) {
  random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return (int64_t)((random_state >> 20) % (uint64_t)n);
}
// An error that holds this text, which is then forgotten.
static bool says(struct futhark_context *ctx, const char *text) {
  char *error = futhark_context_get_error(ctx);
  bool fine = error != NULL && strstr(error, text) != NULL;
  if (!fine) fprintf(stderr, "found %s\n", error == NULL ? "no error" : error);
  free(error);
  return fine;
}

// Random layouts of ranks up to 10, against kz_copy on the same bytes.
static void test_copies(struct futhark_context *ctx) {
  enum { ROOM = 1 << 18 };
  static unsigned char to[ROOM], from[ROOM], back[ROOM];
  void *target = kz_alloc(ctx, ROOM), *source = kz_alloc(ctx, ROOM);
  for (int i = 0; i < ROOM; i++) from[i] = (unsigned char)random_below(256);
  CHECK(kz_put(ctx, source, from, ROOM) == 0);
  bool is_cpu = ctx->device.is_cpu;
  for (int round = 0; round < 500; round++) {
    // On a processor, every other time as on a GPU.
    ctx->device.is_cpu = is_cpu && round % 2 == 0;
    int size = 1 << random_below(4), rank = (int)random_below(round % 10 == 0 ? 11 : 5);
    int64_t shape[10], steps[2][10], offsets[2], most = rank > 5 ? 2 : rank == 1 ? 200
        : rank == 2 ? 100 : rank == 3 ? 20 : 6;
    for (int k = 0; k < rank; k++) shape[k] = random_below(20) == 0 ? random_below(2) : 1 + random_below(most);
    for (int side = 0; side < 2; side++) {
      int64_t step = 1 + (random_below(4) == 0), span = 0;
      int order[10];
      for (int k = 0; k < rank; k++) order[k] = rank - 1 - k;
      for (int k = 0; k < rank && random_below(2) == 0; k++) {
        int other = (int)random_below(rank), kept = order[k];
        order[k] = order[other], order[other] = kept;
      }
      offsets[side] = 0;
      for (int k = 0; k < rank; k++) {
        int at = order[k];
        bool is_backwards = random_below(6) == 0;
        steps[side][at] = is_backwards ? -step : step;
        span += (shape[at] > 0 ? shape[at] - 1 : 0) * step;
        if (is_backwards && shape[at] > 0) offsets[side] += (shape[at] - 1) * step;
        step *= shape[at] > 0 ? shape[at] : 1;
        step += random_below(8) == 0;
      }
      if (side == 1 && rank > 0 && random_below(5) == 0) steps[side][random_below(rank)] = 0;
      int64_t room = ROOM / size - span - 1;
      CHECK(room >= 0);
      offsets[side] += random_below(3) == 0 ? random_below(room + 1) : 0;
    }
    memset(to, 7, ROOM);
    CHECK(kz_put(ctx, target, to, ROOM) == 0);
    CHECK(kz_copy_blocks(ctx, size, rank, shape, target, offsets[0], steps[0], source, offsets[1], steps[1]) == 0);
    kz_copy(size, rank, shape, to + offsets[0] * size, steps[0], from + offsets[1] * size, steps[1]);
    CHECK(kz_get(ctx, back, target, ROOM) == 0 && memcmp(back, to, ROOM) == 0);
  }
  ctx->device.is_cpu = is_cpu;
  // Parts of one block, and onto its own place.
  CHECK(kz_copy_bytes(ctx, source, 0, source, 100, 50) == 0 && kz_copy_bytes(ctx, source, 8, source, 8, 50) == 0);
  CHECK(kz_read(ctx, back, source, 10, 20) == 0 && memcmp(back, from + 110, 20) == 0);
  CHECK(kz_block_copy(ctx, target, source, ROOM) == 0 && kz_get(ctx, back, target, 50) == 0
      && memcmp(back, from + 100, 50) == 0);
  kz_free(ctx, target), kz_free(ctx, source);
}

static void test_transfers(struct futhark_context *ctx) {
  unsigned char bytes[64], back[64];
  void *block = kz_alloc(ctx, 64);
  for (int length = 0; length <= 33; length++) {
    for (int offset = 0; offset + length <= 64; offset += 3) {
      memset(bytes, length, sizeof bytes);
      CHECK(kz_put(ctx, block, bytes, 64) == 0);
      unsigned char piece[33];
      for (int i = 0; i < length; i++) bytes[offset + i] = piece[i] = (unsigned char)(i + offset);
      CHECK(kz_write(ctx, block, offset, piece, length) == 0);
      memset(piece, 99, sizeof piece);
      CHECK(kz_read(ctx, back, block, 0, 64) == 0 && memcmp(bytes, back, 64) == 0);
    }
  }
  const void *view = kz_view(ctx, block, 64);
  CHECK(view != NULL && memcmp(view, bytes, 64) == 0);
  kz_view_end(view);
  kz_free(ctx, block);
  block = kz_alloc(ctx, 0);
  CHECK(block != NULL && kz_get(ctx, back, block, 0) == 0 && kz_put(ctx, block, bytes, 0) == 0);
  view = kz_view(ctx, block, 0);
  CHECK(view != NULL);
  kz_view_end(view);
  CHECK(kz_copy_blocks(ctx, 4, 1, (int64_t[]){0}, block, 0, (int64_t[]){1}, block, 0, (int64_t[]){1}) == 0);
  kz_free(ctx, block);
}

// Elements are read with their neighbours, which must be those of now.
static void test_ahead(struct futhark_context *ctx) {
  enum { N = 5 * KZ_AHEAD / 2 + 8 };
  static unsigned char bytes[N], back[KZ_AHEAD];
  void *block = kz_alloc(ctx, N), *other = kz_alloc(ctx, N);
  for (int i = 0; i < N; i++) bytes[i] = (unsigned char)random_below(256);
  CHECK(kz_put(ctx, block, bytes, N) == 0);
  for (int round = 0; round < 4000; round++) {
    int64_t size = random_below(8) == 0 ? 1 + random_below(2 * KZ_MOST_NEAR) : INT64_C(1) << random_below(5);
    int64_t at = random_below(3) == 0 ? random_below(N - size + 1) : (KZ_AHEAD - 8 + round % 16) % (N - size + 1);
    CHECK(kz_read(ctx, back, block, at, size) == 0 && memcmp(back, bytes + at, (size_t)size) == 0);
    int64_t change = random_below(9);
    if (change == 0) {
      bytes[at]++;
      CHECK(kz_write(ctx, block, at, bytes + at, 1) == 0);
    } else if (change == 1) {
      CHECK(kz_block_copy(ctx, other, block, N) == 0);
      void *old = block;
      block = other, other = old;
    } else if (change == 2) {
      CHECK(kz_write(ctx, other, 0, back, 1) == 0 && kz_copy_bytes(ctx, block, at, other, 0, 1) == 0);
      bytes[at] = back[0];
    }
  }
  // A kernel changes them, too.
  int64_t element = 1, n = 100;
  void *squared = kz_alloc(ctx, 8 * n);
  CHECK(kz_write(ctx, squared, 8, &element, 8) == 0 && kz_read(ctx, &element, squared, 8, 8) == 0 && element == 1);
  CHECK(LAUNCH(SQUARES, n, false, BLOCK(squared), SCALAR(n)) == 0);
  CHECK(kz_read(ctx, &element, squared, 72, 8) == 0 && element == 81);
  kz_free(ctx, squared), kz_free(ctx, block), kz_free(ctx, other);
}

// A program that needs blocks of several sizes in turn asks the driver for each once.
static void test_turns(struct futhark_context *ctx) {
  CHECK(futhark_context_clear_caches(ctx) == 0);
  for (int round = 0; round < 3; round++) {
    void *blocks[4];
    for (int i = 0; i < 4; i++) {
      blocks[i] = kz_alloc(ctx, INT64_C(1000000) << i);
      CHECK(blocks[i] != NULL);
      kz_free(ctx, blocks[i]);
    }
    CHECK(ctx->cached_count == 4 && ctx->cached_bytes + ctx->live_bytes <= KZ_PEAKS_KEPT * ctx->peak_bytes + KZ_ALWAYS_KEPT);
  }
  CHECK(futhark_context_clear_caches(ctx) == 0 && ctx->cached_count == 0);
}

static void test_memory(struct futhark_context *ctx) {
  int64_t live = ctx->live_bytes;
  void *a = kz_alloc(ctx, 100000);
  CHECK(a != NULL && ctx->live_bytes - live >= 100000);
  kz_free(ctx, kz_share(a));
  kz_free(ctx, a);
  CHECK(ctx->live_bytes == live && ctx->cached != NULL && kz_alloc(ctx, 90000) == a);
  CHECK(kz_unwind(ctx) == 1 && ctx->cached != NULL);
  CHECK(kz_alloc(ctx, INT64_MAX) == NULL && says(ctx, "or more"));
  CHECK(kz_alloc(ctx, INT64_MAX / 4) == NULL && says(ctx, "out of memory: cannot allocate 2305843009213693951 bytes"));
  CHECK(ctx->cached == NULL); // it was emptied in vain
  CHECK(kz_alloc(ctx, INT64_C(1) << 46) == NULL && kz_alloc(ctx, -1) == NULL && says(ctx, "out of memory"));
  void *out = NULL;
  int64_t last = 0;
  CHECK(squares(ctx, &out, 1000) == 0 && kz_read(ctx, &last, out, 8 * 999, 8) == 0 && last == 999 * 999);
  kz_free(ctx, out);
  CHECK(ctx->live_bytes == live);
}

static void test_launches(struct futhark_context *ctx) {
  for (int64_t n = 0; n <= 70000; n = n < 20 ? n + 1 : 5 * n) {
    void *out = NULL;
    int64_t *back = malloc((size_t)(8 * n + 1));
    CHECK(squares(ctx, &out, n) == 0 && kz_get(ctx, back, out, 8 * n) == 0);
    for (int64_t i = 0; i < n; i++) CHECK(back[i] == i * i);
    free(back);
    kz_free(ctx, out);
    for (int ordered = 0; ordered < 2; ordered++) {
      int64_t chunks = kz_chunks(ctx, n, 3, false, ordered);
      CHECK(chunks >= 1 && (chunks <= n || n == 0) && chunks <= (ordered ? KZ_MOST_ORDERED : kz_workers(ctx)));
    }
  }
  int64_t most = kz_workers(ctx) < KZ_MOST_ORDERED ? kz_workers(ctx) : KZ_MOST_ORDERED;
  CHECK(kz_chunks(ctx, INT64_MAX, INT64_MAX, true, true) == most && kz_chunks(ctx, 100, -1, false, true) == 100);
  // Checks fail once, and what comes later works.
  CHECK(kz_launch(ctx, REFUSE, 1000, 1000, 0, NULL, true) == 0 && kz_look(ctx) == FUTHARK_PROGRAM_ERROR
      && says(ctx, "Check 3 has failed.") && kz_look(ctx) == 0);
  CHECK(kz_launch(ctx, REFUSE, 0, 0, 0, NULL, true) == 0 && kz_look(ctx) == 0);
  // A read tells of it as well.
  int64_t element = 0;
  void *some = NULL;
  CHECK(squares(ctx, &some, 100) == 0 && kz_launch(ctx, REFUSE, 1000, 1000, 0, NULL, true) == 0);
  CHECK(kz_read(ctx, &element, some, 80, 8) == FUTHARK_PROGRAM_ERROR && says(ctx, "Check 3 has failed."));
  CHECK(kz_read(ctx, &element, some, 80, 8) == 0 && element == 100);
  kz_free(ctx, some);
  int32_t xs[] = {10, 20, 30}, ys[3] = {0};
  int64_t is[] = {2, 0, 1}, bad[] = {2, 5, 1};
  struct kz_value *x = kz_array_new(ctx, &type_i32_1d, xs, (int64_t[]){3}), *y = NULL;
  struct kz_value *good = kz_array_new(ctx, &type_i64_1d, is, (int64_t[]){3}), *wrong = kz_array_new(ctx, &type_i64_1d, bad,
      (int64_t[]){3});
  memset(xs, 0, sizeof xs), memset(is, 0, sizeof is);
  const struct kz_entry *gather = &kz_entries[2];
  CHECK(kz_call(ctx, gather, (void *[]){&y}, (const void *[]){x, wrong}) == FUTHARK_PROGRAM_ERROR && y == NULL);
  CHECK(says(ctx, "Index [5] out of bounds for array of shape [3].\n\nBacktrace:\n-> #0  device.fut:9:38-43"));
  CHECK(kz_call(ctx, gather, (void *[]){&y}, (const void *[]){x, good}) == 0 && futhark_context_sync(ctx) == 0);
  CHECK(kz_array_get(ctx, y, ys) == 0 && ys[0] == 30 && ys[1] == 10 && ys[2] == 20);
  CHECK(kz_block_of(x->slots->block)->refs == 1);
  kz_value_free(ctx, x), kz_value_free(ctx, y), kz_value_free(ctx, good), kz_value_free(ctx, wrong);
}

static void test_values(struct futhark_context *ctx) {
  const int32_t data[] = {1, 2, 3, 4, 5, 6};
  const int64_t more[] = {7, 8, 9};
  int32_t back[6], element = 0;
  int64_t scalar = 0, live = ctx->live_bytes;
  struct kz_value *a = kz_array_new(ctx, &type_i32_2d, data, (int64_t[]){3, 2}), *b = kz_array_new(ctx, &type_i64_1d,
      more, (int64_t[]){3}), *zipped = NULL, *one = NULL, *part = NULL, *raw, *restored;
  CHECK(kz_array_index(ctx, &element, a, (int64_t[]){2, 1}) == 0 && element == 6);
  CHECK(kz_array_index(ctx, &element, a, (int64_t[]){0, 2}) != 0 && says(ctx, "out of bounds"));
  CHECK(kz_record_new(ctx, &zipped, &type_pairs, (const void *[]){a, b}) == 0);
  CHECK(kz_array_index(ctx, &one, zipped, (int64_t[]){1}) == 0 && kz_record_project(ctx, &scalar, one, 1) == 0
      && scalar == 8 && kz_record_project(ctx, &part, one, 0) == 0);
  CHECK(kz_array_get(ctx, part, back) == 0 && back[0] == 3 && back[1] == 4);
  void *bytes = NULL;
  size_t size = 0;
  CHECK(kz_value_store(ctx, zipped, &bytes, &size) == 0);
  restored = kz_value_restore(ctx, &type_pairs, bytes);
  CHECK(restored != NULL && kz_get(ctx, back, restored->slots[0].block, sizeof data) == 0
      && memcmp(back, data, sizeof data) == 0);
  free(bytes);
  // An array in the buffer of another is as good, and does not own it.
  raw = kz_array_new_raw(ctx, &type_i32_2d, kz_array_raw(a), (int64_t[]){2, 3});
  CHECK(raw != NULL && kz_array_get(ctx, raw, back) == 0 && memcmp(back, data, sizeof data) == 0);
  struct kz_value *all[] = {raw, a, b, zipped, one, part, restored};
  for (int i = 0; i < 7; i++) kz_value_free(ctx, all[i]);
  CHECK(ctx->live_bytes == live);
  CHECK(kz_array_new(ctx, &type_i32_2d, NULL, (int64_t[]){INT64_MAX, INT64_MAX}) == NULL && says(ctx, "out of memory"));
}

static int64_t some_integer(int i) {
  static const int64_t ends[] = {0, 1, -1, 2, 127, 128, 255, -128, 32767, 65535, 65536, -32768, INT32_MAX, INT32_MIN,
      UINT32_MAX, INT64_MAX, INT64_MIN, 0x3f800000, 0x7f800000, 0x7fc00000, 0xff800000, 0x4f000000, 0xcf000000, 65504,
      65519, 65520, 0x3c00, 0x7bff, 0x0001, 0x8001};
  int count = (int)(sizeof ends / sizeof *ends);
  return i < count ? ends[i] : (int64_t)(random_state = random_state * 2862933555777941757u + 3037000493u)
      >> (int)random_below(60);
}
// NaNs may have any bits.
static bool same(int which, int64_t x, int64_t y) {
  bool is_single = which == 154 || (which >= 138 && which <= 151);
  if (is_single && isnan(from_bits_f32((uint32_t)x)) && isnan(from_bits_f32((uint32_t)y))) return true;
  if (which >= 164 && isnan(from_bits_f64((uint64_t)x)) && isnan(from_bits_f64((uint64_t)y))) return true;
  bool is_half = which == 153 || (which >= 155 && which <= 159);
  return x == y || (is_half && (x & 0x7fff) > 0x7c00 && (y & 0x7fff) > 0x7c00);
}
static void test_scalars(struct futhark_context *ctx) {
  enum { N = 900 };
  static int64_t xs[N], ys[N], back[N * SCALAR_CASES];
  static float rs[N], ss[N], reals[N * REAL_CASES];
  bool has_f64 = getenv("WITHOUT_F64") == NULL;
  for (int i = 0; i < N; i++) {
    xs[i] = some_integer(i / 30), ys[i] = some_integer(i % 30);
    rs[i] = (float)(random_below(8000) + 1) / 1000, ss[i] = (float)(random_below(8000) + 1) / 1000;
  }
  int64_t n = N, all = N * SCALAR_CASES, some = N * REAL_CASES;
  void *x = kz_alloc(ctx, sizeof xs), *y = kz_alloc(ctx, sizeof ys), *out = kz_alloc(ctx, sizeof back);
  CHECK(kz_put(ctx, x, xs, sizeof xs) == 0 && kz_put(ctx, y, ys, sizeof ys) == 0);
  CHECK(LAUNCH(SCALARS, all, false, BLOCK(out), BLOCK(x), BLOCK(y), SCALAR(n)) == 0);
  CHECK(kz_get(ctx, back, out, sizeof back) == 0);
  for (int64_t i = 0; i < all && failures < 40; i++) {
    int which = (int)(i / N);
    if (which >= 164 && !has_f64) continue;
    int64_t wanted = scalar_case(which, xs[i % N], ys[i % N]);
    if (same(which, wanted, back[i])) continue;
    failures++;
    fprintf(stderr, "scalar case %d of %" PRId64 " and %" PRId64 ": %" PRId64 ", not %" PRId64 "\n", which, xs[i % N],
        ys[i % N], back[i], wanted);
  }
  CHECK(kz_put(ctx, x, rs, sizeof rs) == 0 && kz_put(ctx, y, ss, sizeof ss) == 0);
  CHECK(LAUNCH(REALS, some, false, BLOCK(out), BLOCK(x), BLOCK(y), SCALAR(n)) == 0);
  CHECK(kz_get(ctx, reals, out, sizeof reals) == 0);
  for (int64_t i = 0; i < some && failures < 40; i++) {
    float wanted = real_case((int)(i / N), rs[i % N], ss[i % N]);
    if (wanted == reals[i] || fabsf(wanted - reals[i]) <= 2e-5f * fabsf(wanted) + 1e-6f || (isnan(wanted) && isnan(reals[i]))) continue;
    failures++;
    fprintf(stderr, "real case %d of %g and %g: %g, not %g\n", (int)(i / N), rs[i % N], ss[i % N], reals[i], wanted);
  }
  kz_free(ctx, x), kz_free(ctx, y), kz_free(ctx, out);
}

// What is logged about the kernels of a new context with this file for its cache.
static const char *log_of_building(const char *cache) {
  static char text[4096];
  FILE *log = tmpfile();
  struct futhark_context_config *config = futhark_context_config_new();
  futhark_context_config_set_cache_file(config, cache);
  skips_constants = true;
  struct futhark_context *ctx = futhark_context_new(config);
  skips_constants = false;
  futhark_context_config_set_logging(config, 1);
  futhark_context_set_logging_file(ctx, log);
  void *out = NULL;
  int64_t last = 0;
  CHECK(squares(ctx, &out, 10) == 0 && kz_read(ctx, &last, out, 72, 8) == 0 && last == 81);
  size_t length = 0;
  rewind(log);
  length = fread(text, 1, sizeof text - 1, log);
  text[length] = '\0';
  fclose(log);
  futhark_context_free(ctx);
  futhark_context_config_free(config);
  return text;
}
static void test_cache(void) {
  const char *file = "kernels.cache";
  size_t size = 0;
  (void)remove(file);
  CHECK(strstr(log_of_building(file), " us, stored in kernels.cache.") != NULL);
  CHECK(strstr(log_of_building(file), " loaded ") != NULL);
  char *bytes = kz_file_bytes(file, &size);
  CHECK(bytes != NULL && size > 100);
  // Damaged in its mark, in its body, cut off, empty, foreign: it is built again, and the file replaced.
  for (int damage = 0; damage < 5 && bytes != NULL && size > 100; damage++) {
    size_t at = damage == 0 ? 10 : size / 2;
    char kept = bytes[at];
    bytes[at] = (char)(bytes[at] ^ 1);
    CHECK(damage < 2 ? kz_write_file(file, "", 0, bytes, size) : damage == 2 ? kz_write_file(file, "", 0, bytes, size / 3)
        : damage == 3 ? kz_write_file(file, "", 0, "", 0) : kz_write_file(file, "", 0, "hello, world", 12));
    bytes[at] = kept;
    CHECK(strstr(log_of_building(file), " us, stored in kernels.cache.") != NULL);
    CHECK(strstr(log_of_building(file), " loaded ") != NULL);
  }
  free(bytes);
  CHECK(strstr(log_of_building("/no/such/folder/file"), "cannot be stored") != NULL);
  CHECK(strstr(log_of_building(NULL), "built") != NULL && strstr(log_of_building(NULL), "stored") == NULL);
  (void)remove(file);
}

static void test_choices(void) {
  struct futhark_context_config *config = futhark_context_config_new();
  futhark_context_config_set_device(config, "no such device");
  struct futhark_context *ctx = futhark_context_new(config);
  CHECK(says(ctx, "no such device"));
  futhark_context_free(ctx);
  futhark_context_config_set_device(config, "#0");
  futhark_context_config_set_default_group_size(config, 4);
  futhark_context_config_set_profiling(config, 1);
  ctx = futhark_context_new(config);
  char *error = futhark_context_get_error(ctx), *report = NULL;
  CHECK(error == NULL && ctx->device.group_size == 4);
  void *out = NULL;
  CHECK(squares(ctx, &out, 10000) == 0);
  // On a GPU, a large matrix is transposed in squares.
  bool is_cpu = ctx->device.is_cpu;
  void *to = kz_alloc(ctx, 40000);
  ctx->device.is_cpu = false;
  CHECK(kz_copy_blocks(ctx, 4, 2, (int64_t[]){100, 100}, to, 0, (int64_t[]){100, 1}, out, 0, (int64_t[]){1, 100}) == 0);
  ctx->device.is_cpu = is_cpu;
  futhark_context_pause_profiling(ctx);
  CHECK(kz_launch(ctx, REFUSE, 5, 5, 0, NULL, true) == 0 && kz_look(ctx) != 0);
  report = futhark_context_report(ctx);
  CHECK(report != NULL && strstr(report, "\"name\":\"squares\"") != NULL
      && strstr(report, "kz_transpose_4") != NULL && strstr(report, "refuse") == NULL);
  free(error), free(report);
  futhark_context_free(ctx);
  // A program that cannot be built says why.
  futhark_context_config_set_cache_file(config, NULL);
  futhark_context_config_set_program(config, "nonsense");
  ctx = futhark_context_new(config);
  CHECK(says(ctx, "cannot be built"));
  futhark_context_free(ctx);
  futhark_context_config_free(config);
}

// Threads that each begin with a context of their own, before anybody else has used the driver.
static void *begins(void *fine) {
  struct futhark_context_config *config = futhark_context_config_new();
  struct futhark_context *ctx = futhark_context_new(config);
  void *out = NULL;
  int64_t last = 0;
  *(bool *)fine = squares(ctx, &out, 100) == 0 && kz_read(ctx, &last, out, 72, 8) == 0 && last == 81;
  futhark_context_free(ctx);
  futhark_context_config_free(config);
  return NULL;
}
static void test_threads(void) {
  enum { THREADS = 6 };
  pthread_t threads[THREADS];
  bool fine[THREADS] = {false};
  for (int i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, begins, &fine[i]) == 0);
  for (int i = 0; i < THREADS; i++) CHECK(pthread_join(threads[i], NULL) == 0 && fine[i]);
}

int main(void) {
  if (getenv("IN_THREADS") != NULL) {
    test_threads();
    printf("%d failures\n", failures);
    return failures == 0 ? 0 : 1;
  }
  struct futhark_context_config *config = futhark_context_config_new();
  struct futhark_context *ctx = futhark_context_new(config);
  char *error = futhark_context_get_error(ctx);
  if (error == NULL) {
    test_transfers(ctx);
    test_copies(ctx);
    test_memory(ctx);
    test_ahead(ctx);
    test_turns(ctx);
    test_launches(ctx);
    test_values(ctx);
    test_scalars(ctx);
    if (getenv("WITHOUT_F64") == NULL) {
      test_cache();
      test_choices();
    }
    CHECK(futhark_context_sync(ctx) == 0 && futhark_context_clear_caches(ctx) == 0 && ctx->cached == NULL);
    printf("%d failures\n", failures);
  } else {
    puts(error);
  }
  bool has_device = error == NULL;
  free(error);
  futhark_context_free(ctx);
  futhark_context_config_free(config);
  return !has_device ? 2 : failures == 0 ? 0 : 1;
}
