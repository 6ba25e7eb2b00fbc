-- | Derivatives in several directions at a time.
--
-- `open import "derivatives"`. These are ordinary functions over `jvp` and `vjp`: another compiler of the language can
-- be given this file. docs/derivatives.md says what derivatives cost.

-- | The changes of `f x` for each of some changes of `x`: a Jacobian times the columns of a matrix.
#[inline]
def jmp [n] 'a 'b (f: a -> b) (x: a) (directions: [n]a): [n]b = map (\d -> jvp f x d) directions

-- | The derivatives of `f x` for each of some weights of it: the rows of a matrix times a Jacobian.
#[inline]
def mjp [n] 'a 'b (f: a -> b) (x: a) (weights: [n]b): [n]a = map (\w -> vjp f x w) weights
