// embed.h: how a process of somebody else calls a program. Needs module.h, lend.h or lend_device.h, and after these the
// program. What is here is also said in Rust, by raw.rs.

// What is set before a context begins; numbers that are 0 and pointers that are NULL are left as they are.
struct kz_wish {
  int threads, tuning_count;
  const char *device;
  const char *const *tuning_names;
  const size_t *tuning_values;
};

// Every pointer to a block that goes out is held until `release`. Blocks and errors as in module.h.
struct kz_embed {
  struct futhark_context *(*start)(const struct kz_wish *wish); // NULL without memory, perhaps with an error
  void (*stop)(struct futhark_context *ctx);
  char *(*error)(struct futhark_context *ctx);
  void (*forget)(void *error);
  int (*find)(const char *name); // the number of an entry point, or -1
  // Runs an entry point. Results that are arrays have blocks of their own, whatever the caller has lent.
  int (*call)(struct futhark_context *ctx, int entry, struct kz_part_view *outs, const struct kz_part_view *ins);
  void *(*alloc)(struct futhark_context *ctx, int64_t bytes);
  void (*release)(struct futhark_context *ctx, void *block);
  // The block itself if nobody else has a reference, or a copy instead of it; NULL without memory, and the block stays.
  void *(*unshare)(struct futhark_context *ctx, void *block, int64_t bytes);
  int (*get)(struct futhark_context *ctx, void *to, const void *block, int64_t bytes);
  int (*put)(struct futhark_context *ctx, void *block, const void *from, int64_t bytes);
  int (*copy)(struct futhark_context *ctx, void *to, const void *from, int64_t bytes); // between blocks or lent memory
  // Memory of the caller as a block: -1 if it must be copied.
  int (*lend)(const void *data);
  void (*take_back)(int place);
  // On a device, the block of a buffer of the caller, and the buffer of a block; on a CPU, NULL and the block.
  void *(*wrap)(struct futhark_context *ctx, uintptr_t buffer);
  uintptr_t (*buffer)(void *block);
  int (*sync)(struct futhark_context *ctx); // 0, or an error code
  int (*device)(struct futhark_context *ctx); // which one it is, as CUDA counts; -1 without CUDA
};

static struct futhark_context *kz_embed_start(const struct kz_wish *wish) {
  struct futhark_context_config *config = futhark_context_config_new();
  if (config == NULL) return NULL;
  int wrong = -1;
#ifdef FUTHARK_BACKEND_multicore
  futhark_context_config_set_num_threads(config, wish->threads);
#endif
#ifdef KZ_EMBED_DEVICE
  if (wish->device != NULL) futhark_context_config_set_device(config, wish->device);
#endif
  for (int i = 0; i < wish->tuning_count; i++)
    if (futhark_context_config_set_tuning_param(config, wish->tuning_names[i], wish->tuning_values[i]) != 0) wrong = i;
  struct futhark_context *ctx = futhark_context_new(config);
  if (ctx == NULL) futhark_context_config_free(config);
  else if (wrong >= 0) kz_fail(ctx, FUTHARK_PROGRAM_ERROR, NULL, "There is no tuning parameter %s.",
      wish->tuning_names[wrong]);
  return ctx;
}

static int kz_embed_find(const char *name) {
  int i = 0;
  while (kz_entries[i].name != NULL && strcmp(kz_entries[i].name, name) != 0) i++;
  return kz_entries[i].name == NULL ? -1 : i;
}

// A block as it is, or instead of memory of the caller a copy of it, which nobody holds.
static void *kz_embed_own(struct futhark_context *ctx, void *block, int64_t bytes) {
  if (block == NULL || !kz_is_lent(block)) return block;
  void *own = kz_alloc(ctx, bytes);
  if (own == NULL || kz_block_copy(ctx, own, block, bytes) != 0) return NULL;
  kz_free(ctx, block);
  return own;
}

static int kz_embed_call(struct futhark_context *ctx, int number, struct kz_part_view *outs,
    const struct kz_part_view *ins) {
  const struct kz_entry *entry = &kz_entries[number];
  free(futhark_context_get_error(ctx)); // that of an earlier call
  int in_parts = kz_parts_of(entry->inputs, entry->input_count), out_parts = kz_parts_of(entry->outputs,
      entry->output_count);
  size_t bytes = (size_t)(in_parts + out_parts) * sizeof(struct kz_slot);
  struct kz_slot *in = kz_malloc(bytes), *out;
  if (in == NULL) return kz_fail(ctx, FUTHARK_OUT_OF_MEMORY, NULL, "out of memory: cannot call %s.", entry->name);
  out = in + in_parts;
  memset(in, 0, bytes);
  for (int i = 0, at = 0; i < entry->input_count; at += entry->inputs[i++].type->part_count)
    for (int k = 0; k < entry->inputs[i].type->part_count; k++) kz_view_to_slot(&in[at + k],
        &entry->inputs[i].type->parts[k], &ins[at + k]);
  int code = kz_run_entry(ctx, entry, out, in);
  for (int i = 0, at = 0; code == 0 && i < entry->output_count; at += entry->outputs[i++].type->part_count) {
    for (int k = 0; code == 0 && k < entry->outputs[i].type->part_count; k++) {
      const struct kz_part *part = &entry->outputs[i].type->parts[k];
      if (part->rank == 0) continue;
      out[at + k].block = kz_embed_own(ctx, out[at + k].block, kz_array_bytes(part->prim, part->rank, out[at + k].shape));
      if (out[at + k].block == NULL) code = FUTHARK_OUT_OF_MEMORY;
    }
  }
  for (int i = 0, at = 0; code == 0 && i < entry->output_count; at += entry->outputs[i++].type->part_count)
    for (int k = 0; k < entry->outputs[i].type->part_count; k++) kz_slot_to_view(&outs[at + k],
        &entry->outputs[i].type->parts[k], &out[at + k]);
  free(in);
  if (code != 0) kz_unwind(ctx);
  return code;
}

static void *kz_embed_unshare(struct futhark_context *ctx, void *block, int64_t bytes) {
  if (kz_is_unshared(block)) return block;
  void *own = kz_alloc(ctx, bytes);
  if (own == NULL) return NULL;
  if (kz_block_copy(ctx, own, block, bytes) != 0) {
    kz_free(ctx, own);
    return NULL;
  }
  kz_hold(own);
  kz_release(ctx, block);
  return own;
}

#ifdef KZ_EMBED_DEVICE
static void *kz_embed_wrap(struct futhark_context *ctx, uintptr_t buffer) {
  void *block = kz_wrap(ctx, (kz_buffer)buffer);
  kz_hold(block);
  return block;
}
static uintptr_t kz_embed_buffer(void *block) { return (uintptr_t)kz_block_of(block)->buffer; }
#else
static void *kz_embed_wrap(struct futhark_context *ctx, uintptr_t buffer) {
  (void)ctx, (void)buffer;
  return NULL;
}
static uintptr_t kz_embed_buffer(void *block) { return (uintptr_t)block; }
#endif

static int kz_embed_device(struct futhark_context *ctx) {
#ifdef FUTHARK_BACKEND_cuda
  return ctx->device.id;
#else
  (void)ctx;
  return -1;
#endif
}

#ifdef __GNUC__
__attribute__((visibility("default")))
#endif
extern const struct kz_embed kz_embed;
const struct kz_embed kz_embed = {kz_embed_start, kz_module_stop, futhark_context_get_error, free, kz_embed_find,
    kz_embed_call, kz_module_alloc, kz_module_release, kz_embed_unshare, kz_get, kz_put, kz_block_copy, kz_lend,
    kz_take_back, kz_embed_wrap, kz_embed_buffer, futhark_context_sync, kz_embed_device};
