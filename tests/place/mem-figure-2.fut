-- [mem] fig. 2, 7 and 13: each branch makes an array of its own size, in a block of its own, and yields both.

entry main (zcond: bool) (xsize: i64) (ysize: i64): []i64 =
  if zcond then iota xsize else iota ysize
