// base.h: what every other file stands on: the includes and a few macros. Comes first.

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L // clock_gettime
#endif
#ifdef __linux__
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE // madvise
#endif
#include <sys/mman.h>
#endif
#ifdef __APPLE__
#define _DARWIN_C_SOURCE // the number of processors
#endif
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// A function of the run-time text, which a program may or may not need; KZ_OUTLINE is for large ones,
// KZ_COLD for those on rare paths.
#ifdef __GNUC__
#define KZ_FN static inline __attribute__((unused))
#define KZ_COLD static __attribute__((unused, noinline, cold))
#define KZ_OUTLINE static __attribute__((unused, noinline))
#define KZ_PRINTF(text, first) __attribute__((format(printf, text, first)))
#define KZ_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define KZ_UNUSED __attribute__((unused))
#define KZ_ALIGNED __attribute__((assume_aligned(64)))
// The result of a function is a pointer to what no other pointer leads to while it is in use.
#define KZ_OWN __attribute__((malloc))
#else
#define KZ_FN static inline
#define KZ_COLD static
#define KZ_OUTLINE static
#define KZ_PRINTF(text, first)
#define KZ_UNLIKELY(x) (x)
#define KZ_UNUSED
#define KZ_ALIGNED
#define KZ_OWN
#endif

// A function of the documented API: a library defines KZ_API as nothing before this file, a program keeps them to itself.
#ifndef KZ_API
#define KZ_API KZ_FN
#endif

// The most dimensions of any array of the program.
#ifndef KZ_MAX_RANK
#define KZ_MAX_RANK 8
#endif

KZ_FN int64_t kz_microseconds(void) {
#ifdef CLOCK_MONOTONIC
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
#else
  return (int64_t)(clock() * (1000000.0 / CLOCKS_PER_SEC));
#endif
}

// All memory of the host comes through these two. Tests define KZ_FAULT as what is true when a request should fail; on a
// device everything is one for which a driver may want memory: buffers, transfers, launches, programs.
#ifndef KZ_FAULT
#define KZ_FAULT false
#endif
#ifndef KZ_TELLS_LEAKS
#define KZ_TELLS_LEAKS false
#endif
KZ_FN void *kz_malloc(size_t bytes) { return KZ_FAULT ? NULL : malloc(bytes == 0 ? 1 : bytes); }
KZ_FN void *kz_realloc(void *old, size_t bytes) { return KZ_FAULT ? NULL : realloc(old, bytes == 0 ? 1 : bytes); }

// The comparisons of scalars of one type.
#define KZ_COMPARISONS(p, T)                                                                                          \
  KZ_FN bool eq_##p(T x, T y) { return x == y; }                                                                      \
  KZ_FN bool ne_##p(T x, T y) { return x != y; }                                                                      \
  KZ_FN bool lt_##p(T x, T y) { return x < y; }                                                                       \
  KZ_FN bool le_##p(T x, T y) { return x <= y; }                                                                      \
  KZ_FN bool gt_##p(T x, T y) { return x > y; }                                                                       \
  KZ_FN bool ge_##p(T x, T y) { return x >= y; }
