-- Elementary cellular automata by the number of their rule.
-- ==
-- input { 90u8 [false, false, true, false, false] 2 } output { [true, false, false, false, true] }
-- input { 0u8 [true, true] 1 } output { [false, false] }
-- input { 255u8 [false] 1 } output { [true] }

def main [n] (rule: u8) (cells: [n]bool) (steps: i32): [n]bool =
  loop cells for _i < steps do
    map3 (\l c r ->
            let k = 4 * i32.bool l + 2 * i32.bool c + i32.bool r
            in u8.get_bit k rule == 1)
         (rotate (-1) cells) cells (rotate 1 cells)
