// opaque.h: opaque values as bytes, for a library. Needs binary.h. The bytes are the length of all that follows, as eight
// bytes in the order of the machine, and the parts in binary format.

KZ_FN int kz_value_store(struct futhark_context *ctx, const struct kz_value *value, void **p, size_t *n) {
  char header[KZ_LONGEST_HEADER];
  uint64_t length = 0;
  if (!kz_fits_binary(value->type)) return kz_fail(ctx, FUTHARK_PROGRAM_ERROR, NULL,
      "values of type %s have more than %d dimensions and cannot be stored.", value->type->name, KZ_MAX_BINARY_RANK);
  for (int i = 0; i < value->type->part_count; i++) {
    const struct kz_part *part = &value->type->parts[i];
    length += kz_binary_header(header, part, &value->slots[i]) + (uint64_t)kz_array_bytes(part->prim, part->rank,
        value->slots[i].shape);
  }
  *n = (size_t)length + sizeof length;
  if (p == NULL) return 0;
  bool is_new = *p == NULL;
  if (is_new) *p = kz_malloc(*n);
  if (*p == NULL) return kz_fail(ctx, FUTHARK_OUT_OF_MEMORY, NULL, "out of memory: cannot store a value.");
  char *to = *p;
  memcpy(to, &length, sizeof length);
  to += sizeof length;
  for (int i = 0; i < value->type->part_count; i++) {
    const struct kz_part *part = &value->type->parts[i];
    const struct kz_slot *slot = &value->slots[i];
    int64_t bytes = kz_array_bytes(part->prim, part->rank, slot->shape);
    to += kz_binary_header(to, part, slot);
    int code = 0;
    if (part->rank > 0) code = kz_get(ctx, to, slot->block, bytes);
    else memcpy(to, &slot->scalar, (size_t)bytes);
    if (code != 0 && is_new) free(*p), *p = NULL;
    if (code != 0) return code;
    kz_swap_bytes(to, bytes, kz_prim_sizes[part->prim]);
    to += bytes;
  }
  return 0;
}

// Whether arrays that are parts of one array have as many elements as each other.
KZ_FN bool kz_parts_agree(const struct kz_type *type, const struct kz_slot *slots) {
  bool is_array = type->kind == KZ_RECORD_ARRAY || type->kind == KZ_OPAQUE_ARRAY, agree = true;
  for (int i = 1; is_array && i < type->part_count; i++)
    agree &= memcmp(slots[i].shape, slots->shape, (size_t)type->rank * sizeof *slots->shape) == 0;
  for (int i = 0; type->kind == KZ_RECORD && i < type->field_count; i++)
    agree &= kz_parts_agree(type->fields[i].type, slots + type->fields[i].first);
  return agree;
}

KZ_FN struct kz_value *kz_value_restore(struct futhark_context *ctx, const struct kz_type *type, const void *p) {
  uint64_t length;
  memcpy(&length, p, sizeof length);
  struct kz_value *value = kz_value_new(ctx, type);
  struct kz_reader *r = kz_reader_new(NULL, (const char *)p + sizeof length, (size_t)length);
  bool fine = value != NULL && r != NULL;
  for (int i = 0; fine && i < type->part_count; i++) {
    fine = kz_read_binary(ctx, r, &type->parts[i], &value->slots[i]);
    kz_hold(value->slots[i].block);
  }
  const char *wrong = value == NULL || r == NULL ? "out of memory" : !fine ? r->error : kz_ahead(r, 1) > 0
      ? "there is more behind it" : !kz_parts_agree(type, value->slots) ? "its parts have different sizes" : NULL;
  if (wrong != NULL) {
    kz_fail(ctx, FUTHARK_PROGRAM_ERROR, NULL, "these bytes are not a value of type %s: %s", type->name, wrong);
    kz_value_free(ctx, value);
    value = NULL;
  }
  free(r);
  return value;
}
