// memory.h: blocks of memory. Needs context.h.
//
// A block is counted: kz_alloc and kz_share take a reference, kz_free drops one. References that values and constants
// hold (kz_hold) are counted apart, so that after a failure all others can be dropped at once (kz_unwind): code that
// fails simply returns. Freed blocks are kept for the next that want one of their size or a part of it, as long as what
// is in use and what is kept together stay below what was in use at the peak, or on a device twice that: memory from
// the system is cleared page by page, which takes as long as computing something simple. Parts of what malloc gave know
// their neighbours, are one again when they are free, and go back only as a whole.
//
// On a device, a pointer to a block is no pointer to its bytes: those are only reached with the functions that are here and
// in device.h.

struct kz_block {
#ifdef KZ_DEVICE
  kz_buffer buffer;
  bool is_foreign; // the buffer belongs to the user
#else
  void *raw;                      // what malloc gave, in the first part of it
  struct kz_block *before, *after; // other parts of it
#endif
  int64_t size, refs, held; // one that is kept has KZ_KEPT references
  struct kz_block *newer, *older;
};
// A block whose last reference was just dropped is not kept before somebody who holds the lock has said so.
#define KZ_KEPT (-1)
#define KZ_HEADER 64
#define KZ_ALIGNMENT 64
// Drivers of devices take long to make and drop even small buffers.
#ifdef KZ_DEVICE
enum { KZ_MOST_CACHED = 256, KZ_HUGE = 4 << 20, KZ_USUALLY_CACHED = 64 };
#else
enum { KZ_MOST_CACHED = 32, KZ_HUGE = 4 << 20, KZ_USUALLY_CACHED = 4096 };
#endif
// Tests keep no freed blocks, and see to it that nothing is used from behind the bytes of a block to the end of its memory.
#ifndef KZ_SMALLEST_CACHED
#define KZ_SMALLEST_CACHED KZ_USUALLY_CACHED
// What a thread keeps for itself, see parallel.h.
#define KZ_STASHED 4
#define KZ_STASHED_BYTES (1 << 20)
#define KZ_GUARD(from, end)
#endif

#ifdef KZ_DEVICE
KZ_FN struct kz_block *kz_block_of(void *data) { return (struct kz_block *)data; }
KZ_FN void *kz_data_of(struct kz_block *block) { return block; }
KZ_FN void kz_drop_block(struct futhark_context *ctx, struct kz_block *block) {
  if (!block->is_foreign) kz_buffer_free(&ctx->device, block->buffer);
  free(block);
}
KZ_FN bool kz_is_whole(struct kz_block *block) { return block != NULL; }
#else
KZ_FN struct kz_block *kz_block_of(void *data) { return (struct kz_block *)(void *)((char *)data - KZ_HEADER); }
KZ_FN void *kz_data_of(struct kz_block *block) { return (char *)block + KZ_HEADER; }
KZ_FN void kz_drop_block(struct futhark_context *ctx, struct kz_block *block) {
  (void)ctx;
  free(block->raw);
}
KZ_FN bool kz_is_whole(struct kz_block *block) { return block->before == NULL && block->after == NULL; }
#endif

// Puts the block at the newest end of the list, which is oldest..newest.
KZ_FN void kz_link(struct kz_block **newest, struct kz_block *block) {
  block->newer = NULL;
  block->older = *newest;
  if (*newest != NULL) (*newest)->newer = block;
  *newest = block;
}
KZ_FN void kz_unlink(struct kz_block **newest, struct kz_block *block) {
  if (block->newer != NULL) block->newer->older = block->older;
  else *newest = block->older;
  if (block->older != NULL) block->older->newer = block->newer;
}

KZ_FN void kz_uncache(struct futhark_context *ctx, struct kz_block *block) {
  if (ctx->oldest_cached == block) ctx->oldest_cached = block->newer;
  kz_unlink(&ctx->cached, block);
  ctx->cached_count--;
  ctx->cached_bytes -= block->size;
}
KZ_FN void kz_cache(struct futhark_context *ctx, struct kz_block *block) {
  block->refs = KZ_KEPT;
  kz_link(&ctx->cached, block);
  if (ctx->oldest_cached == NULL) ctx->oldest_cached = block;
  ctx->cached_count++;
  ctx->cached_bytes += block->size;
}
// What is in use and what is kept may come to so many peaks and bytes. Drivers of devices take longer to make a buffer than
// many a kernel runs, and no part of one can be used alone: so one is kept of each size that a program needs in turn.
#ifdef KZ_DEVICE
enum { KZ_PEAKS_KEPT = 2, KZ_ALWAYS_KEPT = 16 << 20 };
#else
enum { KZ_PEAKS_KEPT = 1, KZ_ALWAYS_KEPT = 0 };
#endif
KZ_FN void kz_shrink_cache(struct futhark_context *ctx, int64_t most_bytes) {
  for (struct kz_block *block = ctx->oldest_cached, *newer; block != NULL; block = newer) {
    newer = block->newer;
    if (ctx->cached_bytes <= most_bytes && ctx->cached_count <= KZ_MOST_CACHED) return;
    if (!kz_is_whole(block)) continue;
    kz_uncache(ctx, block);
    kz_drop_block(ctx, block);
  }
}

#ifdef KZ_DEVICE
KZ_FN struct kz_block *kz_take_part(struct futhark_context *ctx, struct kz_block *block, int64_t size) {
  (void)ctx, (void)block, (void)size;
  return NULL;
}
KZ_FN struct kz_block *kz_join_parts(struct futhark_context *ctx, struct kz_block *block) {
  (void)ctx;
  return block;
}
#else
// The beginning of a block that is kept; its rest stays kept.
KZ_FN struct kz_block *kz_take_part(struct futhark_context *ctx, struct kz_block *block, int64_t size) {
  kz_uncache(ctx, block);
  if (block->size - size - KZ_HEADER < KZ_SMALLEST_CACHED) return block;
  struct kz_block *rest = (struct kz_block *)(void *)((char *)kz_data_of(block) + size);
  rest->raw = NULL;
  rest->before = block;
  rest->after = block->after;
  if (rest->after != NULL) rest->after->before = rest;
  block->after = rest;
  rest->size = block->size - size - KZ_HEADER;
  rest->held = 0;
  block->size = size;
  kz_cache(ctx, rest);
  return block;
}
// The first takes what comes after it.
KZ_FN void kz_absorb(struct kz_block *block, struct kz_block *next) {
  block->size += KZ_HEADER + next->size;
  block->after = next->after;
  if (block->after != NULL) block->after->before = block;
}
// A block that is no longer used, together with the free ones beside it.
KZ_FN struct kz_block *kz_join_parts(struct futhark_context *ctx, struct kz_block *block) {
  struct kz_block *before = block->before, *after = block->after;
  if (after != NULL && after->refs == KZ_KEPT) {
    kz_uncache(ctx, after);
    kz_absorb(block, after);
  }
  if (before == NULL || before->refs != KZ_KEPT) return block;
  kz_uncache(ctx, before);
  kz_absorb(before, block);
  return before;
}
#endif

// The newest of about this size, or a part of the smallest that is larger. A small part of a large block is not worth
// keeping the rest from those who want all of it.
KZ_FN struct kz_block *kz_find_cached(struct futhark_context *ctx, int64_t size) {
  struct kz_block *larger = NULL;
  for (struct kz_block *block = ctx->cached; block != NULL; block = block->older) {
    if (block->size < size) continue;
    if (block->size - size <= size / 4) {
      kz_uncache(ctx, block);
      return block;
    }
    if (block->size / 8 <= size && (larger == NULL || block->size < larger->size)) larger = block;
  }
  return larger == NULL ? NULL : kz_take_part(ctx, larger, size);
}

// Only whole large pages between the two addresses are asked for, so this costs no memory.
KZ_FN void kz_want_large_pages(uintptr_t from, uintptr_t to) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  uintptr_t page = 2 << 20, first = (from + page - 1) / page * page, end = to / page * page;
  if (first < end) (void)madvise((void *)first, end - first, MADV_HUGEPAGE);
#else
  (void)from, (void)to;
#endif
}

#ifdef KZ_DEVICE
KZ_FN struct kz_block *kz_new_block(struct futhark_context *ctx, int64_t size) {
  struct kz_block *block = kz_malloc(sizeof *block);
  if (block == NULL) return NULL;
  block->size = size;
  block->is_foreign = false;
  // Whole words, since kernels update elements that are smaller by way of these.
  int64_t rounded = size > INT64_MAX - 3 ? size : size == 0 ? 4 : (size + 3) / 4 * 4;
  if (kz_buffer_new(&ctx->device, rounded, &block->buffer) == 0) return block;
  free(block);
  return NULL;
}
#else
KZ_FN struct kz_block *kz_new_block(struct futhark_context *ctx, int64_t size) {
  (void)ctx;
  char *raw = kz_malloc((size_t)size + KZ_HEADER + KZ_ALIGNMENT - 1);
  if (raw == NULL) return NULL;
  size_t past = (uintptr_t)raw % KZ_ALIGNMENT;
  struct kz_block *block = (struct kz_block *)(void *)(raw + (past == 0 ? 0 : KZ_ALIGNMENT - past));
  block->raw = raw;
  block->before = block->after = NULL;
  block->size = size;
  if (size >= KZ_HUGE) kz_want_large_pages((uintptr_t)block, (uintptr_t)raw + (uintptr_t)size);
  return block;
}
#endif


// A new block, aligned for vectors, with one reference; NULL, and the error set, if there is no memory.
#ifdef KZ_DEVICE
KZ_OUTLINE void *kz_alloc(struct futhark_context *ctx, int64_t bytes) {
#else
KZ_OUTLINE KZ_ALIGNED void *kz_alloc(struct futhark_context *ctx, int64_t bytes) {
#endif
  struct kz_block *block = NULL;
  if (bytes >= 0 && bytes < INT64_MAX / 2 && (uint64_t)bytes < SIZE_MAX / 2) {
    // A little more than the peak, so that nothing large is dropped for the sake of something small.
    int64_t size = (bytes + 63) / 64 * 64, peak = KZ_PEAKS_KEPT * ctx->peak_bytes + KZ_ALWAYS_KEPT + ctx->peak_bytes / 8;
    if (size >= KZ_SMALLEST_CACHED && ctx->cached != NULL) {
      block = kz_find_cached(ctx, size);
      if (block == NULL && ctx->cached_bytes > peak - ctx->live_bytes - size) kz_shrink_cache(ctx,
          peak > ctx->live_bytes + size ? peak - ctx->live_bytes - size : 0);
    }
    if (block == NULL) block = kz_new_block(ctx, size);
    if (block == NULL && ctx->cached != NULL) {
      kz_shrink_cache(ctx, 0);
      block = kz_new_block(ctx, size);
    }
  }
  if (KZ_UNLIKELY(block == NULL)) {
    // A product of sizes that does not fit is the greatest number.
    kz_fail(ctx, FUTHARK_OUT_OF_MEMORY, NULL, "out of memory: cannot allocate %" PRId64 " bytes%s, with %" PRId64
        " in use.", bytes, bytes == INT64_MAX ? " or more" : "", ctx->live_bytes);
    return NULL;
  }
#ifdef KZ_DEVICE
#else
  KZ_GUARD((char *)kz_data_of(block) + bytes, (char *)block->raw + block->size + KZ_HEADER + KZ_ALIGNMENT - 1);
#endif
  block->refs = 1;
  block->held = 0;
  kz_link(&ctx->live, block);
  ctx->live_bytes += block->size;
  if (ctx->live_bytes > ctx->peak_bytes) ctx->peak_bytes = ctx->live_bytes;
  return kz_data_of(block);
}

KZ_OUTLINE void kz_dispose(struct futhark_context *ctx, struct kz_block *block) {
  kz_unlink(&ctx->live, block);
  ctx->live_bytes -= block->size;
  if (block->size < KZ_SMALLEST_CACHED) {
    kz_drop_block(ctx, block);
    return;
  }
  kz_cache(ctx, kz_join_parts(ctx, block));
  kz_shrink_cache(ctx, KZ_PEAKS_KEPT * ctx->peak_bytes + KZ_ALWAYS_KEPT - ctx->live_bytes);
}

KZ_FN void *kz_share(void *data) {
  if (data != NULL) kz_block_of(data)->refs++;
  return data;
}
KZ_FN void kz_free(struct futhark_context *ctx, void *data) {
  if (data != NULL && --kz_block_of(data)->refs == 0) kz_dispose(ctx, kz_block_of(data));
}
// Whether nobody else has a reference.
KZ_FN bool kz_is_unshared(void *data) { return data != NULL && kz_block_of(data)->refs == 1; }

// A reference becomes one that a value holds; kz_release drops such a one.
KZ_FN void kz_hold(void *data) {
  if (data != NULL) kz_block_of(data)->held++;
}
KZ_FN void kz_release(struct futhark_context *ctx, void *data) {
  if (data != NULL) kz_block_of(data)->held--;
  kz_free(ctx, data);
}
KZ_FN void kz_hold_all(struct futhark_context *ctx) {
  for (struct kz_block *block = ctx->live; block != NULL; block = block->older) block->held = block->refs;
}

// Drops every reference that no value holds. Returns how many there were.
KZ_COLD int64_t kz_unwind(struct futhark_context *ctx) {
  int64_t dropped = 0;
  for (struct kz_block *block = ctx->live, *older; block != NULL; block = older) {
    older = block->older;
    dropped += block->refs - block->held;
    block->refs = block->held;
    if (block->refs == 0) kz_dispose(ctx, block);
  }
  return dropped;
}

KZ_FN void kz_free_all(struct futhark_context *ctx) {
  while (ctx->live != NULL) kz_dispose(ctx, ctx->live);
  kz_shrink_cache(ctx, 0);
}

// Bytes between blocks and the memory of the host, from an offset on, and between blocks; 0, or an error code after kz_fail.
#ifdef KZ_DEVICE
KZ_OUTLINE int kz_read(struct futhark_context *ctx, void *to, const void *block, int64_t offset, int64_t bytes);
KZ_OUTLINE int kz_write(struct futhark_context *ctx, void *block, int64_t offset, const void *from, int64_t bytes);
KZ_OUTLINE int kz_copy_bytes(struct futhark_context *ctx, void *to, int64_t to_offset, const void *from,
    int64_t from_offset, int64_t bytes);
#else
KZ_FN int kz_read(struct futhark_context *ctx, void *to, const void *block, int64_t offset, int64_t bytes) {
  (void)ctx;
  if (bytes > 0) memcpy(to, (const char *)block + offset, (size_t)bytes);
  return 0;
}
KZ_FN int kz_write(struct futhark_context *ctx, void *block, int64_t offset, const void *from, int64_t bytes) {
  (void)ctx;
  if (bytes > 0) memcpy((char *)block + offset, from, (size_t)bytes);
  return 0;
}
KZ_FN int kz_copy_bytes(struct futhark_context *ctx, void *to, int64_t to_offset, const void *from,
    int64_t from_offset, int64_t bytes) {
  (void)ctx;
  if (bytes > 0) memcpy((char *)to + to_offset, (const char *)from + from_offset, (size_t)bytes);
  return 0;
}
#endif
KZ_FN int kz_get(struct futhark_context *ctx, void *to, const void *block, int64_t bytes) {
  return kz_read(ctx, to, block, 0, bytes);
}
KZ_FN int kz_put(struct futhark_context *ctx, void *block, const void *from, int64_t bytes) {
  return kz_write(ctx, block, 0, from, bytes);
}
KZ_FN int kz_block_copy(struct futhark_context *ctx, void *to, const void *from, int64_t bytes) {
  return kz_copy_bytes(ctx, to, 0, from, 0, bytes);
}

// The first bytes of a block in the memory of the host, to be read until kz_view_end; NULL, and the error set, if there is
// no memory. And memory of the host that is to become a block of so many bytes, or to be dropped: a draft. On a CPU both are the
// block itself.
#ifdef KZ_DEVICE
KZ_FN const void *kz_view(struct futhark_context *ctx, const void *block, int64_t bytes) {
  void *view = kz_malloc((size_t)bytes);
  if (view == NULL) kz_fail(ctx, FUTHARK_OUT_OF_MEMORY, NULL, "out of memory: cannot allocate %" PRId64
      " bytes on the host.", bytes);
  if (view == NULL || kz_get(ctx, view, block, bytes) == 0) return view;
  free(view);
  return NULL;
}
KZ_FN void kz_view_end(const void *view) { free((void *)(uintptr_t)view); }
KZ_FN void *kz_draft(struct futhark_context *ctx, int64_t bytes) {
  (void)ctx;
  return kz_malloc((size_t)bytes);
}
KZ_FN void kz_draft_drop(struct futhark_context *ctx, void *draft) {
  (void)ctx;
  free(draft);
}
KZ_FN void *kz_draft_block(struct futhark_context *ctx, void *draft, int64_t bytes) {
  void *block = kz_alloc(ctx, bytes);
  if (block != NULL && kz_put(ctx, block, draft, bytes) != 0) {
    kz_free(ctx, block);
    block = NULL;
  }
  free(draft);
  return block;
}
#else
KZ_FN const void *kz_view(struct futhark_context *ctx, const void *block, int64_t bytes) {
  (void)ctx, (void)bytes;
  return block;
}
KZ_FN void kz_view_end(const void *view) { (void)view; }
KZ_FN void *kz_draft(struct futhark_context *ctx, int64_t bytes) { return kz_alloc(ctx, bytes); }
KZ_FN void kz_draft_drop(struct futhark_context *ctx, void *draft) { kz_free(ctx, draft); }
KZ_FN void *kz_draft_block(struct futhark_context *ctx, void *draft, int64_t bytes) {
  (void)ctx, (void)bytes;
  return draft;
}
#endif
