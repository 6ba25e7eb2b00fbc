// api.h: what the API of a library does with arrays, records and sums. Needs values.h.

// An array of scalars, copied from `data` unless that is NULL.
KZ_FN struct kz_value *kz_array_new(struct futhark_context *ctx, const struct kz_type *type, const void *data,
    const int64_t *shape) {
  const struct kz_part *part = type->parts;
  int64_t bytes = kz_shape_fits(part->prim, part->rank, shape) ? kz_array_bytes(part->prim, part->rank, shape) : -1;
  struct kz_value *value = kz_value_new(ctx, type);
  if (value == NULL) return NULL;
  value->slots->block = kz_alloc(ctx, bytes);
  kz_hold(value->slots->block);
  if (value->slots->block == NULL) {
    kz_value_free(ctx, value);
    return NULL;
  }
  memcpy(value->slots->shape, shape, (size_t)part->rank * sizeof *shape);
  if (data != NULL && kz_put(ctx, value->slots->block, data, bytes) != 0) {
    kz_value_free(ctx, value);
    return NULL;
  }
  return value;
}
KZ_FN int kz_array_get(struct futhark_context *ctx, const struct kz_value *value, void *data) {
  const struct kz_part *part = value->type->parts;
  int64_t bytes = kz_array_bytes(part->prim, part->rank, value->slots->shape);
  return kz_get(ctx, data, value->slots->block, bytes);
}
#ifdef KZ_DEVICE
// An array in a buffer of the user, which must outlive it.
KZ_FN struct kz_value *kz_array_new_raw(struct futhark_context *ctx, const struct kz_type *type, kz_buffer buffer,
    const int64_t *shape) {
  const struct kz_part *part = type->parts;
  struct kz_value *value = kz_value_new(ctx, type);
  if (value == NULL) return NULL;
  if (!kz_shape_fits(part->prim, part->rank, shape)) kz_fail(ctx, FUTHARK_PROGRAM_ERROR, NULL,
      "The dimensions of a raw array do not fit.");
  else value->slots->block = kz_wrap(ctx, buffer);
  kz_hold(value->slots->block);
  if (value->slots->block == NULL) {
    kz_value_free(ctx, value);
    return NULL;
  }
  memcpy(value->slots->shape, shape, (size_t)part->rank * sizeof *shape);
  return value;
}
KZ_FN kz_buffer kz_array_raw(const struct kz_value *value) { return kz_block_of(value->slots->block)->buffer; }
#else
KZ_FN int kz_array_values(const struct kz_value *value, void *data) { return kz_array_get(NULL, value, data); }
KZ_FN void *kz_array_raw(const struct kz_value *value) { return value->slots->block; }
#endif
// The outer dimensions are the same in all parts, which of an array there is at least one.
KZ_FN const int64_t *kz_array_shape(const struct kz_value *value) { return value->slots->shape; }

// The element at the index of each outer dimension, of any kind of array; passed out as kz_call does.
KZ_FN int kz_array_index(struct futhark_context *ctx, void *out, const struct kz_value *array, const int64_t *index) {
  const struct kz_type *type = array->type, *element = type->element;
  int outer = type->kind == KZ_ARRAY ? type->parts->rank : type->rank;
  int64_t row = 0;
  for (int k = 0; k < outer; k++) {
    int64_t size = array->slots->shape[k];
    if (index[k] < 0 || index[k] >= size) return kz_fail(ctx, FUTHARK_PROGRAM_ERROR, NULL, "Index out of bounds.");
    row = row * size + index[k];
  }
  if (type->kind == KZ_ARRAY) {
    int size = kz_prim_sizes[type->parts->prim];
    return kz_read(ctx, out, array->slots->block, row * size, size);
  }
  struct kz_value *value = kz_value_new(ctx, element);
  for (int i = 0; value != NULL && i < element->part_count; i++) {
    const struct kz_part *part = &element->parts[i];
    struct kz_slot *slot = &value->slots[i];
    memcpy(slot->shape, array->slots[i].shape + outer, (size_t)part->rank * sizeof *slot->shape);
    int64_t bytes = kz_array_bytes(part->prim, part->rank, slot->shape);
    if (part->rank > 0) slot->block = kz_alloc(ctx, bytes);
    kz_hold(slot->block);
    int code = part->rank > 0 && slot->block == NULL ? FUTHARK_OUT_OF_MEMORY : part->rank > 0
        ? kz_copy_bytes(ctx, slot->block, 0, array->slots[i].block, row * bytes, bytes)
        : kz_read(ctx, &slot->scalar, array->slots[i].block, row * bytes, bytes);
    if (code == 0) continue;
    kz_value_free(ctx, value);
    return code;
  }
  if (value == NULL) return FUTHARK_OUT_OF_MEMORY;
  memcpy(out, &value, sizeof value);
  return 0;
}

// The record, or array of records (`zip`), of these fields, each passed as kz_call does.
KZ_FN int kz_record_new(struct futhark_context *ctx, void *out, const struct kz_type *type, const void *const *fields) {
  struct kz_value *value = kz_value_new(ctx, type);
  if (value == NULL) return FUTHARK_OUT_OF_MEMORY;
  for (int i = 0; i < type->field_count; i++) kz_to_slots(value->slots + type->fields[i].first, type->fields[i].type,
      fields[i]);
  for (int i = 0; i < type->part_count; i++) kz_hold(kz_share(value->slots[i].block));
  for (int i = 1; type->kind == KZ_RECORD_ARRAY && i < type->part_count; i++) {
    if (memcmp(value->slots[i].shape, value->slots->shape, (size_t)type->rank * sizeof(int64_t)) == 0) continue;
    kz_value_free(ctx, value);
    return kz_fail(ctx, FUTHARK_PROGRAM_ERROR, NULL, "Arrays of different shapes cannot be zipped.");
  }
  memcpy(out, &value, sizeof value);
  return 0;
}
KZ_FN int kz_record_project(struct futhark_context *ctx, void *out, const struct kz_value *record, int field) {
  return kz_from_slots(ctx, out, record->type->fields[field].type, record->slots + record->type->fields[field].first);
}

// A value that a variant of a sum holds: its type, and which of the sum's parts its own are.
struct kz_payload {
  const struct kz_type *type;
  const int *parts;
};
// The first part of a sum is the number of its variant.
KZ_FN int kz_sum_variant(const struct kz_value *sum) { return sum->slots->scalar.u8; }

// The sum of this variant; what it holds is passed as kz_call does. Arrays that only other variants have are empty.
KZ_FN int kz_sum_new(struct futhark_context *ctx, void *out, const struct kz_type *type, int variant, int count,
    const struct kz_payload *payload, const void *const *values) {
  struct kz_value *sum = kz_value_new(ctx, type);
  if (sum == NULL) return FUTHARK_OUT_OF_MEMORY;
  sum->slots->scalar.u8 = (uint8_t)variant;
  for (int i = 0; i < count; i++) {
    struct kz_slot scalar;
    const struct kz_slot *slots = &scalar;
    if (payload[i].type->kind == KZ_SCALAR) kz_to_slots(&scalar, payload[i].type, values[i]);
    else slots = ((const struct kz_value *)values[i])->slots;
    for (int k = 0; k < payload[i].type->part_count; k++) {
      sum->slots[payload[i].parts[k]] = slots[k];
      kz_hold(kz_share(slots[k].block));
    }
  }
  for (int i = 0; i < type->part_count; i++) {
    struct kz_slot *slot = &sum->slots[i];
    if (type->parts[i].rank == 0 || slot->block != NULL) continue;
    slot->block = kz_alloc(ctx, 0);
    kz_hold(slot->block);
    if (slot->block != NULL) continue;
    kz_value_free(ctx, sum);
    return FUTHARK_OUT_OF_MEMORY;
  }
  memcpy(out, &sum, sizeof sum);
  return 0;
}

// What a sum of this variant holds. On failure nothing is passed out.
KZ_FN int kz_sum_destruct(struct futhark_context *ctx, void *const *outs, const struct kz_value *sum, int variant,
    int count, const struct kz_payload *payload) {
  if (kz_sum_variant(sum) != variant) return kz_fail(ctx, FUTHARK_PROGRAM_ERROR, NULL,
      "This %s is variant %d, not %d.", sum->type->name, kz_sum_variant(sum), variant);
  if (count == 0) return 0;
  struct kz_value **made = kz_malloc((size_t)count * sizeof *made);
  if (made == NULL) return kz_fail(ctx, FUTHARK_OUT_OF_MEMORY, NULL, "out of memory: cannot take a value apart.");
  int done = 0;
  for (; done < count; done++) {
    struct kz_value *value = kz_value_new(ctx, payload[done].type);
    if (value == NULL) break;
    for (int k = 0; k < payload[done].type->part_count; k++) {
      value->slots[k] = sum->slots[payload[done].parts[k]];
      kz_hold(kz_share(value->slots[k].block));
    }
    made[done] = value;
  }
  for (int i = 0; i < done; i++) {
    bool is_scalar = payload[i].type->kind == KZ_SCALAR;
    if (done == count && is_scalar) kz_from_slots(ctx, outs[i], payload[i].type, made[i]->slots);
    if (done == count && !is_scalar) memcpy(outs[i], &made[i], sizeof made[i]);
    else kz_value_free(ctx, made[i]);
  }
  free(made);
  return done == count ? 0 : FUTHARK_OUT_OF_MEMORY;
}
