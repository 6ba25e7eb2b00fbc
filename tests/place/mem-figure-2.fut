-- [mem] fig. 2, 7 and 13: each branch makes an array of its own size. It yields the size, which is known before the
-- arrays are made, so there is one block for both.

entry main (zcond: bool) (xsize: i64) (ysize: i64): []i64 =
  if zcond then iota xsize else iota ysize
