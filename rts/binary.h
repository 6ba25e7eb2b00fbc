// binary.h: the binary format of data, and the source of bytes that it and the text format are read from. Needs values.h.
//
// A value is the letter b, version, rank, type, dimensions and elements, all little endian.

enum { KZ_LONGEST_WORD = 1 << 16, KZ_BUFFER = 1 << 17, KZ_TRUSTED = 1 << 24 };
// The most dimensions of binary data, which has a byte for them; arrays of a program may have more.
enum { KZ_MAX_BINARY_RANK = 255 };
enum { KZ_LONGEST_TYPE = 2 * (KZ_MAX_RANK > KZ_MAX_BINARY_RANK ? KZ_MAX_RANK : KZ_MAX_BINARY_RANK) + 5 };

struct kz_reader {
  FILE *file;                 // NULL for bytes in memory
  const unsigned char *bytes; // those from `at` to below `end` are not consumed; a file's end in a zero
  size_t at, end;
  uint64_t base, line, line_start; // the offset in the data of bytes[0], and of the line; lines count from 1
  bool had_binary;
  char error[1280], types[2][KZ_LONGEST_TYPE], seen[24]; // the error, and texts for it
  char word[KZ_LONGEST_WORD + 1];
  unsigned char buffer[KZ_BUFFER + 1];
};

KZ_FN struct kz_reader *kz_reader_new(FILE *file, const void *bytes, size_t size) {
  struct kz_reader *r = kz_malloc(sizeof *r);
  if (r == NULL) return NULL;
  memset(r, 0, offsetof(struct kz_reader, word));
  r->file = file;
  r->bytes = file == NULL ? (const unsigned char *)bytes : r->buffer;
  r->end = file == NULL ? size : 0;
  r->buffer[0] = '\0';
  r->line = 1;
  return r;
}

KZ_FN uint64_t kz_offset(const struct kz_reader *r) { return r->base + r->at; }

// How many bytes there are to look at: at least as many as wanted, except at the end of the data.
KZ_FN size_t kz_ahead(struct kz_reader *r, size_t wanted) {
  if (r->end - r->at >= wanted || r->file == NULL || feof(r->file)) return r->end - r->at;
  memmove(r->buffer, r->buffer + r->at, r->end - r->at);
  r->base += r->at;
  r->end -= r->at;
  r->at = 0;
  r->end += fread(r->buffer + r->end, 1, KZ_BUFFER - r->end, r->file);
  r->buffer[r->end] = '\0';
  return r->end;
}

// Sets the error, about what is at the offset; false, to be returned.
KZ_COLD KZ_PRINTF(3, 4) bool kz_bad(struct kz_reader *r, uint64_t offset, const char *format, ...) {
  va_list args;
  size_t n = 0, room = sizeof r->error;
  if (r->file != NULL && ferror(r->file)) {
    snprintf(r->error, room, "%s", strerror(errno));
    return false;
  }
  if (r->had_binary) n += (size_t)snprintf(r->error, room, "byte %" PRIu64 ": ", offset);
  else n += (size_t)snprintf(r->error, room, "line %" PRIu64 ", column %" PRIu64 ": ", r->line,
      offset - r->line_start + 1);
  va_start(args, format);
  vsnprintf(r->error + n, room - n, format, args);
  va_end(args);
  return false;
}
KZ_FN bool kz_truncated(struct kz_reader *r) { return kz_bad(r, kz_offset(r) + kz_ahead(r, 1),
    "the data ends in the middle of a value"); }

// The text of a type, for messages: `which` of the two that there is room for.
KZ_FN const char *kz_type_text(struct kz_reader *r, int which, enum kz_prim prim, int rank) {
  for (int k = 0; k < rank; k++) memcpy(r->types[which] + 2 * k, "[]", 2);
  strcpy(r->types[which] + 2 * rank, kz_prim_names[prim]);
  return r->types[which];
}

KZ_FN void kz_swap_bytes(char *data, int64_t bytes, int size) {
  const uint16_t one = 1;
  if (*(const unsigned char *)&one == 1 || size == 1) return;
  for (char *end = data + bytes; data < end; data += size) {
    for (int i = 0; i < size / 2; i++) {
      char byte = data[i];
      data[i] = data[size - 1 - i];
      data[size - 1 - i] = byte;
    }
  }
}

// Whether the file says that so many bytes are left; one that cannot tell, such as a pipe, says no.
KZ_FN bool kz_has_left(struct kz_reader *r, int64_t bytes) {
  int64_t left = (int64_t)(r->end - r->at);
  if (r->file != NULL && left < bytes) {
    long here = ftell(r->file), end = -1;
    if (here >= 0 && fseek(r->file, 0, SEEK_END) == 0) {
      end = ftell(r->file);
      if (fseek(r->file, here, SEEK_SET) != 0) end = -1;
    }
    if (end > here) left += end - here;
  }
  return left >= bytes;
}

KZ_FN int64_t kz_take_bytes(struct kz_reader *r, char *to, int64_t bytes) {
  int64_t taken = (int64_t)(r->end - r->at) < bytes ? (int64_t)(r->end - r->at) : bytes;
  memcpy(to, r->bytes + r->at, (size_t)taken);
  r->at += (size_t)taken;
  if (taken < bytes && r->file != NULL) {
    size_t more = fread(to + taken, 1, (size_t)(bytes - taken), r->file);
    r->base += more;
    taken += (int64_t)more;
  }
  return taken;
}

// A draft of a block with so many bytes of the data. Memory is only taken as data arrives, unless the file is known to have it.
KZ_FN void *kz_read_draft(struct futhark_context *ctx, struct kz_reader *r, int64_t bytes) {
  int64_t room = bytes <= KZ_TRUSTED || kz_has_left(r, bytes) ? bytes : KZ_TRUSTED, taken = 0;
  char *draft = kz_draft(ctx, room);
  while (draft != NULL) {
    taken += kz_take_bytes(r, draft + taken, room - taken);
    if (taken == bytes) return draft;
    if (taken < room) {
      kz_bad(r, kz_offset(r), "the binary data ends after %" PRId64 " of %" PRId64 " bytes of a value", taken, bytes);
      kz_draft_drop(ctx, draft);
      return NULL;
    }
    room = 2 * room < bytes ? 2 * room : bytes;
    char *larger = kz_draft(ctx, room);
    if (larger != NULL) memcpy(larger, draft, (size_t)taken);
    kz_draft_drop(ctx, draft);
    draft = larger;
  }
  kz_bad(r, kz_offset(r), "out of memory: there is none for %" PRId64 " bytes", bytes);
  return NULL;
}

KZ_FN bool kz_read_shape(struct kz_reader *r, const struct kz_part *part, struct kz_slot *slot) {
  uint64_t start = kz_offset(r);
  bool is_negative = false;
  if (kz_ahead(r, 8 * (size_t)part->rank) < 8 * (size_t)part->rank) return kz_truncated(r);
  for (int k = 0; k < part->rank; k++) {
    uint64_t size = 0;
    for (int i = 7; i >= 0; i--) size = size << 8 | r->bytes[r->at + (size_t)i];
    is_negative |= size > INT64_MAX;
    slot->shape[k] = is_negative ? 0 : (int64_t)size;
    r->at += 8;
  }
  if (is_negative) return kz_bad(r, start, "the dimensions are not right: one of them is negative");
  if (!kz_shape_fits(part->prim, part->rank, slot->shape)) return kz_bad(r, start,
      "the dimensions are larger than any machine can hold");
  return true;
}

// Reads a part; the reader stands before its b. False, and the reader's error set, if there is none of this type.
KZ_FN bool kz_read_binary(struct futhark_context *ctx, struct kz_reader *r, const struct kz_part *part,
    struct kz_slot *slot) {
  uint64_t start = kz_offset(r);
  int prim = 0;
  char name[5];
  r->had_binary = true;
  if (kz_ahead(r, 7) < 7) return kz_truncated(r);
  const unsigned char *header = r->bytes + r->at;
  if (header[1] != 2) return kz_bad(r, start + 1, "the binary data has version %d, only version 2 is known", header[1]);
  for (; prim <= KZ_BOOL; prim++) {
    snprintf(name, sizeof name, "%4s", kz_prim_names[prim]);
    if (memcmp(name, header + 3, 4) == 0) break;
  }
  if (header[0] != 'b' || prim > KZ_BOOL) return kz_bad(r, start + 3, "this is not a type in binary data");
  if ((enum kz_prim)prim != part->prim || header[2] != part->rank) {
    return kz_bad(r, start, "expected a value of type `%s`, found one of type `%s`", kz_type_text(r, 0, part->prim,
        part->rank), kz_type_text(r, 1, (enum kz_prim)prim, header[2]));
  }
  r->at += 7;
  if (!kz_read_shape(r, part, slot)) return false;
  int64_t bytes = kz_array_bytes(part->prim, part->rank, slot->shape);
  char *data = (char *)&slot->scalar;
  if (part->rank > 0) data = kz_read_draft(ctx, r, bytes);
  else if (kz_ahead(r, (size_t)bytes) < (size_t)bytes) return kz_truncated(r);
  else kz_take_bytes(r, data, bytes);
  if (data == NULL) return false;
  kz_swap_bytes(data, bytes, kz_prim_sizes[part->prim]);
  for (int64_t i = 0; part->prim == KZ_BOOL && i < bytes; i++) {
    if ((unsigned char)data[i] <= 1) continue;
    kz_bad(r, kz_offset(r) - (uint64_t)(bytes - i), "the byte 0x%02x is not a boolean, which is 0 or 1",
        (unsigned char)data[i]);
    if (part->rank > 0) kz_draft_drop(ctx, data);
    return false;
  }
  if (part->rank == 0) return true;
  slot->block = kz_draft_block(ctx, data, bytes);
  return slot->block != NULL || kz_bad(r, kz_offset(r), "out of memory: there is none for %" PRId64 " bytes", bytes);
}

// The header of a part in binary format; how long it is.
KZ_FN size_t kz_binary_header(char *to, const struct kz_part *part, const struct kz_slot *slot) {
  char name[5];
  to[0] = 'b', to[1] = 2, to[2] = (char)part->rank;
  snprintf(name, sizeof name, "%4s", kz_prim_names[part->prim]);
  memcpy(to + 3, name, 4);
  for (int k = 0; k < part->rank; k++) {
    for (int i = 0; i < 8; i++) to[7 + 8 * k + i] = (char)((uint64_t)slot->shape[k] >> (8 * i) & 255);
  }
  return 7 + 8 * (size_t)part->rank;
}
enum { KZ_LONGEST_HEADER = 7 + 8 * KZ_MAX_RANK };

// Whether values of the type can be binary data.
KZ_FN bool kz_fits_binary(const struct kz_type *type) {
  int i = 0;
  while (i < type->part_count && type->parts[i].rank <= KZ_MAX_BINARY_RANK) i++;
  return i == type->part_count;
}

// Writes a part; 0, or an error code after kz_fail. On a machine of the other byte order its elements are swapped while they
// are written.
KZ_FN int kz_write_binary(struct futhark_context *ctx, FILE *out, const struct kz_part *part,
    const struct kz_slot *slot) {
  char header[KZ_LONGEST_HEADER];
  int size = kz_prim_sizes[part->prim];
  int64_t bytes = kz_array_bytes(part->prim, part->rank, slot->shape);
  const void *view = part->rank > 0 ? kz_view(ctx, slot->block, bytes) : &slot->scalar;
  if (view == NULL) return FUTHARK_OUT_OF_MEMORY;
  char *data = (char *)(uintptr_t)view;
  fwrite(header, 1, kz_binary_header(header, part, slot), out);
  kz_swap_bytes(data, bytes, size);
  fwrite(data, 1, (size_t)bytes, out);
  kz_swap_bytes(data, bytes, size);
  if (part->rank > 0) kz_view_end(view);
  return 0;
}
