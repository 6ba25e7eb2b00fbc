-- Small parser combinators made of functions that return functions.
-- ==
-- input { [49u8, 43, 50] } output { 3 3i64 }
-- input { [55u8, 43, 56] } output { 15 3i64 }
-- input { [120u8] } output { -1 0i64 }

type res = {ok: bool, value: i32, pos: i64}
type^ parser = i64 -> res
def digit [n] (s: [n]u8): parser =
  \p ->
    if p < n && s[p] >= '0' && s[p] <= '9'
    then {ok = true, value = i32.u8 (s[p] - '0'), pos = p + 1}
    else {ok = false, value = -1, pos = p}
def char [n] (s: [n]u8) (c: u8): parser =
  \p ->
    if p < n && s[p] == c
    then {ok = true, value = 0, pos = p + 1}
    else {ok = false, value = -1, pos = p}
def seq (f: i32 -> i32 -> i32) (a: parser) (b: parser): parser =
  \p ->
    let r = a p
    in if !r.ok then r
       else
         let q = b r.pos
         in if q.ok then q with value = f r.value q.value else q
def main (s: []u8): (i32, i64) =
  let p = seq (+) (seq (\x _ -> x) (digit s) (char s '+')) (digit s)
  let r = p 0
  in (r.value, r.pos)
