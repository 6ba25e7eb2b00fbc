
// The functions of embed.h by names of their own.

struct futhark_context *KZ_LIBRARY_start(int threads, const char *device);
void KZ_LIBRARY_stop(struct futhark_context *ctx);
char *KZ_LIBRARY_error(struct futhark_context *ctx);
void KZ_LIBRARY_forget(void *error);
int KZ_LIBRARY_find(const char *name);
int KZ_LIBRARY_call(struct futhark_context *ctx, int entry, struct kz_part_view *outs, const struct kz_part_view *ins);
void *KZ_LIBRARY_alloc(struct futhark_context *ctx, int64_t bytes);
void KZ_LIBRARY_release(struct futhark_context *ctx, void *block);
void *KZ_LIBRARY_unshare(struct futhark_context *ctx, void *block, int64_t bytes);
int KZ_LIBRARY_get(struct futhark_context *ctx, void *to, const void *block, int64_t bytes);
int KZ_LIBRARY_put(struct futhark_context *ctx, void *block, const void *from, int64_t bytes);
int KZ_LIBRARY_copy(struct futhark_context *ctx, void *to, const void *from, int64_t bytes);
int KZ_LIBRARY_lend(const void *data);
void KZ_LIBRARY_take_back(int place);

struct futhark_context *KZ_LIBRARY_start(int threads, const char *device) {
  struct kz_wish wish;
  memset(&wish, 0, sizeof wish);
  wish.threads = threads;
  wish.device = device;
  return kz_embed.start(&wish);
}
void KZ_LIBRARY_stop(struct futhark_context *ctx) { kz_embed.stop(ctx); }
char *KZ_LIBRARY_error(struct futhark_context *ctx) { return kz_embed.error(ctx); }
void KZ_LIBRARY_forget(void *error) { kz_embed.forget(error); }
int KZ_LIBRARY_find(const char *name) { return kz_embed.find(name); }
int KZ_LIBRARY_call(struct futhark_context *ctx, int entry, struct kz_part_view *outs, const struct kz_part_view *ins) {
  return kz_embed.call(ctx, entry, outs, ins);
}
void *KZ_LIBRARY_alloc(struct futhark_context *ctx, int64_t bytes) { return kz_embed.alloc(ctx, bytes); }
void KZ_LIBRARY_release(struct futhark_context *ctx, void *block) { kz_embed.release(ctx, block); }
void *KZ_LIBRARY_unshare(struct futhark_context *ctx, void *block, int64_t bytes) {
  return kz_embed.unshare(ctx, block, bytes);
}
int KZ_LIBRARY_get(struct futhark_context *ctx, void *to, const void *block, int64_t bytes) {
  return kz_embed.get(ctx, to, block, bytes);
}
int KZ_LIBRARY_put(struct futhark_context *ctx, void *block, const void *from, int64_t bytes) {
  return kz_embed.put(ctx, block, from, bytes);
}
int KZ_LIBRARY_copy(struct futhark_context *ctx, void *to, const void *from, int64_t bytes) {
  return kz_embed.copy(ctx, to, from, bytes);
}
int KZ_LIBRARY_lend(const void *data) { return kz_embed.lend(data); }
void KZ_LIBRARY_take_back(int place) { kz_embed.take_back(place); }
