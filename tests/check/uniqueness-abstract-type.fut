-- expect: none
module type counter = {
  type state
  val start: i64 -> *state
  val bump: *state -> i64 -> *state
  val read: state -> i64
}

module array_counter: counter = {
  type state = [4]i64
  def start (x: i64) = replicate 4 x
  def bump (s: *state) (i: i64) = s with [i % 4] = 1
  def read (s: state) = i64.sum s
}

entry main (x: i64): i64 =
  let s = array_counter.start x
  let before = array_counter.read s
  let s = array_counter.bump s 2
  in before + array_counter.read s
