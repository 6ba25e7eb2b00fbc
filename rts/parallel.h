// parallel.h: loops in chunks, on several threads. Needs memory.h, and print.h if the program prints anything; stands right
// before the program, since it changes what the program means by some functions of other files.

// A loop gets a chunk for each so many operations that there are to do; in vectors they take two microseconds, as long as it
// takes to begin and end a loop on two threads that are awake. On 16 threads that takes twice as long, so that a loop
// must be worth a quarter of it more for each of the threads. Tests use 1.
#ifndef KZ_GRAIN
#define KZ_GRAIN INT64_C(131072)
#endif
// How many chunks there are for each thread where iterations differ in what they cost.
enum { KZ_UNEVEN_CHUNKS = 8 };

// Where no loop runs there is nobody to wait for.
KZ_FN void kz_lock(struct futhark_context *ctx) {
  if (ctx->is_parallel) kz_lock_take(&ctx->lock);
}
KZ_FN void kz_unlock(struct futhark_context *ctx) {
  if (ctx->is_parallel) kz_lock_leave(&ctx->lock);
}

// Iterations that allocate and free want the same sizes again and again, and would wait for each other. So as long as a
// thread runs chunks, it keeps a few of the blocks that it frees, which are still in use as far as all others know.
struct kz_stash {
  bool is_open;
  int count;
#ifdef KZ_STASHED
  struct kz_block *blocks[KZ_STASHED];
#endif
};
static __thread struct kz_stash kz_stash;
#ifdef KZ_STASHED
// A block of about this size, with one reference, or NULL.
KZ_FN void *kz_stash_take(int64_t bytes) {
  for (int i = kz_stash.count - 1; i >= 0; i--) {
    struct kz_block *block = kz_stash.blocks[i];
    if (bytes < 0 || block->size < bytes || block->size - bytes > bytes / 4 + 63) continue;
    kz_stash.blocks[i] = kz_stash.blocks[--kz_stash.count];
    return kz_data_of(block);
  }
  return NULL;
}
// Whether the block, which has no references any more, is kept.
KZ_FN bool kz_stash_put(struct kz_block *block) {
  if (!kz_stash.is_open || kz_stash.count == KZ_STASHED || block->size > KZ_STASHED_BYTES) return false;
  block->refs = 1;
  kz_stash.blocks[kz_stash.count++] = block;
  return true;
}
KZ_FN void kz_stash_drop(struct futhark_context *ctx) {
  if (kz_stash.count == 0) return;
  kz_lock(ctx);
  while (kz_stash.count > 0) kz_dispose(ctx, kz_stash.blocks[--kz_stash.count]);
  kz_unlock(ctx);
}
#else
KZ_FN void *kz_stash_take(int64_t bytes) {
  (void)bytes;
  return NULL;
}
KZ_FN bool kz_stash_put(struct kz_block *block) {
  (void)block;
  return false;
}
KZ_FN void kz_stash_drop(struct futhark_context *ctx) { (void)ctx; }
#endif
// A loop in a chunk of another leaves the blocks for the rest of it.
KZ_FN bool kz_stash_begin(void) {
  bool was_open = kz_stash.is_open;
  kz_stash.is_open = true;
  return was_open;
}
KZ_FN void kz_stash_end(struct futhark_context *ctx, bool was_open) {
  kz_stash.is_open = was_open;
  if (!was_open) kz_stash_drop(ctx);
}

// In how many chunks a loop should run, given what an iteration costs in operations; a negative number is more than that
// can be. Neither time nor what other programs do matter, so that a loop always has the same chunks. In a chunk
// of another loop it is 1, since that loop has all threads.
KZ_FN int64_t kz_chunks(struct futhark_context *ctx, int64_t iterations, int64_t work, bool uneven) {
  if (iterations <= 1 || ctx->threads == 1 || ctx->is_parallel) return 1;
  int64_t most = ctx->threads * (uneven ? KZ_UNEVEN_CHUNKS : INT64_C(1));
  if (work == 0) work = 1;
  int64_t total = work < 0 || work > INT64_MAX / iterations ? INT64_MAX : work * iterations;
  int64_t chunks = total / KZ_GRAIN;
  if (total < 2 * KZ_GRAIN + ctx->threads * (KZ_GRAIN / 4)) return 1;
  if (chunks > most) chunks = most;
  if (chunks > iterations) chunks = iterations;
  return chunks;
}

// How many workers run a loop that begins here. Each has a number below that, and what it has at its number in a block
// is used by nobody else as long as it runs a chunk. In a chunk of another loop there is only the one that runs it.
KZ_FN int64_t kz_workers(const struct futhark_context *ctx) { return ctx->is_parallel ? 1 : ctx->useful_threads; }
// The part of a block from a cache line on. It is a call, since a C compiler would forget who owns it otherwise.
KZ_OUTLINE KZ_ALIGNED KZ_OWN void *kz_slot(void *block, int64_t offset) { return (char *)block + offset; }

// What runs the iterations of a chunk, which are `len` from `start`, on one of the workers; an error code after kz_fail.
typedef int kz_run_type(struct futhark_context *ctx, const void *env, int64_t chunk, int64_t start, int64_t len,
    int64_t worker);
// The chunks that a thread begins with, and how many of them have been taken, by it or by others that have done theirs.
struct kz_share_of_loop {
  int64_t first, count, taken, padding[5]; // to the end of a cache line
};
struct kz_loop {
  struct futhark_context *ctx;
  kz_run_type *run;
  const void *env;
  int64_t iterations, chunks;
  int shares;
  struct kz_share_of_loop *share;
};

// Whether a chunk of the loop has failed, so that the others need not go on.
KZ_FN bool kz_has_stopped(struct futhark_context *ctx) { return kz_is_set(&ctx->has_failed); }

// What a thread does before it takes the chunks of another. Tests wait for that one.
#ifndef KZ_BEFORE_OTHERS
#define KZ_BEFORE_OTHERS(loop, share) (void)0
#endif
#ifndef KZ_STREAM_END
#define KZ_STREAM_END (void)0
#endif
// The first chunks have an iteration more if the iterations cannot be split evenly.
KZ_FN int kz_run_chunk(const struct kz_loop *loop, int64_t chunk, int64_t worker) {
  int64_t len = loop->iterations / loop->chunks, longer = loop->iterations % loop->chunks;
  int64_t start = len * chunk + (chunk < longer ? chunk : longer);
  int code = loop->run(loop->ctx, loop->env, chunk, start, len + (chunk < longer ? 1 : 0), worker);
  KZ_STREAM_END;
  return code;
}
// Every thread begins with the chunks of its own number, so that it finds in its cache what it had in the loop before; then it
// takes what others have left.
KZ_OUTLINE void kz_run_chunks(void *with, int thread) {
  struct kz_loop *loop = with;
  bool was_open = kz_stash_begin(), has_stopped = false;
  for (int i = 0; i < loop->shares && !has_stopped; i++) {
    struct kz_share_of_loop *share = &loop->share[(thread + i) % loop->shares];
    if (i > 0) KZ_BEFORE_OTHERS(loop, share);
    while (!has_stopped && kz_atomic_read(&share->taken) < share->count) {
      int64_t chunk = kz_atomic_add(&share->taken, 1) - 1;
      if (chunk >= share->count) break;
      has_stopped = kz_has_stopped(loop->ctx) || kz_run_chunk(loop, share->first + chunk, thread) != 0;
    }
  }
  kz_stash_end(loop->ctx, was_open);
}
// Runs a loop; 0, or the code of the error that is set. (The parentheses are for tests/counted.h.)
KZ_OUTLINE int(kz_parallel)(struct futhark_context *ctx, kz_run_type *run, const void *env, int64_t iterations,
    int64_t chunks) {
  if (chunks == 1) {
    bool was_open = kz_stash_begin();
    int code = run(ctx, env, 0, 0, iterations, 0);
    kz_stash_end(ctx, was_open);
    return code;
  }
  struct kz_loop loop = {ctx, run, env, iterations, chunks, 0, NULL};
  if (ctx->is_parallel) {
    int code = 0;
    for (int64_t chunk = 0; chunk < chunks && code == 0; chunk++) code = kz_run_chunk(&loop, chunk, 0);
    return code;
  }
  loop.shares = chunks < ctx->useful_threads ? (int)chunks : ctx->useful_threads;
  struct kz_share_of_loop shares[loop.shares];
  loop.share = shares;
  for (int i = 0; i < loop.shares; i++) {
    shares[i].first = chunks / loop.shares * i + (chunks % loop.shares < i ? chunks % loop.shares : i);
    shares[i].count = chunks / loop.shares + (i < chunks % loop.shares ? 1 : 0), shares[i].taken = 0;
  }
  ctx->is_parallel = true;
  kz_on_threads(&ctx->pool, ctx->useful_threads, loop.shares, kz_run_chunks, &loop);
  ctx->is_parallel = false;
  return ctx->has_failed ? ctx->code : 0;
}

// From here on, chunks may allocate, share and free blocks and print at the same time.
KZ_FN KZ_ALIGNED void *kz_alloc_locked(struct futhark_context *ctx, int64_t bytes) {
  void *data = kz_stash_take(bytes);
  if (data != NULL) return data;
  kz_lock(ctx);
  data = kz_alloc(ctx, bytes);
  kz_unlock(ctx);
  return data;
}
KZ_FN void *kz_share_atomic(void *data) {
  if (data != NULL) kz_atomic_add(&kz_block_of(data)->refs, 1);
  return data;
}
KZ_FN void kz_free_locked(struct futhark_context *ctx, void *data) {
  if (data == NULL || kz_atomic_add(&kz_block_of(data)->refs, -1) > 0 || kz_stash_put(kz_block_of(data))) return;
  kz_lock(ctx);
  kz_dispose(ctx, kz_block_of(data));
  kz_unlock(ctx);
}
#define kz_alloc kz_alloc_locked
#define kz_share kz_share_atomic
#define kz_free kz_free_locked
#define kz_trace(ctx, ...) (kz_lock(ctx), kz_trace(ctx, __VA_ARGS__), kz_unlock(ctx))
