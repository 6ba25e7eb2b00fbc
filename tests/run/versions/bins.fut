-- Histograms of the rows of a map: counts, maxima with their places, bytes, bins of two dimensions, several at once, next to
-- other operators; and a histogram of pairs that all blocks make together. All are compared with loops.
-- ==
-- entry: counts
-- input { [[0i64, 2i64, 2i64], [3i64, -1i64, 9i64]] } output { [[1, 0, 2, 0], [0, 0, 0, 1]] }
-- input { empty([0][3]i64) } output { empty([0][4]i32) }
-- input { empty([2][0]i64) } output { [[0, 0, 0, 0], [0, 0, 0, 0]] }

-- ==
-- entry: onto
-- input { [[10, 20], [30, 40]] [[0i64, 1i64, 1i64], [1i64, 0i64, 5i64]] } output { [[11, 22], [31, 41]] }

-- ==
-- entry: agree
-- input { 3i64 31i64 5i64 } output { true }
-- input { 5i64 33i64 1i64 } output { true }
-- input { 2i64 257i64 40i64 } output { true }
-- input { 300i64 17i64 3i64 } output { true }
-- input { 1i64 3000i64 7i64 } output { true }

-- ==
-- entry: together
-- input { 5000i64 7i64 } output { true }
-- input { 40000i64 1000i64 } output { true }
-- input { 33i64 1i64 } output { true }
-- input { 10i64 0i64 } output { true }

entry counts [k] [n] (xss: [k][n]i64): [k][4]i32 =
  map (\xs -> hist (+) 0 4 xs (replicate n 1)) xss

-- The bins have values already.
entry onto [k] [n] [m] (css: *[k][m]i32) (xss: [k][n]i64): [k][m]i32 =
  map2 (\cs xs -> reduce_by_index (copy cs) (+) 0 xs (replicate n 1)) css xss

def bin (bins: i64) (i: i64): i64 = (i * 7919 + i / 3) % (bins + 1)
def value (i: i64): i32 = i32.i64 ((i * 104729) % 1009)

def greater (x: i32, i: i64) (y: i32, j: i64): (i32, i64) =
  if x > y || (x == y && i < j) then (x, i) else (y, j)

def least: (i32, i64) = (i32.lowest, i64.highest)

entry agree (k: i64) (n: i64) (bins: i64): bool =
  let xss = tabulate_2d k n (\i j -> bin bins (i * n + j))
  let vss = tabulate_2d k n (\i j -> value (i * n + j))
  -- Two histograms in one nest, next to a scan.
  let (sums, pairs) =
    unzip (map2 (\xs vs ->
                   let sums = hist (+) 0 bins xs vs
                   let pairs = hist greater least bins xs (zip vs (iota n))
                   in (scan (+) 0 sums, pairs))
                xss vss)
  let bytes = map2 (\xs vs -> hist (+) 0u8 bins xs (map u8.i32 vs)) xss vss
  let grids =
    map2 (\xs vs ->
            reduce_by_index_2d (replicate 2 (replicate bins 0i32)) i32.max
                               i32.lowest
                               (map (\x -> (x % 2, x)) xs) vs)
         xss vss
  let in_turn 'a (op: a -> a -> a) (ne: a) (xs: [n]i64) (vs: [n]a): [bins]a =
    tabulate bins (\b ->
                     loop s = ne for i < n do
                       if xs[i] == b then op s vs[i] else s)
  let same f = and (map f (iota k))
  in same (\i ->
             and (map2 (==) sums[i] (scan (+) 0 (in_turn (+) 0 xss[i] vss[i]))))
     && same (\i ->
                and (map2 (==) pairs[i]
                          (in_turn greater least xss[i] (zip vss[i] (iota n)))))
     && same (\i ->
                and (map2 (==) bytes[i]
                          (in_turn (+) 0 xss[i] (map u8.i32 vss[i]))))
     && same (\i -> and (flatten (tabulate_2d 2 bins (\p b ->
                                    grids[i][p][b]
                                    == if b % 2 == p
                                       then (in_turn i32.max 0 xss[i] vss[i])[b]
                                       else 0))))

-- Blocks keep their bins, and a second launch combines them.
entry together (n: i64) (bins: i64): bool =
  let xs = tabulate n (bin bins)
  let vs = tabulate n (\i -> (value i, i))
  let all = hist greater least bins xs vs
  let wanted =
    loop h = replicate bins least for i < n do
      if xs[i] < bins then h with [xs[i]] = greater h[xs[i]] vs[i] else h
  in and (map2 (==) all wanted)
