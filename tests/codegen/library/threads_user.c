// A user of the library for several cores that threads.fut becomes: any number of threads, contexts on two threads of its
// own, and one that its threads use in turns. What it finds out, it asserts itself.
#include "threads.h"
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                                              \
  do {                                                                                                                \
    if (!(condition)) {                                                                                               \
      fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                                         \
      exit(1);                                                                                                        \
    }                                                                                                                 \
  } while (0)

enum { COUNT = 300000, CALLS = 5 };

// The sum in a context, which is the same in every call, also after a call that fails.
static float sum_in(struct futhark_context *ctx) {
  int64_t right[] = {0, 1, 2}, wrong[] = {0, 3, 1}, numbers[] = {1, 10, 100};
  struct futhark_i64_1d *is = futhark_new_i64_1d(ctx, right, 3), *js = futhark_new_i64_1d(ctx, wrong, 3),
                        *xs = futhark_new_i64_1d(ctx, numbers, 3);
  CHECK(is != NULL && js != NULL && xs != NULL);
  float first = 0;
  for (int i = 0; i < CALLS; i++) {
    float result;
    int64_t total;
    CHECK(futhark_entry_sum(ctx, &result, COUNT) == FUTHARK_SUCCESS);
    if (i == 0) first = result;
    CHECK(memcmp(&first, &result, sizeof first) == 0);
    CHECK(futhark_entry_all(ctx, &total, COUNT, is, xs) == FUTHARK_SUCCESS && total == COUNT / 3 * 111);
    // No thread goes on to the end of so many iterations after one of them has failed.
    CHECK(futhark_entry_all(ctx, &total, INT64_C(1) << 50, js, xs) == FUTHARK_PROGRAM_ERROR);
    char *error = futhark_context_get_error(ctx);
    CHECK(error != NULL && strstr(error, "Error: Index [3] out of bounds for array of shape [3].") == error);
    CHECK(strstr(error, "threads.fut:5:76-88") != NULL && strstr(error + 1, "Error") == NULL);
    free(error);
  }
  CHECK(futhark_free_i64_1d(ctx, is) == 0 && futhark_free_i64_1d(ctx, js) == 0 && futhark_free_i64_1d(ctx, xs) == 0);
  return first;
}
static void *in_turn(void *ctx) {
  float *result = malloc(sizeof *result);
  CHECK(result != NULL);
  *result = sum_in(ctx);
  return result;
}

// The sum on so many threads, of this thread and then of another one.
static float sum(int threads) {
  struct futhark_context_config *cfg = futhark_context_config_new();
  futhark_context_config_set_num_threads(cfg, threads);
  struct futhark_context *ctx = futhark_context_new(cfg);
  CHECK(ctx != NULL && futhark_context_get_error(ctx) == NULL);
  float result = sum_in(ctx);
  pthread_t other;
  void *of_other;
  CHECK(pthread_create(&other, NULL, in_turn, ctx) == 0 && pthread_join(other, &of_other) == 0);
  CHECK(*(float *)of_other == result);
  free(of_other);
  futhark_context_free(ctx);
  futhark_context_config_free(cfg);
  return result;
}

static void *of_thread(void *of) {
  float *numbers = of;
  numbers[1] = sum((int)numbers[0]);
  return NULL;
}

int main(void) {
  const float on_one = sum(1), on_two = sum(2), on_three = sum(3);
  CHECK(fabsf(on_one - on_two) < on_one * 1e-3f && fabsf(on_one - on_three) < on_one * 1e-3f);
  // What cannot be is as many as usual, which the environment may say, or as many as there may be.
  CHECK(setenv("OMP_NUM_THREADS", "3", 1) == 0 && sum(0) == on_three && sum(-1) == on_three);
  CHECK(fabsf(sum(1000000000) - on_one) < on_one * 1e-3f);
  pthread_t threads[2];
  float numbers[2][2] = {{2, 0}, {3, 0}};
  for (int i = 0; i < 2; i++) CHECK(pthread_create(&threads[i], NULL, of_thread, numbers[i]) == 0);
  for (int i = 0; i < 2; i++) CHECK(pthread_join(threads[i], NULL) == 0);
  CHECK(numbers[0][1] == on_two && numbers[1][1] == on_three);
  puts("all is well");
  return 0;
}
