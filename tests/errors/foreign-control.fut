-- expect: unexpected-token, unexpected-token, unexpected-token, unexpected-token, unexpected-token, unexpected-token, unexpected-token, unexpected-token, unclosed-delimiter, unexpected-token
-- Conditionals and loops of other languages.
def elif (x: i32) = if x > 1 then 1i32 elif x > 0 then 2 else 3

def question (x: i32) = x > 1 ? 1i32 : 2

def in_parentheses (x: i32) = 1 + (x > 1 ? 1 : 2)

def behind (x: i32) = 1i32 if x > 1 else 2

def compared (x: i32) = if x % 2 = 0 then 1i32 else 2

def inclusive (n: i64) = loop x = 0 for i <= n do x + i

def rest (x: i32) = match x case 0 -> 1i32 default -> 2

def fat (x: i32) = match x case 0 => 1i32 case _ => 2

def comprehension (n: i64) = [i * i for i in iota n]

def sliced (a: []i32) = a[1..3]
