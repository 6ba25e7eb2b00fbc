-- A library for the programs beside it, with an abstract type and an entry point that is none for importers.

module type stack = {
  type~ t
  val empty: () -> t
  val push: i32 -> t -> t
  val total: t -> i32
}

module stack: stack = {
  type~ t = []i32
  def empty (): t = []
  def push x (s: t): t = [x] ++ s
  def total (s: t) = i32.sum s
}

def triple (x: i32): i32 = 3 * x
local def hidden: i32 = 100
def shifted (x: i32): i32 = x + hidden
entry not_an_entry (x: i32): i32 = x + 1
