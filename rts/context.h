// context.h: configurations, contexts and errors. Needs base.h, and opencl.h or cuda.h for a device; memory.h must follow.
//
// A program with tuning parameters defines KZ_PARAMS(X) as X("name", "class", default) for each of them. One with values
// that are computed once defines KZ_CONSTANTS as their declarations, and later the function kz_init_constants.

#ifdef KZ_MULTICORE
#define FUTHARK_BACKEND_multicore
#else
#define FUTHARK_BACKEND_c
#endif
#ifdef KZ_DEVICE
#undef FUTHARK_BACKEND_c // it is said in opencl.h or cuda.h
#endif
#define FUTHARK_SUCCESS 0
#define FUTHARK_PROGRAM_ERROR 2
#define FUTHARK_OUT_OF_MEMORY 3

#ifndef KZ_PARAMS
#define KZ_PARAMS(X)
#endif
struct kz_param {
  const char *name, *class_name;
  int64_t initial;
};
#define KZ_PARAM_ROW(name, class_name, initial) {name, class_name, initial},
static const struct kz_param kz_params[] = {KZ_PARAMS(KZ_PARAM_ROW){NULL, NULL, 0}};
#define KZ_PARAM_COUNT ((int)(sizeof kz_params / sizeof *kz_params) - 1)

#ifdef KZ_DEVICE
// Elements of at most so many bytes are read with so many around them.
enum { KZ_MOST_NEAR = 64, KZ_AHEAD = 512 };
// What the user has said about the device, where it matters; the texts are copies of our own.
struct kz_wishes {
  char *platform, *device, *build_options, *cache_file, *program, *binary_file, *dump_file;
  bool has_cache_file; // NULL is none at all
  int group_size;
  void *queue;
  struct kz_device *opened; // by the context
};
// Something that the device did, in nanoseconds.
struct kz_record {
  const char *name;
  kz_event event;
  int64_t start, end;
};
#endif

struct futhark_context_config {
  bool debugging, profiling, logging;
#ifdef KZ_MULTICORE
  int threads; // 0 is as many as usual
#endif
#ifdef KZ_DEVICE
  struct kz_wishes wishes;
#endif
  int64_t params[sizeof kz_params / sizeof *kz_params];
};

struct kz_block;
struct futhark_context {
  struct futhark_context_config *config;
  FILE *log;
  char *error; // since it was last asked for; not overwritten by what follows from it
  bool has_failed;
#ifdef KZ_MULTICORE
  int code;         // of the error
  int threads;      // for all loops, and how many of them there are in fact
  int useful_threads;
  bool is_parallel; // a loop runs on them now
  kz_lock_type lock; // for all that is not of one thread
  struct kz_pool pool;
#endif
#ifdef KZ_DEVICE
  struct kz_device device;
  bool has_device, has_error_cell, is_paused;
  char *kernel_text; // NULL until a kernel is built
  uint64_t text_key[2];
  kz_buffer error_cell; // device.h
  bool unchecked; // whether kernels have run since it was last looked at
  char ahead[KZ_AHEAD + KZ_MOST_NEAR]; // what was read of a buffer, and is still there
  kz_buffer ahead_buffer;
  int64_t ahead_from, ahead_bytes;
  struct kz_block *board;
  struct kz_record *records;
  int64_t record_count, record_room, records_done;
#endif
#ifdef KZ_CUDA
  struct kz_crew *crew; // NULL until kernels are built ahead
  int built_count;
#endif
  struct kz_block *live, *cached, *oldest_cached; // memory.h: lists, newest first
  int64_t cached_count, cached_bytes, live_bytes, peak_bytes;
#ifdef KZ_CONSTANTS
  struct { KZ_CONSTANTS } constants;
#endif
};

#ifdef KZ_CONSTANTS
static int kz_init_constants(struct futhark_context *ctx);
#endif
#ifdef KZ_DEVICE
KZ_OUTLINE int kz_device_begin(struct futhark_context *ctx);
KZ_OUTLINE void kz_device_end(struct futhark_context *ctx);
KZ_OUTLINE int kz_device_finish(struct futhark_context *ctx);
KZ_OUTLINE char *kz_device_report(struct futhark_context *ctx);
KZ_OUTLINE void kz_forget_wishes(struct futhark_context_config *config);
KZ_OUTLINE void kz_wish_cache_file(struct futhark_context_config *config, const char *file);
#endif
KZ_FN void kz_hold_all(struct futhark_context *ctx);
KZ_FN void kz_free_all(struct futhark_context *ctx);
KZ_FN void kz_shrink_cache(struct futhark_context *ctx, int64_t most_bytes);

// Sets the error, unless there is one already, and returns the code. The trace is NULL or lines of where the program was:
// "-> #0  prog.fut:1:2-3\n".
KZ_COLD KZ_PRINTF(4, 5) int kz_fail(struct futhark_context *ctx, int code, const char *trace, const char *format, ...) {
#ifdef KZ_MULTICORE
  if (!kz_set_first(&ctx->has_failed)) return code;
  ctx->code = code;
#else
  if (ctx->has_failed) return code;
  ctx->has_failed = true;
#endif
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int length = vsnprintf(NULL, 0, format, args);
  size_t room = (size_t)(length < 0 ? 0 : length) + (trace == NULL ? 0 : strlen(trace)) + 32;
  ctx->error = kz_malloc(room);
  if (ctx->error != NULL) {
    size_t at = (size_t)snprintf(ctx->error, room, "Error: ");
    if (length > 0) at += (size_t)vsnprintf(ctx->error + at, room - at, format, again);
    if (trace != NULL) snprintf(ctx->error + at, room - at, "\n\nBacktrace:\n%s", trace);
  }
  va_end(again);
  va_end(args);
  return code;
}

KZ_API struct futhark_context_config *futhark_context_config_new(void) {
  struct futhark_context_config *config = kz_malloc(sizeof *config);
  if (config == NULL) return NULL;
  memset(config, 0, sizeof *config);
  for (int i = 0; i < KZ_PARAM_COUNT; i++) config->params[i] = kz_params[i].initial;
  return config;
}
KZ_API void futhark_context_config_free(struct futhark_context_config *config) {
#ifdef KZ_DEVICE
  if (config != NULL) kz_forget_wishes(config);
#endif
  free(config);
}
KZ_API void futhark_context_config_set_debugging(struct futhark_context_config *config, int flag) {
  config->debugging = config->logging = flag != 0;
}
KZ_API void futhark_context_config_set_profiling(struct futhark_context_config *config,
    int flag) { config->profiling = flag != 0; }
KZ_API void futhark_context_config_set_logging(struct futhark_context_config *config,
    int flag) { config->logging = flag != 0; }
#ifdef KZ_MULTICORE
KZ_API void futhark_context_config_set_num_threads(struct futhark_context_config *config, int n) {
  config->threads = n < 1 ? 0 : n < KZ_MOST_THREADS ? n : KZ_MOST_THREADS;
}
#endif
// Only kernels take so long to set up that they are worth keeping in a file.
KZ_API void futhark_context_config_set_cache_file(struct futhark_context_config *config, const char *file) {
#ifdef KZ_DEVICE
  kz_wish_cache_file(config, file);
#else
  (void)config, (void)file;
#endif
}

KZ_API int futhark_get_tuning_param_count(void) { return KZ_PARAM_COUNT; }
KZ_API const char *futhark_get_tuning_param_name(int i) { return kz_params[i].name; }
KZ_API const char *futhark_get_tuning_param_class(int i) { return kz_params[i].class_name; }
KZ_FN int kz_param_index(const char *name) {
  int i = 0;
  while (i < KZ_PARAM_COUNT && strcmp(kz_params[i].name, name) != 0) i++;
  return i < KZ_PARAM_COUNT ? i : -1;
}
// Whether a parameter is of a kind: `main.few_3` is of the kind `few`.
KZ_FN bool kz_param_is(const char *name, const char *kind) {
  const char *dot = strrchr(name, '.'), *end = strrchr(name, '_');
  size_t length = strlen(kind);
  return dot != NULL && end != NULL && end - dot - 1 == (ptrdiff_t)length && strncmp(dot + 1, kind, length) == 0;
}
// A kind is the name of all of that kind, of which there may be none.
KZ_API int futhark_context_config_set_tuning_param(struct futhark_context_config *config, const char *name,
    size_t value) {
  static const char *const kinds[] = {"flat", "wide", "few", "many", "threads", "lanes", "tiles", "wide_tiles", NULL};
  int i = kz_param_index(name), kind = 0;
  if (i >= 0) {
    config->params[i] = (int64_t)value;
    return 0;
  }
  while (kinds[kind] != NULL && strcmp(kinds[kind], name) != 0) kind++;
  if (kinds[kind] == NULL) return 1;
  for (i = 0; i < KZ_PARAM_COUNT; i++) if (kz_param_is(kz_params[i].name, name)) config->params[i] = (int64_t)value;
  return 0;
}

KZ_API struct futhark_context *futhark_context_new(struct futhark_context_config *config) {
  struct futhark_context *ctx = kz_malloc(sizeof *ctx);
  if (ctx == NULL) return NULL;
  memset(ctx, 0, sizeof *ctx);
  ctx->config = config;
  ctx->log = stderr;
#ifdef KZ_MULTICORE
  ctx->threads = config->threads > 0 ? config->threads : kz_usual_threads();
  ctx->useful_threads = kz_useful_threads(ctx->threads);
  kz_lock_new(&ctx->lock);
#endif
#ifdef KZ_DEVICE
  if (kz_device_begin(ctx) != 0) return ctx;
#endif
#ifdef KZ_CONSTANTS
  if (kz_init_constants(ctx) == 0) kz_hold_all(ctx);
#endif
  return ctx;
}
// Values that the user has not freed are lost with it.
KZ_API void futhark_context_free(struct futhark_context *ctx) {
  kz_free_all(ctx);
#ifdef KZ_MULTICORE
  kz_end_threads(&ctx->pool);
  kz_lock_free(&ctx->lock);
#endif
#ifdef KZ_DEVICE
  kz_device_end(ctx);
#endif
  free(ctx->error);
  free(ctx);
}
#ifdef KZ_DEVICE
KZ_API int futhark_context_sync(struct futhark_context *ctx) { return kz_device_finish(ctx); }
#else
KZ_API int futhark_context_sync(struct futhark_context *ctx) {
  (void)ctx;
  return 0;
}
#endif
KZ_API char *futhark_context_get_error(struct futhark_context *ctx) {
  static const char unsaid[] = "Error: out of memory, even for the message";
  char *error = ctx->error;
  if (ctx->has_failed && error == NULL && (error = malloc(sizeof unsaid)) != NULL) memcpy(error, unsaid, sizeof unsaid);
  ctx->error = NULL;
  ctx->has_failed = false;
  return error;
}
KZ_API void futhark_context_set_logging_file(struct futhark_context *ctx, FILE *file) { ctx->log = file; }
#ifdef KZ_DEVICE
KZ_API void futhark_context_pause_profiling(struct futhark_context *ctx) { ctx->is_paused = true; }
KZ_API void futhark_context_unpause_profiling(struct futhark_context *ctx) { ctx->is_paused = false; }
KZ_API char *futhark_context_report(struct futhark_context *ctx) { return kz_device_report(ctx); }
#else
KZ_API void futhark_context_pause_profiling(struct futhark_context *ctx) { (void)ctx; }
KZ_API void futhark_context_unpause_profiling(struct futhark_context *ctx) { (void)ctx; }
KZ_API char *futhark_context_report(struct futhark_context *ctx) {
  static const char format[] = "{\"memory\":{\"default space\": %" PRId64 "},\"events\":[]}";
  size_t room = sizeof format + 24;
  char *report = kz_malloc(room);
  if (report != NULL) snprintf(report, room, format, ctx->peak_bytes);
  return report;
}
#endif
KZ_API int futhark_context_clear_caches(struct futhark_context *ctx) {
  kz_shrink_cache(ctx, 0);
  ctx->peak_bytes = ctx->live_bytes;
  return 0;
}
