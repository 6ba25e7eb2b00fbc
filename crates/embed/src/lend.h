// lend.h: blocks that belong to the caller. Stands right before the functions of a program for a CPU, since it changes what
// they mean by kz_share and kz_free.
//
// A block has a header with its references, and memory of the caller has none. So its addresses are listed for as long as it
// is lent, and a program that shares or frees one of them does nothing. No block of ours is at a listed address, since its
// owner has it in use; so one list does for all contexts. A place in it is taken and left by the thread that calls the program,
// and read by all.

enum { KZ_MOST_LENT = 64 };
static const void *kz_lent[KZ_MOST_LENT];
static int kz_lent_end; // from here on no place was ever taken

KZ_FN bool kz_is_lent(const void *data) {
  int end = __atomic_load_n(&kz_lent_end, __ATOMIC_RELAXED);
  for (int i = 0; i < end; i++)
    if (__atomic_load_n(&kz_lent[i], __ATOMIC_RELAXED) == data) return data != NULL;
  return false;
}
// The place of the address in the list, or -1 if there is no room.
static int kz_lend(const void *data) {
  for (int i = 0; i < KZ_MOST_LENT; i++) {
    const void *nothing = NULL;
    if (!__atomic_compare_exchange_n(&kz_lent[i], &nothing, data, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) continue;
    int end = __atomic_load_n(&kz_lent_end, __ATOMIC_RELAXED);
    while (end <= i && !__atomic_compare_exchange_n(&kz_lent_end, &end, i + 1, false, __ATOMIC_RELAXED,
        __ATOMIC_RELAXED)) continue;
    return i;
  }
  return -1;
}
static void kz_take_back(int place) { __atomic_store_n(&kz_lent[place], NULL, __ATOMIC_RELAXED); }

KZ_FN void *kz_share_unless_lent(void *data) { return kz_is_lent(data) ? data : kz_share(data); }
KZ_FN void kz_free_unless_lent(struct futhark_context *ctx, void *data) {
  if (!kz_is_lent(data)) kz_free(ctx, data);
}
#undef kz_share
#undef kz_free
#define kz_share kz_share_unless_lent
#define kz_free kz_free_unless_lent

