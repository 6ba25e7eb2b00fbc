-- A hash table with open addressing, filled by all keys at once: in every round each waiting key tries its next slot,
-- the earliest key wins a free slot, and keys that meet themselves are done. Used to remove duplicates from numbers
-- and from pairs, and to count how often each is asked for.
-- ==
-- entry: numbers
-- "repeats" nobench input { [3u32, 1u32, 3u32, 7u32, 1u32, 3u32, 9u32] [1u32, 1u32, 9u32, 4u32, 3u32] }
-- output { [3u32, 1u32, 7u32, 9u32] [1i32, 2i32, 0i32, 1i32] 1i64 }
-- "no key twice" nobench input { [5u32, 4u32, 0u32] [6u32] } output { [5u32, 4u32, 0u32] [0i32, 0i32, 0i32] 1i64 }
-- "empty" nobench input { empty([0]u32) [6u32] } output { empty([0]u32) empty([0]i32) 1i64 }
-- "small" compiled script input { some_numbers 40000i64 20000i64 30000u32 }
-- "medium" compiled script input { some_numbers 300000i64 400000i64 200000u32 }
-- "large" compiled script input { some_numbers 2000000i64 2000000i64 1500000u32 }

-- ==
-- entry: pairs
-- "repeats" nobench input { [3i32, 1i32, 3i32, 3i32, 1i32] [0i32, 5i32, 1i32, 0i32, 5i32] }
-- output { [3i32, 1i32, 3i32] [0i32, 5i32, 1i32] }
-- "all the same" nobench input { [2i32, 2i32, 2i32] [4i32, 4i32, 4i32] } output { [2i32] [4i32] }
-- "small" compiled script input { some_pairs 40000i64 200i64 }
-- "medium" compiled script input { some_pairs 400000i64 700i64 }
-- "large" compiled script input { some_pairs 2000000i64 1200i64 }

module type key = {
  type t
  val hash: t -> u32
  val ==: t -> t -> bool
}

module type table = {
  type key
  -- The indices of the keys that are stored, and for every slot which of them, or -1.
  type table [s]
  val build [n]: [n]key -> ?[s].table [s]
  -- The keys, each at its first place.
  val distinct [n]: [n]key -> []key
  -- The place of the key among those that the table was built from, or -1.
  val lookup [s] [n]: [n]key -> table [s] -> key -> i64
}

module mk_table (K: key): table with key = K.t = {
  type key = K.t
  type table [s] = {slots: [s]i64, mask: u32}

  def capacity (n: i64): i64 =
    loop c = 8 while c < 2 * n do c * 2

  def probe [s] (t: table [s]) (k: key) (round: i64): i64 =
    -- triangular numbers visit every slot of a power of two
    i64.u32 ((K.hash k + u32.i64 ((round * (round + 1)) / 2)) & t.mask)

  def build [n] (keys: [n]key) =
    let s = capacity n
    let mask = u32.i64 (s - 1)
    let empty: table [s] = {slots = replicate s i64.highest, mask}
    let (full, _, _) =
      loop (t, waiting, round) = (empty, iota n, 0) while length waiting > 0 do
        let tried = map (\i -> probe t keys[i] round) waiting
        -- A slot that is taken keeps its key; of those that want a free one the first has it.
        let wishes =
          reduce_by_index (replicate s i64.highest) i64.min i64.highest tried
                          waiting
        let slots =
          map2 (\old new -> if old != i64.highest then old else new) t.slots
               wishes
        let lost (slot, i) =
          !(slots[slot] == i || K.(keys[slots[slot]] == keys[i]))
        let waiting = zip tried waiting |> filter lost |> map (.1)
        in (t with slots = slots, waiting, round + 1)
    in full with slots =
         map (\i -> if i == i64.highest then -1 else i) full.slots

  def distinct [n] (keys: [n]key): []key =
    let t = build keys
    let kept = scatter (replicate n false) t.slots (map (const true) t.slots)
    in zip keys kept |> filter (.1) |> map (.0)

  def lookup [s] [n] (keys: [n]key) (t: table [s]) (k: key): i64 =
    let found i = i == -1 || K.(keys[i] == k)
    let (at, _) =
      loop (at, round) = (t.slots[probe t k 0], 1) while !(found at) do
        (t.slots[probe t k round], round + 1)
    in at
}

def avalanche (x: u32): u32 =
  let x = (x ^ (x >> 16)) * 0x85ebca6b
  let x = (x ^ (x >> 13)) * 0xc2b2ae35
  in x ^ (x >> 16)

module number_table = mk_table {
  type t = u32
  def hash = avalanche
  def (==) (a: t) (b: t) = a u32.== b
}

module pair_table = mk_table {
  type t = (i32, i32)
  def hash ((a, b): t) = avalanche (avalanche (u32.i32 a) + 31 * u32.i32 b)
  def (==) ((a, b): t) ((c, d): t) = a i32.== c && b i32.== d
}

-- The distinct keys, how many questions name each, and how many questions name none.
entry numbers [n] [q] (keys: [n]u32) (questions: [q]u32): ([]u32, []i32, i64) =
  let distinct = number_table.distinct keys
  let t = number_table.build distinct
  let answers = map (number_table.lookup distinct t) questions
  let counts = hist (+) 0 (length distinct) answers (replicate q 1)
  in (distinct, counts, answers |> map (\a -> i64.bool (a < 0)) |> i64.sum)

entry pairs [n] (as: [n]i32) (bs: [n]i32): ([]i32, []i32) =
  zip as bs |> pair_table.distinct |> unzip

entry some_numbers (n: i64) (q: i64) (below: u32): ([]u32, []u32) =
  (tabulate n (\i -> avalanche (u32.i64 i) % below),
   tabulate q (\i -> avalanche (u32.i64 i + 0x9e3779b9) % (2 * below)))

entry some_pairs (n: i64) (below: i64): ([]i32, []i32) =
  let pick salt i = i32.u32 (avalanche (u32.i64 i * 2 + salt) % u32.i64 below)
  in (tabulate n (pick 0), tabulate n (pick 1))
