-- | Arrays of tuples from tuples of arrays, and back. Arrays of tuples are stored as one array per component, so the
-- maps here, which only rearrange components, cost nothing once they are compiled.

-- | Pair the elements of two arrays.
def zip [n] 'a 'b (as: [n]a) (bs: [n]b) : *[n](a, b) = intrinsics.zip as bs

-- | The same as `zip`.
def zip2 [n] 'a 'b (as: [n]a) (bs: [n]b) : *[n](a, b) = intrinsics.zip as bs

-- | Make triples of the elements of three arrays.
def zip3 [n] 'a 'b 'c (as: [n]a) (bs: [n]b) (cs: [n]c) : *[n](a, b, c) =
  intrinsics.map (\((a, b), c) -> (a, b, c)) (zip (zip as bs) cs)

-- | Make quadruples of the elements of four arrays.
def zip4 [n] 'a 'b 'c 'd (as: [n]a) (bs: [n]b) (cs: [n]c) (ds: [n]d) : *[n](a, b, c, d) =
  intrinsics.map (\((a, b), (c, d)) -> (a, b, c, d)) (zip (zip as bs) (zip cs ds))

-- | Make quintuples of the elements of five arrays.
def zip5 [n] 'a 'b 'c 'd 'e (as: [n]a) (bs: [n]b) (cs: [n]c) (ds: [n]d) (es: [n]e) : *[n](a, b, c, d, e) =
  intrinsics.map (\((a, b), ((c, d), e)) -> (a, b, c, d, e)) (zip (zip as bs) (zip (zip cs ds) es))

-- | The array of first and the array of second components.
def unzip [n] 'a 'b (xs: [n](a, b)) : ([n]a, [n]b) =
  (intrinsics.map (.0) xs, intrinsics.map (.1) xs)

-- | The same as `unzip`.
def unzip2 [n] 'a 'b (xs: [n](a, b)) : ([n]a, [n]b) = unzip xs

-- | The arrays of the three components.
def unzip3 [n] 'a 'b 'c (xs: [n](a, b, c)) : ([n]a, [n]b, [n]c) =
  (intrinsics.map (.0) xs, intrinsics.map (.1) xs, intrinsics.map (.2) xs)

-- | The arrays of the four components.
def unzip4 [n] 'a 'b 'c 'd (xs: [n](a, b, c, d)) : ([n]a, [n]b, [n]c, [n]d) =
  (intrinsics.map (.0) xs, intrinsics.map (.1) xs, intrinsics.map (.2) xs, intrinsics.map (.3) xs)

-- | The arrays of the five components.
def unzip5 [n] 'a 'b 'c 'd 'e (xs: [n](a, b, c, d, e)) : ([n]a, [n]b, [n]c, [n]d, [n]e) =
  ( intrinsics.map (.0) xs
  , intrinsics.map (.1) xs
  , intrinsics.map (.2) xs
  , intrinsics.map (.3) xs
  , intrinsics.map (.4) xs
  )
