// text.h: reading the text format of data: 1, [[1.5f32, 2], [3, f32.nan]], empty([0][2]i32), "abc". Needs binary.h, and
// half.h before it for f16. Nesting is counted, not followed by recursion, so that no data can exhaust the stack.

KZ_FN bool kz_is_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
KZ_FN bool kz_is_digit(int c) { return c >= '0' && c <= '9'; }
KZ_FN int kz_digit(int c) {
  return kz_is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}
// The next byte, or -1; and the one after it, without consuming either.
KZ_FN int kz_peek(struct kz_reader *r) { return r->at < r->end || kz_ahead(r, 1) > 0 ? r->bytes[r->at] : -1; }
KZ_FN int kz_peek_second(struct kz_reader *r) { return kz_ahead(r, 2) > 1 ? r->bytes[r->at + 1] : -1; }

// Goes past white space and comments, and past the mark that some programs put before a text in UTF-8.
KZ_FN void kz_skip_space(struct kz_reader *r) {
  bool in_comment = false;
  if (kz_offset(r) == 0 && kz_ahead(r, 3) >= 3 && memcmp(r->bytes, "\xef\xbb\xbf", 3) == 0) r->line_start = r->at = 3;
  for (int c; (c = kz_peek(r)) >= 0; r->at++) {
    if (c == '\n') {
      in_comment = false;
      r->line++;
      r->line_start = kz_offset(r) + 1;
    } else if (c == '-' && !in_comment && kz_peek_second(r) == '-') {
      in_comment = true;
    } else if (!in_comment && !kz_is_space(c)) {
      return;
    }
  }
}

// What the reader stands at, for messages.
KZ_FN const char *kz_found(struct kz_reader *r) {
  int c = kz_peek(r);
  snprintf(r->seen, sizeof r->seen, c < 0 ? "the end of the data" : c > ' ' && c <= '~' ? "`%c`" : "the byte 0x%02x",
      c);
  return r->seen;
}

// Whether a word may end before this byte.
KZ_FN bool kz_ends_word(struct kz_reader *r, int c) {
  return c < 0 || kz_is_space(c) || c == ',' || c == ']' || c == '(' || c == ')' || (c == '-'
      && kz_peek_second(r) == '-');
}

// Whether a sign belongs to the word that has begun: as that of the number, or of its exponent.
KZ_FN bool kz_takes_sign(const char *word, size_t length, int sign) {
  if (length == 0) return sign == '-';
  const char *number = word + (word[0] == '-');
  char last = word[length - 1];
  if (number[0] == '0' && (number[1] == 'x' || number[1] == 'X')) return last == 'p' || last == 'P';
  return (kz_is_digit(number[0]) || number[0] == '.') && (last == 'e' || last == 'E');
}

// Takes a word into r->word: a number, true, false or empty.
KZ_FN bool kz_read_word(struct kz_reader *r) {
  size_t n = 0;
  uint64_t start = kz_offset(r);
  for (int c; (c = kz_peek(r)) >= 0; r->at++) {
    bool belongs = kz_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
    if (!belongs && !((c == '-' || c == '+') && kz_takes_sign(r->word, n, c))) break;
    if (n == KZ_LONGEST_WORD) return kz_bad(r, start, "a number of more than %d characters is not a number",
        KZ_LONGEST_WORD);
    r->word[n++] = (char)c;
    r->word[n] = '\0';
  }
  if (n == 0) return kz_bad(r, start, "expected a value, found %s", kz_found(r));
  if (!kz_ends_word(r, kz_peek(r))) return kz_bad(r, kz_offset(r), "expected white space after a value, found %s",
      kz_found(r));
  return true;
}

// What a word says, before the type is known.
struct kz_literal {
  enum { KZ_NO_LITERAL, KZ_BOOLEAN, KZ_INTEGER_LITERAL, KZ_DECIMAL, KZ_SPECIAL } kind;
  int stated; // the type that the word says it has, or -1
  bool negative, overflow;
  int radix;
  uint64_t magnitude; // of an integer
};

KZ_FN int kz_prim_named(const char *name) {
  int prim = KZ_BOOL;
  while (prim >= 0 && strcmp(kz_prim_names[prim], name) != 0) prim--;
  return prim;
}
KZ_FN bool kz_is_float(int prim) { return prim == KZ_F16 || prim == KZ_F32 || prim == KZ_F64; }

// 1.5, 1e-3f32, 0x1.8p3f64, also with no digits on one side of the point.
KZ_FN bool kz_decimal_literal(const char *text, struct kz_literal *literal) {
  bool is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X'), has_digits = false;
  int radix = is_hex ? 16 : 10;
  if (is_hex) text += 2;
  if (*text == '_') return false;
  for (; kz_digit(*text) < radix || *text == '_'; text++) has_digits |= *text != '_';
  if (*text == '.') text++;
  for (; kz_digit(*text) < radix || *text == '_'; text++) has_digits |= *text != '_';
  if (!has_digits) return false;
  if (is_hex ? *text == 'p' || *text == 'P' : *text == 'e' || *text == 'E') {
    text += text[1] == '-' || text[1] == '+' ? 2 : 1;
    if (!kz_is_digit(*text)) return false;
    while (kz_is_digit(*text) || *text == '_') text++;
  } else if (is_hex) {
    return false;
  }
  literal->kind = KZ_DECIMAL;
  literal->stated = *text == '\0' ? -1 : kz_prim_named(text);
  return *text == '\0' || kz_is_float(literal->stated);
}

// 123_456i64, 0xffu8, 0b101; 1f32 is one as well.
KZ_FN bool kz_integer_literal(const char *text, struct kz_literal *literal) {
  int radix = text[0] != '0' ? 10 : text[1] == 'x' || text[1] == 'X' ? 16 : text[1] == 'b' || text[1] == 'B' ? 2 : 10;
  if (radix != 10) text += 2;
  if (kz_digit(*text) >= radix) return false;
  for (; kz_digit(*text) < radix || *text == '_'; text++) {
    if (*text == '_') continue;
    uint64_t digit = (uint64_t)kz_digit(*text);
    literal->overflow |= literal->magnitude > (UINT64_MAX - digit) / (uint64_t)radix;
    literal->magnitude = literal->magnitude * (uint64_t)radix + digit;
  }
  literal->kind = KZ_INTEGER_LITERAL;
  literal->radix = radix;
  literal->stated = *text == '\0' ? -1 : kz_prim_named(text);
  return *text == '\0' || (literal->stated >= 0 && literal->stated != KZ_BOOL);
}

KZ_FN struct kz_literal kz_literal(const char *word) {
  struct kz_literal literal = {KZ_NO_LITERAL, -1, word[0] == '-', false, 10, 0}, none = literal;
  const char *text = word + literal.negative;
  if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0) {
    literal.kind = KZ_BOOLEAN;
    literal.stated = KZ_BOOL;
    literal.magnitude = word[0] == 't';
    return literal;
  }
  for (int prim = KZ_F16; prim <= KZ_F64; prim++) {
    if (strncmp(text, kz_prim_names[prim], 3) != 0 || text[3] != '.') continue;
    literal.kind = strcmp(text + 4, "nan") == 0 || strcmp(text + 4, "inf") == 0 ? KZ_SPECIAL : KZ_NO_LITERAL;
    literal.stated = prim;
    return literal;
  }
  if (kz_integer_literal(text, &literal)) return literal;
  literal = none;
  return kz_decimal_literal(text, &literal) ? literal : none;
}

// The float of this type in r->word, which is in C's notation but for underscores and the suffix.
KZ_FN void kz_float_value(struct kz_reader *r, enum kz_prim prim, const struct kz_literal *literal,
    union kz_scalar *out) {
  char *to = r->word;
  double x;
  if (literal->kind == KZ_SPECIAL) {
    x = strstr(r->word, "nan") != NULL ? (double)NAN : literal->negative ? -(double)INFINITY : (double)INFINITY;
  } else if (literal->radix == 2) {
    x = literal->negative ? -(double)literal->magnitude : (double)literal->magnitude;
  } else {
    if (literal->stated >= 0) r->word[strlen(r->word) - 3] = '\0';
    for (char *from = r->word; *from != '\0'; from++)
      if (*from != '_') *to++ = *from;
    *to = '\0';
    // An f32 is rounded once, not by way of an f64.
    x = prim == KZ_F32 ? (double)strtof(r->word, NULL) : strtod(r->word, NULL);
  }
  if (prim == KZ_F64) out->f64 = x;
  if (prim == KZ_F32) out->f32 = (float)x;
#ifdef KZ_HALF
  if (prim == KZ_F16) out->f16 = f64_to_f16(x);
#endif
}

KZ_FN void kz_store_bits(union kz_scalar *out, int size, uint64_t bits) {
  if (size == 1) out->u8 = (uint8_t)bits;
  else if (size == 2) out->u16 = (uint16_t)bits;
  else if (size == 4) out->u32 = (uint32_t)bits;
  else out->u64 = bits;
}

// The value of r->word, which begins at the offset, as an element of the part.
KZ_FN bool kz_word_value(struct kz_reader *r, uint64_t start, const struct kz_part *part, union kz_scalar *out) {
  const char *word = r->word;
  enum kz_prim prim = part->prim;
  struct kz_literal literal = kz_literal(word);
  if (literal.kind == KZ_NO_LITERAL) return kz_bad(r, start, kz_is_digit(*word) || *word == '-'
      ? "`%.60s` is not a number" : "expected a value, found `%.60s`", word);
  bool fits = literal.kind == KZ_INTEGER_LITERAL ? prim != KZ_BOOL : literal.kind == KZ_DECIMAL
      ? kz_is_float((int)prim) : true;
  if (!fits || (literal.stated >= 0 && literal.stated != (int)prim)) {
    int found = literal.stated >= 0 ? literal.stated : literal.kind == KZ_DECIMAL ? KZ_F64 : KZ_I32;
    return kz_bad(r, start, part->rank == 0 ? "expected a value of type `%s`, found one of type `%s`"
        : "expected a value of type `%s`, found an element of type `%s`", kz_type_text(r, 0, prim, part->rank),
        kz_prim_names[found]);
  }
  if (prim == KZ_BOOL) {
    out->b = literal.magnitude != 0;
  } else if (kz_is_float((int)prim)) {
    if (literal.overflow && literal.radix == 2) return kz_bad(r, start, "`%.60s` is out of the range of `%s`", word,
        kz_prim_names[prim]);
    kz_float_value(r, prim, &literal, out);
  } else {
    // A number that says its type means its lowest bits; one that does not may be meant for a larger type.
    int bits = literal.stated >= 0 ? 64 : 8 * kz_prim_sizes[prim];
    uint64_t most = literal.negative ? (uint64_t)1 << (bits - 1) : UINT64_MAX >> (64 - bits);
    if (literal.overflow || literal.magnitude > most) return kz_bad(r, start, "`%.60s` is out of the range of `%s`",
        word, kz_prim_names[prim]);
    kz_store_bits(out, kz_prim_sizes[prim], literal.negative ? 0 - literal.magnitude : literal.magnitude);
  }
  return true;
}

// Most numbers are plain: -12, 1.5f32, 2.5e-3. Reads such a one, or leaves it to the general way. Up to 2^53 and 10^22 both
// factors of a float are doubles, so that there is one rounding; a second one to f32 could only go wrong half way
// between two of them.
KZ_FN bool kz_read_plain(struct kz_reader *r, enum kz_prim prim, union kz_scalar *out) {
  static const double tens[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  if (kz_ahead(r, 64) < 2 || prim == KZ_BOOL || prim == KZ_F16) return false;
  const char *start = (const char *)r->bytes + r->at, *p = start, *name = kz_prim_names[prim];
  bool negative = *p == '-', is_float = kz_is_float((int)prim);
  uint64_t m = 0, most = is_float ? (uint64_t)1 << 53 : UINT64_MAX >> (64 - 8 * kz_prim_sizes[prim]), bits;
  int digits = 0, exponent = 0, e = 0;
  if (negative) p++;
  if (!kz_is_digit(*p)) return false;
  for (; kz_is_digit(*p); p++) m = digits++ < 19 ? m * 10 + (uint64_t)(*p - '0') : m;
  if (is_float && *p == '.') {
    for (p++; kz_is_digit(*p); p++, exponent--) m = digits++ < 19 ? m * 10 + (uint64_t)(*p - '0') : m;
  }
  if (is_float && (*p == 'e' || *p == 'E')) {
    bool is_down = p[1] == '-';
    p += is_down || p[1] == '+' ? 2 : 1;
    if (!kz_is_digit(*p)) return false;
    for (; kz_is_digit(*p); p++) e = e < 10000 ? e * 10 + (*p - '0') : e;
    exponent += is_down ? -e : e;
  }
  if (*p == *name && strncmp(p, name, strlen(name)) == 0) p += strlen(name);
  if (!(kz_is_space(*p) || *p == ',' || *p == ']')) return false;
  if (!is_float && (digits > 19 || m > most - (negative ? most / 2 : 0))) return false;
  if (is_float) {
    bool is_exact = digits <= 19 && m <= most && exponent >= -22 && exponent <= 22 && FLT_EVAL_METHOD == 0;
    double x = !is_exact ? 0 : exponent < 0 ? (double)m / tens[-exponent] : (double)m * tens[exponent];
    memcpy(&bits, &x, sizeof bits);
    if (prim == KZ_F64) out->f64 = !is_exact ? strtod(start, NULL) : negative ? -x : x;
    else if (!is_exact || (bits & 0x1fffffff) == 0x10000000 || (m != 0 && x < 1e-30)) out->f32 = strtof(start, NULL);
    else out->f32 = negative ? -(float)x : (float)x;
  } else {
    kz_store_bits(out, kz_prim_sizes[prim], negative ? 0 - m : m);
  }
  r->at += (size_t)(p - start);
  return true;
}

KZ_FN bool kz_read_number(struct kz_reader *r, const struct kz_part *part, union kz_scalar *out) {
  uint64_t start = kz_offset(r);
  if (kz_read_plain(r, part->prim, out)) return true;
  return kz_read_word(r) && kz_word_value(r, start, part, out);
}

// An array in the making.
struct kz_nest {
  const struct kz_part *part;
  int depth;                       // how many arrays are open
  int64_t counts[KZ_MAX_RANK + 1]; // the elements so far of each of them
  int64_t sizes[KZ_MAX_RANK + 1];  // of every dimension of which an array was closed, or -1
  char *data;
  size_t used, room;
};

KZ_FN bool kz_nest_add(struct kz_reader *r, struct kz_nest *nest, const void *element) {
  size_t size = (size_t)kz_prim_sizes[nest->part->prim];
  if (nest->used + size > nest->room) {
    size_t room = nest->room == 0 ? 1024 : 2 * nest->room;
    char *data = kz_realloc(nest->data, room);
    if (data == NULL) return kz_bad(r, kz_offset(r), "out of memory: there is none for %zu bytes", room);
    nest->data = data;
    nest->room = room;
  }
  memcpy(nest->data + nest->used, element, size);
  nest->used += size;
  nest->counts[nest->depth]++;
  return true;
}

KZ_FN bool kz_nest_open(struct kz_reader *r, struct kz_nest *nest) {
  const struct kz_part *part = nest->part;
  const char *type = kz_type_text(r, 0, part->prim, part->rank);
  if (nest->depth >= part->rank && part->rank == 0) return kz_bad(r, kz_offset(r),
      "expected a value of type `%s`, found an array", type);
  if (nest->depth >= part->rank) return kz_bad(r, kz_offset(r),
      "expected a value of type `%s`, found an array with more than %d dimensions", type, part->rank);
  nest->counts[++nest->depth] = 0;
  return true;
}

KZ_FN bool kz_nest_close(struct kz_reader *r, struct kz_nest *nest) {
  int64_t count = nest->counts[nest->depth], *size = &nest->sizes[nest->depth];
  if (*size >= 0 && *size != count) return kz_bad(r, kz_offset(r),
      "this row has %" PRId64 " elements, the rows before it have %" PRId64, count, *size);
  if (count == 0 && *size < 0 && nest->depth < nest->part->rank) {
    return kz_bad(r, kz_offset(r), "the type and shape of an array without elements are unknown: write it as `empty([0]i32)`");
  }
  *size = count;
  nest->counts[--nest->depth]++;
  return true;
}

// The elements of a string are its bytes; the reader stands behind the opening quote.
KZ_FN bool kz_read_string(struct kz_reader *r, struct kz_nest *nest) {
  static const char escapes[] = "a\ab\bf\fn\nr\rt\tv\v\\\\\"\"''";
  for (int c; (c = kz_peek(r)) != '"'; ) {
    uint64_t start = kz_offset(r);
    uint32_t code = (uint32_t)c;
    if (c < 0) return kz_truncated(r);
    r->at++;
    if (c == '\\') {
      c = kz_peek(r);
      const char *known = escapes;
      while (*known != '\0' && *known != c) known += 2;
      int radix = kz_is_digit(c) ? 10 : c == 'x' || c == 'X' ? 16 : c == 'o' || c == 'O' ? 8 : 0;
      if (*known == '\0' && radix == 0) return kz_bad(r, start, "the string has an unknown escape sequence");
      if (radix != 10) r->at++;
      code = radix == 0 ? (uint32_t)known[1] : 0;
      for (int digit; radix != 0 && (digit = kz_digit(kz_peek(r))) < radix; r->at++) code = code < 0x110000
          ? code * (uint32_t)radix + (uint32_t)digit : code;
      if (code >= 0x110000) return kz_bad(r, start, "the string has an unknown escape sequence");
    } else if (c == '\n') {
      r->line++;
      r->line_start = kz_offset(r);
    }
    // Escapes beyond ASCII stand for characters, in UTF-8; other bytes for themselves.
    uint8_t bytes[4] = {(uint8_t)code, 0, 0, 0};
    int n = 1;
    if (code >= 0x80 && c != (int)code) {
      n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
      for (int i = n - 1; i > 0; i--, code >>= 6) bytes[i] = (uint8_t)(0x80 | (code & 0x3f));
      bytes[0] = (uint8_t)((0xf00 >> n & 0xff) | code);
    }
    for (int i = 0; i < n; i++)
      if (!kz_nest_add(r, nest, &bytes[i])) return false;
  }
  return true;
}

// Reads an element that is no array, after opening those in which it stands; or an array without elements.
KZ_FN bool kz_nest_element(struct kz_reader *r, struct kz_nest *nest) {
  const struct kz_part *part = nest->part;
  union kz_scalar element;
  for (;;) {
    kz_skip_space(r);
    int c = kz_peek(r);
    if (c < 0) return kz_truncated(r);
    bool is_string = c == '"' && part->prim == KZ_U8 && nest->depth == part->rank - 1;
    if (c == '[' || is_string) {
      if (!kz_nest_open(r, nest)) return false;
      r->at++;
      if (is_string && !kz_read_string(r, nest)) return false;
      if (!is_string) kz_skip_space(r);
      if (kz_peek(r) != ']' && !is_string) continue;
      if (!kz_nest_close(r, nest)) return false;
      r->at++;
      return true;
    }
    if (nest->depth < part->rank) return kz_bad(r, kz_offset(r),
        "expected a value of type `%s`, found an array with %d dimensions", kz_type_text(r, 0, part->prim,
        part->rank), nest->depth);
    return kz_read_number(r, part, &element) && kz_nest_add(r, nest, &element);
  }
}

KZ_FN bool kz_nest_read(struct kz_reader *r, struct kz_nest *nest) {
  for (;;) {
    if (!kz_nest_element(r, nest)) return false;
    // Whatever ends here.
    for (;;) {
      if (nest->depth == 0) return true;
      kz_skip_space(r);
      int c = kz_peek(r);
      if (c == ',') {
        r->at++;
        kz_skip_space(r);
        if (kz_peek(r) != ']') break; // a comma may stand after the last element
      } else if (c != ']') {
        return c < 0 ? kz_truncated(r) : kz_bad(r, kz_offset(r), "expected `,` or `]`, found %s", kz_found(r));
      }
      if (!kz_nest_close(r, nest)) return false;
      r->at++;
    }
  }
}

// A size is written in decimal digits: 12, 1_000 or 12i64.
KZ_FN bool kz_is_size(const char *word) {
  if (*word < '0' || *word > '9') return false;
  while ((*word >= '0' && *word <= '9') || *word == '_') word++;
  return *word == 0 || strcmp(word, "i64") == 0;
}

// What follows the word `empty`: ([0][2]i32).
KZ_FN bool kz_read_empty(struct futhark_context *ctx, struct kz_reader *r, const struct kz_part *part,
    struct kz_slot *slot) {
  kz_skip_space(r);
  uint64_t start = kz_offset(r);
  int rank = 0;
  union kz_scalar size = {0};
  const struct kz_part size_part = {KZ_I64, 0};
  if (kz_peek(r) != '(') return kz_bad(r, start, "expected `(` after `empty`, found %s", kz_found(r));
  for (r->at++, kz_skip_space(r); kz_peek(r) == '['; rank++, r->at++, kz_skip_space(r)) {
    r->at++;
    kz_skip_space(r);
    uint64_t at = kz_offset(r);
    if (!kz_read_word(r)) return false;
    if (!kz_is_size(r->word)) return kz_bad(r, at, "expected a size, found `%s`", r->word);
    if (!kz_word_value(r, at, &size_part, &size)) return false;
    kz_skip_space(r);
    if (kz_peek(r) != ']') return kz_bad(r, kz_offset(r), "expected `]`, found %s", kz_found(r));
    if (rank < part->rank) slot->shape[rank] = size.i64;
  }
  if (!kz_read_word(r)) return false;
  int prim = kz_prim_named(r->word);
  kz_skip_space(r);
  if (kz_peek(r) != ')') return kz_bad(r, kz_offset(r), "expected `)`, found %s", kz_found(r));
  r->at++;
  if (prim != (int)part->prim || rank != part->rank) return kz_bad(r, start,
      "expected a value of type `%s`, found `empty` of another type", kz_type_text(r, 0, part->prim, part->rank));
  if (!kz_shape_fits(part->prim, rank, slot->shape)) return kz_bad(r, start,
      "the dimensions are negative, or larger than any machine can hold");
  if (kz_array_bytes(part->prim, rank, slot->shape) != 0) return kz_bad(r, start,
      "the value is not empty: no dimension has the size 0");
  slot->block = kz_alloc(ctx, 0);
  return slot->block != NULL || kz_bad(r, start, "out of memory");
}

KZ_FN bool kz_read_array(struct futhark_context *ctx, struct kz_reader *r, const struct kz_part *part,
    struct kz_slot *slot) {
  struct kz_nest nest;
  memset(&nest, 0, sizeof nest);
  nest.part = part;
  for (int k = 0; k <= part->rank; k++) nest.sizes[k] = -1;
  bool fine = kz_nest_read(r, &nest);
  if (fine) {
    slot->block = kz_alloc(ctx, (int64_t)nest.used);
    if (slot->block == NULL) fine = kz_bad(r, kz_offset(r), "out of memory: there is none for %zu bytes", nest.used);
    else if (kz_put(ctx, slot->block, nest.data, (int64_t)nest.used) != 0) fine = kz_bad(r, kz_offset(r),
        "cannot copy %zu bytes to the device", nest.used);
    memcpy(slot->shape, nest.sizes + 1, (size_t)part->rank * sizeof *slot->shape);
  }
  free(nest.data);
  return fine;
}

// Reads a part in either format; of a block, the caller gets a reference. False, and the reader's error set, if there is
// no such thing.
KZ_FN bool kz_read_part(struct futhark_context *ctx, struct kz_reader *r, const struct kz_part *part,
    struct kz_slot *slot) {
  kz_skip_space(r);
  uint64_t start = kz_offset(r);
  int c = kz_peek(r);
  if (c < 0) return kz_bad(r, start, "expected a value of type `%s`, found the end of the data", kz_type_text(r, 0,
      part->prim, part->rank));
  if (c == 'b') return kz_read_binary(ctx, r, part, slot);
  if (c == '[' || c == '"') return kz_read_array(ctx, r, part, slot);
  if (part->rank == 0) return kz_read_number(r, part, &slot->scalar);
  if (!kz_read_word(r)) return false;
  if (strcmp(r->word, "empty") == 0) return kz_read_empty(ctx, r, part, slot);
  return kz_bad(r, start, "expected a value of type `%s`, found `%.60s`", kz_type_text(r, 0, part->prim, part->rank),
      r->word);
}

// Reads all parts of a value; NULL, and the reader's error set, if that cannot be.
KZ_FN struct kz_value *kz_read_value(struct futhark_context *ctx, struct kz_reader *r, const struct kz_type *type) {
  struct kz_value *value = kz_value_new(ctx, type);
  if (value == NULL) kz_bad(r, kz_offset(r), "out of memory");
  for (int i = 0; value != NULL && i < type->part_count; i++) {
    bool fine = kz_read_part(ctx, r, &type->parts[i], &value->slots[i]);
    kz_hold(value->slots[i].block);
    if (fine) continue;
    kz_value_free(ctx, value);
    return NULL;
  }
  return value;
}

// Whether nothing but white space and comments is left.
KZ_FN bool kz_at_end(struct kz_reader *r) {
  kz_skip_space(r);
  return kz_peek(r) < 0;
}
