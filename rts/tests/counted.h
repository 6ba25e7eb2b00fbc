// counted.h: included before a program for several cores that is tested (-include counted.h). Every loop that can run on
// several threads does, however little there is to do, and at its end the program says on how many each of them ran at
// most: "loop run_main_1: 4 threads".

#define _POSIX_C_SOURCE 200809L // as in base.h, before the first include
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KZ_GRAIN INT64_C(1)
// A thread that does nothing here would not be watched: all that there are come to each loop, and the others wait for it,
// ten seconds if need be.
#define KZ_WOKEN(wanted) ((void)(wanted), INT_MAX)
#define KZ_BEFORE_OTHERS(loop, share)                                                                                 \
  for (int i_wait = 0; i_wait < 100000 && kz_atomic_read(&(share)->taken) == 0 &&                                     \
      (share) - (loop)->share <= (loop)->ctx->pool.started; i_wait++) usleep(100)
#define kz_parallel(ctx, run, env, iterations, chunks)                                                                \
  kz_parallel_counted(kz_parallel, #run, ctx, run, env, iterations, chunks)

struct futhark_context;
typedef int kz_counted_run(struct futhark_context *ctx, const void *env, int64_t chunk, int64_t start, int64_t len,
    int64_t worker);
typedef int kz_counted_loop(struct futhark_context *ctx, kz_counted_run *run, const void *env, int64_t iterations,
    int64_t chunks);

// One run of a loop, and the most threads of all runs of each loop.
enum { KZ_COUNTED_THREADS = 1024, KZ_COUNTED_LOOPS = 4096 };
struct kz_counted {
  kz_counted_run *run;
  const void *env;
  bool *ran; // which threads ran some of it
};
static struct {
  const char *name;
  int threads;
} kz_counted_loops[KZ_COUNTED_LOOPS];

static void kz_print_counted(void) {
  for (int i = 0; i < KZ_COUNTED_LOOPS && kz_counted_loops[i].name != NULL; i++) fprintf(stderr,
      "loop %s: %d threads\n", kz_counted_loops[i].name, kz_counted_loops[i].threads);
}
static void kz_count_loop(const char *name, int threads) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  int i = 0;
  while (i < KZ_COUNTED_LOOPS - 1 && kz_counted_loops[i].name != NULL && strcmp(kz_counted_loops[i].name, name) != 0) i++;
  if (i == 0 && kz_counted_loops[i].name == NULL) atexit(kz_print_counted);
  kz_counted_loops[i].name = name;
  if (threads > kz_counted_loops[i].threads) kz_counted_loops[i].threads = threads;
  pthread_mutex_unlock(&mutex);
}

static __thread bool kz_counted_inside; // a chunk runs
static int kz_run_counted(struct futhark_context *ctx, const void *env, int64_t chunk, int64_t start, int64_t len,
    int64_t worker) {
  const struct kz_counted *counted = env;
  if (len > 0) counted->ran[worker % KZ_COUNTED_THREADS] = true;
  bool was_inside = kz_counted_inside;
  kz_counted_inside = true;
  int code = counted->run(ctx, counted->env, chunk, start, len, worker);
  kz_counted_inside = was_inside;
  return code;
}
// A loop in a chunk of another, and one of fewer than two iterations, has no threads to run on and is not counted; nor is
// one that fails, after which some threads do not begin.
__attribute__((unused)) static int kz_parallel_counted(kz_counted_loop *loop, const char *name,
    struct futhark_context *ctx, kz_counted_run *run, const void *env, int64_t iterations, int64_t chunks) {
  if (iterations < 2 || (chunks == 1 && kz_counted_inside)) return loop(ctx, run, env, iterations, chunks);
  bool ran[KZ_COUNTED_THREADS] = {false};
  struct kz_counted counted = {run, env, ran};
  int code = loop(ctx, kz_run_counted, &counted, iterations, chunks), threads = 0;
  for (int i = 0; i < KZ_COUNTED_THREADS; i++) threads += ran[i];
  if (code == 0) kz_count_loop(name, threads);
  return code;
}
