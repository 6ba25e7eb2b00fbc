-- expect: shadowed-type
-- Two module types with the same type.
module type shape = { type t }
module type solid = {
  type t
  include shape
}
