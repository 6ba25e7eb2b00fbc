-- Nested record patterns in parameters, let and lambda.
-- ==
-- input { [1, 2] [3.0, 4.0] } output { [4.0, 6.0] 1 }
-- input { [0] [0.0] } output { [0.0] 0 }

type item = {key: i32, info: {weight: f64, tag: (i32, bool)}}
def total ({key, info = {weight, tag = (t, _)}}: item) =
  f64.i32 (key + t - t) + weight
def main [n] (ks: [n]i32) (ws: [n]f64): ([n]f64, i32) =
  let items =
    map2 (\key weight -> {key, info = {weight, tag = (key, true)}}) ks ws
  let {key, info = {weight = _, tag = _}} = items[0]
  in (map total items, key)
