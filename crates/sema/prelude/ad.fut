-- | Derivatives of functions by automatic differentiation.

-- | The vector-Jacobian product (reverse mode): the sensitivity of the result of `f x`, weighted by `y'`, to each part
-- of `x`. For a function with many inputs and few outputs.
def vjp 'a 'b (f: a -> b) (x: a) (y': b) : a = (intrinsics.vjp2 f x y').1

-- | The Jacobian-vector product (forward mode): how the result of `f x` changes when `x` changes along `x'`. For a
-- function with few inputs and many outputs.
def jvp 'a 'b (f: a -> b) (x: a) (x': a) : b = (intrinsics.jvp2 f x x').1

-- | As `vjp`, together with the result of `f x`, which comes first.
def vjp2 'a 'b (f: a -> b) (x: a) (y': b) : (b, a) = intrinsics.vjp2 f x y'

-- | As `jvp`, together with the result of `f x`, which comes first.
def jvp2 'a 'b (f: a -> b) (x: a) (x': a) : (b, b) = intrinsics.jvp2 f x x'
