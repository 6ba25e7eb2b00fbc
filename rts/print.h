// print.h: values as text, in a form that reads back as the same value. Needs values.h, and half.h before it for f16.

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 kz_u128;
// The digits of x = d[0].d[1]d[2]… * 10^exponent as kz_digits gives them, by exact arithmetic, and how many they are; 0 if
// 128 bits are not enough for that.
KZ_FN int kz_digits_exactly(double x, bool is_double, char *digits, int *exponent) {
  static const uint64_t tens[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000,
      10000000000, 100000000000, 1000000000000, 10000000000000, 100000000000000, 1000000000000000, 10000000000000000,
      100000000000000000};
  int bits = is_double ? DBL_MANT_DIG : FLT_MANT_DIG, most = is_double ? 17 : 9, e;
  uint64_t m = (uint64_t)ldexp(frexp(x, &e), bits), digit_sum;
  // x = m * 2^up / 2^down. Times 10^k it has `most` digits before its point; the first guess may be one too many.
  int up = e > bits ? e - bits : 0, down = e < bits ? bits - e : 0;
  int k = most - 1 - (int)floor((e - 1) * 0.30102999566398120);
  if (down > (is_double ? 69 : 97) || k < 0 || k > (is_double ? 22 : 30)) return 0;
  kz_u128 ten = k > 17 ? (kz_u128)tens[17] * tens[k - 17] : tens[k], one = (kz_u128)1 << down;
  if ((m << up) * ten >= one * tens[most]) {
    if (k-- == 0) return 0;
    ten /= 10;
  }
  // In units of 2^-down: x * 10^k, and how far from it the next float is.
  kz_u128 scaled = (m << up) * ten, gap = ten << up;
  for (int count = is_double ? 15 : 6; count <= most; count++) {
    kz_u128 unit = one * tens[most - count], rest = scaled % unit;
    digit_sum = (uint64_t)(scaled / unit);
    bool is_up = rest > unit - rest || (rest == unit - rest && digit_sum % 2 == 1);
    kz_u128 off = is_up ? unit - rest : rest;
    digit_sum += is_up;
    // Half way between two floats the even one is read. Below a power of two the next float is nearer.
    bool is_low = !is_up && m == (uint64_t)1 << (bits - 1);
    if (count < most && (is_low ? 4 * off > gap : 2 * off > gap || (2 * off == gap && m % 2 == 1))) continue;
    *exponent = most - 1 - k + (digit_sum == tens[count]);
    while (digit_sum % 10 == 0) digit_sum /= 10;
    char reversed[24];
    int length = 0;
    for (; digit_sum > 0; digit_sum /= 10) reversed[length++] = (char)('0' + digit_sum % 10);
    for (int i = 0; i < length; i++) digits[i] = reversed[length - 1 - i];
    return length;
  }
  return 0;
}
#else
KZ_FN int kz_digits_exactly(double x, bool is_double, char *digits, int *exponent) {
  (void)x, (void)is_double, (void)digits, (void)exponent;
  return 0;
}
#endif

// The fewest digits, of those to which x > 0 can be rounded, that give the same float again; how many they are.
KZ_FN int kz_digits(double x, bool is_double, char *digits, int *exponent) {
  char text[40];
  bool is_normal = x >= (is_double ? DBL_MIN : (double)FLT_MIN);
  int count = is_normal ? kz_digits_exactly(x, is_double, digits, exponent) : 0;
  if (count > 0) return count;
  // All normal numbers with no more digits than these are told apart; the smallest ones have fewer.
  for (int precision = !is_normal ? 1 : is_double ? 15 : 6;; precision++) {
    snprintf(text, sizeof text, "%.*e", precision - 1, x);
    if (precision >= (is_double ? 17 : 9)
        || (is_double ? strtod(text, NULL) : (double)strtof(text, NULL)) == x) break;
  }
  char *mark = strchr(text, 'e');
  *exponent = atoi(mark + 1);
  for (char *c = text; c < mark; c++)
    if (*c != '.') digits[count++] = *c;
  while (count > 1 && digits[count - 1] == '0') count--;
  return count;
}

// A float without its type, or f32.nan. In the usual notation from 0.1 to below 10^7, otherwise as 1.5e10, and always with
// a point. Gives the text back.
#define KZ_FLOAT_TEXT 48
KZ_FN const char *kz_float_text(char text[KZ_FLOAT_TEXT], double x, bool is_double, const char *type) {
  char digits[24];
  if (x != x || x - x != 0) {
    snprintf(text, KZ_FLOAT_TEXT, x != x ? "%s%s.nan" : "%s%s.inf", x < 0 ? "-" : "", type);
    return text;
  }
  double size = fabs(x);
  if (size < 1e7 && size == (double)(int32_t)size) {
    snprintf(text, KZ_FLOAT_TEXT, "%s%d.0", copysign(1, x) < 0 ? "-" : "", (int)size);
    return text;
  }
  int exponent = 0, count = kz_digits(size, is_double, digits, &exponent), at = 0;
  bool is_usual = size >= 0.1 && size < 1e7;
  int whole = is_usual ? exponent + 1 : 1; // how many digits stand before the point
  if (x < 0) text[at++] = '-';
  if (whole <= 0) text[at++] = '0';
  for (int i = 0; i < whole; i++) text[at++] = i < count ? digits[i] : '0';
  text[at++] = '.';
  for (int i = whole < 0 ? 0 : whole; i < count; i++) text[at++] = digits[i];
  if (count <= whole) text[at++] = '0';
  text[at] = '\0';
  if (!is_usual) snprintf(text + at, (size_t)(KZ_FLOAT_TEXT - at), "e%d", exponent);
  return text;
}
KZ_FN void kz_print_float(FILE *out, double x, bool is_double, const char *type) {
  char text[KZ_FLOAT_TEXT];
  fputs(kz_float_text(text, x, is_double, type), out);
  if (x - x == 0) fputs(type, out);
}

KZ_FN void kz_print_scalar(FILE *out, enum kz_prim prim, const void *at) {
  union kz_scalar x;
  memcpy(&x, at, (size_t)kz_prim_sizes[prim]);
  const char *type = kz_prim_names[prim];
  switch (prim) {
  case KZ_I8: fprintf(out, "%d%s", x.i8, type); break;
  case KZ_I16: fprintf(out, "%d%s", x.i16, type); break;
  case KZ_I32: fprintf(out, "%" PRId32 "%s", x.i32, type); break;
  case KZ_I64: fprintf(out, "%" PRId64 "%s", x.i64, type); break;
  case KZ_U8: fprintf(out, "%u%s", x.u8, type); break;
  case KZ_U16: fprintf(out, "%u%s", x.u16, type); break;
  case KZ_U32: fprintf(out, "%" PRIu32 "%s", x.u32, type); break;
  case KZ_U64: fprintf(out, "%" PRIu64 "%s", x.u64, type); break;
  case KZ_F32: kz_print_float(out, (double)x.f32, false, type); break;
  case KZ_F64: kz_print_float(out, x.f64, true, type); break;
  case KZ_BOOL: fputs(x.b ? "true" : "false", out); break;
  case KZ_F16:
#ifdef KZ_HALF
    kz_print_float(out, f16_to_f64(x.f16), false, type);
#endif
    break;
  }
}

KZ_OUTLINE void kz_print_rows(FILE *out, enum kz_prim prim, int rank, const int64_t *shape, const int64_t *steps,
    const char *data) {
  if (rank == 0) {
    kz_print_scalar(out, prim, data);
    return;
  }
  putc('[', out);
  for (int64_t i = 0; i < *shape; i++) {
    if (i > 0) fputs(", ", out);
    kz_print_rows(out, prim, rank - 1, shape + 1, steps + 1, data + i * *steps * kz_prim_sizes[prim]);
  }
  putc(']', out);
}

// Prints a scalar or an array of any layout; the steps, in elements, lead from the first element.
KZ_FN void kz_print(FILE *out, enum kz_prim prim, int rank, const int64_t *shape, const int64_t *steps,
    const void *data) {
  bool is_empty = false;
  for (int k = 0; k < rank; k++) is_empty |= shape[k] == 0;
  if (!is_empty) {
    kz_print_rows(out, prim, rank, shape, steps, data);
    return;
  }
  fputs("empty(", out);
  for (int k = 0; k < rank; k++) fprintf(out, "[%" PRId64 "]", shape[k]);
  fprintf(out, "%s)", kz_prim_names[prim]);
}

KZ_FN void kz_trace(struct futhark_context *ctx, const char *tag, enum kz_prim prim, int rank, const int64_t *shape,
    const int64_t *steps, const void *data) {
  fprintf(ctx->log, "%s: ", tag);
  kz_print(ctx->log, prim, rank, shape, steps, data);
  putc('\n', ctx->log);
}
#ifdef KZ_DEVICE
// The same for an array in a block, whose first element is at this offset; 0, or an error code after kz_fail.
KZ_FN int kz_trace_block(struct futhark_context *ctx, const char *tag, enum kz_prim prim, int rank,
    const int64_t *shape, const int64_t *steps, const void *block, int64_t offset) {
  int64_t first = 0, last = 0, size = kz_prim_sizes[prim];
  bool is_empty = false;
  for (int k = 0; k < rank; k++) {
    is_empty |= shape[k] == 0;
    *(steps[k] < 0 ? &first : &last) += (shape[k] - 1) * steps[k];
  }
  int64_t bytes = is_empty ? 0 : (last - first + 1) * size;
  char *data = kz_malloc((size_t)bytes);
  if (data == NULL) return kz_fail(ctx, FUTHARK_OUT_OF_MEMORY, NULL, "out of memory: cannot print.");
  int code = kz_read(ctx, data, block, (offset + first) * size, bytes);
  if (code == 0) kz_trace(ctx, tag, prim, rank, shape, steps, data - (is_empty ? 0 : first * size));
  free(data);
  return code;
}
#endif
