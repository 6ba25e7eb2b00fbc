-- The price of options by Black and Scholes.
-- work "1M": 0.01677722 GB
-- work "32M": 0.53687091 GB
-- ==
-- "tiny" nobench input { [100f32, 50f32] [100f32, 60f32] [1f32, 2f32] } output { [15.7113f32, 7.94187f32] }
-- "1M" compiled script input { options 1048576i64 }
-- "32M" compiled script input { options 33554432i64 }

-- Numbers in [0, 1) that look random, the same everywhere.
def value (i: i64): f32 = f32.u32 ((u32.i64 i * 2654435761u32) >> 8) / 16777216

entry options (n: i64): ([n]f32, [n]f32, [n]f32) =
  unzip3 (tabulate n (\i ->
                        (10 + 90 * value i, 10 + 90 * value (i + 7),
                         0.25 + 4 * value (i + 13))))

def rate: f32 = 0.08
def volatility: f32 = 0.3

-- The distribution of Gauss, by a polynomial.
def cnd (x: f32): f32 =
  let k = 1 / (1 + 0.2316419 * f32.abs x)
  let w =
    ((((1.330274429 * k - 1.821255978) * k + 1.781477937) * k - 0.356563782) * k
     + 0.319381530)
    * k
  let tail = 0.39894228 * f32.exp (-0.5 * x * x) * w
  in if x < 0 then tail else 1 - tail

def call (price: f32, strike: f32, years: f32): f32 =
  let v = volatility * f32.sqrt years
  let d1 =
    (f32.log (price / strike) + (rate + 0.5 * volatility * volatility) * years)
    / v
  in price * cnd d1 - strike * f32.exp (-rate * years) * cnd (d1 - v)

entry main [n] (prices: [n]f32) (strikes: [n]f32) (years: [n]f32): [n]f32 =
  map call (zip3 prices strikes years)
