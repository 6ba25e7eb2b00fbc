// memory.h: blocks of memory. Needs context.h.
//
// A block is counted: kz_alloc and kz_share take a reference, kz_free drops one. References that values and constants hold
// (kz_hold) are counted apart, so that after a failure all others can be dropped at once (kz_unwind): code that
// fails simply returns. Freed blocks are kept for the next that want one of their size, as long as what is in use and what
// is kept together stay below what was in use at the peak.

struct kz_block {
  void *raw; // what malloc gave
  int64_t size, refs, held;
  struct kz_block *newer, *older;
};
#define KZ_HEADER 64
#define KZ_ALIGNMENT 64
enum { KZ_MOST_CACHED = 32, KZ_HUGE = 4 << 20 };
// Tests keep no freed blocks, and see to it that nothing is used from behind the bytes of a block to the end of its memory.
#ifndef KZ_SMALLEST_CACHED
#define KZ_SMALLEST_CACHED 4096
#define KZ_GUARD(from, end)
#endif

KZ_FN struct kz_block *kz_block_of(void *data) { return (struct kz_block *)(void *)((char *)data - KZ_HEADER); }
KZ_FN void *kz_data_of(struct kz_block *block) { return (char *)block + KZ_HEADER; }

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
KZ_FN void kz_shrink_cache(struct futhark_context *ctx, int64_t most_bytes) {
  while (ctx->oldest_cached != NULL && (ctx->cached_bytes > most_bytes || ctx->cached_count > KZ_MOST_CACHED)) {
    struct kz_block *block = ctx->oldest_cached;
    kz_uncache(ctx, block);
    free(block->raw);
  }
}

KZ_FN struct kz_block *kz_find_cached(struct futhark_context *ctx, int64_t size) {
  for (struct kz_block *block = ctx->cached; block != NULL; block = block->older) {
    if (block->size >= size && block->size - size <= size / 4) {
      kz_uncache(ctx, block);
      return block;
    }
  }
  return NULL;
}

KZ_FN struct kz_block *kz_new_block(int64_t size) {
  char *raw = kz_malloc((size_t)size + KZ_HEADER + KZ_ALIGNMENT - 1);
  if (raw == NULL) return NULL;
  size_t past = (uintptr_t)raw % KZ_ALIGNMENT;
  struct kz_block *block = (struct kz_block *)(void *)(raw + (past == 0 ? 0 : KZ_ALIGNMENT - past));
  block->raw = raw;
  block->size = size;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  // Only whole large pages inside the block are asked for, so this costs no memory.
  uintptr_t page = 2 << 20, first = ((uintptr_t)block + page - 1) / page * page,
      end = ((uintptr_t)raw + (uintptr_t)size) / page * page;
  if (size >= KZ_HUGE && first < end) (void)madvise((void *)first, end - first, MADV_HUGEPAGE);
#endif
  return block;
}

// A new block, aligned for vectors, with one reference; NULL, and the error set, if there is no memory.
KZ_OUTLINE KZ_ALIGNED void *kz_alloc(struct futhark_context *ctx, int64_t bytes) {
  struct kz_block *block = NULL;
  if (bytes >= 0 && bytes < INT64_MAX / 2 && (uint64_t)bytes < SIZE_MAX / 2) {
    int64_t size = (bytes + 63) / 64 * 64, peak = ctx->peak_bytes;
    if (size >= KZ_SMALLEST_CACHED && ctx->cached != NULL) {
      block = kz_find_cached(ctx, size);
      if (block == NULL && ctx->cached_bytes > peak - ctx->live_bytes - size) kz_shrink_cache(ctx,
          peak > ctx->live_bytes + size ? peak - ctx->live_bytes - size : 0);
    }
    if (block == NULL) block = kz_new_block(size);
    if (block == NULL && ctx->cached != NULL) {
      kz_shrink_cache(ctx, 0);
      block = kz_new_block(size);
    }
  }
  if (KZ_UNLIKELY(block == NULL)) {
    // A product of sizes that does not fit is the greatest number.
    kz_fail(ctx, FUTHARK_OUT_OF_MEMORY, NULL, "out of memory: cannot allocate %" PRId64 " bytes%s, with %" PRId64
        " in use.", bytes, bytes == INT64_MAX ? " or more" : "", ctx->live_bytes);
    return NULL;
  }
  KZ_GUARD((char *)kz_data_of(block) + bytes, (char *)block->raw + block->size + KZ_HEADER + KZ_ALIGNMENT - 1);
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
    free(block->raw);
    return;
  }
  kz_link(&ctx->cached, block);
  if (ctx->oldest_cached == NULL) ctx->oldest_cached = block;
  ctx->cached_count++;
  ctx->cached_bytes += block->size;
  kz_shrink_cache(ctx, ctx->peak_bytes - ctx->live_bytes);
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
  while (ctx->live != NULL) {
    struct kz_block *block = ctx->live;
    kz_unlink(&ctx->live, block);
    free(block->raw);
  }
  kz_shrink_cache(ctx, 0);
}
