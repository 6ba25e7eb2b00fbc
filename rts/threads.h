// threads.h: all that programs for several cores need of OpenMP; who wants another scheduler exchanges this file. Needs
// base.h.

#ifndef _OPENMP
#error "this program is for several cores: compile it with -fopenmp"
#endif
#include <omp.h>

// As many threads as anybody may ask for.
enum { KZ_MOST_THREADS = 1 << 16 };
// How many threads there are unless the user says something else, in the environment perhaps.
KZ_FN int kz_usual_threads(void) {
  int threads = omp_get_max_threads();
  return threads < 1 ? 1 : threads < KZ_MOST_THREADS ? threads : KZ_MOST_THREADS;
}
// How many of so many threads there are in fact: far more than there are processors would only be in each other's way.
KZ_FN int kz_useful_threads(int threads) {
  int most = 4 * omp_get_num_procs();
  if (most < 16) most = 16;
  return threads < most ? threads : most;
}

// Calls work(with, thread, threads) on so many threads at the same time, and is back when all are. There may be fewer: a
// caller that is one of many threads itself gets no others.
KZ_FN void kz_on_threads(int threads, void (*work)(void *with, int thread, int threads), void *with) {
#pragma omp parallel num_threads(threads)
  work(with, omp_get_thread_num(), omp_get_num_threads());
}

typedef omp_lock_t kz_lock_type;
KZ_FN void kz_lock_new(kz_lock_type *lock) { omp_init_lock(lock); }
KZ_FN void kz_lock_free(kz_lock_type *lock) { omp_destroy_lock(lock); }
KZ_FN void kz_lock_take(kz_lock_type *lock) { omp_set_lock(lock); }
KZ_FN void kz_lock_leave(kz_lock_type *lock) { omp_unset_lock(lock); }

// Of numbers and flags that several threads change.
KZ_FN int64_t kz_atomic_add(int64_t *to, int64_t n) {
  int64_t sum;
#pragma omp atomic capture seq_cst
  sum = *to += n;
  return sum;
}
KZ_FN bool kz_is_set(const bool *flag) {
  bool is_set;
#pragma omp atomic read
  is_set = *flag;
  return is_set;
}
// Whether it was not set before.
KZ_FN bool kz_set_first(bool *flag) {
  bool was_set;
#pragma omp atomic capture
  {
    was_set = *flag;
    *flag = true;
  }
  return !was_set;
}
// A store to where others may store at the same time: one of the values stays.
#define KZ_RACE(to, value)                                                                                            \
  do {                                                                                                                \
    _Pragma("omp atomic write") *(to) = (value);                                                                      \
  } while (0)
