// threads.h: threads, locks and atomic operations; who wants another scheduler exchanges this file. Needs base.h.
//
// A context has threads of its own, which are started by its first loop on several threads and wait for the next one when one
// has ended: for a while awake, then asleep. Nobody waits for a thread that has not come to a loop: whoever comes takes what is
// left, so that beside other work on the same processors a loop takes no longer than on the threads that are there.

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif
// Whether the system has calls to sleep and wake. Tests may say that it has not.
#ifndef KZ_FUTEX
#ifdef SYS_futex
#define KZ_FUTEX 1
#else
#define KZ_FUTEX 0
#endif
#endif
enum { KZ_FUTEX_WAIT = 128, KZ_FUTEX_WAKE = 129 }; // in one process
#ifndef __GNUC__
#error "this program is for several cores: compile it with gcc or clang"
#endif

// As many threads as anybody may ask for.
enum { KZ_MOST_THREADS = 1 << 16 };
KZ_FN int kz_processors(void) {
#ifdef SYS_sched_getaffinity
  unsigned char mask[8192];
  long bytes = syscall(SYS_sched_getaffinity, 0, sizeof mask, mask);
  int count = 0;
  for (long i = 0; i < bytes; i++) count += __builtin_popcount(mask[i]);
  if (count > 0) return count;
#endif
#ifdef _SC_NPROCESSORS_ONLN
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  if (online > 1) return online < KZ_MOST_THREADS ? (int)online : KZ_MOST_THREADS;
#endif
  return 1;
}
// How many threads there are unless the user says something else: what the environment says to all programs on several cores,
// or one for each processor.
KZ_FN int kz_usual_threads(void) {
  const char *said = getenv("OMP_NUM_THREADS");
  long threads = said == NULL ? 0 : strtol(said, NULL, 10);
  if (threads < 1) threads = kz_processors();
  return threads < KZ_MOST_THREADS ? (int)threads : KZ_MOST_THREADS;
}
// How many of so many threads there are in fact: far more than there are processors would only be in each other's way.
KZ_FN int kz_useful_threads(int threads) {
  int most = 4 * kz_processors();
  if (most < 16) most = 16;
  return threads < most ? threads : most;
}

typedef pthread_mutex_t kz_lock_type;
KZ_FN void kz_lock_new(kz_lock_type *lock) { pthread_mutex_init(lock, NULL); }
KZ_FN void kz_lock_free(kz_lock_type *lock) { pthread_mutex_destroy(lock); }
KZ_FN void kz_lock_take(kz_lock_type *lock) { pthread_mutex_lock(lock); }
KZ_FN void kz_lock_leave(kz_lock_type *lock) { pthread_mutex_unlock(lock); }

// Of numbers and flags that several threads change.
KZ_FN int64_t kz_atomic_add(int64_t *to, int64_t n) { return __atomic_add_fetch(to, n, __ATOMIC_SEQ_CST); }
KZ_FN int64_t kz_atomic_read(const int64_t *from) { return __atomic_load_n(from, __ATOMIC_RELAXED); }
KZ_FN bool kz_is_set(const bool *flag) { return __atomic_load_n(flag, __ATOMIC_RELAXED); }
// Whether it was not set before.
KZ_FN bool kz_set_first(bool *flag) { return !__atomic_exchange_n(flag, true, __ATOMIC_SEQ_CST); }
// A store to where others may store at the same time: one of the values stays.
#define KZ_RACE(to, value) __atomic_store((to), &(__typeof__(*(to))){value}, __ATOMIC_RELAXED)

// How long who waits stays awake, in microseconds: about as long as it takes to fall asleep and be woken.
enum { KZ_AWAKE = 100 };
enum { KZ_OPEN = 1 << 30 };
typedef void kz_work_type(void *with, int thread);
struct kz_pool {
  kz_work_type *work; // of the loop that runs now
  void *with;
  uint32_t gate;    // how many threads are in the loop besides the caller's, and KZ_OPEN as long as others may enter
  uint32_t loops;   // how many there have been
  uint32_t asleep;  // threads that wait for a loop
  bool is_awaited;  // the caller sleeps until the last has left
  bool is_ending;
  int started;      // threads, besides the caller's
  pid_t process;    // a copy of it, made by fork, has no other threads
  pthread_t *ids;
#if !KZ_FUTEX
  pthread_mutex_t mutex;
  pthread_cond_t changed;
#endif
};

// Whether its threads are those of this process. In a copy they are gone and may have been asleep, or held the mutex, so that
// nobody there may wake them or destroy what they wait for.
KZ_FN bool kz_has_threads(const struct kz_pool *pool) { return pool->process == getpid(); }

// Sleeps as long as a word is what it was, and no longer than until it is woken.
KZ_FN void kz_sleep(struct kz_pool *pool, uint32_t *word, uint32_t was) {
#if KZ_FUTEX
  (void)pool;
  syscall(SYS_futex, word, KZ_FUTEX_WAIT, was, NULL, NULL, 0);
#else
  pthread_mutex_lock(&pool->mutex);
  while (__atomic_load_n(word, __ATOMIC_SEQ_CST) == was) pthread_cond_wait(&pool->changed, &pool->mutex);
  pthread_mutex_unlock(&pool->mutex);
#endif
}
KZ_FN void kz_wake(struct kz_pool *pool, uint32_t *word, int threads) {
#if KZ_FUTEX
  (void)pool;
  syscall(SYS_futex, word, KZ_FUTEX_WAKE, threads, NULL, NULL, 0);
#else
  (void)word, (void)threads;
  pthread_mutex_lock(&pool->mutex);
  pthread_cond_broadcast(&pool->changed);
  pthread_mutex_unlock(&pool->mutex);
#endif
}
// Waits for a word to change, awake; whether it did.
KZ_FN bool kz_stay_awake(const uint32_t *word, uint32_t was) {
  for (int64_t begin = 0, i = 0;; i++) {
    if (__atomic_load_n(word, __ATOMIC_ACQUIRE) != was) return true;
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
    if (i % 64 == 63) {
      int64_t now = kz_microseconds();
      if (begin == 0) begin = now;
      else if (now - begin >= KZ_AWAKE) return false;
    }
  }
}

// Tests define it as what is true when a thread should not start.
#ifndef KZ_THREAD_FAULT
#define KZ_THREAD_FAULT false
#endif
struct kz_thread {
  struct kz_pool *pool;
  int number;
};
KZ_OUTLINE void *kz_thread_main(void *with) {
  struct kz_pool *pool = ((struct kz_thread *)with)->pool;
  int number = ((struct kz_thread *)with)->number;
  free(with);
  for (uint32_t seen = 0;;) {
    while (!kz_stay_awake(&pool->loops, seen)) {
      __atomic_add_fetch(&pool->asleep, 1, __ATOMIC_SEQ_CST);
      kz_sleep(pool, &pool->loops, seen);
      __atomic_sub_fetch(&pool->asleep, 1, __ATOMIC_SEQ_CST);
    }
    seen = __atomic_load_n(&pool->loops, __ATOMIC_ACQUIRE);
    if (kz_is_set(&pool->is_ending)) return NULL;
    uint32_t gate = __atomic_load_n(&pool->gate, __ATOMIC_ACQUIRE);
    while ((gate & KZ_OPEN) != 0 &&
        !__atomic_compare_exchange_n(&pool->gate, &gate, gate + 1, false, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE)) {}
    if ((gate & KZ_OPEN) == 0) continue;
    pool->work(pool->with, number);
    // Either the caller sees that it was the last, or it sees that the caller sleeps: no weaker order has that.
    if (__atomic_sub_fetch(&pool->gate, 1, __ATOMIC_SEQ_CST) == 0 && __atomic_load_n(&pool->is_awaited, __ATOMIC_SEQ_CST))
      kz_wake(pool, &pool->gate, 1);
  }
}
// Starts so many threads, or as many of them as there can be. Signals are for the threads of the caller, but for those about what
// a thread itself has done, of which a handler may tell.
KZ_COLD void kz_start_threads(struct kz_pool *pool, int threads) {
  pool->process = getpid();
#if !KZ_FUTEX
  pthread_mutex_init(&pool->mutex, NULL);
  pthread_cond_init(&pool->changed, NULL);
#endif
  pool->ids = kz_malloc((size_t)threads * sizeof *pool->ids);
  if (pool->ids == NULL) return;
  sigset_t all, old;
  sigfillset(&all);
  int own[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) sigdelset(&all, own[i]);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  for (; pool->started < threads - 1; pool->started++) {
    struct kz_thread *thread = kz_malloc(sizeof *thread);
    if (thread == NULL) break;
    *thread = (struct kz_thread){pool, pool->started + 1};
    if (!KZ_THREAD_FAULT && pthread_create(&pool->ids[pool->started], NULL, kz_thread_main, thread) == 0) continue;
    free(thread);
    break;
  }
  pthread_sigmask(SIG_SETMASK, &old, NULL);
}
KZ_COLD void kz_end_threads(struct kz_pool *pool) {
  if (kz_has_threads(pool)) {
    kz_set_first(&pool->is_ending);
    __atomic_add_fetch(&pool->loops, 1, __ATOMIC_SEQ_CST);
    kz_wake(pool, &pool->loops, INT_MAX);
    for (int i = 0; i < pool->started; i++) pthread_join(pool->ids[i], NULL);
#if !KZ_FUTEX
    pthread_mutex_destroy(&pool->mutex);
    pthread_cond_destroy(&pool->changed);
#endif
  }
  free(pool->ids);
}

// How many are woken, besides the caller's, where so many are wanted. Tests wake all.
#ifndef KZ_WOKEN
#define KZ_WOKEN(wanted) ((wanted) - 1)
#endif
// Calls work(with, thread) on some of so many threads at the same time, of which the caller's is number 0 and as many are woken
// as there is something to do for, and is back when all that came are. The caller's call ends when nothing is left to do, whoever
// did it.
KZ_FN void kz_on_threads(struct kz_pool *pool, int threads, int wanted, kz_work_type *work, void *with) {
  if (pool->process == 0) kz_start_threads(pool, threads);
  pool->work = work, pool->with = with;
  __atomic_store_n(&pool->gate, KZ_OPEN, __ATOMIC_RELEASE);
  __atomic_add_fetch(&pool->loops, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&pool->asleep, __ATOMIC_SEQ_CST) > 0 && kz_has_threads(pool)) kz_wake(pool, &pool->loops, KZ_WOKEN(wanted));
  work(with, 0);
  uint32_t gate = __atomic_and_fetch(&pool->gate, ~(uint32_t)KZ_OPEN, __ATOMIC_SEQ_CST);
  while (gate != 0) {
    if (!kz_stay_awake(&pool->gate, gate)) {
      __atomic_store_n(&pool->is_awaited, true, __ATOMIC_SEQ_CST);
      while ((gate = __atomic_load_n(&pool->gate, __ATOMIC_SEQ_CST)) != 0) kz_sleep(pool, &pool->gate, gate);
      __atomic_store_n(&pool->is_awaited, false, __ATOMIC_SEQ_CST);
    }
    gate = __atomic_load_n(&pool->gate, __ATOMIC_ACQUIRE);
  }
}
