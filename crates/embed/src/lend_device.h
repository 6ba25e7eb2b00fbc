// lend_device.h: as lend.h, for a device: there the block of a buffer of the caller is one like all others.

KZ_FN bool kz_is_lent(const void *data) { return ((const struct kz_block *)data)->is_foreign; }
static int kz_lend(const void *data) {
  (void)data;
  return -1;
}
static void kz_take_back(int place) { (void)place; }

