// opencl.h: what device.h and memory.h need of OpenCL 1.2: its library, which is loaded when a context begins, devices, buffers,
// programs and kernels. Needs base.h; cuda.h has the same functions.
//
// These functions know nothing of contexts: they return 0 or a code of OpenCL's, of which kz_device_message makes a text.

#include <dlfcn.h>
#include <time.h>
#define FUTHARK_BACKEND_opencl

// Tests count the buffers there are.
#ifndef KZ_COUNT_BUFFER
#define KZ_COUNT_BUFFER(change) ((void)0)
#endif

struct _cl_platform_id;
struct _cl_device_id;
struct _cl_context;
struct _cl_command_queue;
struct _cl_program;
struct _cl_kernel;
typedef struct _cl_mem *kz_buffer;
typedef struct _cl_program *kz_program;
// Of something that the device did, for profiles.
typedef struct _cl_event *kz_event;

// The functions of the library: result, name, parameters.
#define KZ_OPENCL_FUNCTIONS(X)                                                                                        \
  X(int32_t, clGetPlatformIDs, (uint32_t, struct _cl_platform_id **, uint32_t *))                                     \
  X(int32_t, clGetPlatformInfo, (struct _cl_platform_id *, uint32_t, size_t, void *, size_t *))                       \
  X(int32_t, clGetDeviceIDs, (struct _cl_platform_id *, uint64_t, uint32_t, struct _cl_device_id **, uint32_t *))     \
  X(int32_t, clGetDeviceInfo, (struct _cl_device_id *, uint32_t, size_t, void *, size_t *))                           \
  X(struct _cl_context *, clCreateContext, (const intptr_t *, uint32_t, struct _cl_device_id *const *,                \
      void (*)(const char *, const void *, size_t, void *), void *, int32_t *))                                       \
  X(int32_t, clRetainContext, (struct _cl_context *))                                                                 \
  X(int32_t, clReleaseContext, (struct _cl_context *))                                                                \
  X(struct _cl_command_queue *, clCreateCommandQueue, (struct _cl_context *, struct _cl_device_id *, uint64_t,        \
      int32_t *))                                                                                                     \
  X(int32_t, clRetainCommandQueue, (struct _cl_command_queue *))                                                      \
  X(int32_t, clReleaseCommandQueue, (struct _cl_command_queue *))                                                     \
  X(int32_t, clGetCommandQueueInfo, (struct _cl_command_queue *, uint32_t, size_t, void *, size_t *))                 \
  X(kz_buffer, clCreateBuffer, (struct _cl_context *, uint64_t, size_t, void *, int32_t *))                           \
  X(int32_t, clReleaseMemObject, (kz_buffer))                                                                         \
  X(struct _cl_program *, clCreateProgramWithSource, (struct _cl_context *, uint32_t, const char **,                  \
      const size_t *, int32_t *))                                                                                     \
  X(struct _cl_program *, clCreateProgramWithBinary, (struct _cl_context *, uint32_t, struct _cl_device_id *const *,  \
      const size_t *, const unsigned char **, int32_t *, int32_t *))                                                  \
  X(int32_t, clBuildProgram, (struct _cl_program *, uint32_t, struct _cl_device_id *const *, const char *,            \
      void (*)(struct _cl_program *, void *), void *))                                                                \
  X(int32_t, clGetProgramBuildInfo, (struct _cl_program *, struct _cl_device_id *, uint32_t, size_t, void *,          \
      size_t *))                                                                                                      \
  X(int32_t, clGetProgramInfo, (struct _cl_program *, uint32_t, size_t, void *, size_t *))                            \
  X(int32_t, clReleaseProgram, (struct _cl_program *))                                                                \
  X(struct _cl_kernel *, clCreateKernel, (struct _cl_program *, const char *, int32_t *))                             \
  X(int32_t, clReleaseKernel, (struct _cl_kernel *))                                                                  \
  X(int32_t, clSetKernelArg, (struct _cl_kernel *, uint32_t, size_t, const void *))                                   \
  X(int32_t, clGetKernelWorkGroupInfo, (struct _cl_kernel *, struct _cl_device_id *, uint32_t, size_t, void *,        \
      size_t *))                                                                                                      \
  X(int32_t, clEnqueueNDRangeKernel, (struct _cl_command_queue *, struct _cl_kernel *, uint32_t, const size_t *,      \
      const size_t *, const size_t *, uint32_t, const kz_event *, kz_event *))                                        \
  X(int32_t, clEnqueueReadBuffer, (struct _cl_command_queue *, kz_buffer, uint32_t, size_t, size_t, void *, uint32_t, \
      const kz_event *, kz_event *))                                                                                  \
  X(int32_t, clEnqueueWriteBuffer, (struct _cl_command_queue *, kz_buffer, uint32_t, size_t, size_t, const void *,    \
      uint32_t, const kz_event *, kz_event *))                                                                        \
  X(int32_t, clEnqueueCopyBuffer, (struct _cl_command_queue *, kz_buffer, kz_buffer, size_t, size_t, size_t,          \
      uint32_t, const kz_event *, kz_event *))                                                                        \
  X(int32_t, clEnqueueFillBuffer, (struct _cl_command_queue *, kz_buffer, const void *, size_t, size_t, size_t,       \
      uint32_t, const kz_event *, kz_event *))                                                                        \
  X(int32_t, clFinish, (struct _cl_command_queue *))                                                                  \
  X(int32_t, clWaitForEvents, (uint32_t, const kz_event *))                                                           \
  X(int32_t, clGetEventProfilingInfo, (kz_event, uint32_t, size_t, void *, size_t *))                                 \
  X(int32_t, clReleaseEvent, (kz_event))

// The constants of OpenCL, in short.
enum {
  KZ_CL_DEVICE_TYPE = 0x1000,
  KZ_CL_UNITS = 0x1002,
  KZ_CL_MAX_GROUP = 0x1004,
  KZ_CL_FLOAT_CONFIG = 0x101b,
  KZ_CL_SHARED = 0x1023,
  KZ_CL_DEVICE_NAME = 0x102b,
  KZ_CL_DRIVER_VERSION = 0x102d,
  KZ_CL_DEVICE_VERSION = 0x102f,
  KZ_CL_EXTENSIONS = 0x1030,
  KZ_CL_PLATFORM_NAME = 0x0902,
  KZ_CL_QUEUE_CONTEXT = 0x1090,
  KZ_CL_QUEUE_DEVICE = 0x1091,
  KZ_CL_PROGRAM_DEVICES = 0x1162,
  KZ_CL_BINARY_SIZES = 0x1165,
  KZ_CL_BINARIES = 0x1166,
  KZ_CL_BUILD_LOG = 0x1183,
  KZ_CL_KERNEL_GROUP = 0x11b0,
  KZ_CL_EVENT_START = 0x1282,
  KZ_CL_EVENT_END = 0x1283,
  KZ_CL_CPU = 2,
  KZ_CL_GPU = 4,
  KZ_CL_READ_WRITE = 1,
  KZ_CL_PROFILES = 2,
  KZ_CL_EXACT_DIVISION = 128,
  KZ_CL_NO_MEMORY = -4,
  KZ_CL_TOO_LARGE = -61,
  KZ_CL_NO_BINARY = -42,
  KZ_CL_NO_PLATFORM = -1001,
};
enum { KZ_MOST_PLATFORMS = 16, KZ_MOST_DEVICES = 64, KZ_DEVICE_TEXT = 256 };

// Both are NULL until it is first run; its program stays NULL where one has all kernels.
struct kz_kernel {
  kz_program program;
  struct _cl_kernel *function;
};
struct kz_device {
#define KZ_OPENCL_FIELD(T, name, parameters) T(*name) parameters;
  KZ_OPENCL_FUNCTIONS(KZ_OPENCL_FIELD)
  void *library;
  struct _cl_device_id *id;
  struct _cl_context *context;
  struct _cl_command_queue *queue;
  kz_program program; // of all kernels, or NULL
  struct kz_kernel *kernels;
  int kernel_count;
  int64_t group_size; // of all kernels that have room for it, unless they say another
  int64_t most_group, most_shared;
  int64_t resident; // how many threads there can be at a time
  bool is_cpu, has_f64, has_exact_division;
  char name[KZ_DEVICE_TEXT], version[KZ_DEVICE_TEXT], driver[KZ_DEVICE_TEXT];
};

KZ_FN const char *kz_device_message(int code) {
  static const struct {
    int code;
    const char *text;
  } known[] = {{-2, "the device is not available"}, {-3, "there is no compiler for the device"},
      {KZ_CL_NO_MEMORY, "out of memory on the device"}, {-5, "out of resources, or a kernel crashed"},
      {-6, "out of memory on the host"}, {-11, "the program cannot be built"}, {-45, "the program has not been built"},
      {-46, "there is no such kernel"}, {-48, "the kernel is not valid"}, {-51, "an argument has the wrong size"},
      {-52, "arguments are missing"}, {-54, "the size of groups is not valid"}, {KZ_CL_TOO_LARGE,
      "the buffer is too large for the device"}, {0, NULL}};
  int i = 0;
  while (known[i].text != NULL && known[i].code != code) i++;
  return known[i].text == NULL ? "unknown error" : known[i].text;
}
KZ_FN bool kz_device_is_full(int code) { return code == KZ_CL_NO_MEMORY || code == KZ_CL_TOO_LARGE; }

// The functions of the library; false, and a message, if it is not there.
KZ_FN bool kz_load_opencl(struct kz_device *d, char *message, size_t room) {
  d->library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (d->library == NULL) d->library = dlopen("libOpenCL.so", RTLD_NOW | RTLD_LOCAL);
  if (d->library == NULL) {
    snprintf(message, room, "there is no OpenCL: libOpenCL.so.1 cannot be loaded; install it (Debian: "
        "ocl-icd-libopencl1) and a driver, such as that of the GPU or pocl-opencl-icd.");
    return false;
  }
  const char *missing = NULL;
  void *function;
#define KZ_OPENCL_LOAD(T, name, parameters)                                                                           \
  function = dlsym(d->library, #name);                                                                                \
  if (function == NULL) missing = #name;                                                                              \
  else memcpy(&d->name, &function, sizeof function);
  KZ_OPENCL_FUNCTIONS(KZ_OPENCL_LOAD)
  if (missing != NULL) snprintf(message, room, "libOpenCL.so.1 has no %s; install one of OpenCL 1.2 or newer (Debian: "
      "ocl-icd-libopencl1).", missing);
  return missing == NULL;
}

// A name that the user gave means the first with that in its name, or with #3 the fourth.
KZ_FN bool kz_is_meant(const char *wish, const char *name, int number) {
  if (wish == NULL || *wish == '\0') return true;
  return *wish == '#' ? atoi(wish + 1) == number : strstr(name, wish) != NULL;
}
KZ_FN void kz_opencl_text(struct kz_device *d, struct _cl_device_id *id, uint32_t what, char *text) {
  memset(text, 0, KZ_DEVICE_TEXT);
  if (d->clGetDeviceInfo(id, what, KZ_DEVICE_TEXT - 1, text, NULL) != 0) snprintf(text, KZ_DEVICE_TEXT, "?");
}

// Goes through the devices of the platforms that are meant, and takes the one that is; without a wish the first GPU, or else
// the first device. With a file it only lists them.
KZ_FN bool kz_choose_device(struct kz_device *d, const char *platform, const char *device, FILE *list, char *message,
    size_t room) {
  struct _cl_platform_id *platforms[KZ_MOST_PLATFORMS];
  struct _cl_device_id *devices[KZ_MOST_DEVICES];
  uint32_t platform_count = 0, device_count;
  int number = 0;
  bool has_gpu = false;
  if (d->clGetPlatformIDs(KZ_MOST_PLATFORMS, platforms, &platform_count) != 0) platform_count = 0;
  if (platform_count > KZ_MOST_PLATFORMS) platform_count = KZ_MOST_PLATFORMS;
  for (uint32_t p = 0; p < platform_count; p++) {
    char name[KZ_DEVICE_TEXT] = "";
    d->clGetPlatformInfo(platforms[p], KZ_CL_PLATFORM_NAME, sizeof name - 1, name, NULL);
    if (!kz_is_meant(platform, name, (int)p)) continue;
    device_count = 0;
    if (d->clGetDeviceIDs(platforms[p], (uint64_t)0xffffffff, KZ_MOST_DEVICES, devices, &device_count) != 0) continue;
    if (list != NULL) fprintf(list, "Platform #%u: %s\n", (unsigned)p, name);
    for (uint32_t i = 0; i < device_count && i < KZ_MOST_DEVICES; i++, number++) {
      uint64_t type = 0;
      kz_opencl_text(d, devices[i], KZ_CL_DEVICE_NAME, name);
      d->clGetDeviceInfo(devices[i], KZ_CL_DEVICE_TYPE, sizeof type, &type, NULL);
      if (list != NULL) fprintf(list, "  Device #%d: %s\n", number, name);
      if (list != NULL || !kz_is_meant(device, name, number)) continue;
      bool is_better = d->id == NULL || (device == NULL && !has_gpu && (type & KZ_CL_GPU) != 0);
      if (is_better) d->id = devices[i], has_gpu = (type & KZ_CL_GPU) != 0;
    }
    // As the user names the first platform that fits, and no other.
    if (platform != NULL) break;
  }
  if (platform_count == 0) snprintf(message, room, "OpenCL has no driver; install that of the GPU, or one for "
      "processors (Debian: pocl-opencl-icd).");
  else if (d->id == NULL) snprintf(message, room, "there is no OpenCL device%s%s%s%s; see --list-devices, or install the "
      "driver of the GPU or one for processors (Debian: pocl-opencl-icd).", device == NULL ? "" : " with the name ",
      device == NULL ? "" : device, platform == NULL ? "" : " on the platform ", platform == NULL ? "" : platform);
  return d->id != NULL;
}

KZ_FN void kz_describe_device(struct kz_device *d) {
  uint64_t type = 0, config = 0;
  size_t most = 1, length = 0;
  kz_opencl_text(d, d->id, KZ_CL_DEVICE_NAME, d->name);
  kz_opencl_text(d, d->id, KZ_CL_DEVICE_VERSION, d->version);
  kz_opencl_text(d, d->id, KZ_CL_DRIVER_VERSION, d->driver);
  d->clGetDeviceInfo(d->id, KZ_CL_DEVICE_TYPE, sizeof type, &type, NULL);
  d->clGetDeviceInfo(d->id, KZ_CL_FLOAT_CONFIG, sizeof config, &config, NULL);
  d->clGetDeviceInfo(d->id, KZ_CL_MAX_GROUP, sizeof most, &most, NULL);
  d->clGetDeviceInfo(d->id, KZ_CL_EXTENSIONS, 0, NULL, &length);
  char *extensions = kz_malloc(length + 1);
  if (extensions != NULL) {
    extensions[length] = '\0';
    d->has_f64 = d->clGetDeviceInfo(d->id, KZ_CL_EXTENSIONS, length, extensions, NULL) == 0
        && strstr(extensions, "cl_khr_fp64") != NULL;
  }
  free(extensions);
  d->is_cpu = (type & KZ_CL_CPU) != 0;
  d->has_exact_division = (config & KZ_CL_EXACT_DIVISION) != 0;
  d->group_size = d->is_cpu ? 16 : 256;
  d->most_group = (int64_t)most;
  uint64_t shared = 0;
  uint32_t units = 0;
  d->clGetDeviceInfo(d->id, KZ_CL_UNITS, sizeof units, &units, NULL);
  d->resident = (int64_t)units * 2048;
  d->clGetDeviceInfo(d->id, KZ_CL_SHARED, sizeof shared, &shared, NULL);
  d->most_shared = shared < 1 << 30 ? (int64_t)shared : 1 << 30;
  if (d->group_size > d->most_group) d->group_size = d->most_group;
}

KZ_FN bool kz_open_alone(struct kz_device *d, const char *platform, const char *device, void *queue, bool profiles,
    char *message, size_t room) {
  int32_t code = 0;
  if (!kz_load_opencl(d, message, room)) return false;
  if (queue != NULL) {
    struct _cl_command_queue *given = queue;
    struct _cl_context *context = NULL;
    code = d->clGetCommandQueueInfo(given, KZ_CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    if (code == 0) code = d->clGetCommandQueueInfo(given, KZ_CL_QUEUE_DEVICE, sizeof d->id, &d->id, NULL);
    if (code == 0 && (code = d->clRetainCommandQueue(given)) == 0) d->queue = given;
    if (code == 0 && (code = d->clRetainContext(context)) == 0) d->context = context;
    if (code == 0) kz_describe_device(d);
  } else {
    if (!kz_choose_device(d, platform, device, NULL, message, room)) return false;
    kz_describe_device(d);
    d->context = d->clCreateContext(NULL, 1, &d->id, NULL, NULL, &code);
    if (d->context != NULL) d->queue = d->clCreateCommandQueue(d->context, d->id, profiles ? KZ_CL_PROFILES : 0, &code);
  }
  if (d->queue == NULL || d->context == NULL) snprintf(message, room, "the OpenCL device %s cannot be used: %s (%d).",
      d->name, kz_device_message(code), code);
  return d->queue != NULL && d->context != NULL;
}
// Opens the device that is meant, or that of a queue of the user; false, and a message, if there is none. Contexts of several threads
// do so one after the other: some drivers, PoCL among them, give out devices that another thread is still setting up.
KZ_FN bool kz_device_open(struct kz_device *d, const char *platform, const char *device, void *queue, bool profiles,
    char *message, size_t room) {
  static bool is_busy = false;
  while (__atomic_exchange_n(&is_busy, true, __ATOMIC_ACQUIRE)) nanosleep(&(struct timespec){0, 1000000}, NULL);
  bool is_open = kz_open_alone(d, platform, device, queue, profiles, message, room);
  __atomic_store_n(&is_busy, false, __ATOMIC_RELEASE);
  return is_open;
}
KZ_FN void kz_program_drop(struct kz_device *d, kz_program *program) {
  if (*program != NULL) d->clReleaseProgram(*program);
  *program = NULL;
}
KZ_FN void kz_device_close(struct kz_device *d) {
  for (int i = 0; i < d->kernel_count; i++) {
    if (d->kernels[i].function != NULL) d->clReleaseKernel(d->kernels[i].function);
    kz_program_drop(d, &d->kernels[i].program);
  }
  free(d->kernels);
  kz_program_drop(d, &d->program);
  if (d->queue != NULL) d->clReleaseCommandQueue(d->queue);
  if (d->context != NULL) d->clReleaseContext(d->context);
  // The library stays: some drivers have threads that outlive it.
}
KZ_FN bool kz_list_devices(FILE *out, char *message, size_t room) {
  struct kz_device d;
  memset(&d, 0, sizeof d);
  message[0] = '\0';
  if (!kz_load_opencl(&d, message, room)) return false;
  struct _cl_platform_id *any;
  uint32_t count = 0;
  kz_choose_device(&d, NULL, NULL, out, message, room);
  return d.clGetPlatformIDs(1, &any, &count) == 0 && count > 0;
}
KZ_FN int kz_device_wait(struct kz_device *d) { return d->clFinish(d->queue); }

KZ_FN void kz_buffer_free(struct kz_device *d, kz_buffer buffer) {
  KZ_COUNT_BUFFER(-1);
  d->clReleaseMemObject(buffer);
}
// Some drivers take memory for a buffer only when it is first used, so that is done at once.
KZ_FN int kz_buffer_new(struct kz_device *d, int64_t bytes, kz_buffer *buffer) {
  static const char zero = 0;
  int32_t code = 0;
  *buffer = KZ_FAULT ? NULL : d->clCreateBuffer(d->context, KZ_CL_READ_WRITE, (size_t)bytes, NULL, &code);
  if (*buffer == NULL) return code == 0 ? KZ_CL_NO_MEMORY : code;
  KZ_COUNT_BUFFER(1);
  code = KZ_FAULT ? KZ_CL_NO_MEMORY : d->clEnqueueWriteBuffer(d->queue, *buffer, 0, 0, 1, &zero, 0, NULL, NULL);
  if (code != 0) kz_buffer_free(d, *buffer);
  return code;
}
// An event, where one is wanted, is to be given to kz_event_end. The host waits for what is read.
KZ_FN int kz_buffer_read(struct kz_device *d, void *to, kz_buffer from, int64_t offset, int64_t bytes,
    kz_event *event) {
  return KZ_FAULT ? KZ_CL_NO_MEMORY : d->clEnqueueReadBuffer(d->queue, from, 1, (size_t)offset, (size_t)bytes, to, 0, NULL, event);
}
// The cell of errors as kernels have left it. They write no copy of it.
KZ_FN kz_buffer kz_error_copy(const struct kz_device *d) {
  (void)d;
  return NULL;
}
KZ_FN int kz_error_read(struct kz_device *d, void *to, kz_buffer from, int64_t bytes) {
  return kz_buffer_read(d, to, from, 0, bytes, NULL);
}
// What is written may be overwritten by the caller at once. A pattern of a few bytes is copied by the driver, so that
// nobody waits for it.
KZ_FN int kz_buffer_write(struct kz_device *d, kz_buffer to, int64_t offset, const void *from, int64_t bytes,
    kz_event *event) {
  if (KZ_FAULT) return KZ_CL_NO_MEMORY;
  if (bytes <= 16 && (bytes & (bytes - 1)) == 0 && offset % bytes == 0) return d->clEnqueueFillBuffer(d->queue, to, from,
      (size_t)bytes, (size_t)offset, (size_t)bytes, 0, NULL, event);
  return d->clEnqueueWriteBuffer(d->queue, to, 1, (size_t)offset, (size_t)bytes, from, 0, NULL, event);
}
KZ_FN int kz_buffer_copy(struct kz_device *d, kz_buffer to, int64_t to_offset, kz_buffer from, int64_t from_offset,
    int64_t bytes, kz_event *event) {
  return KZ_FAULT ? KZ_CL_NO_MEMORY : d->clEnqueueCopyBuffer(d->queue, from, to, (size_t)from_offset, (size_t)to_offset, (size_t)bytes, 0, NULL,
      event);
}
KZ_FN void kz_event_end(struct kz_device *d, kz_event event, int64_t *start, int64_t *end) {
  uint64_t from = 0, to = 0;
  d->clWaitForEvents(1, &event);
  d->clGetEventProfilingInfo(event, KZ_CL_EVENT_START, sizeof from, &from, NULL);
  d->clGetEventProfilingInfo(event, KZ_CL_EVENT_END, sizeof to, &to, NULL);
  d->clReleaseEvent(event);
  *start = (int64_t)from, *end = (int64_t)to;
}

// Options for the compiler of kernels, before those of the user.
KZ_FN const char *kz_build_options(const struct kz_device *d) {
  return d->has_exact_division ? "-cl-fp32-correctly-rounded-divide-sqrt" : "";
}
KZ_FN bool kz_program_is_loaded(const kz_program *program) { return *program != NULL; }
// Builds the program; on failure the log, if there is one, is to be freed.
KZ_FN int kz_program_build(struct kz_device *d, kz_program *program, const char *text, const char *options, char **log) {
  int32_t code = 0;
  size_t length = strlen(text), room = 0;
  *log = NULL;
  *program = KZ_FAULT ? NULL : d->clCreateProgramWithSource(d->context, 1, &text, &length, &code);
  if (*program == NULL) return code == 0 ? KZ_CL_NO_MEMORY : code;
  code = d->clBuildProgram(*program, 1, &d->id, options, NULL, NULL);
  if (code == 0) return 0;
  if (d->clGetProgramBuildInfo(*program, d->id, KZ_CL_BUILD_LOG, 0, NULL, &room) == 0
      && (*log = kz_malloc(room + 1)) != NULL) {
    (*log)[room] = '\0';
    if (d->clGetProgramBuildInfo(*program, d->id, KZ_CL_BUILD_LOG, room, *log, NULL) != 0) (*log)[0] = '\0';
  }
  kz_program_drop(d, program);
  return code;
}
KZ_FN int kz_program_load(struct kz_device *d, kz_program *program, const void *binary, size_t size, const char *options) {
  int32_t code = 0, status = 0;
  const unsigned char *bytes = binary;
  *program = KZ_FAULT ? NULL : d->clCreateProgramWithBinary(d->context, 1, &d->id, &size, &bytes, &status, &code);
  if (*program == NULL) return code == 0 ? KZ_CL_NO_MEMORY : code;
  if (code == 0) code = status;
  if (code == 0) code = d->clBuildProgram(*program, 1, &d->id, options, NULL, NULL);
  if (code != 0) kz_program_drop(d, program);
  return code;
}
// The program as it was built, to be freed; not of a context with several devices, which only a user can make.
KZ_FN int kz_program_binary(struct kz_device *d, const kz_program *program, void **binary, size_t *size) {
  uint32_t devices = 0;
  int32_t code = d->clGetProgramInfo(*program, KZ_CL_PROGRAM_DEVICES, sizeof devices, &devices, NULL);
  if (code == 0 && devices != 1) code = KZ_CL_NO_BINARY;
  if (code == 0) code = d->clGetProgramInfo(*program, KZ_CL_BINARY_SIZES, sizeof *size, size, NULL);
  if (code == 0 && *size == 0) code = KZ_CL_NO_BINARY;
  if (code != 0) return code;
  unsigned char *bytes = kz_malloc(*size);
  if (bytes == NULL) return KZ_CL_NO_MEMORY;
  code = d->clGetProgramInfo(*program, KZ_CL_BINARIES, sizeof bytes, &bytes, NULL);
  if (code != 0) free(bytes);
  else *binary = bytes;
  return code;
}

// Runs a kernel, whose program is loaded, by its number and name, with these arguments, in groups of this size or, if that is 0, the usual one.
KZ_FN int kz_kernel_run(struct kz_device *d, int kernel, const char *name, int64_t threads, int64_t group_size,
    int64_t shared, int count, const size_t *sizes, const void *const *values, kz_event *event) {
  int32_t code = KZ_FAULT ? KZ_CL_NO_MEMORY : 0;
  if (code != 0) return code;
  struct kz_kernel *found = &d->kernels[kernel];
  if (found->function == NULL) found->function = d->clCreateKernel(found->program != NULL ? found->program : d->program,
      name, &code);
  struct _cl_kernel *k = found->function;
  size_t most = 0, group = (size_t)(group_size > 0 ? group_size : d->group_size);
  for (int i = 0; code == 0 && i < count; i++) code = d->clSetKernelArg(k, (uint32_t)i, sizes[i], values[i]);
  if (code == 0 && shared >= 0) code = d->clSetKernelArg(k, (uint32_t)count, (size_t)shared, NULL);
  if (code == 0 && group_size == 0) code = d->clGetKernelWorkGroupInfo(k, d->id, KZ_CL_KERNEL_GROUP, sizeof most, &most, NULL);
  if (most > 0 && group > most) group = most;
  size_t all = ((size_t)threads + group - 1) / group * group;
  return code != 0 ? code : d->clEnqueueNDRangeKernel(d->queue, k, 1, NULL, &all, &group, 0, NULL, event);
}
