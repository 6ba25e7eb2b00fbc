-- Letters are turned to upper case.
-- ==
-- input { [104u8, 101, 33, 90, 122] } output { [72u8, 69, 33, 90, 90] }
-- input { empty([0]u8) } output { empty([0]u8) }

def upper (c: u8): u8 = if c >= 'a' && c <= 'z' then c - 'a' + 'A' else c
def main [n] (s: [n]u8): [n]u8 = map upper s
