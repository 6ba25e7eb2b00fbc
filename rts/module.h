// module.h: how the compiler calls a program that it has loaded as a shared library. Needs values.h, and the program's
// table of entry points. What is here is also said in Rust, by crates/driver/src/module.rs.

// A part of an argument or result: where its scalar is, or the block of its array, and its shape.
struct kz_part_view {
  void *at;
  int64_t *shape;
};

// Every pointer to a block that goes out is held until `release`.
struct kz_module {
  // On so many threads, or as many as usual if that is 0; NULL without memory, perhaps with an error.
  struct futhark_context *(*start)(int threads);
  void (*stop)(struct futhark_context *ctx);
  char *(*error)(struct futhark_context *ctx); // NULL if there is none; to be given to `forget`
  void (*forget)(void *error);
  void *(*alloc)(struct futhark_context *ctx, int64_t bytes);
  void (*release)(struct futhark_context *ctx, void *block);
  // Results that are scalars go to where the views point; for arrays, blocks and shapes are filled in.
  int (*call)(struct futhark_context *ctx, const char *name, struct kz_part_view *outs, const struct kz_part_view *ins);
  // Between a block and the memory of the host, which on a CPU is the same. 0, or an error code.
  int (*get)(struct futhark_context *ctx, void *to, const void *block, int64_t bytes);
  int (*put)(struct futhark_context *ctx, void *block, const void *from, int64_t bytes);
};

static struct futhark_context *kz_module_start(int threads) {
  struct futhark_context_config *config = futhark_context_config_new();
#ifdef KZ_MULTICORE
  if (config != NULL) futhark_context_config_set_num_threads(config, threads);
#else
  (void)threads;
#endif
  struct futhark_context *ctx = config == NULL ? NULL : futhark_context_new(config);
  if (ctx == NULL) futhark_context_config_free(config);
  return ctx;
}
static void kz_module_stop(struct futhark_context *ctx) {
  struct futhark_context_config *config = ctx->config;
  futhark_context_free(ctx);
  futhark_context_config_free(config);
}
static void *kz_module_alloc(struct futhark_context *ctx, int64_t bytes) {
  void *block = kz_alloc(ctx, bytes);
  kz_hold(block);
  return block;
}
static void kz_module_release(struct futhark_context *ctx, void *block) { kz_release(ctx, block); }

static void kz_view_to_slot(struct kz_slot *slot, const struct kz_part *part, const struct kz_part_view *view) {
  if (part->rank == 0) memcpy(&slot->scalar, view->at, (size_t)kz_prim_sizes[part->prim]);
  else slot->block = view->at;
  for (int k = 0; k < part->rank; k++) slot->shape[k] = view->shape[k];
}
static void kz_slot_to_view(struct kz_part_view *view, const struct kz_part *part, const struct kz_slot *slot) {
  if (part->rank == 0) memcpy(view->at, &slot->scalar, (size_t)kz_prim_sizes[part->prim]);
  else kz_hold(view->at = slot->block);
  for (int k = 0; k < part->rank; k++) view->shape[k] = slot->shape[k];
}

// A crash of the program would end the compiler with it, and without a word. So while the program runs, signals that only
// a fault of ours can raise are said to be one; there is no way back from them. Without sigaction that is not done.
#if defined(__unix__) || defined(__APPLE__)
#include <signal.h>
#include <unistd.h>
static const struct {
  int signal;
  const char *name;
} kz_crashes[] = {
    {SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"}, {SIGFPE, "SIGFPE"}, {SIGILL, "SIGILL"}, {SIGABRT, "SIGABRT"}};
enum { KZ_CRASHES = sizeof kz_crashes / sizeof *kz_crashes, KZ_EXIT_CODE_OF_FAULTS = 3 };

// Calls only what a handler of signals may call.
static void kz_say(const char *text) {
  if (write(STDERR_FILENO, text, strlen(text)) < 0) return; // there is nobody to tell
}
static void kz_crashed(int signal) {
  int i = 0;
  while (i < KZ_CRASHES - 1 && kz_crashes[i].signal != signal) i++;
  kz_say("error: internal error: the compiled program crashed (");
  kz_say(kz_crashes[i].name);
  kz_say("); `--interpret` runs it without C\n");
  _exit(KZ_EXIT_CODE_OF_FAULTS);
}
static int kz_module_run(struct futhark_context *ctx, const struct kz_entry *entry, struct kz_slot *out,
    const struct kz_slot *in) {
  struct sigaction said, before[KZ_CRASHES];
  memset(&said, 0, sizeof said);
  said.sa_handler = kz_crashed;
  said.sa_flags = SA_ONSTACK; // the program's own stack may be what is wrong
  sigemptyset(&said.sa_mask);
  for (int i = 0; i < KZ_CRASHES; i++) sigaction(kz_crashes[i].signal, &said, &before[i]);
  int code = kz_run_entry(ctx, entry, out, in);
  for (int i = 0; i < KZ_CRASHES; i++) sigaction(kz_crashes[i].signal, &before[i], NULL);
  return code;
}
#else
static int kz_module_run(struct futhark_context *ctx, const struct kz_entry *entry, struct kz_slot *out,
    const struct kz_slot *in) {
  return kz_run_entry(ctx, entry, out, in);
}
#endif

static int kz_module_call(struct futhark_context *ctx, const char *name, struct kz_part_view *outs,
    const struct kz_part_view *ins) {
  const struct kz_entry *entry = kz_entries;
  while (entry->name != NULL && strcmp(entry->name, name) != 0) entry++;
  free(futhark_context_get_error(ctx)); // that of an earlier call
  if (entry->name == NULL) return kz_fail(ctx, FUTHARK_PROGRAM_ERROR, NULL, "There is no entry point %s.", name);
  int in_parts = kz_parts_of(entry->inputs, entry->input_count);
  size_t bytes = (size_t)(in_parts + kz_parts_of(entry->outputs, entry->output_count)) * sizeof(struct kz_slot);
  struct kz_slot *in = kz_malloc(bytes), *out;
  if (in == NULL) return kz_fail(ctx, FUTHARK_OUT_OF_MEMORY, NULL, "out of memory: cannot call %s.", name);
  out = in + in_parts;
  memset(in, 0, bytes);
  for (int i = 0, at = 0; i < entry->input_count; at += entry->inputs[i++].type->part_count)
    for (int k = 0; k < entry->inputs[i].type->part_count; k++) kz_view_to_slot(&in[at + k],
        &entry->inputs[i].type->parts[k], &ins[at + k]);
  int code = kz_module_run(ctx, entry, out, in);
  for (int i = 0, at = 0; code == 0 && i < entry->output_count; at += entry->outputs[i++].type->part_count)
    for (int k = 0; k < entry->outputs[i].type->part_count; k++) kz_slot_to_view(&outs[at + k],
        &entry->outputs[i].type->parts[k], &out[at + k]);
  free(in);
  if (code != 0) kz_unwind(ctx);
  return code;
}

#ifdef __GNUC__
__attribute__((visibility("default")))
#endif
extern const struct kz_module kz_module;
const struct kz_module kz_module = {kz_module_start, kz_module_stop, futhark_context_get_error, free, kz_module_alloc,
    kz_module_release, kz_module_call, kz_get, kz_put};
