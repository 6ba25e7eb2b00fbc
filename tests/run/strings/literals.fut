-- String literals are arrays of bytes in UTF-8.
-- ==
-- input { } output { [72u8, 105] 5i64 [226u8, 130, 172] empty([0]u8) [97u8, 10, 9, 34, 92] }

def main =
  ("Hi", length "hello", "€", "", "a\n\t\"\\")
