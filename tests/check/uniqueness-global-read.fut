-- expect: none
def table: [3]i64 = [1, 2, 3]

def lookup (i: i64): i64 = table[i]
def again = table
def changed (i: i64): *[3]i64 = copy table with [i] = 0

entry main (i: i64): ([3]i64, i64) = (changed i, lookup i + again[0])
