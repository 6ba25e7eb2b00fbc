// server.h: a server, which obeys commands on standard input, a line each. Needs program.h, and the program's table
// `static const struct kz_type *const kz_types[]` of all types but scalars, sorted by name and ended by NULL.

struct kz_variable {
  struct kz_variable *next;
  struct kz_value *value;
  char name[];
};
struct kz_server {
  struct futhark_context *ctx;
  struct kz_variable *variables;
};
enum { KZ_LONGEST_LINE = 1 << 20 };

static void kz_failed(void) { puts("%%% FAILURE"); }
KZ_COLD KZ_PRINTF(1, 2) void kz_refuse(const char *format, ...) {
  va_list args;
  kz_failed();
  va_start(args, format);
  vprintf(format, args);
  va_end(args);
  putchar('\n');
}
KZ_COLD void kz_refuse_by_error(struct kz_server *s) {
  char *error = futhark_context_get_error(s->ctx);
  kz_refuse("%s", error == NULL ? "out of memory" : error);
  free(error);
}

static struct kz_variable **kz_find(struct kz_server *s, const char *name) {
  struct kz_variable **at = &s->variables;
  while (*at != NULL && strcmp((*at)->name, name) != 0) at = &(*at)->next;
  return at;
}
// The value of a variable that must be there.
static struct kz_value *kz_lookup(struct kz_server *s, const char *name) {
  struct kz_variable *variable = *kz_find(s, name);
  if (variable == NULL) kz_refuse("Unknown variable: %s", name);
  return variable == NULL ? NULL : variable->value;
}
static bool kz_is_new(struct kz_server *s, const char *name) {
  bool is_new = *kz_find(s, name) == NULL;
  if (!is_new) kz_refuse("Variable already exists: %s", name);
  return is_new;
}
// Takes over the value, which without a variable is freed.
static bool kz_define(struct kz_server *s, const char *name, struct kz_value *value) {
  struct kz_variable *variable = value == NULL ? NULL : kz_malloc(sizeof *variable + strlen(name) + 1);
  if (variable == NULL) {
    kz_value_free(s->ctx, value);
    kz_refuse_by_error(s);
    return false;
  }
  strcpy(variable->name, name);
  variable->value = value;
  variable->next = s->variables;
  s->variables = variable;
  return true;
}

static const struct kz_type *kz_scalar_types[] = {&kz_type_i8, &kz_type_i16, &kz_type_i32, &kz_type_i64, &kz_type_u8,
    &kz_type_u16, &kz_type_u32, &kz_type_u64, &kz_type_f16, &kz_type_f32, &kz_type_f64, &kz_type_bool, NULL};
static const struct kz_type *kz_type_named(const char *name) {
  for (int i = 0; kz_scalar_types[i] != NULL; i++)
    if (strcmp(kz_scalar_types[i]->name, name) == 0) return kz_scalar_types[i];
  for (int i = 0; kz_types[i] != NULL; i++)
    if (strcmp(kz_types[i]->name, name) == 0) return kz_types[i];
  kz_refuse("Unknown type %s", name);
  return NULL;
}
static const struct kz_type *kz_record_type(const struct kz_type *type) {
  if (type != NULL && type->kind != KZ_RECORD) kz_refuse("Not a record type");
  return type != NULL && type->kind == KZ_RECORD ? type : NULL;
}
static const struct kz_entry *kz_entry_named(const char *name) {
  const struct kz_entry *entry = kz_find_entry(name);
  if (entry == NULL) kz_refuse("Unknown entry point: %s", name);
  return entry;
}

static void kz_do_types(struct kz_server *s, char **words, int count) {
  (void)s, (void)words, (void)count;
  for (int i = 0; kz_scalar_types[i] != NULL; i++) puts(kz_scalar_types[i]->name);
  for (int i = 0; kz_types[i] != NULL; i++) puts(kz_types[i]->name);
}
static void kz_do_entry_points(struct kz_server *s, char **words, int count) {
  (void)s, (void)words, (void)count;
  for (const struct kz_entry *entry = kz_entries; entry->name != NULL; entry++) puts(entry->name);
}
static void kz_do_inputs(struct kz_server *s, char **words, int count) {
  const struct kz_entry *entry = kz_entry_named(words[0]);
  (void)s, (void)count;
  for (int i = 0; entry != NULL && i < entry->input_count; i++) printf("%s%s\n", entry->inputs[i].unique ? "*" : "",
      entry->inputs[i].type->name);
}
static void kz_do_outputs(struct kz_server *s, char **words, int count) {
  const struct kz_entry *entry = kz_entry_named(words[0]);
  (void)s, (void)count;
  for (int i = 0; entry != NULL && i < entry->output_count; i++) printf("%s%s\n", entry->outputs[i].unique ? "*" : "",
      entry->outputs[i].type->name);
}

// Whether the words name inputs of the right types and outputs that are not there yet; fills in the inputs.
static bool kz_check_call(struct kz_server *s, const struct kz_entry *entry, char **outs, char **ins,
    struct kz_value **values) {
  for (int i = 0; i < entry->input_count; i++) {
    if ((values[i] = kz_lookup(s, ins[i])) == NULL) return false;
    const char *wanted = entry->inputs[i].type->name, *found = values[i]->type->name;
    if (strcmp(wanted, found) == 0) continue;
    kz_refuse("Wrong input type.  Expected %s, got %s.", wanted, found);
    return false;
  }
  for (int i = 0; i < entry->output_count; i++) {
    if (!kz_is_new(s, outs[i])) return false;
    for (int j = 0; j < i; j++) {
      if (strcmp(outs[i], outs[j]) != 0) continue;
      kz_refuse("Variable already exists: %s", outs[i]);
      return false;
    }
  }
  return true;
}
static void kz_do_call(struct kz_server *s, char **words, int count) {
  const struct kz_entry *entry = kz_entry_named(words[0]);
  if (entry == NULL) return;
  int n = entry->output_count, wanted = n + entry->input_count;
  if (count - 1 != wanted) {
    kz_refuse("%s takes %d variables, not %d.", entry->name, wanted, count - 1);
    return;
  }
  struct kz_value **values = kz_malloc((size_t)wanted * sizeof *values);
  if (values == NULL) {
    kz_refuse("out of memory");
  } else if (kz_check_call(s, entry, words + 1, words + 1 + n, values + n)) {
    int64_t start = kz_microseconds();
    int code = kz_call_values(s->ctx, entry, values, values + n);
    printf("runtime: %" PRId64 "\n", kz_microseconds() - start);
    if (code != 0) kz_refuse_by_error(s);
    bool fine = code == 0;
    for (int i = 0; code == 0 && i < n; i++) {
      if (fine) fine = kz_define(s, words[1 + i], values[i]);
      else kz_value_free(s->ctx, values[i]);
    }
  }
  free(values);
}

// A value without parts, such as (), is a `bool` in files.
static struct kz_value *kz_restore_value(struct futhark_context *ctx, struct kz_reader *r, const struct kz_type *type) {
  struct kz_slot unit = {0};
  if (type->part_count == 0 && !kz_read_part(ctx, r, &kz_part_bool, &unit)) return NULL;
  return kz_read_value(ctx, r, type);
}
static int kz_store_value(struct futhark_context *ctx, FILE *file, const struct kz_value *value) {
  const struct kz_slot unit = {0};
  int code = value->type->part_count == 0 ? kz_write_binary(ctx, file, &kz_part_bool, &unit) : 0;
  for (int i = 0; code == 0 && i < value->type->part_count; i++) code = kz_write_binary(ctx, file,
      &value->type->parts[i], &value->slots[i]);
  return code;
}

static void kz_do_restore(struct kz_server *s, char **words, int count) {
  if (count % 2 == 0) {
    kz_refuse("restore takes a file, and a type for each variable.");
    return;
  }
  for (int i = 1; i < count; i += 2)
    if (!kz_is_new(s, words[i]) || kz_type_named(words[i + 1]) == NULL) return;
  FILE *file = fopen(words[0], "rb");
  struct kz_reader *reader = file == NULL ? NULL : kz_reader_new(file, NULL, 0);
  if (file == NULL) kz_refuse("Failed to open %s: %s", words[0], strerror(errno));
  else if (reader == NULL) kz_refuse("out of memory");
  bool fine = reader != NULL;
  for (int i = 1; fine && i < count; i += 2) {
    struct kz_value *value = *kz_find(s, words[i]) != NULL ? NULL : kz_restore_value(s->ctx, reader,
        kz_type_named(words[i + 1]));
    if (value == NULL) kz_refuse("Failed to restore variable %s.\nPossibly malformed data in %s: %s", words[i],
        words[0], reader->error[0] == '\0' ? "the variable is there twice" : reader->error);
    fine = value != NULL && kz_define(s, words[i], value);
  }
  if (fine && !kz_at_end(reader)) kz_refuse("Expected EOF after reading %d values from %s", count / 2, words[0]);
  free(reader);
  if (file != NULL) fclose(file);
}

static void kz_do_store(struct kz_server *s, char **words, int count) {
  for (int i = 1; i < count; i++) {
    if (kz_lookup(s, words[i]) == NULL) return;
    if (kz_fits_binary((*kz_find(s, words[i]))->value->type)) continue;
    kz_refuse("The variable %s has more than %d dimensions and cannot be stored.", words[i], KZ_MAX_BINARY_RANK);
    return;
  }
  FILE *file = fopen(words[0], "wb");
  if (file == NULL) {
    kz_refuse("Failed to open %s: %s", words[0], strerror(errno));
    return;
  }
  int code = 0;
  for (int i = 1; code == 0 && i < count; i++) code = kz_store_value(s->ctx, file, (*kz_find(s, words[i]))->value);
  bool fine = !ferror(file);
  if (code != 0) kz_refuse_by_error(s);
  if ((fclose(file) != 0 || !fine) && code == 0) kz_refuse("Failed to write %s: %s", words[0], strerror(errno));
}

static void kz_do_free(struct kz_server *s, char **words, int count) {
  for (int i = 0; i < count; i++) {
    if (kz_lookup(s, words[i]) == NULL) return;
    struct kz_variable **at = kz_find(s, words[i]), *variable = *at;
    *at = variable->next;
    kz_value_free(s->ctx, variable->value);
    free(variable);
  }
}
static void kz_do_rename(struct kz_server *s, char **words, int count) {
  (void)count;
  if (kz_lookup(s, words[0]) == NULL || !kz_is_new(s, words[1])) return;
  struct kz_variable **at = kz_find(s, words[0]), *variable = *at;
  if (!kz_define(s, words[1], kz_value_part(s->ctx, variable->value->type, variable->value->slots))) return;
  kz_do_free(s, words, 1);
}

static void kz_do_clear(struct kz_server *s, char **words, int count) {
  (void)words, (void)count;
  futhark_context_clear_caches(s->ctx);
}
static void kz_do_pause(struct kz_server *s, char **words, int count) {
  (void)words, (void)count;
  futhark_context_pause_profiling(s->ctx);
}
static void kz_do_unpause(struct kz_server *s, char **words, int count) {
  (void)words, (void)count;
  futhark_context_unpause_profiling(s->ctx);
}
static void kz_do_report(struct kz_server *s, char **words, int count) {
  (void)words, (void)count;
  char *report = futhark_context_report(s->ctx);
  if (report == NULL) kz_refuse("out of memory");
  else puts(report);
  free(report);
}
static void kz_do_set_tuning_param(struct kz_server *s, char **words, int count) {
  char *end;
  long long value = strtoll(words[1], &end, 10);
  (void)count;
  bool fine = *end == '\0' && end != words[1] && value >= 0;
  if (!fine || futhark_context_config_set_tuning_param(s->ctx->config, words[0], (size_t)value) != 0)
      kz_refuse("Failed to set tuning parameter %s to %s", words[0], words[1]);
}
static void kz_do_tuning_params(struct kz_server *s, char **words, int count) {
  const struct kz_entry *entry = kz_entry_named(words[0]);
  (void)s, (void)count;
  for (int i = 0; entry != NULL && i < entry->tuning_count; i++) puts(kz_params[entry->tuning[i]].name);
}
static void kz_do_tuning_param_class(struct kz_server *s, char **words, int count) {
  int i = kz_param_index(words[0]);
  (void)s, (void)count;
  if (i < 0) kz_refuse("Unknown tuning parameter: %s", words[0]);
  else puts(kz_params[i].class_name);
}

static void kz_do_fields(struct kz_server *s, char **words, int count) {
  const struct kz_type *type = kz_record_type(kz_type_named(words[0]));
  (void)s, (void)count;
  for (int i = 0; type != NULL && i < type->field_count; i++) printf("%s %s\n", type->fields[i].name,
      type->fields[i].type->name);
}
static void kz_do_new(struct kz_server *s, char **words, int count) {
  const struct kz_type *type = kz_is_new(s, words[0]) ? kz_record_type(kz_type_named(words[1])) : NULL;
  if (type == NULL) return;
  if (count - 2 != type->field_count) {
    kz_refuse("%d fields expected but %d values provided.", type->field_count, count - 2);
    return;
  }
  struct kz_value *record = kz_value_new(s->ctx, type);
  for (int i = 0; record != NULL && i < type->field_count; i++) {
    const struct kz_value *field = kz_lookup(s, words[2 + i]);
    const struct kz_type *wanted = type->fields[i].type;
    if (field != NULL && strcmp(field->type->name, wanted->name) == 0) {
      for (int k = 0; k < wanted->part_count; k++) {
        record->slots[type->fields[i].first + k] = field->slots[k];
        kz_hold(kz_share(field->slots[k].block));
      }
      continue;
    }
    if (field != NULL) kz_refuse("Field %d mismatch: expected type %s, got %s", i, wanted->name, field->type->name);
    kz_value_free(s->ctx, record);
    return;
  }
  kz_define(s, words[0], record);
}
static void kz_do_project(struct kz_server *s, char **words, int count) {
  (void)count;
  const struct kz_value *record = kz_is_new(s, words[0]) ? kz_lookup(s, words[1]) : NULL;
  const struct kz_type *type = record == NULL ? NULL : kz_record_type(record->type);
  for (int i = 0; type != NULL && i < type->field_count; i++) {
    const struct kz_field *field = &type->fields[i];
    if (strcmp(field->name, words[2]) != 0) continue;
    kz_define(s, words[0], kz_value_part(s->ctx, field->type, record->slots + field->first));
    return;
  }
  if (type != NULL) kz_refuse("No such field");
}

static const struct kz_command {
  const char *name;
  int least, most; // how many words follow it
  void (*run)(struct kz_server *s, char **words, int count);
} kz_commands[] = {
    {"types", 0, 0, kz_do_types},
    {"entry_points", 0, 0, kz_do_entry_points},
    {"call", 1, KZ_LONGEST_LINE, kz_do_call},
    {"restore", 1, KZ_LONGEST_LINE, kz_do_restore},
    {"store", 1, KZ_LONGEST_LINE, kz_do_store},
    {"free", 0, KZ_LONGEST_LINE, kz_do_free},
    {"rename", 2, 2, kz_do_rename},
    {"inputs", 1, 1, kz_do_inputs},
    {"outputs", 1, 1, kz_do_outputs},
    {"clear", 0, 0, kz_do_clear},
    {"pause_profiling", 0, 0, kz_do_pause},
    {"unpause_profiling", 0, 0, kz_do_unpause},
    {"report", 0, 0, kz_do_report},
    {"set_tuning_param", 2, 2, kz_do_set_tuning_param},
    {"tuning_params", 1, 1, kz_do_tuning_params},
    {"tuning_param_class", 1, 1, kz_do_tuning_param_class},
    {"fields", 1, 1, kz_do_fields},
    {"new", 2, KZ_LONGEST_LINE, kz_do_new},
    {"project", 3, 3, kz_do_project},
    {NULL, 0, 0, NULL},
};

// Splits the line in place: words are separated by spaces unless quoted. How many, or -1 without the closing quote.
static int kz_split(char *line, char **words) {
  int count = 0;
  for (;;) {
    while (kz_is_space(*line)) line++;
    if (*line == '\0') return count;
    bool is_quoted = *line == '"';
    words[count++] = line += is_quoted;
    while (*line != '\0' && (is_quoted ? *line != '"' : !kz_is_space(*line))) line++;
    if (*line == '\0') return is_quoted ? -1 : count;
    *line++ = '\0';
  }
}

static void kz_obey(struct kz_server *s, char *line, char **words) {
  int count = kz_split(line, words);
  if (count <= 0) {
    kz_refuse(count < 0 ? "Missing quote" : "Empty line");
    return;
  }
  for (const struct kz_command *command = kz_commands; command->name != NULL; command++) {
    if (strcmp(command->name, words[0]) != 0) continue;
    if (count - 1 < command->least || count - 1 > command->most) kz_refuse("%s command args.",
        count - 1 < command->least ? "Insufficient" : "Excess");
    else command->run(s, words + 1, count - 1);
    return;
  }
  kz_refuse("Unknown command: %s", words[0]);
}

// Reads a line; its length, KZ_LONGEST_LINE if it is longer or has bytes that no command has, or -1 at the end.
static int kz_read_line(char *line) {
  int length = 0, c;
  bool is_bad = false;
  while ((c = getchar()) != EOF && c != '\n') {
    is_bad |= length == KZ_LONGEST_LINE - 1 || c == '\0';
    if (!is_bad) line[length++] = (char)c;
  }
  line[length] = '\0';
  return c == EOF && length == 0 && !is_bad ? -1 : is_bad ? KZ_LONGEST_LINE : length;
}

int main(int argc, char **argv) {
  const struct kz_options *options = kz_parse_options(argc, argv, true);
  const char *debugging = getenv("FUTHARK_COMPILER_DEBUGGING");
  if (debugging != NULL && strcmp(debugging, "1") == 0) futhark_context_config_set_debugging(options->config, 1);
  struct kz_server server = {kz_start(options), NULL};
  static char *line, **words;
  line = kz_malloc(KZ_LONGEST_LINE);
  words = kz_malloc((KZ_LONGEST_LINE / 2 + 1) * sizeof *words);
  if (line == NULL || words == NULL) kz_quit(options->program, "out of memory");
  for (int length = 1;;) {
    puts("%%% OK");
    fflush(stdout);
    // Where servers take turns in a process (host.c), the input of one ends with the character EOT.
    if ((length = kz_read_line(line)) < 0 || strcmp(line, "\4") == 0) break;
    if (length == KZ_LONGEST_LINE) kz_refuse("The line is too long, or has zero bytes");
    else kz_obey(&server, line, words);
  }
  while (server.variables != NULL) kz_do_free(&server, (char *[]){server.variables->name}, 1);
  free(words);
  free(line);
  futhark_context_free(server.ctx);
  futhark_context_config_free(options->config);
  return 0;
}
