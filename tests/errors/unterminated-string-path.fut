-- expect: unterminated-string
-- The string is not closed.
def greeting: []u8 = "hello

def main: i64 = length greeting
