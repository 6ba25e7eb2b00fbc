-- The prices of European call and put options after Black and Scholes.
-- ==
-- "tiny" nobench input { [1f32, 0.5f32] [1f32, 0.25f32] [1f32, 0.5f32] }
-- output { [3.25674979f32, 2.98879595f32] [55.1298251f32, 8.73018331f32] }
-- "1M" compiled random input { [1048576]f32 [1048576]f32 [1048576]f32 }

def rate: f32 = 0.02
def volatility: f32 = 0.3

-- The normal distribution, with the polynomial of Abramowitz and Stegun, 26.2.17.
def normal (d: f32): f32 =
  let k = 1 / (1 + 0.2316419 * f32.abs d)
  let polynomial =
    k
    * (0.31938153
       + k
         * (-0.356563782
            + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
  let tail = 0.39894228 * f32.exp (-0.5 * d * d) * polynomial
  in if d > 0 then 1 - tail else tail

-- The inputs are between 0 and 1.
def option (x: f32) (y: f32) (z: f32): (f32, f32) =
  let price = 5 + 25 * x
  let strike = 1 + 99 * y
  let years = 0.25 + 9.75 * z
  let deviation = volatility * f32.sqrt years
  let d1 =
    (f32.log (price / strike) + (rate + 0.5 * volatility * volatility) * years)
    / deviation
  let d2 = d1 - deviation
  let discounted = strike * f32.exp (-rate * years)
  in (price * normal d1 - discounted * normal d2,
      discounted * normal (-d2) - price * normal (-d1))

entry main [n] (xs: [n]f32) (ys: [n]f32) (zs: [n]f32): ([n]f32, [n]f32) =
  unzip (map3 option xs ys zs)
