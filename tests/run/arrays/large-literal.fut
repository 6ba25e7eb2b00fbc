-- A long array literal of constants with suffixes.
-- ==
-- input { 0i64 } output { 2i32 70 541 }
-- input { 19i64 } output { 71i32 70 541 }

def primes: []i32 =
  [2i32, 3i32, 5i32, 7i32, 11i32, 13i32, 17i32, 19i32, 23i32, 29i32, 31i32,
   37i32, 41i32, 43i32, 47i32, 53i32,
   59i32, 61i32, 67i32, 71i32, 73i32, 79i32, 83i32, 89i32, 97i32, 541i32]
def main (i: i64): (i32, i32, i32) =
  (primes[i], primes[19] - 1, i32.maximum primes)
