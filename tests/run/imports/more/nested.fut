-- A library in a subfolder that imports its neighbour above.

import "../library"

def nine_fold (x: i32): i32 = triple (triple x)
