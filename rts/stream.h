// stream.h: stores that bypass the caches, for results that do not fit into them: memory is then written without being
// read before, and what is in the caches stays there. Needs base.h.
//
// A result of so many bytes that kz_streams() is true is computed piece by piece in a buffer, and kz_stream() copies each
// piece; after the last, the same thread calls kz_stream_end(), before it says to others that it is done. Where the
// processor or the compiler has no such stores, kz_streams() is false and kz_stream() is memcpy().

// A vector of the widest such stores there are, and that store, to an address that is a multiple of the width.
#if defined(__GNUC__) && defined(__SSE2__)
#if defined(__AVX512F__)
#define KZ_STREAM_WIDTH 64
#define KZ_MOVNT __builtin_ia32_movntdq512
#elif defined(__AVX2__)
#define KZ_STREAM_WIDTH 32
#define KZ_MOVNT __builtin_ia32_movntdq256
#else
#define KZ_STREAM_WIDTH 16
#define KZ_MOVNT __builtin_ia32_movntdq
#endif
typedef long long kz_streamed __attribute__((vector_size(KZ_STREAM_WIDTH), may_alias));
typedef kz_streamed kz_streamed_from __attribute__((aligned(1), may_alias));
#if defined(__clang__)
#define KZ_STREAM(to, x) __builtin_nontemporal_store(x, (kz_streamed *)(void *)(to))
#else
#define KZ_STREAM(to, x) KZ_MOVNT((kz_streamed *)(void *)(to), x)
#endif
#endif

// How large the last cache is. What sysconf() says is, on some processors, that of all groups of cores together.
#ifdef KZ_STREAM_WIDTH
KZ_COLD int64_t kz_find_cache_size(void) {
  int64_t kib = 0;
#ifdef __linux__
  FILE *file = fopen("/sys/devices/system/cpu/cpu0/cache/index3/size", "r");
  if (file != NULL) {
    if (fscanf(file, "%" SCNd64 "K", &kib) != 1) kib = 0;
    fclose(file);
  }
#endif
  return kib > 0 && kib < INT64_C(1) << 32 ? kib << 10 : INT64_C(32) << 20;
}
KZ_FN int64_t kz_cache_size(void) {
  static int64_t known = 0; // several threads may find it at the same time
  int64_t size = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (KZ_UNLIKELY(size == 0)) {
    size = kz_find_cache_size();
    __atomic_store_n(&known, size, __ATOMIC_RELAXED);
  }
  return size;
}
#endif

// Whether a result of so many bytes should be streamed. Tests define KZ_STREAM_FROM as the least number.
KZ_FN bool kz_streams(int64_t bytes) {
#if !defined(KZ_STREAM_WIDTH)
  (void)bytes;
  return false;
#elif defined(KZ_STREAM_FROM)
  return bytes >= KZ_STREAM_FROM;
#else
  return bytes > 1 << 20 && bytes > kz_cache_size();
#endif
}

// Fewer than 64 bytes; compilers make of a memcpy() of so few what takes long to begin.
KZ_FN void kz_copy_part_of_line(char *to, const char *from, int64_t bytes) {
  if (bytes & 1) memcpy(to, from, 1), to += 1, from += 1;
  if (bytes & 2) memcpy(to, from, 2), to += 2, from += 2;
  if (bytes & 4) memcpy(to, from, 4), to += 4, from += 4;
  if (bytes & 8) memcpy(to, from, 8), to += 8, from += 8;
  if (bytes & 16) memcpy(to, from, 16), to += 16, from += 16;
  if (bytes & 32) memcpy(to, from, 32);
}

// Copies a piece of a result, which should be in the cache, from anywhere to anywhere. Lines of the destination that
// are only partly in the piece are written as usual, so a piece should have many lines.
KZ_FN void kz_stream(void *to, const void *from, int64_t bytes) {
#ifdef KZ_STREAM_WIDTH
  enum { W = KZ_STREAM_WIDTH };
  char *into = to;
  const char *out_of = from;
  int64_t head = (int64_t)(-(uintptr_t)into % 64);
  if (bytes >= head + 64) {
    kz_copy_part_of_line(into, out_of, head);
    into += head, out_of += head, bytes -= head;
    // Loads between the stores would slow them down.
    for (; bytes >= 4 * W; into += 4 * W, out_of += 4 * W, bytes -= 4 * W) {
      const kz_streamed_from *vectors = (const kz_streamed_from *)(const void *)out_of;
      kz_streamed x0 = vectors[0], x1 = vectors[1], x2 = vectors[2], x3 = vectors[3];
      KZ_STREAM(into, x0), KZ_STREAM(into + W, x1), KZ_STREAM(into + 2 * W, x2), KZ_STREAM(into + 3 * W, x3);
    }
    for (; bytes >= 64; into += 64, out_of += 64, bytes -= 64)
      for (int k = 0; k < 64; k += W) KZ_STREAM(into + k, *(const kz_streamed_from *)(const void *)(out_of + k));
    kz_copy_part_of_line(into, out_of, bytes);
  } else {
    memcpy(into, out_of, (size_t)bytes);
  }
#else
  memcpy(to, from, (size_t)bytes);
#endif
}

// The same for 512 bytes that are whole lines of the destination.
KZ_FN void kz_stream_lines(void *to, const void *from) {
#ifdef KZ_STREAM_WIDTH
  enum { W = KZ_STREAM_WIDTH };
  const kz_streamed_from *vectors = (const kz_streamed_from *)from;
  for (int k = 0; k < 512 / W; k++) KZ_STREAM((char *)to + k * W, vectors[k]);
#else
  memcpy(to, from, 512);
#endif
}

#define KZ_STREAM_END kz_stream_end()
// To be called by a thread after its last kz_stream(), before it says to others that it is done.
KZ_FN void kz_stream_end(void) {
#ifdef KZ_STREAM_WIDTH
  __builtin_ia32_sfence();
#endif
}
