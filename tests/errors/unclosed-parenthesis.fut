-- expect: unclosed-delimiter, unexpected-token
-- Two independent mistakes are both reported, each once.
def mean (a: f64) (b: f64): f64 = (a + b / 2

def larger (a: f64) (b: f64): f64 = if a > b a else b
