-- | Combinators of functions: application, composition, currying and iteration.

-- | Left-to-right application: `x |> f |> g` is `g (f x)`.
def (|>) '^a '^b (x: a) (f: a -> b) : b = f x

-- | Right-to-left application: `g <| f <| x` is `g (f x)`.
def (<|) '^a '^b (f: a -> b) (x: a) : b = f x

-- | Left-to-right composition: `(f >-> g) x` is `g (f x)`.
def (>->) '^a '^b '^c (f: a -> b) (g: b -> c) (x: a) : c = g (f x)

-- | Right-to-left composition: `(g <-< f) x` is `g (f x)`.
def (<-<) '^a '^b '^c (g: b -> c) (f: a -> b) (x: a) : c = g (f x)

-- | The function with its first two parameters exchanged.
def flip '^a '^b '^c (f: a -> b -> c) (b: b) (a: a) : c = f a b

-- | Turn a function of a pair into a function of two parameters.
def curry '^a '^b '^c (f: (a, b) -> c) (a: a) (b: b) : c = f (a, b)

-- | Turn a function of two parameters into a function of a pair.
def uncurry '^a '^b '^c (f: a -> b -> c) (a: a, b: b) : c = f a b

-- | The function that returns `x` whatever it is given.
def const '^a '^b (x: a) (_: b) : a = x

-- | The identity function.
def id '^a (x: a) : a = x

-- | Apply `f` to `x`, to the result of that, and so on: `n` times in all.
def iterate 'a (n: i32) (f: a -> a) (x: a) : a =
  loop x for _i < n do f x

-- | Apply `f` again and again until `p` holds of the value; not at all when it holds of `x`.
def iterate_until 'a (p: a -> bool) (f: a -> a) (x: a) : a =
  loop x while !(p x) do f x

-- | Apply `f` again and again while `p` holds of the value; not at all when it does not hold of `x`.
def iterate_while 'a (p: a -> bool) (f: a -> a) (x: a) : a =
  loop x while p x do f x
