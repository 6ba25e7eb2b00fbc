-- expect: type-too-large
def twice 'a (x: a) = (x, x)

entry main (x: i32) =
  let x = twice (twice (twice (twice (twice (twice (twice (twice x)))))))
  let x = twice (twice (twice (twice (twice (twice (twice (twice x)))))))
  let x = twice (twice (twice (twice (twice (twice (twice (twice x)))))))
  in x.0.0.0.0
