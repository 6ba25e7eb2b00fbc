-- expect: unknown-attribute, unknown-attribute, unknown-attribute, unknown-attribute
-- Misspelt or made up, in front of expressions and declarations; those of patterns and specifications are for other tools.
module type m = { #[made_up] val f : i32 -> i32 }

#[no_inline]
def double (#[made_up] x: i32): i32 = 2 * x

#[12]
entry main (xs: []i32): i32 =
  let (#[made_up] n) = #[sequentail] reduce (+) 0 (#[how_cool(1, very(2))] map double xs)
  in #[unsafe] n
