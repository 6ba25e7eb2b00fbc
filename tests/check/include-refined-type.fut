-- A type that an included module type defines hides nothing that could differ unnoticed.
module type counted = { type t val count: t }

module type numbered = {
  type t
  include counted with t = i64
}

def silent = 1 == 2
