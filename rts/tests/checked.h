// checked.h: included before a program that is tested (-include checked.h). Requests for memory can be made to fail, freed
// blocks are never used again, and AddressSanitizer knows where the bytes of a block end.
//
// KENAZ_FAIL_ALLOC is the number of the request that fails, KENAZ_COUNT_ALLOC makes the program say at its end how many
// there were. Someone who wants to change this while the program runs keeps a file of two int64_t, the number of requests so
// far and that of the one that fails; its name is KENAZ_ALLOC_FILE.

#define _POSIX_C_SOURCE 200809L // as in base.h, before the first include
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__ // gcc
#define KZ_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KZ_ADDRESS_SANITIZER
#endif
#endif

#define KZ_SMALLEST_CACHED INT64_MAX
#define KZ_MOST_HELPERS 0
#ifdef KZ_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#define KZ_GUARD(from, end) ASAN_POISON_MEMORY_REGION(from, (size_t)((end) - (from)))
#else
#define KZ_GUARD(from, end) ((void)(from), (void)(end))
#endif

struct kz_requests {
  int64_t made, failing;
};
static struct kz_requests kz_own_requests, *kz_requests;
static void kz_print_requests(void) { fprintf(stderr, "allocations: %lld\n", (long long)kz_requests->made); }

static void kz_begin_requests(void) {
  const char *file = getenv("KENAZ_ALLOC_FILE"), *failing = getenv("KENAZ_FAIL_ALLOC");
  kz_requests = &kz_own_requests;
  if (file != NULL) {
    int descriptor = open(file, O_RDWR);
    void *shared = mmap(NULL, sizeof *kz_requests, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (descriptor < 0 || shared == MAP_FAILED) {
      perror(file);
      exit(2);
    }
    close(descriptor);
    kz_requests = shared;
  } else if (failing != NULL) {
    kz_requests->failing = atoll(failing);
  }
  if (getenv("KENAZ_COUNT_ALLOC") != NULL) atexit(kz_print_requests);
}
static bool kz_fault(void) {
  if (kz_requests == NULL) kz_begin_requests();
  return ++kz_requests->made == kz_requests->failing;
}
#define KZ_FAULT kz_fault()

// Blocks that a call leaves behind are told of, and buffers of a device that are left at the end.
#define KZ_TELLS_LEAKS true
static int64_t kz_buffers_left;
static void kz_print_buffers(void) {
  if (kz_buffers_left != 0) fprintf(stderr, "left buffers behind: %lld\n", (long long)kz_buffers_left);
}
static inline void kz_count_buffer(int change) {
  static bool begun;
  if (!begun) atexit(kz_print_buffers);
  begun = true;
  kz_buffers_left += change;
}
#define KZ_COUNT_BUFFER(change) kz_count_buffer(change)
