// Checks of loops on several threads: chunks, failures, memory, contexts on several threads of the caller. The sum of each
// loop is that of all its iterations, each of them once.
#define KZ_API // as in a library
#define KZ_MULTICORE
// How many more threads a caller can start, and which of its next requests for memory fails, if any.
static __thread int startable = 1 << 20, failing_request = 0;
#define KZ_THREAD_FAULT (startable == 0 || (startable--, false))
#define KZ_FAULT (failing_request > 0 && --failing_request == 0)
#include "base.h"
#include "threads.h"
#include "context.h"
#include "memory.h"
#include "values.h"
#include "print.h"
#include "parallel.h"
#include <sys/wait.h>

static int64_t failures = 0;
#define CHECK(condition)                                                                                              \
  do {                                                                                                                \
    if (!(condition)) {                                                                                               \
      kz_atomic_add(&failures, 1);                                                                                    \
      fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                                         \
    }                                                                                                                 \
  } while (0)

static struct futhark_context *context(int threads) {
  struct futhark_context_config *config = futhark_context_config_new();
  futhark_context_config_set_num_threads(config, threads);
  return futhark_context_new(config);
}
static void end(struct futhark_context *ctx) {
  struct futhark_context_config *config = ctx->config;
  CHECK(ctx->live == NULL && !ctx->is_parallel);
  futhark_context_free(ctx);
  futhark_context_config_free(config);
}

static void test_chunks(void) {
  struct futhark_context *ctx = context(4);
  CHECK(kz_chunks(ctx, 0, 1, false) == 1 && kz_chunks(ctx, 1, INT64_MAX, true) == 1);
  CHECK(kz_chunks(ctx, 3 * KZ_GRAIN - 1, 1, false) == 1 && kz_chunks(ctx, 3 * KZ_GRAIN, 1, true) == 3);
  CHECK(kz_chunks(ctx, 2, KZ_GRAIN, false) == 1 && kz_chunks(ctx, 2, 2 * KZ_GRAIN, false) == 2);
  CHECK(kz_chunks(ctx, INT64_MAX, INT64_MAX, false) == 4 && kz_chunks(ctx, INT64_MAX, INT64_MAX, true) == 32);
  CHECK(kz_chunks(ctx, 5, -1, true) == 5 && kz_chunks(ctx, 1000, 0, false) == 1 && kz_chunks(ctx, 100 * KZ_GRAIN, 0, false) == 4);
  end(ctx);
  ctx = context(1);
  CHECK(kz_chunks(ctx, INT64_MAX, INT64_MAX, true) == 1);
  end(ctx);
  ctx = context(-3);
  CHECK(ctx->threads == kz_usual_threads());
  end(ctx);
}

// Counts how often each iteration ran, and adds them up chunk by chunk.
struct env_sum {
  unsigned char *runs;
  int64_t *sums, *flag;
  int64_t failing; // the iteration that fails
};
static int run_sum(struct futhark_context *ctx, const void *with, int64_t chunk, int64_t start, int64_t len,
    int64_t worker) {
  CHECK(worker >= 0 && worker < ctx->useful_threads);
  const struct env_sum *env = with;
  int64_t *own = kz_alloc(ctx, 8 * (chunk % 3 == 0 ? 1 : 1000)), *same = kz_share(own);
  if (own == NULL) return FUTHARK_OUT_OF_MEMORY;
  *own = 0;
  for (int64_t i = start; i < start + len; i++) {
    if (kz_has_stopped(ctx)) return FUTHARK_PROGRAM_ERROR;
    if (i == env->failing) {
      kz_fail(ctx, FUTHARK_PROGRAM_ERROR, NULL, "iteration %" PRId64, i);
      return FUTHARK_PROGRAM_ERROR;
    }
    env->runs[i]++;
    *own += i;
    KZ_RACE(env->flag, i);
  }
  env->sums[chunk] = *same;
  kz_free(ctx, same);
  kz_free(ctx, own);
  return 0;
}
static int sum(struct futhark_context *ctx, int64_t *result, int64_t n, int64_t chunks, int64_t failing) {
  int64_t flag = -1;
  struct env_sum env = {calloc((size_t)n + 1, 1), calloc((size_t)chunks, 8), &flag, failing};
  int code = kz_parallel(ctx, run_sum, &env, n, chunks);
  *result = 0;
  for (int64_t c = 0; c < chunks; c++) *result += env.sums[c];
  for (int64_t i = 0; i < n && code == 0; i++) CHECK(env.runs[i] == 1);
  CHECK(code != 0 || n == 0 || (flag >= 0 && flag < n));
  free(env.runs);
  free(env.sums);
  if (code != 0) kz_unwind(ctx);
  return code;
}

static void test_loops(int threads) {
  struct futhark_context *ctx = context(threads);
  int64_t result;
  for (int64_t n = 0; n < 40; n += 3)
    for (int64_t chunks = 1; chunks <= (n < 1 ? 1 : n); chunks += 5)
      CHECK(sum(ctx, &result, n, chunks, -1) == 0 && result == n * (n - 1) / 2);
  for (int64_t at = 0; at < 1000; at += 111) {
    char wanted[64];
    snprintf(wanted, sizeof wanted, "Error: iteration %" PRId64, at);
    CHECK(sum(ctx, &result, 1000, at % 2 == 0 ? 4 : 50, at) == FUTHARK_PROGRAM_ERROR);
    char *error = futhark_context_get_error(ctx);
    CHECK(error != NULL && strcmp(error, wanted) == 0);
    free(error);
    CHECK(ctx->live == NULL && sum(ctx, &result, 1000, 7, -1) == 0 && result == 499500);
  }
  end(ctx);
}

// Every iteration fails, or is without memory: one error, its code and its message belong together.
static int run_failing(struct futhark_context *ctx, const void *env, int64_t chunk, int64_t start, int64_t len,
    int64_t worker) {
  CHECK(worker >= 0 && worker < ctx->useful_threads);
  (void)env, (void)len;
  if (chunk % 2 == 0) return kz_alloc(ctx, INT64_MAX) == NULL ? FUTHARK_OUT_OF_MEMORY : 0;
  kz_fail(ctx, FUTHARK_PROGRAM_ERROR, NULL, "chunk %" PRId64, start);
  return FUTHARK_PROGRAM_ERROR;
}
static void test_failures(void) {
  struct futhark_context *ctx = context(4);
  for (int i = 0; i < 100; i++) {
    int code = kz_parallel(ctx, run_failing, NULL, 100, 4);
    char *error = futhark_context_get_error(ctx);
    CHECK(error != NULL && strncmp(error, code == FUTHARK_OUT_OF_MEMORY ? "Error: out of" : "Error: chunk", 12) == 0);
    free(error);
  }
  end(ctx);
}

// A loop in a chunk is sequential.
static int run_outer(struct futhark_context *ctx, const void *env, int64_t chunk, int64_t start, int64_t len,
    int64_t worker) {
  CHECK(worker >= 0 && worker < ctx->useful_threads);
  int64_t result;
  CHECK(kz_chunks(ctx, INT64_MAX, INT64_MAX, true) == 1);
  if (sum(ctx, &result, 100, 4, -1) != 0) return FUTHARK_PROGRAM_ERROR;
  CHECK(env == NULL && chunk == start && len == 1 && result == 4950);
  return 0;
}
static void test_nested(void) {
  struct futhark_context *ctx = context(3);
  CHECK(kz_parallel(ctx, run_outer, NULL, 8, 8) == 0);
  end(ctx);
}

static void *of_thread(void *threads) {
  test_loops(*(int *)threads);
  return NULL;
}
static void test_callers(void) {
  pthread_t threads[2];
  int counts[] = {2, 3};
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, of_thread, &counts[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
}
// Chunks of a thread that does not come are taken by others, whatever it was that could not be had.
static void test_fewer_threads(void) {
  for (int there = 0; there < 4; there++) {
    startable = there;
    struct futhark_context *ctx = context(4);
    int64_t result;
    for (int64_t chunks = 2; chunks < 40; chunks += 3) CHECK(sum(ctx, &result, 1000, chunks, -1) == 0 && result == 499500);
    CHECK(ctx->pool.started == there);
    end(ctx);
  }
  startable = 1 << 20;
  for (int request = 1; request < 5; request++) {
    struct futhark_context *ctx = context(4);
    int64_t result;
    failing_request = request;
    CHECK(sum(ctx, &result, 1000, 7, -1) == 0 && result == 499500);
    CHECK(failing_request == 0 && ctx->pool.started == (request == 1 ? 0 : request - 2));
    end(ctx);
  }
}

// A signal about what a thread has done gets to the handler there.
static __thread volatile sig_atomic_t signals;
static int64_t others; // threads that have come besides the caller's
static void on_signal(int number) {
  (void)number;
  signals++;
}
static int run_raising(struct futhark_context *ctx, const void *env, int64_t chunk, int64_t start, int64_t len,
    int64_t worker) {
  CHECK(env == NULL && chunk == start && len == 1);
  if (worker > 0) kz_atomic_add(&others, 1);
  while (ctx->pool.started > 0 && kz_atomic_read(&others) == 0) usleep(100);
  sig_atomic_t before = signals;
  raise(SIGFPE);
  CHECK(signals == before + 1);
  return 0;
}
static void test_signals(void) {
  struct futhark_context *ctx = context(2);
  void (*old)(int) = signal(SIGFPE, on_signal);
  CHECK(kz_parallel(ctx, run_raising, NULL, 2, 2) == 0);
  signal(SIGFPE, old);
  end(ctx);
}
// A copy of a process has none of its threads, and does everything itself, also if they were asleep.
static void test_copy_of_process(bool is_asleep) {
  struct futhark_context *ctx = context(3);
  CHECK(kz_parallel(ctx, run_outer, NULL, 8, 8) == 0);
  while (is_asleep && __atomic_load_n(&ctx->pool.asleep, __ATOMIC_RELAXED) < 2) usleep(100);
  pid_t child = fork();
  if (child == 0) {
    int code = kz_parallel(ctx, run_outer, NULL, 8, 8);
    end(ctx);
    _exit(code != 0 || failures != 0);
  }
  int status = -1;
  CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
  end(ctx);
}

int main(void) {
  test_chunks();
  test_loops(1);
  test_loops(4);
  test_loops(100000);
  test_failures();
  test_nested();
  test_callers();
  test_fewer_threads();
  test_signals();
  test_copy_of_process(false);
  test_copy_of_process(true);
  printf("%d failures\n", (int)failures);
  return failures == 0 ? 0 : 1;
}
