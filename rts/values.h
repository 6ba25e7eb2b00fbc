// values.h: the values at the border of a program: their types, and what happens to them. Needs memory.h.
//
// A value is flattened into parts, each a scalar or an array of scalars; an array is row-major from the begin of its
// block. The program defines a table of struct kz_type for the types of its entry points, and one of struct kz_entry.

enum kz_prim { KZ_I8, KZ_I16, KZ_I32, KZ_I64, KZ_U8, KZ_U16, KZ_U32, KZ_U64, KZ_F16, KZ_F32, KZ_F64, KZ_BOOL };
KZ_UNUSED static const char *const kz_prim_names[] = {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64",
    "bool"};
static const int kz_prim_sizes[] = {1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8, 1};

union kz_scalar {
  int8_t i8;
  int16_t i16;
  int32_t i32;
  int64_t i64;
  uint8_t u8;
  uint16_t u16;
  uint32_t u32;
  uint64_t u64;
  uint16_t f16;
  float f32;
  double f64;
  bool b;
};

struct kz_slot {
  union kz_scalar scalar;       // of a part of rank 0
  void *block;                  // of any other
  int64_t shape[KZ_MAX_RANK];
};

struct kz_part {
  enum kz_prim prim;
  int rank;
};
struct kz_field {
  const char *name;
  const struct kz_type *type;
  int first; // which of the parts its own begin with
};
enum kz_kind { KZ_SCALAR, KZ_ARRAY, KZ_RECORD, KZ_RECORD_ARRAY, KZ_OPAQUE_ARRAY, KZ_SUM, KZ_OPAQUE };
struct kz_type {
  const char *name; // as the server says it: "[]i32"
  enum kz_kind kind;
  int part_count;
  const struct kz_part *parts;
  int field_count; // of a record in the order of `new`; of an array of records, arrays of their fields
  const struct kz_field *fields;
  const struct kz_type *element; // of an array of what is no scalar
  int rank;                      // of such an array
};
struct kz_value {
  const struct kz_type *type;
  struct kz_slot slots[];
};

struct kz_param_type {
  const char *name;
  const struct kz_type *type;
  bool unique;
};
// The parts of all inputs stand in one row, and so do those of all outputs. `run` only borrows what the blocks of its
// inputs hold and gives one reference to each block of its outputs; or it returns an error code after kz_fail,
// with no output and whatever references.
struct kz_entry {
  const char *name;
  int (*run)(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in);
  int input_count, output_count;
  const struct kz_param_type *inputs, *outputs;
  int tuning_count; // of the parameters that matter to it
  const int *tuning; // their indices
};
// Runs an entry point. A check that has failed in a kernel is told of by now, and before anything that came of it.
KZ_FN int kz_run_entry(struct futhark_context *ctx, const struct kz_entry *entry, struct kz_slot *out, const struct kz_slot *in) {
  int code = entry->run(ctx, out, in);
#ifdef KZ_DEVICE
  int failed = kz_look(ctx);
  if (failed != 0) code = failed;
#endif
  return code;
}

#define KZ_SCALAR_TYPE(p, P)                                                                                          \
  static const struct kz_part kz_part_##p = {P, 0};                                                                   \
  KZ_UNUSED static const struct kz_type kz_type_##p = {#p, KZ_SCALAR, 1, &kz_part_##p, 0, NULL, NULL, 0};
KZ_SCALAR_TYPE(i8, KZ_I8) KZ_SCALAR_TYPE(i16, KZ_I16) KZ_SCALAR_TYPE(i32, KZ_I32) KZ_SCALAR_TYPE(i64, KZ_I64)
KZ_SCALAR_TYPE(u8, KZ_U8) KZ_SCALAR_TYPE(u16, KZ_U16) KZ_SCALAR_TYPE(u32, KZ_U32) KZ_SCALAR_TYPE(u64, KZ_U64)
KZ_SCALAR_TYPE(f16, KZ_F16) KZ_SCALAR_TYPE(f32, KZ_F32) KZ_SCALAR_TYPE(f64, KZ_F64) KZ_SCALAR_TYPE(bool, KZ_BOOL)

// Whether the dimensions of an array that somebody gives us are such that any machine has room for it; a size of 0 does not
// make the others harmless, since the program computes with them. A process can address 2^47 bytes.
KZ_FN bool kz_shape_fits(enum kz_prim prim, int rank, const int64_t *shape) {
  int64_t product = kz_prim_sizes[prim];
  for (int k = 0; k < rank; k++) {
    if (shape[k] < 0 || (shape[k] > 0 && product > ((int64_t)1 << 47) / shape[k])) return false;
    if (shape[k] > 0) product *= shape[k];
  }
  return true;
}
// How many bytes the elements take, or -1 if they are more than any machine has. A program may make an array without elements
// whose other dimensions would not fit.
KZ_FN int64_t kz_array_bytes(enum kz_prim prim, int rank, const int64_t *shape) {
  int64_t product = kz_prim_sizes[prim];
  for (int k = 0; k < rank; k++)
    if (shape[k] == 0) return 0;
  if (!kz_shape_fits(prim, rank, shape)) return -1;
  for (int k = 0; k < rank; k++) product *= shape[k];
  return product;
}

// A value with slots for its parts, which are still empty.
KZ_FN struct kz_value *kz_value_new(struct futhark_context *ctx, const struct kz_type *type) {
  size_t bytes = sizeof(struct kz_value) + (size_t)type->part_count * sizeof(struct kz_slot);
  struct kz_value *value = kz_malloc(bytes);
  if (value == NULL) kz_fail(ctx, FUTHARK_OUT_OF_MEMORY, NULL, "out of memory: cannot allocate a value.");
  else memset(value, 0, bytes), value->type = type;
  return value;
}
KZ_FN int kz_value_free(struct futhark_context *ctx, struct kz_value *value) {
  if (value == NULL) return 0;
  for (int i = 0; i < value->type->part_count; i++) kz_release(ctx, value->slots[i].block);
  free(value);
  return 0;
}
// The parts from `first` of one value as another, of this type; the two share their blocks.
KZ_FN struct kz_value *kz_value_part(struct futhark_context *ctx, const struct kz_type *type,
    const struct kz_slot *slots) {
  struct kz_value *value = kz_value_new(ctx, type);
  for (int i = 0; value != NULL && i < type->part_count; i++) {
    value->slots[i] = slots[i];
    kz_hold(kz_share(slots[i].block));
  }
  return value;
}

// At the border a scalar is passed as a pointer to it, anything else as a pointer to its struct kz_value.
KZ_FN void kz_to_slots(struct kz_slot *slots, const struct kz_type *type, const void *from) {
  if (type->kind == KZ_SCALAR) {
    memset(slots, 0, sizeof *slots);
    memcpy(&slots->scalar, from, (size_t)kz_prim_sizes[type->parts->prim]);
  } else if (type->part_count > 0) {
    memcpy(slots, ((const struct kz_value *)from)->slots, (size_t)type->part_count * sizeof *slots);
  }
}
// Copied byte by byte, because the caller's pointer is to a type that we do not know.
KZ_FN int kz_from_slots(struct futhark_context *ctx, void *to, const struct kz_type *type,
    const struct kz_slot *slots) {
  if (type->kind == KZ_SCALAR) {
    memcpy(to, &slots->scalar, (size_t)kz_prim_sizes[type->parts->prim]);
    return 0;
  }
  struct kz_value *value = kz_value_part(ctx, type, slots);
  if (value == NULL) return FUTHARK_OUT_OF_MEMORY;
  memcpy(to, &value, sizeof value);
  return 0;
}

KZ_FN int kz_parts_of(const struct kz_param_type *params, int count) {
  int parts = 0;
  for (int i = 0; i < count; i++) parts += params[i].type->part_count;
  return parts;
}

// Runs an entry point. `ins` are pointers to scalars or values; `outs` point to where scalars, or pointers to new values,
// go, which are not touched on failure.
KZ_FN int kz_call(struct futhark_context *ctx, const struct kz_entry *entry, void *const *outs,
    const void *const *ins) {
  int in_parts = kz_parts_of(entry->inputs, entry->input_count), out_parts = kz_parts_of(entry->outputs,
      entry->output_count);
  size_t bytes = (size_t)(in_parts + out_parts) * sizeof(struct kz_slot) + (size_t)entry->output_count * sizeof(union kz_scalar);
  free(futhark_context_get_error(ctx)); // that of an earlier call
  struct kz_slot *in = kz_malloc(bytes);
  if (in == NULL) return kz_fail(ctx, FUTHARK_OUT_OF_MEMORY, NULL, "out of memory: cannot call %s.", entry->name);
  for (int i = 0, at = 0; i < entry->input_count; at += entry->inputs[i++].type->part_count) kz_to_slots(in + at,
      entry->inputs[i].type, ins[i]);
  struct kz_slot *out = in + in_parts;
  memset(out, 0, (size_t)out_parts * sizeof *out);
  int code = kz_run_entry(ctx, entry, out, in);
  // A value takes its own references, so what is left afterwards is what belongs to nobody.
  void *results = out + out_parts;
  int made = 0;
  for (int at = 0; code == 0 && made < entry->output_count; at += entry->outputs[made++].type->part_count) {
    code = kz_from_slots(ctx, (char *)results + (size_t)made * sizeof(union kz_scalar), entry->outputs[made].type,
        out + at);
    if (code != 0) break;
  }
  for (int i = 0; code == 0 && i < out_parts; i++) kz_free(ctx, out[i].block);
  for (int i = 0; i < made; i++) {
    char *result = (char *)results + (size_t)i * sizeof(union kz_scalar);
    const struct kz_type *type = entry->outputs[i].type;
    struct kz_value *value = NULL;
    if (type->kind != KZ_SCALAR) memcpy(&value, result, sizeof value);
    if (code != 0) kz_value_free(ctx, value);
    else memcpy(outs[i], result, type->kind == KZ_SCALAR ? (size_t)kz_prim_sizes[type->parts->prim] : sizeof value);
  }
  free(in);
  if (code != 0) kz_unwind(ctx);
  else if ((ctx->config->debugging || KZ_TELLS_LEAKS) && kz_unwind(ctx) > 0) fprintf(ctx->log,
      "Entry point %s left references to blocks behind.\n", entry->name);
  if (ctx->config->logging) fprintf(ctx->log, "Ran %s: code %d, %" PRId64 " bytes in use, %" PRId64 " at the peak.\n",
      entry->name, code, ctx->live_bytes, ctx->peak_bytes);
  return code;
}
