// copy.h: copies between arrays of any layout. Needs base.h.

// A copy of elements of one size, by dimension: how many, and how far apart in bytes, outermost first.
struct kz_copying {
  int rank;
  int64_t shape[KZ_MAX_RANK + 1], to[KZ_MAX_RANK + 1], from[KZ_MAX_RANK + 1];
};

// The elements of a row, and those of a matrix whose columns lie apart in the destination and whose rows do in the source:
// a square at a time, by way of a buffer, so that neither side is touched in steps that crowd the same lines of the cache.
// A square is about a line wide. What is left at the edges is copied directly, and so is a matrix that is narrower than a
// square, in longer pieces.
#define KZ_COPY_KERNELS(SIZE)                                                                                         \
  KZ_FN void kz_copy_row_##SIZE(char *to, const char *from, int64_t n, int64_t to_step, int64_t from_step) {          \
    for (int64_t i = 0; i < n; i++) memcpy(to + i * to_step, from + i * from_step, SIZE);                             \
  }                                                                                                                   \
  enum { KZ_SQUARE_##SIZE = SIZE < 8 ? 64 / SIZE : 16 };                                                              \
  KZ_FN void kz_transpose_square_##SIZE(char *to, const char *from, int64_t to_step, int64_t from_step) {             \
    enum { N = KZ_SQUARE_##SIZE };                                                                                    \
    char square[N * N * SIZE];                                                                                        \
    for (int64_t c = 0; c < N; c++) kz_copy_row_##SIZE(square + c * SIZE, from + c * from_step, N, N * SIZE, SIZE);   \
    for (int64_t r = 0; r < N; r++) memcpy(to + r * to_step, square + r * N * SIZE, N * SIZE);                        \
  }                                                                                                                   \
  KZ_OUTLINE void kz_transpose_##SIZE(char *to, const char *from, int64_t n, int64_t m, int64_t to_step, int64_t from_step) { \
    enum { N = KZ_SQUARE_##SIZE, LONG = 16 * N };                                                                     \
    int64_t most_rows = m < N ? LONG : N, most_columns = n < N ? LONG : N;                                            \
    for (int64_t i = 0; i < n; i += most_rows) {                                                                      \
      int64_t rows = n - i < most_rows ? n - i : most_rows;                                                           \
      for (int64_t j = 0; j < m; j += most_columns) {                                                                 \
        int64_t columns = m - j < most_columns ? m - j : most_columns;                                                \
        char *into = to + i * to_step + j * SIZE;                                                                     \
        const char *out_of = from + i * SIZE + j * from_step;                                                         \
        if (rows == N && columns == N) {                                                                              \
          kz_transpose_square_##SIZE(into, out_of, to_step, from_step);                                               \
        } else {                                                                                                      \
          for (int64_t r = 0; r < rows; r++)                                                                          \
            kz_copy_row_##SIZE(into + r * to_step, out_of + r * SIZE, columns, SIZE, from_step);                      \
        }                                                                                                             \
      }                                                                                                               \
    }                                                                                                                 \
  }
KZ_COPY_KERNELS(1)
KZ_COPY_KERNELS(2)
KZ_COPY_KERNELS(4)
KZ_COPY_KERNELS(8)

// The last dimension, or the last two where they are transposed.
KZ_FN void kz_copy_inner(int size, const struct kz_copying *c, bool is_transposed, char *to, const char *from) {
  int last = c->rank - 1;
  int64_t n = c->rank > 0 ? c->shape[last] : 1, to_step = c->rank > 0 ? c->to[last] : size;
  int64_t from_step = c->rank > 0 ? c->from[last] : size;
  if (is_transposed) {
    int64_t rows = c->shape[last - 1], apart = c->to[last - 1];
    switch (size) {
    case 1: kz_transpose_1(to, from, rows, n, apart, from_step); break;
    case 2: kz_transpose_2(to, from, rows, n, apart, from_step); break;
    case 4: kz_transpose_4(to, from, rows, n, apart, from_step); break;
    default: kz_transpose_8(to, from, rows, n, apart, from_step); break;
    }
  } else if (to_step == size && from_step == size) {
    memmove(to, from, (size_t)(n * size));
  } else {
    switch (size) {
    case 1: kz_copy_row_1(to, from, n, to_step, from_step); break;
    case 2: kz_copy_row_2(to, from, n, to_step, from_step); break;
    case 4: kz_copy_row_4(to, from, n, to_step, from_step); break;
    default: kz_copy_row_8(to, from, n, to_step, from_step); break;
    }
  }
}

// Counts through the outer dimensions.
KZ_FN void kz_copy_all(int size, const struct kz_copying *c, char *to, const char *from) {
  int last = c->rank - 1;
  bool is_transposed = c->rank >= 2 && c->to[last] == size && c->from[last - 1] == size;
  int64_t index[KZ_MAX_RANK + 1] = {0}, to_at = 0, from_at = 0;
  for (int k;;) {
    kz_copy_inner(size, c, is_transposed, to + to_at, from + from_at);
    for (k = is_transposed ? last - 2 : last - 1; k >= 0; k--) {
      to_at += c->to[k], from_at += c->from[k];
      if (++index[k] < c->shape[k]) break;
      to_at -= c->shape[k] * c->to[k], from_at -= c->shape[k] * c->from[k];
      index[k] = 0;
    }
    if (k < 0) return;
  }
}

// Copies elements of 1, 2, 4 or 8 bytes; the steps are in elements, and lead from the first elements, which `to` and
// `from` point at. The destination has a place of its own for each element. Where both are contiguous they may overlap.
KZ_OUTLINE void kz_copy(int size, int rank, const int64_t *shape, void *to, const int64_t *to_steps, const void *from,
    const int64_t *from_steps) {
  struct kz_copying c;
  c.rank = 0;
  for (int k = 0; k < rank; k++) {
    if (shape[k] <= 0) return;
    if (shape[k] == 1) continue;
    // The order of dimensions is free: the farthest steps of the destination go outermost.
    int64_t to_step = to_steps[k] * size, from_step = from_steps[k] * size;
    int at = c.rank++;
    for (; at > 0 && llabs(c.to[at - 1]) < llabs(to_step); at--) {
      c.shape[at] = c.shape[at - 1], c.to[at] = c.to[at - 1], c.from[at] = c.from[at - 1];
    }
    c.shape[at] = shape[k], c.to[at] = to_step, c.from[at] = from_step;
  }
  // Dimensions that follow on one another in both are one.
  int last = 0;
  for (int k = 1; k < c.rank; k++) {
    if (c.to[last] == c.shape[k] * c.to[k] && c.from[last] == c.shape[k] * c.from[k]) {
      c.shape[last] *= c.shape[k];
    } else {
      c.shape[++last] = c.shape[k];
    }
    c.to[last] = c.to[k], c.from[last] = c.from[k];
  }
  if (c.rank > 0) c.rank = last + 1;
  // Among three dimensions or more, that of the nearest elements of the source goes second to last, to be transposed.
  for (int k = 0; k < c.rank - 2 && c.from[c.rank - 2] != size && c.from[c.rank - 1] != size; k++) {
    if (c.from[k] != size) continue;
    int64_t n = c.shape[k], to_step = c.to[k];
    for (; k < c.rank - 2; k++) c.shape[k] = c.shape[k + 1], c.to[k] = c.to[k + 1], c.from[k] = c.from[k + 1];
    c.shape[k] = n, c.to[k] = to_step, c.from[k] = size;
  }
  kz_copy_all(size, &c, to, from);
}
