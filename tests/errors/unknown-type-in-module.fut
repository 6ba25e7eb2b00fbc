-- expect: unknown-type
-- The type belongs to the module.
module counter = {
  type state = i64
  def start: state = 0
}

def main: state = counter.start
