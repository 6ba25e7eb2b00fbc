// copy.h: copies between arrays of any layout. Needs base.h and stream.h.

// A copy of elements of one size, by dimension: how many, and how far apart in bytes, outermost first.
struct kz_copying {
  int rank;
  bool is_transposed; // the elements of the last dimension but one are next to each other in the source
  bool overlaps;      // one contiguous piece that is partly where another is copied to
  bool streams;       // stores bypass the caches
  int64_t bytes;
  int64_t shape[KZ_MAX_RANK + 1], to[KZ_MAX_RANK + 1], from[KZ_MAX_RANK + 1];
};

// Squares of a matrix are transposed in registers, each row in a vector of KZ_VECTOR_… bytes, which are KZ_ROWS_… elements
// of 1, 2, 4 or 8 bytes; there are registers for so many rows.
#if defined(__GNUC__) && defined(__AVX512F__)
#define KZ_VECTOR_4 64
#define KZ_VECTOR_8 64
#define KZ_ROWS_4 16
#define KZ_ROWS_8 8
#elif defined(__GNUC__) && defined(__AVX2__)
#define KZ_VECTOR_4 32
#define KZ_VECTOR_8 32
#define KZ_ROWS_4 8
#define KZ_ROWS_8 4
#elif defined(__GNUC__)
#define KZ_VECTOR_4 16
#define KZ_VECTOR_8 16
#define KZ_ROWS_4 4
#define KZ_ROWS_8 2
#endif

#ifdef __GNUC__
#define KZ_VECTOR_1 16
#define KZ_VECTOR_2 16
#define KZ_ROWS_1 16
#define KZ_ROWS_2 8

// The loop that follows is written out, so that each of its vectors is in a register of its own.
#ifdef __clang__
#define KZ_EACH_ROW _Pragma("clang loop unroll(full)")
#else
#define KZ_EACH_ROW _Pragma("GCC unroll 16")
#endif
// The elements of two vectors of `n` that are numbered F(i, n, with) for each i.
#if defined(__clang__) || __GNUC__ >= 12
#define KZ_SHUFFLE(TYPE, x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)
#else
#define KZ_SHUFFLE(TYPE, x, y, ...) __builtin_shuffle(x, y, (TYPE){__VA_ARGS__})
#endif
#define KZ_INDICES_2(F, n, with) F(0, n, with), F(1, n, with)
#define KZ_INDICES_4(F, n, with) KZ_INDICES_2(F, n, with), F(2, n, with), F(3, n, with)
#define KZ_INDICES_8(F, n, with)                                                                                      \
  KZ_INDICES_4(F, n, with), F(4, n, with), F(5, n, with), F(6, n, with), F(7, n, with)
#define KZ_INDICES_16(F, n, with)                                                                                     \
  KZ_INDICES_8(F, n, with), F(8, n, with), F(9, n, with), F(10, n, with), F(11, n, with), F(12, n, with),             \
      F(13, n, with), F(14, n, with), F(15, n, with)
#define KZ_INDICES_OF(n) KZ_INDICES_##n
#define KZ_INDICES(n) KZ_INDICES_OF(n)
// In each group of `by` elements, their first halves or their second halves, by turns.
#define KZ_FIRST(i, n, by) ((i) / (by) * (by) + (i) % (by) / 2 + (i) % 2 * (n))
#define KZ_SECOND(i, n, by) (KZ_FIRST(i, n, by) + (by) / 2)
// The even groups of both vectors by turns, or the odd ones.
#define KZ_EVEN(i, n, by) (((i) & (by)) == 0 ? (i) : (i) - (by) + (n))
#define KZ_ODD(i, n, by) (((i) & (by)) == 0 ? (i) + (by) : (i) + (n))

// A row from a register to memory, where it is a multiple of its size if it is streamed.
#define KZ_STORE_ROW(SIZE, to, x) *(kz_piece_##SIZE *)(void *)(to) = (x)
#ifdef KZ_STREAM_WIDTH
#define KZ_STREAM_ROW(SIZE, to, x) KZ_STREAM(to, (kz_streamed)(x))
#else
#define KZ_STREAM_ROW KZ_STORE_ROW
#endif

#define KZ_EXCHANGE(SIZE, APART)                                                                                      \
  KZ_EACH_ROW for (int i = 0; i < N; i++) {                                                                           \
    if ((i & (APART)) != 0 || (APART) >= N) continue;                                                                 \
    kz_vector_##SIZE x = rows[i], y = rows[(i + (APART)) % N];                                                        \
    rows[i] = KZ_SHUFFLE(kz_vector_##SIZE, x, y, KZ_INDICES(KZ_ROWS_##SIZE)(KZ_EVEN, N, (APART) < N ? (APART) : 0));  \
    rows[(i + (APART)) % N] =                                                                                         \
        KZ_SHUFFLE(kz_vector_##SIZE, x, y, KZ_INDICES(KZ_ROWS_##SIZE)(KZ_ODD, N, (APART) < N ? (APART) : 0));         \
  }
// Among each GROUP of rows, as many as elements make 16 bytes, these 16 bytes are transposed by dealing the rows out again
// and again; then the pieces of 16 bytes change places, first with the next group, then with the next but one. Both are
// what processors have instructions for.
#define KZ_TRANSPOSE_SQUARE(SIZE, TYPE, STREAM_ROW)                                                                   \
  typedef TYPE kz_vector_##SIZE __attribute__((vector_size(KZ_VECTOR_##SIZE), may_alias));                            \
  typedef kz_vector_##SIZE kz_piece_##SIZE __attribute__((aligned(1), may_alias));                                    \
  KZ_FN void kz_transpose_square_##SIZE(char *to, const char *from, int64_t to_step, int64_t from_step,               \
      bool streams) {                                                                                                 \
    enum { N = KZ_ROWS_##SIZE, GROUP = 16 / SIZE };                                                                   \
    kz_vector_##SIZE rows[N], dealt[N];                                                                               \
    KZ_EACH_ROW for (int i = 0; i < N; i++) rows[i] = *(const kz_piece_##SIZE *)(const void *)(from + i * from_step); \
    KZ_EACH_ROW for (int times = 1; times < GROUP; times *= 2) {                                                      \
      KZ_EACH_ROW for (int i = 0; i < N; i += 2) {                                                                    \
        int x = i / GROUP * GROUP + i % GROUP / 2, y = x + GROUP / 2;                                                 \
        dealt[i] =                                                                                                    \
            KZ_SHUFFLE(kz_vector_##SIZE, rows[x], rows[y], KZ_INDICES(KZ_ROWS_##SIZE)(KZ_FIRST, N, GROUP));           \
        dealt[i + 1] =                                                                                                \
            KZ_SHUFFLE(kz_vector_##SIZE, rows[x], rows[y], KZ_INDICES(KZ_ROWS_##SIZE)(KZ_SECOND, N, GROUP));          \
      }                                                                                                               \
      KZ_EACH_ROW for (int i = 0; i < N; i++) rows[i] = dealt[i];                                                     \
    }                                                                                                                 \
    KZ_EXCHANGE(SIZE, GROUP)                                                                                          \
    KZ_EXCHANGE(SIZE, 2 * GROUP)                                                                                      \
    if (streams) {                                                                                                    \
      KZ_EACH_ROW for (int i = 0; i < N; i++) STREAM_ROW(SIZE, to + i * to_step, rows[i]);                            \
    } else {                                                                                                          \
      KZ_EACH_ROW for (int i = 0; i < N; i++) KZ_STORE_ROW(SIZE, to + i * to_step, rows[i]);                          \
    }                                                                                                                 \
  }
KZ_TRANSPOSE_SQUARE(1, uint8_t, KZ_STORE_ROW)
KZ_TRANSPOSE_SQUARE(2, uint16_t, KZ_STORE_ROW)
KZ_TRANSPOSE_SQUARE(4, uint32_t, KZ_STREAM_ROW)
KZ_TRANSPOSE_SQUARE(8, uint64_t, KZ_STREAM_ROW)
#else
// By way of a buffer, so that neither side is touched in steps that crowd the same lines of the cache.
#define KZ_ROWS_1 64
#define KZ_ROWS_2 32
#define KZ_ROWS_4 16
#define KZ_ROWS_8 16
#define KZ_TRANSPOSE_SQUARE(SIZE)                                                                                     \
  KZ_FN void kz_transpose_square_##SIZE(char *to, const char *from, int64_t to_step, int64_t from_step,               \
      bool streams) {                                                                                                 \
    enum { N = KZ_ROWS_##SIZE };                                                                                      \
    char square[N * N * SIZE];                                                                                        \
    (void)streams;                                                                                                    \
    for (int64_t c = 0; c < N; c++)                                                                                   \
      for (int64_t r = 0; r < N; r++)                                                                                 \
        memcpy(square + (r * N + c) * SIZE, from + c * from_step + r * SIZE, SIZE);                                   \
    for (int64_t r = 0; r < N; r++) memcpy(to + r * to_step, square + r * N * SIZE, N * SIZE);                        \
  }
KZ_TRANSPOSE_SQUARE(1)
KZ_TRANSPOSE_SQUARE(2)
KZ_TRANSPOSE_SQUARE(4)
KZ_TRANSPOSE_SQUARE(8)
#endif

// The elements of a row; and those of a matrix whose columns lie apart in the destination and whose rows do in the
// source: rows of the source are read to their ends, as many at a time as fill a line of the destination. At the ends,
// squares overlap. A matrix that is narrower than a square is copied directly, in pieces that stay in the cache.
enum { KZ_LINE = 64 };
#define KZ_COPY_KERNELS(SIZE)                                                                                         \
  KZ_FN void kz_copy_row_##SIZE(char *to, const char *from, int64_t n, int64_t to_step, int64_t from_step) {          \
    for (int64_t i = 0; i < n; i++) memcpy(to + i * to_step, from + i * from_step, SIZE);                             \
  }                                                                                                                   \
  KZ_FN void kz_transpose_narrow_##SIZE(char *to, const char *from, int64_t n, int64_t m, int64_t to_step,            \
      int64_t from_step) {                                                                                            \
    enum { N = KZ_LINE / SIZE, LONG = 16 * N };                                                                       \
    int64_t most_rows = m < n ? LONG : N, most_columns = m < n ? N : LONG;                                            \
    for (int64_t i = 0; i < n; i += most_rows) {                                                                      \
      int64_t rows = n - i < most_rows ? n - i : most_rows;                                                           \
      for (int64_t j = 0; j < m; j += most_columns) {                                                                 \
        int64_t columns = m - j < most_columns ? m - j : most_columns;                                                \
        for (int64_t r = i; r < i + rows; r++)                                                                        \
          kz_copy_row_##SIZE(to + r * to_step + j * SIZE, from + r * SIZE + j * from_step, columns, SIZE, from_step); \
      }                                                                                                               \
    }                                                                                                                 \
  }                                                                                                                   \
  KZ_OUTLINE void kz_transpose_##SIZE(char *to, const char *from, int64_t n, int64_t m, int64_t to_step,              \
      int64_t from_step, bool streams) {                                                                              \
    enum { N = KZ_ROWS_##SIZE, LINE = KZ_LINE / SIZE > N ? KZ_LINE / SIZE : N };                                      \
    if (n < N || m < N) {                                                                                             \
      kz_transpose_narrow_##SIZE(to, from, n, m, to_step, from_step);                                                 \
      return;                                                                                                         \
    }                                                                                                                 \
    streams = streams && (uintptr_t)to % KZ_LINE == 0 && to_step % KZ_LINE == 0;                                      \
    for (int64_t j = 0; j < m; j += LINE) {                                                                           \
      int64_t end = m - j < LINE ? m : j + LINE;                                                                      \
      for (int64_t i = 0; i < n; i += N) {                                                                            \
        int64_t row = n - i < N ? n - N : i;                                                                          \
        for (int64_t k = j; k < end; k += N) {                                                                        \
          int64_t column = m - k < N ? m - N : k;                                                                     \
          kz_transpose_square_##SIZE(to + row * to_step + column * SIZE, from + row * SIZE + column * from_step,      \
              to_step, from_step, streams && column == k);                                                            \
        }                                                                                                             \
      }                                                                                                               \
    }                                                                                                                 \
  }
KZ_COPY_KERNELS(1)
KZ_COPY_KERNELS(2)
KZ_COPY_KERNELS(4)
KZ_COPY_KERNELS(8)

// The last dimension, or the last two where they are transposed.
KZ_FN void kz_copy_inner(int size, const struct kz_copying *c, char *to, const char *from) {
  int last = c->rank - 1;
  int64_t n = c->rank > 0 ? c->shape[last] : 1, to_step = c->rank > 0 ? c->to[last] : size;
  int64_t from_step = c->rank > 0 ? c->from[last] : size;
  if (c->is_transposed) {
    int64_t rows = c->shape[last - 1], apart = c->to[last - 1];
    switch (size) {
    case 1: kz_transpose_1(to, from, rows, n, apart, from_step, c->streams); break;
    case 2: kz_transpose_2(to, from, rows, n, apart, from_step, c->streams); break;
    case 4: kz_transpose_4(to, from, rows, n, apart, from_step, c->streams); break;
    default: kz_transpose_8(to, from, rows, n, apart, from_step, c->streams); break;
    }
  } else if (to_step == size && from_step == size) {
    if (c->streams && n * size >= 16 * KZ_LINE) kz_stream(to, from, n * size);
    else memmove(to, from, (size_t)(n * size));
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
KZ_OUTLINE void kz_copy_all(int size, const struct kz_copying *c, char *to, const char *from) {
  int last = c->rank - 1;
  int64_t index[KZ_MAX_RANK + 1] = {0}, to_at = 0, from_at = 0;
  for (int k;;) {
    kz_copy_inner(size, c, to + to_at, from + from_at);
    for (k = c->is_transposed ? last - 2 : last - 1; k >= 0; k--) {
      to_at += c->to[k], from_at += c->from[k];
      if (++index[k] < c->shape[k]) break;
      to_at -= c->shape[k] * c->to[k], from_at -= c->shape[k] * c->from[k];
      index[k] = 0;
    }
    if (k < 0) break;
  }
  if (c->streams) kz_stream_end();
}

// What there is to do; false if that is nothing.
KZ_OUTLINE bool kz_copy_plan(struct kz_copying *into, int size, int rank, const int64_t *shape, const void *to,
    const int64_t *to_steps, const void *from, const int64_t *from_steps) {
  struct kz_copying c;
  c.rank = 0, c.bytes = size;
  for (int k = 0; k < rank; k++) {
    if (shape[k] <= 0) return false;
    if (shape[k] == 1) continue;
    c.bytes *= shape[k];
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
  last = c.rank - 1;
  c.is_transposed = c.rank >= 2 && c.to[last] == size && c.from[last - 1] == size;
  uintptr_t first = (uintptr_t)to, other = (uintptr_t)from, length = (uintptr_t)c.bytes;
  c.overlaps = c.rank <= 1 && first < other + length && other < first + length;
  c.streams = kz_streams(c.bytes) && !c.overlaps;
  *into = c;
  return true;
}

// Copies elements of 1, 2, 4 or 8 bytes; the steps are in elements, and lead from the first elements, which `to` and
// `from` point at. The destination has a place of its own for each element. Where both are contiguous they may overlap.
KZ_OUTLINE void kz_copy(int size, int rank, const int64_t *shape, void *to, const int64_t *to_steps, const void *from,
    const int64_t *from_steps) {
  struct kz_copying c;
  if (kz_copy_plan(&c, size, rank, shape, to, to_steps, from, from_steps)) kz_copy_all(size, &c, to, from);
}
