-- A layer of long short-term memory over a sequence of batches, and how far what it says is from what it should say.
-- ==
-- entry: check
-- nobench input { 3i64 2i64 3i64 2i64 } output { true }
-- nobench input { 0i64 1i64 1i64 1i64 } output { true }

-- ==
-- entry: primal gradient
-- "10 steps, batch 64, 32 to 64" compiled script input { data 10i64 64i64 32i64 64i64 }
-- "20 steps, batch 128, 80 to 96" compiled script input { data 20i64 128i64 80i64 96i64 }

import "../lib/random"

type weights [d] [h] =
  {input: [4][h][d]f64, hidden: [4][h][h]f64, bias: [4][h]f64}

def sigmoid (x: f64): f64 = 1 / (1 + f64.exp (-x))

def dot [n] (xs: [n]f64) (ys: [n]f64): f64 = f64.sum (map2 (*) xs ys)

def step [b] [d] [h] (w: weights [d] [h]) (hidden: [b][h]f64) (cell: [b][h]f64)
         (xs: [b][d]f64)
         : ([b][h]f64, [b][h]f64) =
  let gate (g: i64) (f: f64 -> f64) =
    map2 (\x s ->
            map3 (\wi wh c -> f (dot wi x + dot wh s + c)) w.input[g]
                 w.hidden[g] w.bias[g])
         xs hidden
  let forget = gate 0 sigmoid
  let ingate = gate 1 sigmoid
  let outgate = gate 2 sigmoid
  let change = gate 3 f64.tanh
  let cell = map4 (map4 (\f c i g -> f * c + i * g)) forget cell ingate change
  in (map2 (map2 (\o c -> o * f64.tanh c)) outgate cell, cell)

def objective [n] [b] [d] [h] (xs: [n][b][d]f64) (wanted: [b][h]f64)
              (input: [4][h][d]f64) (hidden: [4][h][h]f64)
              (bias: [4][h]f64): f64 =
  let nothing = replicate b (replicate h 0)
  let (said, _) =
    loop (s, c) = (nothing, nothing) for i < n do
      step {input, hidden, bias} s c xs[i]
  in f64.sum (map2 (\xs ys -> f64.sum (map2 (\x y -> (x - y) ** 2) xs ys)) said
                   wanted)
     / f64.i64 b

entry primal [n] [b] [d] [h] (xs: [n][b][d]f64) (wanted: [b][h]f64)
             (input: [4][h][d]f64) (hidden: [4][h][h]f64)
             (bias: [4][h]f64): f64 =
  objective xs wanted input hidden bias

entry gradient [n] [b] [d] [h] (xs: [n][b][d]f64) (wanted: [b][h]f64)
               (input: [4][h][d]f64) (hidden: [4][h][h]f64)
               (bias: [4][h]f64) =
  vjp (\(input, hidden, bias) -> objective xs wanted input hidden bias)
      (input, hidden, bias) 1

entry data (n: i64) (b: i64) (d: i64) (h: i64) =
  (tabulate n (\i -> random.matrix (100 + i32.i64 i) b d), random.matrix 1 b h,
   tabulate 4 (\g -> map (map (/ 4)) (random.matrix (10 + i32.i64 g) h d)),
   tabulate 4 (\g -> map (map (/ 4)) (random.matrix (20 + i32.i64 g) h h)),
   random.matrix 3 4 h)

entry check (n: i64) (b: i64) (d: i64) (h: i64): bool =
  let (xs, wanted, input, hidden, bias) = data n b d h
  let di = tabulate 4 (\g -> random.matrix (30 + i32.i64 g) h d)
  let dh = tabulate 4 (\g -> random.matrix (40 + i32.i64 g) h h)
  let db = random.matrix 4 4 h
  let (gi, gh, gb) = gradient xs wanted input hidden bias
  let at e =
    objective xs wanted (map2 (map2 (random.along e)) di input)
              (map2 (map2 (random.along e)) dh hidden)
              (map2 (random.along e) db bias)
  in random.agree at
                  (f64.sum (map2 (\x y -> f64.sum (map2 random.dot x y)) di gi)
                   + f64.sum (map2 (\x y -> f64.sum (map2 random.dot x y)) dh
                                   gh)
                   + f64.sum (map2 random.dot db gb))
