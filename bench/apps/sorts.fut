-- Sorting as a library: a radix sort for any key that has bits and a merge sort for any key that has an order, both as
-- modules over the key, used on numbers, on floats and on records with several fields.
-- ==
-- entry: radix_u32
-- "few" nobench input { [5u32, 0u32, 4294967295u32, 7u32, 5u32] } output { [0u32, 5u32, 5u32, 7u32, 4294967295u32] }
-- "none" nobench input { empty([0]u32) } output { empty([0]u32) }
-- "small" compiled random input { [10000]u32 }
-- "medium" compiled random input { [200000]u32 }
-- "large" compiled random input { [2000000]u32 }

-- ==
-- entry: radix_f32 merge_f32
-- "few" nobench input { [5f32, -1f32, 0.5f32, -7.25f32, 100f32] } output { [-7.25f32, -1f32, 0.5f32, 5f32, 100f32] }
-- "one" nobench input { [3f32] } output { [3f32] }
-- "small" compiled random input { [10000]f32 }
-- "medium" compiled random input { [200000]f32 }
-- "large" compiled random input { [800000]f32 }

-- ==
-- entry: radix_people merge_people
-- "few" nobench input { [30u8, 20u8, 30u8, 20u8] [4i32, 9i32, 2i32, 9i32] }
-- output { [20u8, 20u8, 30u8, 30u8] [9i32, 9i32, 2i32, 4i32] [1i64, 3i64, 2i64, 0i64] }
-- "small" compiled random input { [10000]u8 [10000]i32 }
-- "medium" compiled random input { [150000]u8 [150000]i32 }
-- "large" compiled random input { [600000]u8 [600000]i32 }

module type radix_key = {
  type t
  val bits: i32
  -- bit 0 is the least
  val bit: i32 -> t -> i32
}

module type ordered = {
  type t
  val <=: t -> t -> bool
}

module type sorter = {
  type t
  val sort [n]: [n]t -> [n]t
  val sort_by_key [n] 'a: (a -> t) -> [n]a -> [n]a
}

-- Two bits at a time: count the four digits, and move every element behind those with lower digits.
module mk_radix (K: radix_key): sorter with t = K.t = {
  type t = K.t

  def step [n] 'a (key: a -> t) (digit: i32) (xs: [n]a): [n]a =
    let digit_of x =
      K.bit (2 * digit) (key x) + 2 * K.bit (2 * digit + 1) (key x)
    let digits = map digit_of xs
    let is d = map (\e -> i64.bool (e == d)) digits
    let plus4 (a, b, c, d) (e, f, g, h) = (a + e, b + f, c + g, d + h)
    let ranks = scan plus4 (0, 0, 0, 0) (zip4 (is 0) (is 1) (is 2) (is 3))
    let (n0, n1, n2, _) = if n == 0 then (0, 0, 0, 0) else last ranks
    let place d (r0, r1, r2, r3) =
      if d == 0 then r0 - 1
      else if d == 1 then n0 + r1 - 1
      else if d == 2 then n0 + n1 + r2 - 1
      else n0 + n1 + n2 + r3 - 1
    in scatter (copy xs) (map2 place digits ranks) xs

  def sort_by_key [n] 'a (key: a -> t) (xs: [n]a): [n]a =
    loop xs for d < (K.bits + 1) / 2 do step key d xs

  def sort [n] (xs: [n]t): [n]t = sort_by_key (\x -> x) xs
}

-- Bottom up: in every round each element finds by binary search where it goes in the neighbouring run.
module mk_merge (O: ordered): sorter with t = O.t = {
  type t = O.t

  -- How many elements of xs[from..to) come before one with this key; equal ones do if they are earlier.
  def count [n] 'a (key: a -> t) (xs: [n]a) (from: i64) (to: i64)
            (earlier: bool) (k: t): i64 =
    let comes_before x = if earlier then key x O.<= k else !(k O.<= key x)
    let (lo, _) =
      loop (lo, hi) = (from, to) while lo < hi do
        let mid = lo + (hi - lo) / 2
        in if comes_before xs[mid] then (mid + 1, hi) else (lo, mid)
    in lo - from

  def merge_round [n] 'a (key: a -> t) (width: i64) (xs: [n]a): [n]a =
    let place i =
      let run = i / width
      let is_left = run % 2 == 0
      let start = (if is_left then run else run - 1) * width
      let other = if is_left then start + width else start
      let from = i64.min n other
      let to = i64.min n (other + width)
      in start + (i - run * width) + count key xs from to (!is_left) (key xs[i])
    in scatter (copy xs) (map place (iota n)) xs

  def sort_by_key [n] 'a (key: a -> t) (xs: [n]a): [n]a =
    let (xs, _) =
      loop (xs, width) = (xs, 1) while width < n do
        (merge_round key width xs, 2 * width)
    in xs

  def sort [n] (xs: [n]t): [n]t = sort_by_key (\x -> x) xs
}

module u32_key = {
  type t = u32
  def bits = 32i32
  def bit (i: i32) (x: t) = u32.get_bit i x
}

-- Floats order like whole numbers once the sign is turned round.
module f32_key = {
  type t = f32
  def bits = 32i32
  def bit (i: i32) (x: t) =
    let b = f32.to_bits x
    in u32.get_bit i (b ^ (if b >> 31 == 1 then 0xffffffff else 0x80000000))
}

-- A key of two keys, the second deciding where the first are equal.
module pair_key (A: radix_key) (B: radix_key) = {
  type t = (A.t, B.t)
  def bits = A.bits + B.bits
  def bit (i: i32) ((a, b): t) =
    if i < B.bits then B.bit i b else A.bit (i - B.bits) a
}

module u8_key = {
  type t = u8
  def bits = 8i32
  def bit (i: i32) (x: t) = u8.get_bit i x
}
module i32_key = {
  type t = i32
  def bits = 32i32
  def bit (i: i32) (x: t) =
    let b = i32.get_bit i x in if i == 31 then b ^ 1 else b
}

module radix32 = mk_radix u32_key
module radixf32 = mk_radix f32_key
module mergef32 = mk_merge f32
module radix_pair = mk_radix (pair_key u8_key i32_key)
module merge_pair = mk_merge {
  type t = (u8, i32)
  def (<=) ((a, b): t) ((c, d): t) = a u8.< c || (a u8.== c && b i32.<= d)
}

type person = {age: u8, height: i32, number: i64}

def people [n] (ages: [n]u8) (heights: [n]i32): [n]person =
  map3 (\age height number -> {age, height, number}) ages heights (iota n)
def columns [n] (ps: [n]person): ([n]u8, [n]i32, [n]i64) =
  (map (.age) ps, map (.height) ps, map (.number) ps)
def key_of (p: person): (u8, i32) = (p.age, p.height)

entry radix_u32 [n] (xs: [n]u32): [n]u32 = radix32.sort xs
entry radix_f32 [n] (xs: [n]f32): [n]f32 = radixf32.sort xs
entry merge_f32 [n] (xs: [n]f32): [n]f32 = mergef32.sort xs
entry radix_people [n] (ages: [n]u8) (heights: [n]i32) =
  people ages heights |> radix_pair.sort_by_key key_of |> columns
entry merge_people [n] (ages: [n]u8) (heights: [n]i32) =
  people ages heights |> merge_pair.sort_by_key key_of |> columns
