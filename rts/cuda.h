// cuda.h: what device.h and memory.h need of CUDA: the libraries of the driver and of NVRTC, which are loaded when a context begins,
// devices, buffers, programs and kernels. Needs base.h; opencl.h has the same functions.
//
// These functions know nothing of contexts: they return 0 or a code of the driver's, of which kz_device_message makes a text.
// Everything is done in one stream, so one after the other: one of our own, since a launch takes a tenth longer in the default
// stream. The two wait for each other, so that nobody who uses that one can tell. Each function makes the device's context
// current for as long as it runs, since any thread may call it.

#include <dlfcn.h>
#define FUTHARK_BACKEND_cuda

// Tests count the buffers there are.
#ifndef KZ_COUNT_BUFFER
#define KZ_COUNT_BUFFER(change) ((void)0)
#endif

typedef unsigned long long kz_buffer;
// Of something that the device did, for profiles: events before and after it.
typedef struct {
  void *start, *end;
} kz_event;

// The functions of the driver, and those of NVRTC: name, symbol, parameters. All return an int.
#define KZ_CUDA_FUNCTIONS(X)                                                                                          \
  X(cuInit, "cuInit", (unsigned))                                                                                     \
  X(cuDriverGetVersion, "cuDriverGetVersion", (int *))                                                                \
  X(cuDeviceGetCount, "cuDeviceGetCount", (int *))                                                                    \
  X(cuDeviceGet, "cuDeviceGet", (int *, int))                                                                         \
  X(cuDeviceGetName, "cuDeviceGetName", (char *, int, int))                                                           \
  X(cuDeviceGetAttribute, "cuDeviceGetAttribute", (int *, int, int))                                                  \
  X(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (void **, int))                                             \
  X(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (int))                                                 \
  X(cuCtxPushCurrent, "cuCtxPushCurrent_v2", (void *))                                                                \
  X(cuCtxPopCurrent, "cuCtxPopCurrent_v2", (void **))                                                                 \
  X(cuMemAlloc, "cuMemAlloc_v2", (kz_buffer *, size_t))                                                               \
  X(cuMemFree, "cuMemFree_v2", (kz_buffer))                                                                           \
  X(cuMemcpyHtoD, "cuMemcpyHtoD_v2", (kz_buffer, const void *, size_t))                                               \
  X(cuMemcpyDtoH, "cuMemcpyDtoH_v2", (void *, kz_buffer, size_t))                                                     \
  X(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", (void *, kz_buffer, size_t, void *))                                   \
  X(cuMemHostAlloc, "cuMemHostAlloc", (void **, size_t, unsigned))                                                    \
  X(cuMemHostGetDevicePointer, "cuMemHostGetDevicePointer_v2", (kz_buffer *, void *, unsigned))                       \
  X(cuMemFreeHost, "cuMemFreeHost", (void *))                                                                         \
  X(cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", (kz_buffer, kz_buffer, size_t, void *))                                \
  X(cuMemsetD8Async, "cuMemsetD8Async", (kz_buffer, unsigned char, size_t, void *))                                   \
  X(cuMemsetD16Async, "cuMemsetD16Async", (kz_buffer, unsigned short, size_t, void *))                                \
  X(cuMemsetD32Async, "cuMemsetD32Async", (kz_buffer, unsigned, size_t, void *))                                      \
  X(cuStreamCreate, "cuStreamCreate", (void **, unsigned))                                                            \
  X(cuStreamDestroy, "cuStreamDestroy_v2", (void *))                                                                  \
  X(cuStreamSynchronize, "cuStreamSynchronize", (void *))                                                             \
  X(cuModuleLoadData, "cuModuleLoadData", (void **, const void *))                                                    \
  X(cuModuleUnload, "cuModuleUnload", (void *))                                                                       \
  X(cuModuleGetFunction, "cuModuleGetFunction", (void **, void *, const char *))                                      \
  X(cuFuncGetAttribute, "cuFuncGetAttribute", (int *, int, void *))                                                   \
  X(cuFuncSetAttribute, "cuFuncSetAttribute", (void *, int, int))                                                     \
  X(cuLaunchKernel, "cuLaunchKernel", (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,  \
      void *, void **, void **))                                                                                      \
  X(cuEventCreate, "cuEventCreate", (void **, unsigned))                                                              \
  X(cuEventRecord, "cuEventRecord", (void *, void *))                                                                 \
  X(cuEventSynchronize, "cuEventSynchronize", (void *))                                                               \
  X(cuEventElapsedTime, "cuEventElapsedTime", (float *, void *, void *))                                              \
  X(cuEventDestroy, "cuEventDestroy_v2", (void *))
#define KZ_NVRTC_FUNCTIONS(X)                                                                                         \
  X(nvrtcCreateProgram, "nvrtcCreateProgram", (void **, const char *, const char *, int, const char *const *,         \
      const char *const *))                                                                                           \
  X(nvrtcCompileProgram, "nvrtcCompileProgram", (void *, int, const char *const *))                                   \
  X(nvrtcGetProgramLogSize, "nvrtcGetProgramLogSize", (void *, size_t *))                                             \
  X(nvrtcGetProgramLog, "nvrtcGetProgramLog", (void *, char *))                                                       \
  X(nvrtcGetCUBINSize, "nvrtcGetCUBINSize", (void *, size_t *))                                                       \
  X(nvrtcGetCUBIN, "nvrtcGetCUBIN", (void *, char *))                                                                 \
  X(nvrtcGetPTXSize, "nvrtcGetPTXSize", (void *, size_t *))                                                           \
  X(nvrtcGetPTX, "nvrtcGetPTX", (void *, char *))                                                                     \
  X(nvrtcGetNumSupportedArchs, "nvrtcGetNumSupportedArchs", (int *))                                                  \
  X(nvrtcGetSupportedArchs, "nvrtcGetSupportedArchs", (int *))                                                        \
  X(nvrtcDestroyProgram, "nvrtcDestroyProgram", (void **))

// The constants of CUDA, in short.
enum {
  KZ_CU_MAX_GROUP = 1,
  KZ_CU_MAX_SHARED = 97, // when a kernel asks for it
  KZ_CU_PROCESSORS = 16,
  KZ_CU_PROCESSOR_THREADS = 39,
  KZ_CU_MAJOR = 75,
  KZ_CU_MINOR = 76,
  KZ_CU_KERNEL_GROUP = 0,
  KZ_CU_KERNEL_SHARED = 8,
  KZ_CU_SHARED = 48 * 1024, // what every kernel may have of shared memory without asking
  KZ_CU_NO_MEMORY = 2,
  KZ_CU_NO_DEVICE = 100,
  KZ_CU_NOT_BUILT = -1, // these are our own
  KZ_CU_NO_HOST_MEMORY = -2,
  KZ_CU_NO_COMPILER = -3,
};
// Of the memory of the host that the device reaches itself: the copy of the cell of errors, and then what is read.
enum { KZ_STAGED_ERROR = 256, KZ_STAGED = 4096 };
enum { KZ_CU_MAPPED = 2 };
enum { KZ_DEVICE_TEXT = 256, KZ_MOST_ARCHITECTURES = 128, KZ_MOST_BUILD_OPTIONS = 64 };

typedef struct {
  void *module; // NULL until it is loaded
  char *binary;
  size_t size;
} kz_program;
// Its function is NULL until it is first run; its program is not loaded where one has all kernels.
struct kz_kernel {
  kz_program program;
  void *function;
};
struct kz_device {
#define KZ_CUDA_FIELD(name, symbol, parameters) int(*name) parameters;
  KZ_CUDA_FUNCTIONS(KZ_CUDA_FIELD)
  KZ_NVRTC_FUNCTIONS(KZ_CUDA_FIELD)
  int id;
  void *context;
  void *stream; // NULL is the default one
  void *first_event; // all times are since then
  char *staging; // memory of the host that the device reaches itself, KZ_STAGED_ERROR + KZ_STAGED bytes; NULL if there is none
  kz_buffer staging_there; // its address on the device
  kz_program program; // of all kernels, if it is loaded
  struct kz_kernel *kernels;
  int kernel_count;
  int64_t group_size; // of all kernels that have room for it, unless they say another
  int64_t most_group, most_shared;
  int64_t resident; // how many threads there can be at a time
  bool is_cpu, has_f64; // as all devices with CUDA
  int architecture;
  char options[64], name[KZ_DEVICE_TEXT], version[KZ_DEVICE_TEXT], driver[KZ_DEVICE_TEXT];
};

KZ_FN const char *kz_device_message(int code) {
  static const struct {
    int code;
    const char *text;
  } known[] = {{1, "a value is not valid"}, {KZ_CU_NO_MEMORY, "out of memory on the device"}, {3,
      "CUDA cannot be initialised"}, {4, "the driver is being shut down"}, {35,
      "the driver is older than the program needs"}, {KZ_CU_NO_DEVICE, "there is no device"}, {101,
      "there is no such device"}, {200, "the binary of the kernels is not valid"}, {201, "the context is not valid"}, {209,
      "the binary of the kernels is for another device"}, {218, "the kernels cannot be compiled"}, {222,
      "the driver is older than the compiler of the kernels; install a newer one"}, {500, "there is no such kernel"}, {700,
      "a kernel used an address that is not valid"}, {701, "the kernel needs too many resources"}, {702,
      "the kernel took too long"}, {719, "the kernel has failed"}, {803, "driver and libcuda are of different versions"},
      {KZ_CU_NOT_BUILT, "they cannot be compiled"}, {KZ_CU_NO_HOST_MEMORY, "out of memory on the host"},
      {KZ_CU_NO_COMPILER, "there is no compiler for them"}, {0, NULL}};
  int i = 0;
  while (known[i].text != NULL && known[i].code != code) i++;
  return known[i].text == NULL ? "unknown error" : known[i].text;
}
KZ_FN bool kz_device_is_full(int code) { return code == KZ_CU_NO_MEMORY; }

#define KZ_CUDA_LOAD(name, symbol, parameters)                                                                        \
  function = dlsym(library, symbol);                                                                                  \
  if (function == NULL) missing = symbol;                                                                             \
  else memcpy(&d->name, &function, sizeof function);
KZ_FN bool kz_load_cuda(struct kz_device *d, char *message, size_t room) {
  const char *missing = NULL;
  void *function, *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) library = dlopen("libcuda.so", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    snprintf(message, room, "there is no CUDA: libcuda.so.1 cannot be loaded; install the driver of the NVIDIA GPU "
        "(Debian: nvidia-driver and libcuda1).");
    return false;
  }
  KZ_CUDA_FUNCTIONS(KZ_CUDA_LOAD)
  if (missing != NULL) snprintf(message, room, "libcuda.so.1 has no %s; install a newer driver of the NVIDIA GPU.", missing);
  int code = missing != NULL ? 0 : d->cuInit(0);
  if (code != 0) snprintf(message, room, "CUDA cannot be used: %s (%d); install or update the driver of the NVIDIA GPU.",
      kz_device_message(code), code);
  return missing == NULL && code == 0;
}
KZ_FN bool kz_load_nvrtc(struct kz_device *d, char *message, size_t room) {
  static const char *const names[] = {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"};
  const char *folders[] = {getenv("CUDA_HOME"), getenv("CUDA_ROOT"), getenv("CUDA_PATH"), "/usr/local/cuda"};
  const char *missing = NULL;
  void *function, *library = NULL;
  for (size_t i = 0; library == NULL && i < sizeof names / sizeof *names; i++) library = dlopen(names[i],
      RTLD_LAZY | RTLD_LOCAL);
  for (size_t i = 0; library == NULL && i < sizeof folders / sizeof *folders; i++) {
    char path[1024];
    int length = folders[i] == NULL ? -1 : snprintf(path, sizeof path, "%s/lib64/libnvrtc.so", folders[i]);
    if (length > 0 && (size_t)length < sizeof path) library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  }
  if (library == NULL) {
    snprintf(message, room, "there is no compiler for kernels: libnvrtc.so cannot be loaded; install that of the CUDA "
        "toolkit (Debian: libnvrtc12 or nvidia-cuda-toolkit), or set CUDA_HOME to its folder.");
    return false;
  }
  KZ_NVRTC_FUNCTIONS(KZ_CUDA_LOAD)
  if (missing != NULL) snprintf(message, room, "libnvrtc.so has no %s; install that of CUDA 11.2 or newer.", missing);
  return missing == NULL;
}

// A name that the user gave means the first with that in its name, or with #3 the fourth.
KZ_FN bool kz_is_meant(const char *wish, const char *name, int number) {
  if (wish == NULL || *wish == '\0') return true;
  return *wish == '#' ? atoi(wish + 1) == number : strstr(name, wish) != NULL;
}
// Takes the device that is meant, or the first; with a file it only lists them.
KZ_FN bool kz_choose_device(struct kz_device *d, const char *device, FILE *list, char *message, size_t room) {
  int count = 0, id;
  bool is_found = false;
  if (d->cuDeviceGetCount(&count) != 0) count = 0;
  for (int i = 0; i < count && !is_found; i++) {
    char name[KZ_DEVICE_TEXT] = "";
    if (d->cuDeviceGet(&id, i) != 0 || d->cuDeviceGetName(name, sizeof name - 1, id) != 0) continue;
    if (list != NULL) fprintf(list, "Device #%d: %s\n", i, name);
    if (list != NULL || !kz_is_meant(device, name, i)) continue;
    is_found = true;
    d->id = id;
    memcpy(d->name, name, sizeof name);
  }
  if (!is_found) snprintf(message, room, "there is no CUDA device%s%s; see --list-devices, or install the driver of the "
      "NVIDIA GPU.", device == NULL ? "" : " with the name ", device == NULL ? "" : device);
  return is_found || (list != NULL && count > 0);
}

KZ_FN int kz_enter(struct kz_device *d) { return d->cuCtxPushCurrent(d->context); }
KZ_FN int kz_leave(struct kz_device *d, int code) {
  void *before;
  int other = d->cuCtxPopCurrent(&before);
  return code != 0 ? code : other;
}
// Opens the device that is meant; false, and a message, if there is none. Platforms and queues are OpenCL's.
KZ_FN bool kz_device_open(struct kz_device *d, const char *platform, const char *device, void *queue, bool profiles,
    char *message, size_t room) {
  int major = 0, minor = 0, driver = 0, most = 0;
  (void)platform, (void)queue;
  if (!kz_load_cuda(d, message, room) || !kz_choose_device(d, device, NULL, message, room)) return false;
  d->cuDeviceGetAttribute(&major, KZ_CU_MAJOR, d->id);
  d->cuDeviceGetAttribute(&minor, KZ_CU_MINOR, d->id);
  d->cuDeviceGetAttribute(&most, KZ_CU_MAX_GROUP, d->id);
  d->cuDriverGetVersion(&driver);
  d->architecture = 10 * major + minor;
  d->has_f64 = true;
  d->most_group = most;
  int most_shared = 0, processors = 0, of_processor = 0;
  d->cuDeviceGetAttribute(&processors, KZ_CU_PROCESSORS, d->id);
  d->cuDeviceGetAttribute(&of_processor, KZ_CU_PROCESSOR_THREADS, d->id);
  d->resident = (int64_t)processors * of_processor;
  d->cuDeviceGetAttribute(&most_shared, KZ_CU_MAX_SHARED, d->id);
  d->most_shared = most_shared > 0 ? most_shared : KZ_CU_SHARED;
  d->group_size = most > 0 && most < 256 ? most : 256;
  snprintf(d->version, sizeof d->version, "compute capability %d.%d", major, minor);
  snprintf(d->driver, sizeof d->driver, "%d", driver);
  snprintf(d->options, sizeof d->options, "--gpu-architecture=sm_%d --std=c++17", d->architecture);
  int code = d->cuDevicePrimaryCtxRetain(&d->context, d->id);
  if (code != 0) {
    d->context = NULL;
    snprintf(message, room, "the CUDA device %s cannot be used: %s (%d).", d->name, kz_device_message(code), code);
    return false;
  }
  if (kz_enter(d) == 0) {
    if (d->cuStreamCreate(&d->stream, 0) != 0) d->stream = NULL;
    void *staging = NULL;
    bool has_staging = d->cuMemHostAlloc(&staging, KZ_STAGED_ERROR + KZ_STAGED, KZ_CU_MAPPED) == 0;
    if (has_staging && d->cuMemHostGetDevicePointer(&d->staging_there, staging, 0) == 0) d->staging = staging;
    else if (has_staging) d->cuMemFreeHost(staging);
    if (d->staging != NULL) memset(d->staging, 0, KZ_STAGED_ERROR + KZ_STAGED);
    kz_leave(d, 0);
  }
  if (profiles && kz_enter(d) == 0) {
    if (d->cuEventCreate(&d->first_event, 0) != 0 || d->cuEventRecord(d->first_event, d->stream) != 0) d->first_event = NULL;
    kz_leave(d, 0);
  }
  return true;
}
KZ_FN void kz_program_drop(struct kz_device *d, kz_program *program) {
  if (program->module != NULL && kz_enter(d) == 0) kz_leave(d, d->cuModuleUnload(program->module));
  free(program->binary);
  program->module = NULL, program->binary = NULL;
}
KZ_FN void kz_device_close(struct kz_device *d) {
  for (int i = 0; i < d->kernel_count; i++) kz_program_drop(d, &d->kernels[i].program);
  kz_program_drop(d, &d->program);
  if (d->context != NULL && kz_enter(d) == 0) {
    if (d->first_event != NULL) d->cuEventDestroy(d->first_event);
    if (d->staging != NULL) d->cuMemFreeHost(d->staging);
    if (d->stream != NULL) d->cuStreamDestroy(d->stream);
    kz_leave(d, 0);
  }
  free(d->kernels);
  if (d->context != NULL) d->cuDevicePrimaryCtxRelease(d->id);
}
KZ_FN bool kz_list_devices(FILE *out, char *message, size_t room) {
  struct kz_device d;
  memset(&d, 0, sizeof d);
  return kz_load_cuda(&d, message, room) && kz_choose_device(&d, NULL, out, message, room);
}
KZ_FN int kz_device_wait(struct kz_device *d) {
  int code = kz_enter(d);
  return code != 0 ? code : kz_leave(d, d->cuStreamSynchronize(d->stream));
}

KZ_FN void kz_buffer_free(struct kz_device *d, kz_buffer buffer) {
  KZ_COUNT_BUFFER(-1);
  if (kz_enter(d) == 0) kz_leave(d, d->cuMemFree(buffer));
}
KZ_FN int kz_buffer_new(struct kz_device *d, int64_t bytes, kz_buffer *buffer) {
  int code = KZ_FAULT ? KZ_CU_NO_MEMORY : kz_enter(d);
  if (code == 0) code = kz_leave(d, d->cuMemAlloc(buffer, (size_t)bytes));
  if (code == 0) KZ_COUNT_BUFFER(1);
  return code;
}
// An event, where one is wanted, is to be given to kz_event_end. These two stand around what is done.
KZ_FN int kz_event_begin(struct kz_device *d, kz_event *event) {
  int code = kz_enter(d);
  if (code != 0 || event == NULL) return code;
  event->start = event->end = NULL;
  if (d->cuEventCreate(&event->start, 0) != 0) event->start = NULL;
  else if (d->cuEventCreate(&event->end, 0) != 0) event->end = NULL;
  else d->cuEventRecord(event->start, d->stream);
  return 0;
}
KZ_FN int kz_event_done(struct kz_device *d, kz_event *event, int code) {
  if (code == 0 && event != NULL && event->end != NULL) d->cuEventRecord(event->end, d->stream);
  if (code != 0 && event != NULL) {
    if (event->start != NULL) d->cuEventDestroy(event->start);
    if (event->end != NULL) d->cuEventDestroy(event->end);
  }
  return kz_leave(d, code);
}
KZ_FN void kz_event_end(struct kz_device *d, kz_event event, int64_t *start, int64_t *end) {
  float before = 0, during = 0;
  if (kz_enter(d) != 0) return;
  if (event.end != NULL && d->first_event != NULL && d->cuEventSynchronize(event.end) == 0) {
    d->cuEventElapsedTime(&before, d->first_event, event.start);
    d->cuEventElapsedTime(&during, event.start, event.end);
  }
  if (event.start != NULL) d->cuEventDestroy(event.start);
  if (event.end != NULL) d->cuEventDestroy(event.end);
  *start = (int64_t)((double)before * 1e6);
  *end = *start + (int64_t)((double)during * 1e6);
  kz_leave(d, 0);
}
// The host waits for what is read. A little goes through memory that the device reaches itself, which takes less time.
KZ_FN int kz_buffer_read(struct kz_device *d, void *to, kz_buffer from, int64_t offset, int64_t bytes,
    kz_event *event) {
  int code = KZ_FAULT ? KZ_CU_NO_MEMORY : kz_event_begin(d, event);
  if (code != 0) return code;
  if (d->staging == NULL || bytes > KZ_STAGED) return kz_event_done(d, event,
      d->cuMemcpyDtoH(to, from + (kz_buffer)offset, (size_t)bytes));
  code = d->cuMemcpyDtoHAsync(d->staging + KZ_STAGED_ERROR, from + (kz_buffer)offset, (size_t)bytes, d->stream);
  if (code == 0) code = d->cuStreamSynchronize(d->stream);
  if (code == 0) memcpy(to, d->staging + KZ_STAGED_ERROR, (size_t)bytes);
  return kz_event_done(d, event, code);
}
// The cell of errors as kernels have left it, for which the host waits: they write a copy of it to memory of the host.
KZ_FN kz_buffer kz_error_copy(const struct kz_device *d) { return d->staging == NULL ? 0 : d->staging_there; }
KZ_FN int kz_error_read(struct kz_device *d, void *to, kz_buffer from, int64_t bytes) {
  if (d->staging == NULL || KZ_FAULT) return kz_buffer_read(d, to, from, 0, bytes, NULL);
  int code = kz_device_wait(d);
  if (code != 0) return code;
  memcpy(to, d->staging, (size_t)bytes);
  memset(d->staging, 0, KZ_STAGED_ERROR);
  return 0;
}
// What is written may be overwritten by the caller at once. Nobody waits for a few bytes, which the driver takes as numbers.
KZ_FN int kz_buffer_write(struct kz_device *d, kz_buffer to, int64_t offset, const void *from, int64_t bytes,
    kz_event *event) {
  kz_buffer at = to + (kz_buffer)offset;
  int code = KZ_FAULT ? KZ_CU_NO_MEMORY : kz_event_begin(d, event);
  if (code != 0) return code;
  if (bytes == 1) {
    code = d->cuMemsetD8Async(at, *(const unsigned char *)from, 1, d->stream);
  } else if (bytes == 2 && at % 2 == 0) {
    uint16_t value;
    memcpy(&value, from, sizeof value);
    code = d->cuMemsetD16Async(at, value, 1, d->stream);
  } else if ((bytes == 4 || bytes == 8) && at % 4 == 0) {
    uint32_t values[2] = {0, 0};
    memcpy(values, from, (size_t)bytes);
    for (int i = 0; code == 0 && i < bytes / 4; i++) code = d->cuMemsetD32Async(at + 4 * (kz_buffer)i, values[i], 1,
        d->stream);
  } else {
    code = d->cuMemcpyHtoD(at, from, (size_t)bytes);
  }
  return kz_event_done(d, event, code);
}
KZ_FN int kz_buffer_copy(struct kz_device *d, kz_buffer to, int64_t to_offset, kz_buffer from, int64_t from_offset,
    int64_t bytes, kz_event *event) {
  int code = KZ_FAULT ? KZ_CU_NO_MEMORY : kz_event_begin(d, event);
  return code != 0 ? code : kz_event_done(d, event, d->cuMemcpyDtoDAsync(to + (kz_buffer)to_offset,
      from + (kz_buffer)from_offset, (size_t)bytes, d->stream));
}

// Options for the compiler of kernels, before those of the user.
KZ_FN const char *kz_build_options(const struct kz_device *d) { return d->options; }
KZ_FN bool kz_program_is_loaded(const kz_program *program) { return program->module != NULL; }
KZ_FN int kz_program_load(struct kz_device *d, kz_program *program, const void *binary, size_t size, const char *options) {
  (void)options;
  program->binary = kz_malloc(size + 1);
  if (program->binary == NULL) return KZ_CU_NO_HOST_MEMORY;
  memcpy(program->binary, binary, size);
  program->binary[size] = '\0'; // PTX is text
  program->size = size;
  int code = KZ_FAULT ? KZ_CU_NO_MEMORY : kz_enter(d);
  if (code == 0) code = kz_leave(d, d->cuModuleLoadData(&program->module, program->binary));
  if (code == 0) return 0;
  program->module = NULL;
  kz_program_drop(d, program);
  return code;
}
// Compiles with these words as options; the result is machine code, or PTX for what is newer than the compiler.
KZ_FN int kz_nvrtc(struct kz_device *d, const char *text, int count, const char *const *words, bool is_ptx, char **made,
    size_t *made_size, char **log) {
  void *program = NULL;
  size_t size = 0;
  char *binary = NULL;
  int code = d->nvrtcCreateProgram(&program, text, "kernels.cu", 0, NULL, NULL);
  if (code != 0) return KZ_CU_NOT_BUILT;
  code = d->nvrtcCompileProgram(program, count, words);
  if (code == 0) code = is_ptx ? d->nvrtcGetPTXSize(program, &size) : d->nvrtcGetCUBINSize(program, &size);
  if (code == 0 && (binary = kz_malloc(size)) != NULL) code = is_ptx ? d->nvrtcGetPTX(program, binary)
      : d->nvrtcGetCUBIN(program, binary);
  if (code != 0 && *log == NULL && d->nvrtcGetProgramLogSize(program, &size) == 0
      && (*log = kz_malloc(size + 1)) != NULL) {
    memset(*log, 0, size + 1);
    d->nvrtcGetProgramLog(program, *log);
  }
  d->nvrtcDestroyProgram(&program);
  if (code == 0 && binary != NULL) {
    *made = binary, *made_size = size;
    return 0;
  }
  free(binary);
  return code != 0 ? KZ_CU_NOT_BUILT : KZ_CU_NO_HOST_MEMORY;
}
// Makes a binary of the text; that, or on failure the log, if there is one, is to be freed. The first of the options is the
// architecture. Once it has succeeded, several threads may use it.
KZ_FN int kz_compile(struct kz_device *d, const char *text, const char *options, char **binary, size_t *size, char **log) {
  const char *words[KZ_MOST_BUILD_OPTIONS];
  int known[KZ_MOST_ARCHITECTURES], known_count = 0, count = 0, best = 0;
  char older[64], *copy = kz_malloc(strlen(options) + 1);
  *log = NULL;
  if (copy == NULL) return KZ_CU_NO_HOST_MEMORY;
  // It is large, and not needed where the kernels have been built before.
  char message[512] = "";
  if (d->nvrtcCompileProgram == NULL && !kz_load_nvrtc(d, message, sizeof message)) {
    d->nvrtcCompileProgram = NULL;
    free(copy);
    *log = kz_malloc(sizeof message);
    if (*log != NULL) strcpy(*log, message);
    return KZ_CU_NO_COMPILER;
  }
  strcpy(copy, options);
  for (char *word = copy; *word != '\0' && count < KZ_MOST_BUILD_OPTIONS;) {
    size_t length = strcspn(word, " ");
    char *next = word + length + (word[length] != '\0');
    word[length] = '\0';
    if (length > 0) words[count++] = word;
    word = next;
  }
  if (d->nvrtcGetNumSupportedArchs(&known_count) != 0 || known_count > KZ_MOST_ARCHITECTURES
      || d->nvrtcGetSupportedArchs(known) != 0) known_count = 0;
  for (int i = 0; i < known_count; i++)
    if (known[i] <= d->architecture && known[i] > best) best = known[i];
  bool is_ptx = best != 0 && best != d->architecture;
  if (is_ptx) {
    snprintf(older, sizeof older, "--gpu-architecture=compute_%d", best);
    words[0] = older;
  }
  int code = kz_nvrtc(d, text, count, words, is_ptx, binary, size, log);
  free(copy);
  return code;
}
// Builds the program; on failure the log, if there is one, is to be freed.
KZ_FN int kz_program_build(struct kz_device *d, kz_program *program, const char *text, const char *options, char **log) {
  char *binary = NULL;
  size_t size = 0;
  int code = kz_compile(d, text, options, &binary, &size, log);
  if (code == 0) code = kz_program_load(d, program, binary, size, "");
  free(binary);
  return code;
}
// The program as it was built, to be freed.
KZ_FN int kz_program_binary(struct kz_device *d, const kz_program *program, void **binary, size_t *size) {
  (void)d;
  *binary = kz_malloc(program->size);
  if (*binary == NULL) return KZ_CU_NO_HOST_MEMORY;
  *size = program->size;
  memcpy(*binary, program->binary, program->size);
  return 0;
}

// Runs a kernel, whose program is loaded, by its number and name, with these arguments, in groups of this size or, if that is 0, the usual one.
KZ_FN int kz_kernel_run(struct kz_device *d, int kernel, const char *name, int64_t threads, int64_t group_size,
    int64_t shared, int count, const size_t *sizes, const void *const *values, kz_event *event) {
  void *arguments[count];
  (void)sizes;
  for (int i = 0; i < count; i++) arguments[i] = (void *)(uintptr_t)values[i];
  int most = 0, code = KZ_FAULT ? KZ_CU_NO_MEMORY : kz_event_begin(d, event);
  if (code != 0) return code;
  struct kz_kernel *found = &d->kernels[kernel];
  void *module = found->program.module != NULL ? found->program.module : d->program.module;
  if (found->function == NULL) code = d->cuModuleGetFunction(&found->function, module, name);
  if (code != 0) found->function = NULL;
  else code = d->cuFuncGetAttribute(&most, KZ_CU_KERNEL_GROUP, found->function);
  if (code == 0 && shared > KZ_CU_SHARED) code = d->cuFuncSetAttribute(found->function, KZ_CU_KERNEL_SHARED, (int)shared);
  int64_t group = group_size > 0 ? group_size : most > 0 && most < d->group_size ? most : d->group_size;
  int64_t groups = (threads + group - 1) / group;
  if (code == 0) code = d->cuLaunchKernel(found->function, (unsigned)groups, 1, 1, (unsigned)group, 1, 1,
      shared > 0 ? (unsigned)shared : 0, d->stream, arguments, NULL);
  return kz_event_done(d, event, code);
}
