// print.h: values as text, in a form that reads back as the same value. Needs values.h, and half.h before it for f16.

// Writes the fewest digits that give the same float again: in the usual notation from 0.1 to below 10^7, otherwise as
// 1.5e10, and always with a point.
KZ_FN void kz_print_float(FILE *out, double x, bool is_double, const char *type) {
  char text[40], digits[24];
  if (x != x || x - x != 0) {
    fprintf(out, x != x ? "%s%s.nan" : "%s%s.inf", x < 0 ? "-" : "", type);
    return;
  }
  double size = fabs(x);
  if (size < 1e7 && size == (double)(int32_t)size) {
    fprintf(out, "%s%d.0%s", copysign(1, x) < 0 ? "-" : "", (int)size, type);
    return;
  }
  // All normal numbers with no more digits than these are told apart; the smallest ones have fewer.
  int precision = size < (is_double ? DBL_MIN : (double)FLT_MIN) ? 1 : is_double ? 15 : 6;
  for (;; precision++) {
    snprintf(text, sizeof text, "%.*e", precision - 1, size);
    if (precision >= (is_double ? 17 : 9) || (is_double ? strtod(text, NULL) : (double)strtof(text,
        NULL)) == size) break;
  }
  char *mark = strchr(text, 'e');
  int exponent = atoi(mark + 1), count = 0;
  for (char *c = text; c < mark; c++)
    if (*c != '.') digits[count++] = *c;
  while (count > 1 && digits[count - 1] == '0') count--;
  digits[count] = '\0';
  if (x < 0) putc('-', out);
  if (size < 0.1 || size >= 1e7) {
    fprintf(out, "%c.%se%d%s", digits[0], count > 1 ? digits + 1 : "0", exponent, type);
  } else if (exponent < 0) {
    fprintf(out, "0.%s%s", digits, type);
  } else {
    for (int i = 0; i <= exponent; i++) putc(i < count ? digits[i] : '0', out);
    fprintf(out, ".%s%s", count > exponent + 1 ? digits + exponent + 1 : "0", type);
  }
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
