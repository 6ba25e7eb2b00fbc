// main.h: an executable, which reads the inputs of an entry point, runs it and writes its results. Needs program.h and
// print.h.

struct kz_run {
  const struct kz_options *options;
  struct futhark_context *ctx;
  const struct kz_entry *entry;
  FILE *runtime_file;
  struct kz_value **ins, **outs;
  struct kz_reader *reader;
};

KZ_COLD void kz_quit_on_error(const struct kz_run *run) {
  static char *error;
  error = futhark_context_get_error(run->ctx);
  size_t length = error == NULL ? 0 : strlen(error);
  if (length > 0 && error[length - 1] == '\n') error[length - 1] = '\0';
  kz_quit(run->options->program, "%s", error == NULL ? "out of memory" : error);
}

static const struct kz_entry *kz_chosen_entry(const struct kz_options *options) {
  const struct kz_entry *entry = kz_find_entry(options->entry);
  if (entry != NULL) return entry;
  fprintf(stderr, "No entry point '%s'.  Select another with --entry-point.  Options are:\n", options->entry);
  for (entry = kz_entries; entry->name != NULL; entry++) fprintf(stderr, "%s\n", entry->name);
  exit(1);
}

static void kz_read_inputs(struct kz_run *run) {
  const char *program = run->options->program;
  struct kz_reader *reader = run->reader = kz_reader_new(stdin, NULL, 0);
  if (reader == NULL) kz_quit(program, "out of memory");
  for (int i = 0; i < run->entry->input_count; i++) {
    const struct kz_type *type = run->entry->inputs[i].type;
    if (type->kind != KZ_SCALAR && type->kind != KZ_ARRAY) kz_quit(program, "Cannot read input #%d of type %s", i,
        type->name);
    run->ins[i] = kz_read_value(run->ctx, reader, type);
    if (run->ins[i] == NULL) kz_quit(program, "Error when reading input #%d of type %s: %s", i, type->name,
        reader->error);
  }
  if (!kz_at_end(reader)) kz_quit(program, "Expected EOF on stdin after reading input for \"%s\".", run->entry->name);
  free(reader);
}

// A copy that shares nothing.
KZ_FN struct kz_value *kz_value_copy(struct futhark_context *ctx, const struct kz_value *from) {
  struct kz_value *value = kz_value_new(ctx, from->type);
  for (int i = 0; value != NULL && i < from->type->part_count; i++) {
    const struct kz_part *part = &from->type->parts[i];
    value->slots[i] = from->slots[i];
    if (part->rank == 0) continue;
    int64_t bytes = kz_array_bytes(part->prim, part->rank, from->slots[i].shape);
    value->slots[i].block = kz_alloc(ctx, bytes);
    kz_hold(value->slots[i].block);
    if (value->slots[i].block == NULL) {
      kz_value_free(ctx, value);
      return NULL;
    }
    if (kz_block_copy(ctx, value->slots[i].block, from->slots[i].block, bytes) == 0) continue;
    kz_value_free(ctx, value);
    return NULL;
  }
  return value;
}

// Every run gets its own copies of the inputs that it consumes.
static void kz_run_once(const struct kz_run *run, bool is_measured) {
  const struct kz_entry *entry = run->entry;
  struct kz_value **ins = run->ins + entry->input_count;
  for (int i = 0; i < entry->input_count; i++) {
    ins[i] = entry->inputs[i].unique && run->options->runs > 0 ? kz_value_copy(run->ctx, run->ins[i]) : run->ins[i];
    if (ins[i] == NULL) kz_quit_on_error(run);
  }
  int64_t start = kz_microseconds();
  if (kz_call_values(run->ctx, entry, run->outs, ins) != 0) kz_quit_on_error(run);
  int64_t end = kz_microseconds();
  for (int i = 0; i < entry->input_count; i++)
    if (ins[i] != run->ins[i]) kz_value_free(run->ctx, ins[i]);
  if (is_measured && run->runtime_file != NULL) fprintf(run->runtime_file, "%" PRId64 "\n", end - start);
}

static void kz_write_outputs(const struct kz_run *run) {
  for (int i = 0; i < run->entry->output_count; i++) {
    const struct kz_value *value = run->outs[i];
    const struct kz_part *part = value->type->parts;
    const struct kz_slot *slot = value->slots;
    if (value->type->kind != KZ_SCALAR && value->type->kind != KZ_ARRAY) kz_quit(run->options->program,
        "Values of type %s have no external representation.", value->type->name);
    int64_t steps[KZ_MAX_RANK];
    uint64_t step = 1; // of an array without elements it may wrap around
    for (int k = part->rank - 1; k >= 0; step *= (uint64_t)slot->shape[k--]) steps[k] = (int64_t)step;
    if (run->options->binary && !kz_fits_binary(value->type)) kz_quit(run->options->program,
        "Result #%d has %d dimensions, but binary data can have at most %d.", i, part->rank, KZ_MAX_BINARY_RANK);
    if (run->options->binary) {
      if (kz_write_binary(run->ctx, stdout, part, slot) != 0) kz_quit_on_error(run);
    } else {
      const void *view = part->rank == 0 ? &slot->scalar : kz_view(run->ctx, slot->block, kz_array_bytes(part->prim,
          part->rank, slot->shape));
      if (view == NULL) kz_quit_on_error(run);
      kz_print(stdout, part->prim, part->rank, slot->shape, steps, view);
      if (part->rank > 0) kz_view_end(view);
    }
    putchar('\n');
  }
  if (fflush(stdout) != 0 || ferror(stdout)) kz_quit(run->options->program, "Cannot write the results: %s",
      strerror(errno));
}

static void kz_free_values(const struct kz_run *run, struct kz_value **values, int count) {
  for (int i = 0; i < count; i++) kz_value_free(run->ctx, values[i]);
}

int main(int argc, char **argv) {
  static struct kz_run run;
  const struct kz_options *options = kz_parse_options(argc, argv, false);
  run.options = options;
  run.ctx = kz_start(options);
  run.entry = kz_chosen_entry(options);
  size_t count = 2 * (size_t)run.entry->input_count + (size_t)run.entry->output_count;
  if (options->runtime_file != NULL && (run.runtime_file = fopen(options->runtime_file, "w")) == NULL)
      kz_quit(options->program, "Cannot open %s: %s", options->runtime_file, strerror(errno));
  if ((run.ins = kz_malloc(count * sizeof *run.ins)) == NULL) kz_quit(options->program, "out of memory");
  run.outs = run.ins + 2 * run.entry->input_count;
  kz_read_inputs(&run);
#ifdef KZ_DEVICE
  // What it takes to build kernels is not measured: the warm-up run builds them, or else it is done here.
  if (run.runtime_file != NULL && options->runs == 0 && kz_build(run.ctx) != 0) kz_quit_on_error(&run);
#endif
  // The warm-up run, if any, is the first of these.
  for (long i = options->runs > 0 ? 0 : 1; i <= (options->runs > 0 ? options->runs : 1); i++) {
    kz_run_once(&run, i > 0);
    if (i == 0 || i < options->runs) kz_free_values(&run, run.outs, run.entry->output_count);
  }
  kz_free_values(&run, run.ins, run.entry->input_count);
  if (!options->silent) kz_write_outputs(&run);
  kz_free_values(&run, run.outs, run.entry->output_count);
  if (run.runtime_file != NULL) fclose(run.runtime_file);
  free(run.ins);
  futhark_context_free(run.ctx);
  futhark_context_config_free(options->config);
  return 0;
}
