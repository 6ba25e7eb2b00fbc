// copies.h: copies on several threads. Needs copy.h and parallel.h.

struct kz_split_copy {
  int size, dimension; // the dimension that is split among the threads, so many elements at a time
  int64_t unit;
  struct kz_copying c;
  char *to;
  const char *from;
};
KZ_FN int kz_run_copy(struct futhark_context *ctx, const void *with, int64_t chunk, int64_t start, int64_t len,
    int64_t worker) {
  (void)worker;
  const struct kz_split_copy *all = with;
  struct kz_copying c = all->c;
  int k = all->dimension;
  int64_t first = start * all->unit, left = c.shape[k] - first;
  (void)ctx, (void)chunk;
  c.shape[k] = len * all->unit < left ? len * all->unit : left;
  kz_copy_all(all->size, &c, all->to + first * c.to[k], all->from + first * c.from[k]);
  return 0;
}

// Splits the outermost dimension of which each thread gets a good part, or else the longest: of two that are transposed,
// rather the rows of the source, which are read to their ends. No two threads write to the same line if that can be had.
KZ_FN int64_t kz_split_copying(struct futhark_context *ctx, struct kz_split_copy *all) {
  struct kz_copying *c = &all->c;
  int64_t most = 0;
  for (int i = 0; i < c->rank; i++) {
    int k = c->is_transposed && i >= c->rank - 2 ? 2 * c->rank - 3 - i : i;
    int64_t unit = llabs(c->to[k]) >= KZ_LINE ? 1 : KZ_LINE / llabs(c->to[k]);
    if (c->is_transposed && k == c->rank - 2) unit = KZ_LINE / all->size; // whole squares
    int64_t units = (c->shape[k] + unit - 1) / unit;
    if (units > most) all->dimension = k, all->unit = unit, most = units;
    if (units >= 4 * ctx->threads) break;
  }
  return most;
}

// kz_copy(), on all threads if that pays. What may overlap is left to one.
KZ_OUTLINE void kz_copy_on_threads(struct futhark_context *ctx, int size, int rank, const int64_t *shape, void *to,
    const int64_t *to_steps, const void *from, const int64_t *from_steps) {
  struct kz_split_copy all = {.size = size, .to = to, .from = from};
  if (!kz_copy_plan(&all.c, size, rank, shape, to, to_steps, from, from_steps)) return;
  int64_t units = ctx->is_parallel || all.c.overlaps ? 1 : kz_split_copying(ctx, &all), chunks = 1;
  if (units > 1) {
    // Contiguous elements are copied in vectors, others one by one or almost so.
    bool is_contiguous = all.c.to[all.c.rank - 1] == size && all.c.from[all.c.rank - 1] == size;
    chunks = kz_chunks(ctx, units, all.c.bytes / units / (is_contiguous ? 4 : size), false);
  }
  if (chunks > 1) (kz_parallel)(ctx, kz_run_copy, &all, units, chunks);
  else kz_copy_all(size, &all.c, to, from);
}

// memcpy(), likewise.
KZ_FN void kz_memcpy_on_threads(struct futhark_context *ctx, void *to, const void *from, size_t bytes) {
  if (bytes < 1 << 16 || ctx->is_parallel) {
    memcpy(to, from, bytes);
  } else {
    const int64_t count = (int64_t)bytes, step = 1;
    kz_copy_on_threads(ctx, 1, 1, &count, to, &step, from, &step);
  }
}
