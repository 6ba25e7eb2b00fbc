-- Numbers in kernels: those that say which iteration it is may have 32 bits where all sizes are small, but those of the
-- program have 64, and so has everything where a number is large.

-- (0 + 1 + … + 39 - 40) * k = 740 * k
-- ==
-- entry: scaled
-- input { 40i64 134217727i64 } output { 99321117980i64 }
-- input { 40i64 268435455i64 } output { 198642236700i64 }
-- input { 40i64 268435456i64 } output { 198642237440i64 }
-- input { 40i64 -268435456i64 } output { -198642237440i64 }
-- input { 40i64 100000000000i64 } output { 74000000000000i64 }
-- input { 0i64 100000000000i64 } output { 0i64 }
entry scaled (n: i64) (k: i64): i64 =
  i64.sum (opaque (map (\i -> i * k - k) (iota n)))

-- Of three dimensions, and with a product of two indices of which neither is large.
-- ==
-- entry: products
-- input { 3i64 4i64 5i64 134217727i64 } output { [0i64, 134217727i64, 939524089i64] }
-- input { 3i64 4i64 5i64 3000000000i64 } output { [0i64, 3000000000i64, 21000000000i64] }
entry products (n: i64) (m: i64) (l: i64) (k: i64): []i64 =
  let cube = opaque (tabulate_3d n m l (\i j h -> (i * i + i * j * h / 4) * k))
  in [cube[0, 3, 4], cube[1, 1, 1], cube[2, 2, 3]]

-- Elements whose places are computed from numbers that do not fit into 32 bits: 134217727 is 7 modulo 10.
-- ==
-- entry: places
-- input { 134217727i64 } output { [0i64, 7i64, 4i64, 1i64, 8i64, 5i64, 2i64, 9i64, 6i64, 3i64] }
-- input { 99999999999997i64 } output { [0i64, 7i64, 4i64, 1i64, 8i64, 5i64, 2i64, 9i64, 6i64, 3i64] }
entry places (k: i64): []i64 =
  let xs = opaque (iota 10)
  in map (\i -> xs[(i * k) % 10]) (iota 10)

-- Sums of a loop, a row each, and their prefixes: k * (0 + 1 + 2 + 3) = 6 * k for each of the rows.
-- ==
-- entry: sums
-- input { 3i64 4i64 134217727i64 } output { [805306362i64, 1610612724i64, 2415919086i64] }
-- input { 3i64 4i64 10000000000i64 } output { [60000000000i64, 120000000000i64, 180000000000i64] }
entry sums (n: i64) (m: i64) (k: i64): []i64 =
  scan (+) 0 (opaque (map (\_ -> loop s = 0 for j < m do s + j * k) (iota n)))

-- Backwards, and by steps of two: the last element of each row is read first.
-- ==
-- entry: backwards
-- input { 3i64 6i64 } output { [[5i64, 3i64, 1i64], [11i64, 9i64, 7i64], [17i64, 15i64, 13i64]] }
-- input { 0i64 6i64 } output { empty([0][3]i64) }
entry backwards (n: i64) (m: i64): [][]i64 =
  let a = opaque (unflatten (iota (n * m)))
  in map (\row -> tabulate (m / 2) (\j -> (reverse row)[2 * j])) a

-- A histogram and a scatter at places of 64 bits, of which some are none.
-- ==
-- entry: bins
-- input { 5i64 } output { [2i64, 1i64, 0i64, 0i64, 1i64] [7i64, 9i64, 7i64, 7i64, 11i64] }
entry bins (n: i64): ([]i64, []i64) =
  let places = opaque [0i64, 4294967296, 1, -4294967295, 0, 4, 8589934593]
  let counts =
    reduce_by_index (replicate n 0) (+) 0 places (map (const 1) places)
  in (counts, scatter (replicate n 7) [1i64, 4294967298, 4] [9i64, 10, 11])
