-- | The prelude: what every program sees without an import. The compiler opens this file in front of every other; it
-- gathers the files beside it and adds what belongs to none of them.
--
-- What these files do not define comes from the module `intrinsics`, which has a page of its own in docs/.

open import "functional"
open import "soacs"
open import "zip"
open import "array"
open import "math"
open import "ad"

-- | Return the argument, in a way the compiler does not look through: no rewrite crosses it.
def opaque 't (x: t) : t = #[opaque] x

-- | Return the argument, and print it to the log when it is evaluated.
def trace 't (x: t) : t = #[trace(trace)] x

-- | Return the argument, and stop there when the program runs in the interpreter.
def break 't (x: t) : t = #[break] x
