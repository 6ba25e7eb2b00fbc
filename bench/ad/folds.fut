-- Reductions and scans by operators of several kinds: built in, and two numbers at a time.
-- ==
-- entry: check
-- nobench input { 9i64 } output { true }
-- nobench input { 1i64 } output { true }
-- nobench input { 0i64 } output { true }

-- ==
-- entry: primal_sum gradient_sum primal_product gradient_product primal_least gradient_least
-- "10M" compiled script input { data 10000000i64 }

-- ==
-- entry: primal_sums gradient_sums primal_products gradient_products primal_leasts gradient_leasts
-- "10M" compiled script input { data 10000000i64 }

-- ==
-- entry: primal_lines gradient_lines primal_chain gradient_chain
-- "10M" compiled script input { pairs 10000000i64 }

import "../lib/random"

-- One line after another: what is at the end of many changes of the form a * x + b.
def compose (a: f64, b: f64) (c: f64, d: f64): (f64, f64) = (c * a, c * b + d)

def sum (xs: []f64): f64 = reduce (+) 0 xs
def product (xs: []f64): f64 = reduce (*) 1 xs
def least (xs: []f64): f64 = reduce f64.min f64.inf xs
def lines [n] (as: [n]f64) (bs: [n]f64): (f64, f64) =
  reduce compose (1, 0) (zip as bs)

def sums [n] (xs: [n]f64): [n]f64 = scan (+) 0 xs
def products [n] (xs: [n]f64): [n]f64 = scan (*) 1 xs
def leasts [n] (xs: [n]f64): [n]f64 = scan f64.min f64.inf xs
def chain [n] (as: [n]f64) (bs: [n]f64): [n]f64 =
  map (.1) (scan compose (1, 0) (zip as bs))

entry primal_sum (xs: []f64): f64 = sum xs
entry primal_product (xs: []f64): f64 = product xs
entry primal_least (xs: []f64): f64 = least xs
entry primal_lines [n] (as: [n]f64) (bs: [n]f64): (f64, f64) = lines as bs
entry primal_sums [n] (xs: [n]f64): [n]f64 = sums xs
entry primal_products [n] (xs: [n]f64): [n]f64 = products xs
entry primal_leasts [n] (xs: [n]f64): [n]f64 = leasts xs
entry primal_chain [n] (as: [n]f64) (bs: [n]f64): [n]f64 = chain as bs

def ones (n: i64): [n]f64 = tabulate n (\i -> f64.i64 (i % 3 - 1))

entry gradient_sum [n] (xs: [n]f64): [n]f64 = vjp sum xs 1
entry gradient_product [n] (xs: [n]f64): [n]f64 = vjp product xs 1
entry gradient_least [n] (xs: [n]f64): [n]f64 = vjp least xs 1
entry gradient_lines [n] (as: [n]f64) (bs: [n]f64): ([n]f64, [n]f64) =
  vjp (\(as, bs) -> lines as bs) (as, bs) (1, 1)
entry gradient_sums [n] (xs: [n]f64): [n]f64 = vjp sums xs (ones n)
entry gradient_products [n] (xs: [n]f64): [n]f64 = vjp products xs (ones n)
entry gradient_leasts [n] (xs: [n]f64): [n]f64 = vjp leasts xs (ones n)
entry gradient_chain [n] (as: [n]f64) (bs: [n]f64): ([n]f64, [n]f64) =
  vjp (\(as, bs) -> chain as bs) (as, bs) (ones n)

entry data (n: i64): [n]f64 = map (\x -> 1 + x / 1000) (random.vector 1 n)
entry pairs (n: i64): ([n]f64, [n]f64) =
  (map (\x -> x / 8 + 0.75) (random.vector 1 n), random.vector 2 n)

entry check (n: i64): bool =
  let xs = data n
  let (as, bs) = pairs n
  let (d, e) = (random.vector 3 n, random.vector 4 n)
  let along f g =
    random.agree (\h -> f (random.along (h / 100) d xs) * 100) (random.dot d g)
  let both f (g, h) =
    random.agree (\s -> f (random.along s d as) (random.along s e bs))
                 (random.dot d g + random.dot e h)
  let weigh ys = random.dot (ones n) ys
  in along sum (gradient_sum xs) && along product (gradient_product xs)
     && (n == 0 || along least (gradient_least xs))
     && both (\as bs -> let (x, y) = lines as bs in x + y)
             (gradient_lines as bs)
     && along (\xs -> weigh (sums xs)) (gradient_sums xs)
     && along (\xs -> weigh (products xs)) (gradient_products xs)
     && along (\xs -> weigh (leasts xs)) (gradient_leasts xs)
     && both (\as bs -> weigh (chain as bs)) (gradient_chain as bs)
