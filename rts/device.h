// device.h: what a program for a device does with it: kernels, their errors and binaries, copies, profiles, and what the user may
// choose. Needs memory.h, and opencl.h or cuda.h.
//
// The program defines three functions: kz_kernel_texts gives the pieces of the text of its kernels, kernel.h first, ended by
// NULL, in which what only one kernel needs stands under `#if !defined(KZ_ONE) || defined(KZ_ONE_name)`;
// kz_kernel_list gives their names, ended by NULL, whose order is that of their numbers; and kz_kernel_failed sets
// the error of the check with this id, which had these values, and returns the code.

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

static const char *const *kz_kernel_texts(void);
static const char *const *kz_kernel_list(void);
static int kz_kernel_failed(struct futhark_context *ctx, int id, const int64_t *values);
#ifdef KZ_CUDA
// Whether a kernel is compiled for numbers of 32 bits where they are enough.
KZ_FN bool kz_kernel_is_narrow(int kernel);
#endif

// The code of errors that are neither the program's nor for want of memory.
enum { KZ_DEVICE_ERROR = 1 };
// The most threads of a loop whose results are combined one by one; and those of any.
enum { KZ_SHARED_SPARE = 8192, KZ_MOST_LANES = 256, KZ_WARP = 32, KZ_MOST_ORDERED = 8192, KZ_MOST_WORKERS = 65536, KZ_MOST_CPU_WORKERS = 1024 };
// The cell that kernels store errors in: the id of a check, and from the ninth byte on its values. Behind them is where they
// write a copy of it, if that is not 0.
enum { KZ_ERROR_VALUES = 15 };
struct kz_error_cell {
  int32_t id, padding;
  int64_t values[KZ_ERROR_VALUES];
  kz_buffer copy;
};

// An argument of a kernel: size and address of a scalar, or 0 and a block. The size of an i64 is KZ_INTEGER.
enum { KZ_INTEGER = 64 };
struct kz_arg {
  size_t size;
  const void *value;
};

KZ_COLD int kz_device_fail(struct futhark_context *ctx, const char *what, int code) {
  if (kz_device_is_full(code)) return kz_fail(ctx, FUTHARK_OUT_OF_MEMORY, NULL,
      "out of memory: the device cannot %s, with %" PRId64 " bytes in use.", what, ctx->live_bytes);
  return kz_fail(ctx, KZ_DEVICE_ERROR, NULL, "the device cannot %s: %s (code %d).", what, kz_device_message(code), code);
}

// Profiles.

// How many events wait for their times to be asked for.
enum { KZ_MOST_EVENTS = 1024 };
KZ_FN void kz_settle_records(struct futhark_context *ctx) {
  for (; ctx->records_done < ctx->record_count; ctx->records_done++) {
    struct kz_record *record = &ctx->records[ctx->records_done];
    kz_event_end(&ctx->device, record->event, &record->start, &record->end);
  }
}
// Where the event of what comes next goes; NULL if nobody wants to know.
KZ_FN kz_event *kz_event_wanted(struct futhark_context *ctx) {
  if (!ctx->config->profiling || ctx->is_paused) return NULL;
  if (ctx->record_count - ctx->records_done >= KZ_MOST_EVENTS) kz_settle_records(ctx);
  if (ctx->record_count == ctx->record_room) {
    int64_t room = ctx->record_room == 0 ? 256 : 2 * ctx->record_room;
    struct kz_record *records = kz_realloc(ctx->records, (size_t)room * sizeof *records);
    if (records == NULL) return NULL;
    ctx->records = records;
    ctx->record_room = room;
  }
  return &ctx->records[ctx->record_count].event;
}
KZ_FN void kz_record(struct futhark_context *ctx, const kz_event *event, int code, const char *name) {
  if (event != NULL && code == 0) ctx->records[ctx->record_count++].name = name;
}
KZ_OUTLINE char *kz_device_report(struct futhark_context *ctx) {
  static const char begin[] = "{\"memory\":{\"device space\": %" PRId64 "},\"events\":[";
  static const char row[] = "%s{\"name\":\"%s\",\"start\":%" PRId64 ",\"end\":%" PRId64 ",\"duration\":%" PRId64
      ".%03d,\"description\":\"\"}";
  kz_settle_records(ctx);
  size_t room = sizeof begin + 24;
  for (int64_t i = 0; i < ctx->record_count; i++) room += sizeof row + 96 + strlen(ctx->records[i].name);
  char *report = kz_malloc(room);
  if (report == NULL) return NULL;
  size_t at = (size_t)snprintf(report, room, begin, ctx->peak_bytes);
  for (int64_t i = 0; i < ctx->record_count; i++) {
    const struct kz_record *r = &ctx->records[i];
    int64_t time = r->end - r->start;
    at += (size_t)snprintf(report + at, room - at, row, i == 0 ? "" : ",", r->name, r->start, r->end, time / 1000,
        (int)(time % 1000));
  }
  snprintf(report + at, room - at, "]}");
  return report;
}

// Waits for the kernels so far, if checks of theirs may have failed, and tells of the first that has. The kernels after it have
// done nothing.
KZ_OUTLINE int kz_look(struct futhark_context *ctx) {
  static const int32_t clear = 0;
  struct kz_error_cell cell = {0, 0, {0}, 0};
  if (!ctx->unchecked) return 0;
  ctx->unchecked = false;
  int code = kz_error_read(&ctx->device, &cell, ctx->error_cell, offsetof(struct kz_error_cell, copy));
  if (code != 0) return kz_device_fail(ctx, "read memory", code);
  if (cell.id == 0) return 0;
  code = kz_buffer_write(&ctx->device, ctx->error_cell, 0, &clear, sizeof clear, NULL);
  if (code != 0) return kz_device_fail(ctx, "write memory", code);
  free(futhark_context_get_error(ctx)); // of what came after it
  return kz_kernel_failed(ctx, cell.id, cell.values);
}

// Transfers. Nothing is done about no bytes.

// Whoever reads an element often reads its neighbours next, and to wait for the device takes much longer than to fetch these as
// well. They are kept until something may change them.
KZ_FN void kz_forget_ahead(struct futhark_context *ctx) { ctx->ahead_bytes = 0; }
// Fetches an element with its neighbours; the block must be ours, whose size is known.
KZ_FN int kz_fetch_ahead(struct futhark_context *ctx, const struct kz_block *block, int64_t offset, int64_t bytes, kz_event *event) {
  int64_t from = offset / KZ_AHEAD * KZ_AHEAD, end = from + KZ_AHEAD;
  if (end < offset + bytes) end = offset + bytes; // less than KZ_AHEAD behind it
  if (end > block->size) end = block->size;
  int code = kz_buffer_read(&ctx->device, ctx->ahead, block->buffer, from, end - from, event);
  if (code != 0) return code;
  ctx->ahead_buffer = block->buffer, ctx->ahead_from = from, ctx->ahead_bytes = end - from;
  return 0;
}
KZ_OUTLINE int kz_read(struct futhark_context *ctx, void *to, const void *data, int64_t offset, int64_t bytes) {
  const struct kz_block *block = data;
  if (bytes <= 0) return 0;
  bool is_near = bytes <= KZ_MOST_NEAR && !block->is_foreign && offset + bytes <= block->size;
  bool is_there = is_near && ctx->ahead_bytes > 0 && ctx->ahead_buffer == block->buffer && offset >= ctx->ahead_from
      && offset + bytes <= ctx->ahead_from + ctx->ahead_bytes;
  int code = 0;
  if (!is_there) {
    kz_event *event = kz_event_wanted(ctx);
    code = is_near ? kz_fetch_ahead(ctx, block, offset, bytes, event)
        : kz_buffer_read(&ctx->device, to, block->buffer, offset, bytes, event);
    kz_record(ctx, event, code, "copy_dev_to_host");
  }
  if (code != 0) return kz_device_fail(ctx, "read memory", code);
  if (is_near) memcpy(to, ctx->ahead + (offset - ctx->ahead_from), (size_t)bytes);
  // All that ran before has been waited for. If a check has failed, nobody needs what was read.
  return kz_look(ctx);
}
KZ_OUTLINE int kz_write(struct futhark_context *ctx, void *block, int64_t offset, const void *from, int64_t bytes) {
  if (bytes <= 0) return 0;
  kz_forget_ahead(ctx);
  kz_event *event = kz_event_wanted(ctx);
  int code = kz_buffer_write(&ctx->device, kz_block_of(block)->buffer, offset, from, bytes, event);
  kz_record(ctx, event, code, "copy_host_to_dev");
  return code == 0 ? 0 : kz_device_fail(ctx, "write memory", code);
}
KZ_OUTLINE int kz_copy_bytes(struct futhark_context *ctx, void *to, int64_t to_offset, const void *from,
    int64_t from_offset, int64_t bytes) {
  kz_buffer target = kz_block_of(to)->buffer, source = ((const struct kz_block *)from)->buffer;
  if (bytes <= 0 || (target == source && to_offset == from_offset)) return 0;
  kz_forget_ahead(ctx);
  kz_event *event = kz_event_wanted(ctx);
  int code = kz_buffer_copy(&ctx->device, target, to_offset, source, from_offset, bytes, event);
  kz_record(ctx, event, code, "copy_dev_to_dev");
  return code == 0 ? 0 : kz_device_fail(ctx, "copy memory", code);
}
// A block for a buffer that the user gives; its size is not known, and not ours.
KZ_FN void *kz_wrap(struct futhark_context *ctx, kz_buffer buffer) {
  struct kz_block *block = kz_malloc(sizeof *block);
  if (block == NULL) {
    kz_fail(ctx, FUTHARK_OUT_OF_MEMORY, NULL, "out of memory: cannot allocate a value.");
    return NULL;
  }
  block->buffer = buffer;
  block->is_foreign = true;
  block->size = 0, block->refs = 1, block->held = 0;
  kz_link(&ctx->live, block);
  return kz_data_of(block);
}

// The text of kernels, and their binaries on disk.

// Kernels for copies between any two layouts: `run` elements by each thread, one after the other, or if that is 0 those that are
// as many apart as there are threads, so that neighbours touch neighbours. The first dimension is that of the nearest
// elements of the destination. Divisions of 32 bits are much faster than those of 64. And kernels for where the nearest elements
// of the source are those of another dimension: they go in squares through the memory of a group, which has 256 threads, so
// that neighbours touch neighbours on both sides. No device has more groups than 32 bits can count.
#define KZ_COPY_KERNEL(name, text) "#if !defined(KZ_ONE) || defined(KZ_ONE_kz_" name ")\n" text "\n#endif\n"
static const char kz_copy_text[] =
    "#define KZ_COPY_STEP(T, k) \\\n"
    "  if (rank > k) { \\\n"
    "    T next = rest / (T)n##k; \\\n"
    "    int64_t i = (int64_t)(rest - next * (T)n##k); \\\n"
    "    x += i * t##k, y += i * f##k, rest = next; \\\n"
    "  }\n"
    "#define KZ_COPY_STEPS(T) \\\n"
    "  { \\\n"
    "    T rest = (T)at; \\\n"
    "    KZ_COPY_STEP(T, 0) KZ_COPY_STEP(T, 1) KZ_COPY_STEP(T, 2) KZ_COPY_STEP(T, 3) \\\n"
    "    KZ_COPY_STEP(T, 4) KZ_COPY_STEP(T, 5) KZ_COPY_STEP(T, 6) KZ_COPY_STEP(T, 7) \\\n"
    "  }\n"
    "#define KZ_COPY_DIMENSION(k) , int64_t n##k, int64_t t##k, int64_t f##k\n"
    "#define KZ_COPY(size, E) \\\n"
    "  KZ_KERNEL kz_copy_##size(KZ_GLOBAL int *kz_error, int64_t kz_threads, KZ_GLOBAL E *to, int64_t to_at, \\\n"
    "      const KZ_GLOBAL E *from, int64_t from_at, int64_t total, int64_t run, int32_t rank \\\n"
    "      KZ_COPY_DIMENSION(0) KZ_COPY_DIMENSION(1) KZ_COPY_DIMENSION(2) KZ_COPY_DIMENSION(3) \\\n"
    "      KZ_COPY_DIMENSION(4) KZ_COPY_DIMENSION(5) KZ_COPY_DIMENSION(6) KZ_COPY_DIMENSION(7)) { \\\n"
    "    int64_t thread = kz_thread(); \\\n"
    "    if (thread >= kz_threads) return; \\\n"
    "    int64_t first = run > 0 ? thread * run : thread, step = run > 0 ? 1 : kz_threads; \\\n"
    "    int64_t end = run > 0 && first + run < total ? first + run : total; \\\n"
    "    for (int64_t at = first; at < end; at += step) { \\\n"
    "      int64_t x = to_at, y = from_at; \\\n"
    "      if (total <= INT32_MAX) KZ_COPY_STEPS(uint32_t) else KZ_COPY_STEPS(uint64_t) \\\n"
    "      to[x] = from[y]; \\\n"
    "    } \\\n"
    "  }\n"
    "#define KZ_TRANSPOSE(size, E) \\\n"
    "  KZ_KERNEL kz_transpose_##size(KZ_GLOBAL int *kz_error, int64_t kz_threads, KZ_GLOBAL E *to, int64_t to_at, \\\n"
    "      const KZ_GLOBAL E *from, int64_t from_at, int64_t rows, int64_t apart, int64_t columns, int64_t from_apart, \\\n"
    "      int32_t rank KZ_COPY_DIMENSION(0) KZ_COPY_DIMENSION(1) KZ_COPY_DIMENSION(2) KZ_COPY_DIMENSION(3) \\\n"
    "      KZ_COPY_DIMENSION(4) KZ_COPY_DIMENSION(5)) { \\\n"
    "    KZ_LOCAL E square[32 * 33]; \\\n"
    "    uint32_t group = (uint32_t)kz_group(), wide = (uint32_t)((columns + 31) / 32); \\\n"
    "    uint32_t high = (uint32_t)((rows + 31) / 32), rest = group / wide; \\\n"
    "    int64_t column = (int64_t)(group - rest * wide) * 32, row = (int64_t)(rest % high) * 32, x = to_at, y = from_at; \\\n"
    "    rest /= high; \\\n"
    "    KZ_COPY_STEP(uint32_t, 0) KZ_COPY_STEP(uint32_t, 1) KZ_COPY_STEP(uint32_t, 2) \\\n"
    "    KZ_COPY_STEP(uint32_t, 3) KZ_COPY_STEP(uint32_t, 4) KZ_COPY_STEP(uint32_t, 5) \\\n"
    "    int32_t near = kz_lane() % 32, far = kz_lane() / 32; \\\n"
    "    for (int32_t k = 0; k < 32; k += 8) \\\n"
    "      if (row + near < rows && column + far + k < columns) \\\n"
    "        square[(far + k) * 33 + near] = from[y + row + near + (column + far + k) * from_apart]; \\\n"
    "    kz_barrier(); \\\n"
    "    for (int32_t k = 0; k < 32; k += 8) \\\n"
    "      if (row + far + k < rows && column + near < columns) \\\n"
    "        to[x + (row + far + k) * apart + column + near] = square[near * 33 + far + k]; \\\n"
    "  }\n"
    KZ_COPY_KERNEL("copy_1", "KZ_COPY(1, uint8_t)")
    KZ_COPY_KERNEL("copy_2", "KZ_COPY(2, uint16_t)")
    KZ_COPY_KERNEL("copy_4", "KZ_COPY(4, uint32_t)")
    KZ_COPY_KERNEL("copy_8", "KZ_COPY(8, uint64_t)")
    KZ_COPY_KERNEL("transpose_1", "KZ_TRANSPOSE(1, uint8_t)")
    KZ_COPY_KERNEL("transpose_2", "KZ_TRANSPOSE(2, uint16_t)")
    KZ_COPY_KERNEL("transpose_4", "KZ_TRANSPOSE(4, uint32_t)")
    KZ_COPY_KERNEL("transpose_8", "KZ_TRANSPOSE(8, uint64_t)");
static const char *const kz_copy_names[] = {"kz_copy_1", "kz_copy_2", "kz_copy_4", "kz_copy_8", "kz_transpose_1",
    "kz_transpose_2", "kz_transpose_4", "kz_transpose_8"};
enum { KZ_COPY_COUNT = 8, KZ_COPY_RANK = 8, KZ_TRANSPOSE_RANK = 6, KZ_TRANSPOSE_GROUP = 256, KZ_SQUARE = 32 };

KZ_FN int kz_kernel_count(void) {
  int count = 0;
  while (kz_kernel_list()[count] != NULL) count++;
  return count;
}
// All of the text, to be freed; NULL without memory.
KZ_FN char *kz_program_text(void) {
  size_t length = sizeof kz_copy_text;
  for (const char *const *piece = kz_kernel_texts(); *piece != NULL; piece++) length += strlen(*piece);
  char *text = kz_malloc(length), *at = text;
  if (text == NULL) return NULL;
  for (const char *const *piece = kz_kernel_texts(); *piece != NULL; piece++) {
    size_t size = strlen(*piece);
    memcpy(at, *piece, size);
    at += size;
  }
  memcpy(at, kz_copy_text, sizeof kz_copy_text);
  return text;
}

KZ_FN uint64_t kz_hash(uint64_t hash, const void *data, size_t size) {
  const unsigned char *bytes = data;
  for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
  return hash ^ hash >> 29;
}
// What stands before a binary in its file: it must be for the same text, options, device and driver, and whole.
struct kz_binary_mark {
  char magic[8];
  uint64_t key[2], size, sum;
};
// The text is long, and the same for all kernels.
KZ_FN void kz_hash_text(struct futhark_context *ctx) {
  static const uint64_t begin[] = {UINT64_C(0xcbf29ce484222325), UINT64_C(0x9e3779b97f4a7c15)};
  size_t size = strlen(ctx->kernel_text) + 1;
  for (int half = 0; half < 2; half++) ctx->text_key[half] = kz_hash(begin[half], ctx->kernel_text, size);
}
KZ_FN struct kz_binary_mark kz_mark(const struct futhark_context *ctx, const char *options) {
  struct kz_binary_mark mark;
  memset(&mark, 0, sizeof mark);
  memcpy(mark.magic, "kenaz 1", 8);
  const char *said[] = {options, ctx->device.name, ctx->device.version, ctx->device.driver};
  for (int half = 0; half < 2; half++) {
    mark.key[half] = ctx->text_key[half];
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
      mark.key[half] = kz_hash(mark.key[half], said[i], strlen(said[i]) + 1);
  }
  return mark;
}

// The file for a binary: the user's, or one in the folder of caches, which is made; to be freed. NULL if there is none.
KZ_FN char *kz_binary_path(const struct futhark_context *ctx, const struct kz_binary_mark *mark, bool makes_folders) {
  const struct kz_wishes *wishes = &ctx->config->wishes;
  const char *base = getenv("XDG_CACHE_HOME"), *rest = "";
  if (wishes->has_cache_file) base = wishes->cache_file;
  else if (base == NULL || *base != '/') base = getenv("HOME"), rest = "/.cache";
  if (base == NULL || *base == '\0') return NULL;
  size_t room = strlen(base) + 96;
  char *path = kz_malloc(room);
  if (path == NULL) return NULL;
  if (wishes->has_cache_file) {
    snprintf(path, room, "%s", base);
    return path;
  }
  snprintf(path, room, "%s%s/kenaz/kernels/%016" PRIx64 "%016" PRIx64, base, rest, mark->key[0], mark->key[1]);
  for (char *slash = strchr(path + strlen(base), '/'); makes_folders && slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    (void)mkdir(path, 0700); // if that fails, so does making the file
    *slash = '/';
  }
  return path;
}
// The bytes of a file, with a zero behind them, to be freed; NULL if that cannot be.
KZ_FN char *kz_file_bytes(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  char *bytes = NULL;
  long length = -1;
  if (file == NULL) return NULL;
  if (fseek(file, 0, SEEK_END) == 0 && (length = ftell(file)) >= 0 && fseek(file, 0, SEEK_SET) == 0) bytes = kz_malloc(
      (size_t)length + 1);
  *size = bytes == NULL ? 0 : fread(bytes, 1, (size_t)length, file);
  if (bytes != NULL) bytes[*size] = '\0';
  fclose(file);
  return bytes;
}
KZ_FN bool kz_write_file(const char *path, const void *first, size_t first_size, const void *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  if (file == NULL) return false;
  bool fine = fwrite(first, 1, first_size, file) == first_size && fwrite(bytes, 1, size, file) == size;
  return fclose(file) == 0 && fine;
}
KZ_FN bool kz_load_cached(struct futhark_context *ctx, kz_program *program, const char *path, const struct kz_binary_mark *wanted,
    const char *options) {
  size_t size = 0;
  struct kz_binary_mark mark;
  char *bytes = kz_file_bytes(path, &size), *binary = bytes == NULL ? NULL : bytes + sizeof mark;
  bool fine = bytes != NULL && size > sizeof mark;
  if (fine) {
    memcpy(&mark, bytes, sizeof mark);
    size -= sizeof mark;
    fine = memcmp(mark.magic, wanted->magic, sizeof mark.magic) == 0 && mark.key[0] == wanted->key[0]
        && mark.key[1] == wanted->key[1] && mark.size == size && mark.sum == kz_hash(mark.key[1], binary, size)
        && kz_program_load(&ctx->device, program, binary, size, options) == 0;
  }
  if (fine) (void)utime(path, NULL); // those that are used stay; one that cannot be marked is only less likely to
  free(bytes);
  return fine;
}

// How many binaries the folder of caches holds, and how many bytes of them.
#ifndef KZ_MOST_BINARIES
#define KZ_MOST_BINARIES 4000
#endif
#define KZ_MOST_BINARY_BYTES ((int64_t)512 << 20)
// The digits of the name of a binary; drafts have more behind a dot.
enum { KZ_BINARY_NAME = 32, KZ_BINARY_ROOM = 96 };
struct kz_binary_file {
  int64_t time, size;
  char name[KZ_BINARY_ROOM];
};
static int kz_older(const void *one, const void *other) {
  const struct kz_binary_file *a = one, *b = other;
  return a->time != b->time ? (a->time < b->time ? -1 : 1) : strcmp(a->name, b->name);
}
// Removes binaries from the folder of this one, those first that were not used for longest, until a quarter of the room is free.
// Another process may do the same, or use one: what was opened can still be read, and what is gone is made anew. Files with
// other names are not ours.
KZ_OUTLINE void kz_trim_cache(const char *path) {
  struct kz_binary_file *files = NULL;
  int64_t count = 0, room = 0, bytes = 0;
  size_t length = (size_t)(strrchr(path, '/') - path);
  char *other = kz_malloc(length + KZ_BINARY_ROOM + 2);
  DIR *folder = NULL;
  if (other != NULL) {
    memcpy(other, path, length);
    other[length] = '\0';
    folder = opendir(other);
    other[length] = '/';
  }
  for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
    size_t digits = strspn(entry->d_name, "0123456789abcdef"), size = strlen(entry->d_name);
    struct stat about;
    if (digits != KZ_BINARY_NAME || size >= KZ_BINARY_ROOM || (size > digits && entry->d_name[digits] != '.')) continue;
    memcpy(other + length + 1, entry->d_name, size + 1);
    if (stat(other, &about) != 0 || !S_ISREG(about.st_mode)) continue;
    if (count == room) {
      struct kz_binary_file *more = kz_realloc(files, (size_t)(room = 2 * room + 64) * sizeof *files);
      if (more == NULL) break;
      files = more;
    }
    files[count].time = (int64_t)about.st_mtime, files[count].size = (int64_t)about.st_size;
    memcpy(files[count++].name, entry->d_name, size + 1);
    bytes += (int64_t)about.st_size;
  }
  if (folder != NULL) closedir(folder);
  if (count > KZ_MOST_BINARIES || bytes > KZ_MOST_BINARY_BYTES) {
    int64_t left = count;
    qsort(files, (size_t)count, sizeof *files, kz_older);
    for (int64_t i = 0; i < count; i++) {
      if (left <= KZ_MOST_BINARIES / 4 * 3 && bytes <= KZ_MOST_BINARY_BYTES / 4 * 3) break;
      memcpy(other + length + 1, files[i].name, strlen(files[i].name) + 1);
      if (strcmp(other, path) == 0) continue;
      (void)remove(other);
      left--, bytes -= files[i].size;
    }
  }
  free(files);
  free(other);
}
// Another process may do the same, so the file gets its name when it is complete.
KZ_FN bool kz_store_cached(struct futhark_context *ctx, const kz_program *program, const char *path, struct kz_binary_mark mark) {
  void *binary = NULL;
  size_t size = 0, room = strlen(path) + 64;
  char *draft = kz_malloc(room);
  bool fine = draft != NULL && kz_program_binary(&ctx->device, program, &binary, &size) == 0;
  if (fine) {
    mark.size = size, mark.sum = kz_hash(mark.key[1], binary, size);
    snprintf(draft, room, "%s.%ld.%" PRIxPTR, path, (long)getpid(), (uintptr_t)ctx);
    fine = kz_write_file(draft, &mark, sizeof mark, binary, size) && rename(draft, path) == 0;
    if (!fine) (void)remove(draft);
    if (fine && !ctx->config->wishes.has_cache_file) kz_trim_cache(path);
  }
  free(draft);
  free(binary);
  return fine;
}

// How a kernel is compiled: for blocks that are warps of a group, and with numbers of 32 bits.
enum { KZ_IN_WARPS = 1, KZ_IN_32_BITS = 2, KZ_VARIANTS = 4 };
// Options that leave only this kernel of the text, or nothing for all; to be freed.
KZ_FN char *kz_options_for(struct futhark_context *ctx, const char *kernel, int variant) {
  const char *own = kz_build_options(&ctx->device), *more = ctx->config->wishes.build_options;
  size_t room = strlen(own) + (more == NULL ? 0 : strlen(more)) + (kernel == NULL ? 0 : strlen(kernel)) + 64;
  char *options = kz_malloc(room);
  if (options != NULL) snprintf(options, room, "%s%s%s%s%s%s%s", own, *own == '\0' || more == NULL ? "" : " ", more == NULL ? ""
      : more, kernel == NULL ? "" : " -DKZ_ONE -DKZ_ONE_", kernel == NULL ? "" : kernel,
      variant & KZ_IN_WARPS ? " -DKZ_WARPS" : "", variant & KZ_IN_32_BITS ? " -DKZ_NARROW" : "");
  return options;
}
#ifdef KZ_CUDA
// Lets idle processors build the kernels behind this one as most launches need them, but those that are on disk.
KZ_OUTLINE void kz_build_ahead(struct futhark_context *ctx, const char *name) {
  int count = kz_kernel_count(), at = 0, job_count = 0;
  while (at < count && strcmp(kz_kernel_list()[at], name) != 0) at++;
  struct kz_job *jobs = kz_malloc((size_t)(count + 1) * sizeof *jobs);
  for (int i = 1; jobs != NULL && at < count && i < count; i++) {
    int kernel = (at + i) % count;
    char *options = kz_options_for(ctx, kz_kernel_list()[kernel], kz_kernel_is_narrow(kernel) ? KZ_IN_32_BITS : 0);
    struct kz_binary_mark mark = kz_mark(ctx, options == NULL ? "" : options);
    char *path = options == NULL ? NULL : kz_binary_path(ctx, &mark, false);
    bool is_there = path != NULL && access(path, R_OK) == 0;
    if (options != NULL && !is_there) jobs[job_count++] = (struct kz_job){KZ_WAITS, options, NULL, 0};
    else free(options);
    free(path);
  }
  if (jobs != NULL) ctx->crew = kz_crew_begin(&ctx->device, ctx->kernel_text, jobs, job_count);
}
#endif
// Builds one kernel, or all if it has no name. The first one that is built loads the compiler, the second calls for help.
KZ_FN int kz_build_now(struct futhark_context *ctx, kz_program *program, const char *name, const char *options, char **log) {
#ifdef KZ_CUDA
  if (name != NULL) {
    size_t size = 0;
    if (ctx->built_count++ == 1) kz_build_ahead(ctx, name);
    char *binary = kz_crew_take(ctx->crew, options, &size);
    int code = binary == NULL ? 0 : kz_program_load(&ctx->device, program, binary, size, "");
    free(binary);
    if (binary != NULL) return code;
  }
#else
  (void)name;
#endif
  return kz_program_build(&ctx->device, program, ctx->kernel_text, options, log);
}
KZ_FN int kz_build_from(struct futhark_context *ctx, kz_program *program, const char *name, const char *options) {
  struct kz_device *d = &ctx->device;
  char *log = NULL;
  struct kz_binary_mark mark = kz_mark(ctx, options);
  char *path = kz_binary_path(ctx, &mark, false);
  int64_t start = kz_microseconds();
  int code = 0;
  bool is_cached = path != NULL && kz_load_cached(ctx, program, path, &mark, options), is_stored = false;
  if (!is_cached) code = kz_build_now(ctx, program, name, options, &log);
  if (code == 0 && path != NULL && !is_cached) {
    free(path);
    path = kz_binary_path(ctx, &mark, true);
    is_stored = path != NULL && kz_store_cached(ctx, program, path, mark);
  }
  if (ctx->config->logging && code == 0) fprintf(ctx->log, "Kernel%s%s for %s %s in %" PRId64 " us%s%s.\n", name == NULL ? "s"
      : " ", name == NULL ? "" : name, d->name, is_cached ? "loaded" : "built", kz_microseconds() - start, is_cached
      ? " from " : is_stored ? ", stored in " : path == NULL ? "" : ", cannot be stored in ", path == NULL ? "" : path);
  if (code != 0) kz_fail(ctx, KZ_DEVICE_ERROR, NULL, "the kernels cannot be built for %s%s: %s (code %d).%s%s", d->name,
      d->has_f64 ? "" : ", which has no f64", kz_device_message(code), code, log == NULL ? "" : "\n", log == NULL ? "" : log);
  free(log);
  free(path);
  return code == 0 ? 0 : KZ_DEVICE_ERROR;
}
KZ_FN int kz_build_from_file(struct futhark_context *ctx, const char *name, const char *options) {
  size_t size = 0;
  char *binary = kz_file_bytes(name, &size);
  int code = binary == NULL ? 0 : kz_program_load(&ctx->device, &ctx->device.program, binary, size, options);
  free(binary);
  if (binary == NULL) return kz_fail(ctx, KZ_DEVICE_ERROR, NULL, "cannot read %s.", name);
  return code == 0 ? 0 : kz_device_fail(ctx, "load the binary of its kernels", code);
}
KZ_FN int kz_dump_binary(struct futhark_context *ctx, const char *name) {
  void *binary = NULL;
  size_t size = 0;
  int code = kz_program_binary(&ctx->device, &ctx->device.program, &binary, &size);
  bool fine = code == 0 && kz_write_file(name, "", 0, binary, size);
  free(binary);
  if (code != 0) return kz_device_fail(ctx, "give the binary of its kernels", code);
  return fine ? 0 : kz_fail(ctx, KZ_DEVICE_ERROR, NULL, "cannot write %s: %s.", name, strerror(errno));
}
// The text of the kernels, and room for what is known of each.
KZ_OUTLINE int kz_prepare_kernels(struct futhark_context *ctx) {
  struct kz_device *d = &ctx->device;
  int count = KZ_VARIANTS * (kz_kernel_count() + KZ_COPY_COUNT);
  if (ctx->kernel_text == NULL) {
    const char *wish = ctx->config->wishes.program;
    ctx->kernel_text = wish == NULL ? kz_program_text() : kz_malloc(strlen(wish) + 1);
    if (ctx->kernel_text != NULL && wish != NULL) strcpy(ctx->kernel_text, wish);
    if (ctx->kernel_text != NULL) kz_hash_text(ctx);
  }
  if (d->kernels == NULL && (d->kernels = kz_malloc((size_t)count * sizeof *d->kernels)) != NULL) {
    memset(d->kernels, 0, (size_t)count * sizeof *d->kernels);
    d->kernel_count = count;
  }
  return ctx->kernel_text != NULL && d->kernels != NULL ? 0 : kz_fail(ctx, FUTHARK_OUT_OF_MEMORY, NULL,
      "out of memory: cannot build the kernels.");
}
// Builds all kernels as one program, unless that has been done.
KZ_OUTLINE int kz_build(struct futhark_context *ctx) {
  const struct kz_wishes *wishes = &ctx->config->wishes;
  if (kz_program_is_loaded(&ctx->device.program)) return 0;
  int code = kz_prepare_kernels(ctx);
  if (code != 0) return code;
  char *options = kz_options_for(ctx, NULL, false);
  if (options == NULL) return kz_fail(ctx, FUTHARK_OUT_OF_MEMORY, NULL, "out of memory: cannot build the kernels.");
  code = wishes->binary_file != NULL ? kz_build_from_file(ctx, wishes->binary_file, options)
      : kz_build_from(ctx, &ctx->device.program, NULL, options);
  free(options);
  return code == 0 && wishes->dump_file != NULL ? kz_dump_binary(ctx, wishes->dump_file) : code;
}
// Builds this kernel, unless that has been done: alone, since many programs have kernels that are never run, or with all others
// where the user cares about text or binary.
KZ_FN bool kz_builds_all(const struct futhark_context *ctx) {
  const struct kz_wishes *wishes = &ctx->config->wishes;
  return wishes->program != NULL || wishes->binary_file != NULL || wishes->dump_file != NULL || wishes->has_cache_file
      || kz_program_is_loaded(&ctx->device.program);
}
KZ_OUTLINE int kz_build_kernel(struct futhark_context *ctx, int kernel, const char *name, int variant) {
  if (kz_builds_all(ctx)) return kz_build(ctx);
  int code = kz_prepare_kernels(ctx);
  char *options = code != 0 ? NULL : kz_options_for(ctx, name, variant);
  if (code == 0 && options == NULL) code = kz_fail(ctx, FUTHARK_OUT_OF_MEMORY, NULL,
      "out of memory: cannot build the kernels.");
  if (code == 0) code = kz_build_from(ctx, &ctx->device.kernels[kernel].program, name, options);
  free(options);
  return code;
}

// The device of a context.

KZ_OUTLINE int kz_device_begin(struct futhark_context *ctx) {
  struct kz_wishes *wishes = &ctx->config->wishes;
  struct kz_device *d = &ctx->device;
  struct kz_error_cell empty = {0, 0, {0}, 0};
  char message[1024] = "";
  wishes->opened = d;
  if (!kz_device_open(d, wishes->platform, wishes->device, wishes->queue, ctx->config->profiling, message,
      sizeof message)) return kz_fail(ctx, KZ_DEVICE_ERROR, NULL, "%s", message);
  if (wishes->group_size > 0) d->group_size = wishes->group_size < d->most_group ? wishes->group_size : d->most_group;
  ctx->has_device = true;
  int code = kz_buffer_new(d, sizeof empty, &ctx->error_cell);
  ctx->has_error_cell = code == 0;
  if (code != 0) return kz_device_fail(ctx, "begin", code);
  empty.copy = kz_error_copy(d);
  code = kz_buffer_write(d, ctx->error_cell, 0, &empty, sizeof empty, NULL);
  if (ctx->config->logging) fprintf(ctx->log, "Device: %s, %s.\n", d->name, d->version);
  return code == 0 ? 0 : kz_device_fail(ctx, "begin", code);
}
KZ_OUTLINE void kz_device_end(struct futhark_context *ctx) {
  if (ctx->has_device) {
    kz_device_wait(&ctx->device);
    kz_settle_records(ctx);
    if (ctx->has_error_cell) kz_buffer_free(&ctx->device, ctx->error_cell);
    if (ctx->board != NULL) kz_drop_block(ctx, ctx->board);
  }
#ifdef KZ_CUDA
  kz_crew_end(ctx->crew);
#endif
  free(ctx->records);
  free(ctx->kernel_text);
  kz_device_close(&ctx->device);
  ctx->config->wishes.opened = NULL;
}
KZ_OUTLINE int kz_device_finish(struct futhark_context *ctx) {
  kz_forget_ahead(ctx); // whoever waits may be about to change a buffer that is shared with us
  int code = kz_device_wait(&ctx->device);
  return code == 0 ? 0 : kz_device_fail(ctx, "finish", code);
}

// Loops.

// How many threads there are for each that runs, where iterations differ in what they cost.
enum { KZ_UNEVEN_THREADS = 64 };
// The most threads of any loop whose threads have memory of their own.
KZ_FN int64_t kz_workers(const struct futhark_context *ctx) {
  return ctx->device.is_cpu ? KZ_MOST_CPU_WORKERS : ctx->device.resident > 0 ? ctx->device.resident : KZ_MOST_WORKERS;
}
// How many threads a loop should have, given what an iteration costs in operations; a negative number is more than that can be.
// One that combines their results in order has about as many as each of them has operations, which is best for both. One whose
// iterations differ in what they cost has more of them than run at a time, so that whoever is done early goes on with others.
KZ_FN int64_t kz_chunks(struct futhark_context *ctx, int64_t iterations, int64_t work, bool uneven, bool ordered) {
  if (iterations <= 1) return 1;
  int64_t most = kz_workers(ctx) * (uneven && !ordered ? KZ_UNEVEN_THREADS : INT64_C(1));
  if (ordered) {
    if (work == 0) work = 1;
    int64_t total = work < 0 || work > INT64_MAX / iterations ? INT64_MAX : work * iterations;
    int64_t workers = most;
    for (most = 1; most < KZ_MOST_ORDERED && most * most < total;) most *= 2;
    if (most > workers) most = workers;
  }
  return iterations < most ? iterations : most;
}

// How many lanes blocks have, and how many blocks a loop has that could use so many.
KZ_FN int64_t kz_lanes(const struct futhark_context *ctx) {
  int64_t lanes = ctx->device.group_size < KZ_MOST_LANES ? ctx->device.group_size : KZ_MOST_LANES;
#ifdef KZ_CUDA
  // Whole warps, whose lanes exchange values.
  return lanes < 32 ? 32 : lanes / 32 * 32;
#else
  return lanes;
#endif
}
// How many they have where those of a block share about so many iterations: about two each, in whole warps. A single warp takes
// more, since its lanes need no barrier.
KZ_FN int64_t kz_lanes_for(const struct futhark_context *ctx, int64_t shared) {
  int64_t most = kz_lanes(ctx), lanes = most < KZ_WARP ? most : KZ_WARP;
#ifdef KZ_CUDA
  enum { KZ_MOST_OF_WARP = 8 * KZ_WARP };
  if (shared <= KZ_MOST_OF_WARP) return lanes;
#endif
  while (2 * lanes <= most && 2 * lanes < shared) lanes *= 2;
  return lanes;
}
// The bytes of shared memory that a block may have, but for those that it needs for its lanes themselves: what the user has
// said, if it is not 0, or what the device has.
KZ_FN int64_t kz_shared_limit(const struct futhark_context *ctx, int64_t wish) {
  return wish > 0 ? wish : ctx->device.most_shared - KZ_SHARED_SPARE;
}
// The board of kernel.h, with room for so many words; NULL, and the error set, if there is no memory. It is empty in the
// beginning, and kept for the next launch.
KZ_OUTLINE void *kz_board(struct futhark_context *ctx, int64_t words) {
  enum { KZ_LEAST_BOARD = 1 << 16 };
  if (ctx->board != NULL && ctx->board->size / 8 >= words) return kz_data_of(ctx->board);
  int64_t size = KZ_LEAST_BOARD;
  while (size / 8 < words) size *= 2;
  if (ctx->board != NULL) kz_drop_block(ctx, ctx->board);
  ctx->board = NULL;
  void *zeros = kz_malloc((size_t)size);
  struct kz_block *board = zeros == NULL ? NULL : kz_new_block(ctx, size);
  if (board != NULL) {
    memset(zeros, 0, (size_t)size);
    int code = kz_buffer_write(&ctx->device, board->buffer, 0, zeros, size, NULL);
    if (code != 0) {
      kz_drop_block(ctx, board);
      free(zeros);
      kz_device_fail(ctx, "write memory", code);
      return NULL;
    }
  }
  free(zeros);
  if (board == NULL) {
    kz_fail(ctx, FUTHARK_OUT_OF_MEMORY, NULL, "out of memory: cannot allocate %" PRId64 " bytes, with %" PRId64 " in use.",
        size, ctx->live_bytes);
    return NULL;
  }
  ctx->board = board;
  return kz_data_of(board);
}
// Where each keeps something in memory there are as many as run at a time, otherwise also more.
KZ_FN int64_t kz_blocks(const struct futhark_context *ctx, int64_t wanted, bool combined) {
  int64_t most = kz_workers(ctx) / (combined ? kz_lanes(ctx) : KZ_WARP);
  return wanted < 1 ? 1 : wanted < most ? wanted : most;
}

// Whether all numbers that are handed to a kernel fit into 32 bits; KZ_MOST_NARROW leaves room for what it adds to them.
KZ_FN bool kz_fits_32_bits(const struct futhark_context *ctx, int64_t iterations, int64_t threads, int arg_count,
    const struct kz_arg *args) {
  enum { KZ_MOST_NARROW = 1 << 28 };
  if (iterations >= KZ_MOST_NARROW || threads >= KZ_MOST_NARROW || kz_builds_all(ctx)) return false;
  for (int i = 0; i < arg_count; i++) {
    if (args[i].size != KZ_INTEGER) continue;
    int64_t number = *(const int64_t *)args[i].value;
    if (number <= -KZ_MOST_NARROW || number >= KZ_MOST_NARROW) return false;
  }
  return true;
}
// Runs a kernel, in groups of this size or of the usual one. With shared memory it is one for blocks, which are told how many of
// them there are, and not how many threads; these may be warps of a group. If its checks may fail, the host looks before it needs
// a value.
KZ_OUTLINE int kz_launch_in(struct futhark_context *ctx, int kernel, int64_t iterations, int64_t threads, int64_t group_size,
    int64_t shared, bool in_warps, int arg_count, const struct kz_arg *args, bool may_fail) {
  static const kz_buffer none = 0;
  if (threads <= 0) return 0;
  kz_forget_ahead(ctx);
  int variant = (in_warps ? KZ_IN_WARPS : 0) | (kz_fits_32_bits(ctx, iterations, threads, arg_count, args) ? KZ_IN_32_BITS : 0);
  int64_t told = shared < 0 ? threads : threads / (in_warps ? KZ_WARP : group_size);
  const struct kz_device *d = &ctx->device;
  int own = kz_kernel_count();
  const char *name = kernel < own ? kz_kernel_list()[kernel] : kz_copy_names[kernel - own];
  kernel += variant * (own + KZ_COPY_COUNT);
  if (!kz_program_is_loaded(&d->program) && (d->kernels == NULL || !kz_program_is_loaded(&d->kernels[kernel].program))) {
    int built = kz_build_kernel(ctx, kernel, name, variant);
    if (built != 0) return built;
  }
  size_t sizes[arg_count + 2];
  const void *values[arg_count + 2];
  sizes[0] = sizeof ctx->error_cell, values[0] = &ctx->error_cell;
  sizes[1] = sizeof told, values[1] = &told;
  for (int i = 0; i < arg_count; i++) {
    const struct kz_block *block = args[i].value;
    bool is_block = args[i].size == 0;
    sizes[i + 2] = is_block ? sizeof none : args[i].size == KZ_INTEGER ? sizeof(int64_t) : args[i].size;
    values[i + 2] = !is_block ? args[i].value : block == NULL ? (const void *)&none : &block->buffer;
  }
  kz_event *event = kz_event_wanted(ctx);
  int code = kz_kernel_run(&ctx->device, kernel, name, threads, group_size, shared, arg_count + 2, sizes, values, event);
  if (kz_device_is_full(code) && ctx->cached != NULL) {
    kz_shrink_cache(ctx, 0);
    code = kz_kernel_run(&ctx->device, kernel, name, threads, group_size, shared, arg_count + 2, sizes, values, event);
  }
  kz_record(ctx, event, code, name);
  if (ctx->config->debugging) {
    fprintf(ctx->log, "Ran kernel %s on %" PRId64 " threads.\n", name, threads);
    if (code == 0) code = kz_device_wait(&ctx->device);
  }
  if (code != 0) {
    char what[256];
    snprintf(what, sizeof what, "run kernel %s", name);
    return kz_device_fail(ctx, what, code);
  }
  ctx->unchecked |= may_fail;
  return ctx->config->debugging ? kz_look(ctx) : 0;
}
KZ_FN int kz_launch(struct futhark_context *ctx, int kernel, int64_t iterations, int64_t threads, int arg_count,
    const struct kz_arg *args, bool may_fail) {
  return kz_launch_in(ctx, kernel, iterations, threads, 0, -1, false, arg_count, args, may_fail);
}
KZ_FN int kz_launch_blocks(struct futhark_context *ctx, int kernel, int64_t iterations, int64_t blocks, int64_t lanes,
    int64_t shared, int arg_count, const struct kz_arg *args, bool may_fail) {
  return kz_launch_in(ctx, kernel, iterations, blocks * lanes, lanes, shared, false, arg_count, args, may_fail);
}
// The same for blocks that know nothing of each other: those of a warp stand side by side in larger groups, of which a processor
// can have more lanes at a time, and wait for nobody else.
KZ_OUTLINE int kz_launch_rows(struct futhark_context *ctx, int kernel, int64_t iterations, int64_t blocks, int64_t lanes,
    int64_t shared, int arg_count, const struct kz_arg *args, bool may_fail) {
#ifdef KZ_CUDA
  enum { ALIGNED = 16 };
  int64_t each = (shared + ALIGNED - 1) / ALIGNED * ALIGNED, together = KZ_MOST_LANES / KZ_WARP;
  while (together > 1 && each * together > ctx->device.most_shared) together /= 2;
  if (lanes == KZ_WARP && together > 1 && !kz_builds_all(ctx)) return kz_launch_in(ctx, kernel, iterations,
      blocks * lanes, together * lanes, each * together, true, arg_count, args, may_fail);
#endif
  return kz_launch_blocks(ctx, kernel, iterations, blocks, lanes, shared, arg_count, args, may_fail);
}

// Copies.

// By dimension: how many elements, and how far apart, outermost first.
struct kz_strided {
  int rank;
  int64_t shape[KZ_MAX_RANK + 1], to[KZ_MAX_RANK + 1], from[KZ_MAX_RANK + 1];
};
KZ_FN int kz_size_index(int64_t size) { return size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3; }
// The dimension of the nearest elements of the source, if it is worth a transposition; or -1.
KZ_FN int kz_transposed(const struct futhark_context *ctx, const struct kz_strided *c) {
  int last = c->rank - 1, k = last - 1;
  if (ctx->device.is_cpu || ctx->device.most_group < KZ_TRANSPOSE_GROUP || c->rank < 2 || c->rank > KZ_TRANSPOSE_RANK + 2
      || c->to[last] != 1 || c->shape[last] < KZ_SQUARE / 2) return -1;
  while (k >= 0 && c->from[k] != 1) k--;
  return k >= 0 && c->shape[k] >= KZ_SQUARE / 2 ? k : -1;
}
KZ_FN int kz_copy_transposed(struct futhark_context *ctx, int64_t size, const struct kz_strided *c, int dimension,
    void *to, int64_t to_at, const void *from, int64_t from_at) {
  enum { FIXED = 9 };
  int last = c->rank - 1;
  int32_t rank = 0;
  int64_t rows = c->shape[dimension], columns = c->shape[last], apart = c->to[dimension], from_apart = c->from[last];
  int64_t squares = ((rows + KZ_SQUARE - 1) / KZ_SQUARE) * ((columns + KZ_SQUARE - 1) / KZ_SQUARE);
  int64_t dimensions[3 * KZ_TRANSPOSE_RANK] = {0};
  for (int k = last - 1; k >= 0; k--) {
    if (k == dimension) continue;
    dimensions[3 * rank] = c->shape[k], dimensions[3 * rank + 1] = c->to[k], dimensions[3 * rank + 2] = c->from[k];
    squares *= c->shape[k];
    rank++;
  }
  struct kz_arg args[FIXED + 3 * KZ_TRANSPOSE_RANK] = {{0, to}, {sizeof to_at, &to_at}, {0, from}, {sizeof from_at,
      &from_at}, {sizeof rows, &rows}, {sizeof apart, &apart}, {sizeof columns, &columns}, {sizeof from_apart,
      &from_apart}, {sizeof rank, &rank}};
  for (int i = 0; i < 3 * KZ_TRANSPOSE_RANK; i++) args[FIXED + i] = (struct kz_arg){sizeof *dimensions, &dimensions[i]};
  return kz_launch_in(ctx, kz_kernel_count() + KZ_COPY_COUNT / 2 + kz_size_index(size), INT64_MAX,
      squares * KZ_TRANSPOSE_GROUP, KZ_TRANSPOSE_GROUP, -1, false, FIXED + 3 * KZ_TRANSPOSE_RANK, args, false);
}
KZ_OUTLINE int kz_copy_planned(struct futhark_context *ctx, int64_t size, const struct kz_strided *c, void *to,
    int64_t to_at, const void *from, int64_t from_at) {
  if (c->rank == 0 || (c->rank == 1 && c->to[0] == 1 && c->from[0] == 1)) return kz_copy_bytes(ctx, to, to_at * size,
      from, from_at * size, (c->rank == 0 ? 1 : c->shape[0]) * size);
  if (c->rank > KZ_COPY_RANK) {
    struct kz_strided inner = {c->rank - 1, {0}, {0}, {0}};
    int code = 0;
    for (int k = 1; k < c->rank; k++) {
      inner.shape[k - 1] = c->shape[k], inner.to[k - 1] = c->to[k], inner.from[k - 1] = c->from[k];
    }
    for (int64_t i = 0; code == 0 && i < c->shape[0]; i++) code = kz_copy_planned(ctx, size, &inner, to,
        to_at + i * c->to[0], from, from_at + i * c->from[0]);
    return code;
  }
  int dimension = kz_transposed(ctx, c);
  if (dimension >= 0) return kz_copy_transposed(ctx, size, c, dimension, to, to_at, from, from_at);
  int32_t rank = c->rank;
  int64_t total = 1, threads = kz_workers(ctx), run = 0, dimensions[3 * KZ_COPY_RANK];
  for (int k = 0; k < KZ_COPY_RANK; k++) {
    int from_end = rank - 1 - k;
    dimensions[3 * k] = k < rank ? c->shape[from_end] : 1;
    dimensions[3 * k + 1] = k < rank ? c->to[from_end] : 0;
    dimensions[3 * k + 2] = k < rank ? c->from[from_end] : 0;
    total *= dimensions[3 * k];
  }
  if (threads > total) threads = total;
  if (ctx->device.is_cpu) run = (total + threads - 1) / threads;
  struct kz_arg args[7 + 3 * KZ_COPY_RANK] = {{0, to}, {sizeof to_at, &to_at}, {0, from}, {sizeof from_at, &from_at},
      {sizeof total, &total}, {sizeof run, &run}, {sizeof rank, &rank}};
  for (int i = 0; i < 3 * KZ_COPY_RANK; i++) args[7 + i] = (struct kz_arg){sizeof *dimensions, &dimensions[i]};
  return kz_launch(ctx, kz_kernel_count() + kz_size_index(size), INT64_MAX, threads, 7 + 3 * KZ_COPY_RANK, args, false);
}

// Copies elements of 1, 2, 4 or 8 bytes; offsets and steps are in elements. The destination has a place of its own for each
// element, and none of them is in the source.
KZ_OUTLINE int kz_copy_blocks(struct futhark_context *ctx, int64_t size, int rank, const int64_t *shape, void *to,
    int64_t to_offset, const int64_t *to_steps, const void *from, int64_t from_offset, const int64_t *from_steps) {
  struct kz_strided c;
  c.rank = 0;
  for (int k = 0; k < rank; k++) {
    if (shape[k] <= 0) return 0;
    if (shape[k] == 1) continue;
    // The order of dimensions is free: the farthest steps of the destination go outermost.
    int at = c.rank++;
    for (; at > 0 && llabs(c.to[at - 1]) < llabs(to_steps[k]); at--) {
      c.shape[at] = c.shape[at - 1], c.to[at] = c.to[at - 1], c.from[at] = c.from[at - 1];
    }
    c.shape[at] = shape[k], c.to[at] = to_steps[k], c.from[at] = from_steps[k];
  }
  // Dimensions that follow on one another in both are one.
  int last = 0;
  for (int k = 1; k < c.rank; k++) {
    if (c.to[last] == c.shape[k] * c.to[k] && c.from[last] == c.shape[k] * c.from[k]) c.shape[last] *= c.shape[k];
    else c.shape[++last] = c.shape[k];
    c.to[last] = c.to[k], c.from[last] = c.from[k];
  }
  if (c.rank > 0) c.rank = last + 1;
  // Two elements that are next to each other in both are one of twice the size.
  while (size < 8 && c.rank > 1 && c.to[last] == 1 && c.from[last] == 1) {
    bool fits = c.shape[last] % 2 == 0 && to_offset % 2 == 0 && from_offset % 2 == 0;
    for (int k = 0; k < last; k++) fits = fits && c.to[k] % 2 == 0 && c.from[k] % 2 == 0;
    if (!fits) break;
    for (int k = 0; k < last; k++) c.to[k] /= 2, c.from[k] /= 2;
    c.shape[last] /= 2, to_offset /= 2, from_offset /= 2, size *= 2;
  }
  return kz_copy_planned(ctx, size, &c, to, to_offset, from, from_offset);
}

// What the user may choose. Names and files are copied.

KZ_FN void kz_wish(char **to, const char *text) {
  free(*to);
  *to = NULL;
  if (text != NULL && (*to = kz_malloc(strlen(text) + 1)) != NULL) strcpy(*to, text);
}
// Options stand behind one another.
KZ_FN void kz_wish_option(struct futhark_context_config *config, const char *option) {
  char *before = config->wishes.build_options;
  size_t length = before == NULL ? 0 : strlen(before) + 1;
  char *all = kz_malloc(length + strlen(option) + 1);
  if (all == NULL) return;
  sprintf(all, "%s%s%s", before == NULL ? "" : before, before == NULL ? "" : " ", option);
  free(before);
  config->wishes.build_options = all;
}
KZ_OUTLINE void kz_wish_cache_file(struct futhark_context_config *config, const char *file) {
  kz_wish(&config->wishes.cache_file, file);
  config->wishes.has_cache_file = true;
}
KZ_OUTLINE void kz_forget_wishes(struct futhark_context_config *config) {
  struct kz_wishes *w = &config->wishes;
  char *texts[] = {w->platform, w->device, w->build_options, w->cache_file, w->program, w->binary_file,
      w->dump_file};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) free(texts[i]);
}
KZ_API void futhark_context_config_set_device(struct futhark_context_config *config, const char *name) {
  kz_wish(&config->wishes.device, name);
}
KZ_API void futhark_context_config_set_default_thread_block_size(struct futhark_context_config *config, int size) {
  config->wishes.group_size = size;
}
KZ_API void futhark_context_config_set_default_group_size(struct futhark_context_config *config, int size) {
  config->wishes.group_size = size;
}
KZ_API const char *futhark_context_config_get_program(struct futhark_context_config *config) {
  if (config->wishes.program == NULL) config->wishes.program = kz_program_text();
  return config->wishes.program;
}
KZ_API void futhark_context_config_set_program(struct futhark_context_config *config, const char *program) {
  kz_wish(&config->wishes.program, program);
}
// These mean nothing here.
#define KZ_IGNORED(name)                                                                                              \
  KZ_API void futhark_context_config_set_##name(struct futhark_context_config *config, int value) {                   \
    (void)config, (void)value;                                                                                        \
  }
KZ_IGNORED(unified_memory)
KZ_IGNORED(default_grid_size)
KZ_IGNORED(default_num_groups)
KZ_IGNORED(default_tile_size)
KZ_IGNORED(default_reg_tile_size)
KZ_IGNORED(default_registers)
KZ_IGNORED(default_threshold)
#ifdef KZ_OPENCL
KZ_API void futhark_context_config_set_platform(struct futhark_context_config *config, const char *name) {
  kz_wish(&config->wishes.platform, name);
}
KZ_API void futhark_context_config_add_build_option(struct futhark_context_config *config, const char *option) {
  kz_wish_option(config, option);
}
KZ_API void futhark_context_config_load_binary_from(struct futhark_context_config *config, const char *path) {
  kz_wish(&config->wishes.binary_file, path);
}
KZ_API void futhark_context_config_select_device_interactively(struct futhark_context_config *config) {
  char message[1024] = "", line[32] = "#";
  if (!kz_list_devices(stdout, message, sizeof message)) {
    puts(message);
    return;
  }
  printf("Number of the device: ");
  fflush(stdout);
  if (fgets(line + 1, sizeof line - 1, stdin) == NULL) return;
  line[strcspn(line, "\r\n")] = '\0';
  futhark_context_config_set_device(config, line);
}
KZ_API void futhark_context_config_set_command_queue(struct futhark_context_config *config,
    struct _cl_command_queue *queue) {
  config->wishes.queue = queue;
}
KZ_API struct _cl_command_queue *futhark_context_get_command_queue(struct futhark_context *ctx) {
  return ctx->device.queue;
}
// The program of all kernels if there is one, or else of the first that has run; NULL until then.
KZ_API struct _cl_program *futhark_context_get_program(struct futhark_context_config *config) {
  const struct kz_device *d = config->wishes.opened;
  kz_program program = d == NULL ? NULL : d->program;
  for (int i = 0; d != NULL && program == NULL && i < d->kernel_count; i++) program = d->kernels[i].program;
  return program;
}
#endif
#ifdef KZ_CUDA
KZ_API void futhark_context_dump_ptx_to(struct futhark_context_config *config, const char *path) {
  kz_wish(&config->wishes.dump_file, path);
}
KZ_API void futhark_context_config_add_nvrtc_option(struct futhark_context_config *config, const char *option) {
  kz_wish_option(config, option);
}
KZ_API void futhark_context_config_load_ptx_from(struct futhark_context_config *config, const char *path) {
  kz_wish(&config->wishes.binary_file, path);
}
#endif
