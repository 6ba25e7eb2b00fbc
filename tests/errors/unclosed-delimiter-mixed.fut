-- expect: unclosed-delimiter
-- A parenthesis is closed by a bracket.
def middle (xs: []f64): f64 =
  xs[(length xs - 1 ] / 2
