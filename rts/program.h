// program.h: what executables and servers share: their options, and calls of entry points with values. Needs text.h, and
// the program's tables: `static const struct kz_entry kz_entries[]`, sorted by name and ended by one without a name.

// As kz_call, but scalars are values as well.
KZ_FN int kz_call_values(struct futhark_context *ctx, const struct kz_entry *entry, struct kz_value **outs,
    struct kz_value *const *ins) {
  size_t count = (size_t)(entry->input_count + entry->output_count);
  void **pointers = kz_malloc(count * sizeof *pointers);
  if (pointers == NULL) return kz_fail(ctx, FUTHARK_OUT_OF_MEMORY, NULL, "out of memory: cannot call %s.", entry->name);
  void **results = pointers + entry->input_count;
  int code = 0;
  for (int i = 0; i < entry->input_count; i++) {
    pointers[i] = entry->inputs[i].type->kind == KZ_SCALAR ? (void *)&ins[i]->slots->scalar : (void *)ins[i];
  }
  for (int i = 0; i < entry->output_count; i++) {
    bool is_scalar = entry->outputs[i].type->kind == KZ_SCALAR;
    outs[i] = is_scalar && code == 0 ? kz_value_new(ctx, entry->outputs[i].type) : NULL;
    if (is_scalar && outs[i] == NULL) code = FUTHARK_OUT_OF_MEMORY;
    results[i] = outs[i] != NULL ? (void *)&outs[i]->slots->scalar : (void *)&outs[i];
  }
  if (code == 0) code = kz_call(ctx, entry, results, (const void *const *)pointers);
  if (code == 0) code = futhark_context_sync(ctx);
  for (int i = 0; code != 0 && i < entry->output_count; i++) kz_value_free(ctx, outs[i]);
  free(pointers);
  return code;
}

KZ_FN const struct kz_entry *kz_find_entry(const char *name) {
  const struct kz_entry *entry = kz_entries;
  while (entry->name != NULL && strcmp(entry->name, name) != 0) entry++;
  return entry->name == NULL ? NULL : entry;
}

struct kz_options {
  const char *program, *entry, *runtime_file;
  struct futhark_context_config *config;
  long runs; // 0 unless it was said
  bool binary, silent;
#ifdef KZ_DEVICE
  bool only_dumps; // the binary of the kernels
#endif
};
#ifdef KZ_DEVICE
// The options about devices that have no letter.
enum { KZ_OPTION_LIST = 1, KZ_OPTION_BUILD, KZ_OPTION_GROUP, KZ_OPTION_IGNORED, KZ_OPTION_DUMP, KZ_OPTION_DUMP_BINARY,
  KZ_OPTION_LOAD, KZ_OPTION_LOAD_BINARY };
#endif
static const struct kz_option {
  char letter; // or another character, of an option that has no letter
  bool in_server;
  const char *name, *argument, *help;
} kz_option_table[] = {
    {'t', false, "write-runtime-to", "FILE", "Write the time of each run to the file, in microseconds."},
    {'r', false, "runs", "INT", "Run so many times, and once before that to warm up."},
    {'D', true, "debugging", NULL, "Check more, and log more; implies -L."},
    {'L', true, "log", NULL, "Log to standard error what is being done."},
    {'P', true, "profile", NULL, "Gather data for profiles."},
    {'e', false, "entry-point", "NAME", "The entry point to run, which is main by default."},
    {'b', false, "binary-output", NULL, "Write the results in binary format."},
    {'n', false, "no-print-result", NULL, "Do not write the results."},
    {'h', true, "help", NULL, "Print this help and exit."},
    {'1', true, "print-params", NULL, "Print the tuning parameters that --param and --tuning can set."},
    {'2', true, "param", "NAME=INT", "Set a tuning parameter."},
    {'3', true, "tuning", "FILE", "Set tuning parameters as the file says, one NAME=INT a line."},
#ifdef KZ_DEVICE
    {'4', true, "cache-file", "FILE", "Keep the built kernels in this file."},
    {'d', true, "device", "NAME", "Use the first device with this in its name, or with #K that of this number."},
    {KZ_OPTION_LIST, true, "list-devices", NULL, "List the devices and exit."},
    {KZ_OPTION_GROUP, true, "default-thread-block-size", "INT", "Run kernels in groups of at most so many threads."},
    {KZ_OPTION_GROUP, true, "default-group-size", "INT", "The same."},
    {KZ_OPTION_IGNORED, true, "default-num-thread-blocks", "INT", "Accepted, but ignored."},
    {KZ_OPTION_IGNORED, true, "default-num-groups", "INT", "Accepted, but ignored."},
    {KZ_OPTION_IGNORED, true, "default-threshold", "INT", "Accepted, but ignored."},
    {KZ_OPTION_IGNORED, true, "default-tile-size", "INT", "Accepted, but ignored."},
    {KZ_OPTION_IGNORED, true, "default-reg-tile-size", "INT", "Accepted, but ignored."},
#else
    {'4', true, "cache-file", "FILE", "Accepted, but nothing is stored."},
#endif
#ifdef KZ_OPENCL
    {'p', true, "platform", "NAME", "Use the first platform with this in its name, or with #K that of this number."},
    {KZ_OPTION_BUILD, true, "build-option", "OPT", "Give this option to the compiler of kernels as well."},
    {KZ_OPTION_DUMP, true, "dump-opencl", "FILE", "Write the text of the kernels to the file and exit."},
    {KZ_OPTION_DUMP_BINARY, true, "dump-opencl-binary", "FILE", "Write the built kernels to the file and exit."},
    {KZ_OPTION_LOAD, true, "load-opencl", "FILE", "Use this text of the kernels."},
    {KZ_OPTION_LOAD_BINARY, true, "load-opencl-binary", "FILE", "Use these built kernels."},
#endif
#ifdef KZ_CUDA
    {KZ_OPTION_BUILD, true, "nvrtc-option", "OPT", "Give this option to the compiler of kernels as well."},
    {KZ_OPTION_DUMP, true, "dump-cuda", "FILE", "Write the text of the kernels to the file and exit."},
    {KZ_OPTION_DUMP_BINARY, true, "dump-ptx", "FILE", "Write the built kernels to the file and exit."},
    {KZ_OPTION_LOAD, true, "load-cuda", "FILE", "Use this text of the kernels."},
    {KZ_OPTION_LOAD_BINARY, true, "load-ptx", "FILE", "Use these built kernels."},
#endif
#ifdef KZ_MULTICORE
    {'5', true, "num-threads", "INT", "Run on so many threads; by default on as many as there are processors."},
#endif
    {'\0', false, NULL, NULL, NULL},
};

KZ_FN bool kz_is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
KZ_FN void kz_print_help(FILE *out, const char *program, bool is_server) {
  fprintf(out, "Usage: %s [OPTION]...\nOptions:\n\n", program);
  for (const struct kz_option *o = kz_option_table; o->name != NULL; o++) {
    char left[64], letter[] = {'-', o->letter, '/', '\0'};
    snprintf(left, sizeof left, "%s--%s %s", kz_is_letter(o->letter) ? letter : "", o->name, o->argument == NULL ? ""
        : o->argument);
    if (!is_server || o->in_server) fprintf(out, "  %-26s %s\n", left, o->help);
  }
}

KZ_COLD KZ_PRINTF(2, 3) void kz_quit(const char *program, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fflush(stdout);
  fprintf(stderr, "%s: ", program);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
#ifdef KZ_CUDA
  // Kernels may be built, by a library that would be taken down under way.
  fflush(NULL);
  _exit(1);
#else
  exit(1);
#endif
}
#ifdef KZ_DEVICE
// Without a device that can be used.
enum { KZ_EXIT_WITHOUT_DEVICE = 2 };
KZ_COLD void kz_quit_without_device(const char *program, const char *message) {
  fflush(stdout);
  fprintf(stderr, "%s: %s\n", program, message);
  exit(KZ_EXIT_WITHOUT_DEVICE);
}
#endif

// NAME=INT. Writes into the text.
KZ_FN void kz_set_param(struct kz_options *options, char *assignment) {
  char *equals = strchr(assignment, '='), *end = NULL;
  long long value = equals == NULL ? 0 : strtoll(equals + 1, &end, 10);
  if (equals == NULL || end == equals + 1 || *end != '\0' || value < 0) kz_quit(options->program,
      "Invalid argument for size option: %s", assignment);
  *equals = '\0';
  if (futhark_context_config_set_tuning_param(options->config, assignment, (size_t)value) != 0)
      kz_quit(options->program, "Unknown size: %s", assignment);
}

KZ_FN void kz_load_tuning(struct kz_options *options, const char *name) {
  char line[1024];
  FILE *file = fopen(name, "r");
  if (file == NULL) kz_quit(options->program, "When loading tuning file '%s': Cannot open file: %s", name,
      strerror(errno));
  while (fgets(line, sizeof line, file) != NULL) {
    line[strcspn(line, "\r\n")] = '\0';
    if (line[0] != '\0') kz_set_param(options, line);
  }
  fclose(file);
}

#ifdef KZ_MULTICORE
KZ_FN void kz_set_threads(struct kz_options *options, const char *value) {
  char *end;
  long threads = strtol(value, &end, 10);
  if (end == value || *end != '\0' || threads < 1 || threads > KZ_MOST_THREADS) kz_quit(options->program,
      "Need a number of threads from 1 to %d, not %s", KZ_MOST_THREADS, value);
  futhark_context_config_set_num_threads(options->config, (int)threads);
}

#endif
#ifdef KZ_DEVICE
KZ_FN void kz_set_device_option(struct kz_options *options, char letter, const char *value) {
  struct futhark_context_config *config = options->config;
  char message[1024] = "", *text, *end;
  size_t size = 0;
  switch (letter) {
  case 'd': futhark_context_config_set_device(config, value); break;
  case 'p': kz_wish(&config->wishes.platform, value); break;
  case '4': futhark_context_config_set_cache_file(config, value); break;
  case KZ_OPTION_BUILD: kz_wish_option(config, value); break;
  case KZ_OPTION_GROUP:
    size = (size_t)strtoul(value, &end, 10);
    if (*end != '\0' || size < 1 || size > INT32_MAX) kz_quit(options->program, "Need a size of groups, not %s", value);
    futhark_context_config_set_default_thread_block_size(config, (int)size);
    break;
  case KZ_OPTION_LIST:
    if (!kz_list_devices(stdout, message, sizeof message)) kz_quit_without_device(options->program, message);
    exit(0);
  case KZ_OPTION_DUMP: {
    const char *program = futhark_context_config_get_program(config);
    if (program == NULL || !kz_write_file(value, "", 0, program, strlen(program))) kz_quit(options->program,
        "Cannot write %s: %s", value, strerror(errno));
    exit(0);
  }
  case KZ_OPTION_DUMP_BINARY:
    kz_wish(&config->wishes.dump_file, value);
    options->only_dumps = true;
    break;
  case KZ_OPTION_LOAD:
    text = kz_file_bytes(value, &size);
    if (text == NULL) kz_quit(options->program, "Cannot read %s: %s", value, strerror(errno));
    futhark_context_config_set_program(config, text);
    free(text);
    break;
  case KZ_OPTION_LOAD_BINARY: kz_wish(&config->wishes.binary_file, value); break;
  default: break;
  }
}
#endif
KZ_FN void kz_set_option(struct kz_options *options, char letter, char *value, bool is_server) {
  char *end;
  switch (letter) {
  case 't': options->runtime_file = value; break;
  case 'r':
    options->runs = strtol(value, &end, 10);
    if (*end != '\0' || options->runs <= 0) kz_quit(options->program, "Need a positive number of runs, not %s", value);
    break;
  case 'D': futhark_context_config_set_debugging(options->config, 1); break;
  case 'L': futhark_context_config_set_logging(options->config, 1); break;
  case 'P': futhark_context_config_set_profiling(options->config, 1); break;
  case 'e': options->entry = value; break;
  case 'b': options->binary = true; break;
  case 'n': options->silent = true; break;
  case 'h': kz_print_help(stdout, options->program, is_server); exit(0);
  case '1':
    for (int i = 0; i < KZ_PARAM_COUNT; i++) printf("%s (%s)\n", kz_params[i].name, kz_params[i].class_name);
    exit(0);
  case '2': kz_set_param(options, value); break;
  case '3': kz_load_tuning(options, value); break;
#ifdef KZ_MULTICORE
  case '5': kz_set_threads(options, value); break;
#endif
#ifdef KZ_DEVICE
  default: kz_set_device_option(options, letter, value); break;
#else
  default: break;
#endif
  }
}

// Which option it is; an error that ends the program if there is none. Long names may be cut short where that is clear.
KZ_FN const struct kz_option *kz_find_option(const char *program, const char *text, size_t length, bool is_long,
    bool is_server) {
  const struct kz_option *found = NULL;
  int matches = 0;
  for (const struct kz_option *o = kz_option_table; o->name != NULL; o++) {
    if (is_server && !o->in_server) continue;
    if (!is_long ? o->letter != *text || !kz_is_letter(*text) : strncmp(o->name, text, length) != 0) continue;
    bool is_exact = !is_long || o->name[length] == '\0';
    if (is_exact) return o;
    found = o;
    matches++;
  }
  if (matches == 1) return found;
  kz_print_help(stderr, program, is_server);
  kz_quit(program, "%s option: %s%.*s", matches == 0 ? "Unknown" : "Ambiguous", is_long ? "--" : "-", (int)(is_long
      ? length : 1), text);
  return NULL;
}

KZ_FN struct kz_options *kz_parse_options(int argc, char **argv, bool is_server) {
  static struct kz_options options; // not on the stack, so that what an exit leaves behind is no leak
  options.program = argc > 0 ? argv[0] : "program";
  options.entry = "main";
  options.config = futhark_context_config_new();
  if (options.config == NULL) kz_quit(options.program, "out of memory");
  for (int i = 1; i < argc; i++) {
    char *text = argv[i];
    bool is_long = text[0] == '-' && text[1] == '-';
    if (text[0] != '-' || text[1] == '\0' || strcmp(text, "--") == 0) kz_quit(options.program,
        "Excess non-option: %s", text);
    // Several letters may stand together, and the argument of the last one behind it.
    for (text += is_long ? 2 : 1; text != NULL && *text != '\0';) {
      size_t length = is_long ? strcspn(text, "=") : 1;
      const struct kz_option *o = kz_find_option(options.program, text, length, is_long, is_server);
      char *value = is_long ? (text[length] == '=' ? text + length + 1 : NULL) : text[1] != '\0' ? text + 1 : NULL;
      if (o->argument == NULL && is_long && value != NULL) kz_quit(options.program, "Option --%s takes no argument",
          o->name);
      if (o->argument != NULL && value == NULL && (value = argv[++i]) == NULL) kz_quit(options.program,
          "Missing argument for option --%s", o->name);
      text = is_long || o->argument != NULL ? NULL : text + 1;
      kz_set_option(&options, o->letter, value, is_server);
    }
  }
  return &options;
}

// The context; an error ends the program.
KZ_FN struct futhark_context *kz_start(const struct kz_options *options) {
  static struct futhark_context *ctx;
  static char *error;
  ctx = futhark_context_new(options->config);
  error = ctx == NULL ? NULL : futhark_context_get_error(ctx);
#ifdef KZ_DEVICE
  if (ctx != NULL && !ctx->has_device && error != NULL) kz_quit_without_device(options->program, error);
  if (error == NULL && ctx != NULL && options->only_dumps) {
    if (kz_build(ctx) == 0) exit(0);
    error = futhark_context_get_error(ctx);
  }
#endif
  if (ctx == NULL || error != NULL) kz_quit(options->program, "%s", ctx == NULL ? "out of memory" : error);
  return ctx;
}
