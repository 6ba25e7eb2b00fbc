-- expect: empty-range
-- The step is zero.
def downto (n: i64): []i64 = n..n..>0
