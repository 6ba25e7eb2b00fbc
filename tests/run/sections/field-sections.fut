-- Sections that project fields, nested ones and those of tuples.
-- ==
-- input { [1, 2] [true, false] } output { [1, 2] [true, false] [2, 4] [1, 2] }
-- input { empty([0]i32) empty([0]bool) } output { empty([0]i32) empty([0]bool) empty([0]i32) empty([0]i32) }

def main [n] (xs: [n]i32) (bs: [n]bool): ([n]i32, [n]bool, [n]i32, [n]i32) =
  let rs =
    map2 (\x b -> {outer = {inner = x, flag = b}, pair = (2 * x, b)}) xs bs
  in (map (.outer.inner) rs, map (.outer.flag) rs, map (.pair.0) rs,
      map (.0) (zip xs bs))
