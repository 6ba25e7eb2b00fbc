-- | Pictures as PNG files: the bytes of the file, without compression.

-- | A number of 32 bits, the highest byte first.
local def big_endian (x: u32): [4]u8 =
  map (\i -> u8.u32 (x >> (24 - 8 * u32.i64 i))) (iota 4)

local def little_endian (x: u16): [2]u8 = [u8.u16 x, u8.u16 (x >> 8)]

local def letters (name: [4]u8): [4]u8 = name

-- | What a byte does to the checksum of a chunk, for each byte.
local def table: [256]u32 =
  tabulate 256 (\n ->
                  loop c = u32.i64 n for _k < 8 do
                    if c & 1 == 1 then 0xedb88320 ^ (c >> 1) else c >> 1)

local def crc [n] (data: [n]u8): u32 =
  0xffffffff
  ^ (loop c = 0xffffffff for byte in data do
       table[i64.u32 ((c ^ u32.u8 byte) & 0xff)] ^ (c >> 8))

-- | The checksum of what is packed: the sum of all bytes, and the sum of all these sums.
local def adler [n] (data: [n]u8): u32 =
  let one = (1 + i64.sum (map i64.u8 data)) % 65521
  let two =
    (n + i64.sum (map2 (\i byte -> (n - i) * i64.u8 byte) (iota n) data))
    % 65521
  in u32.i64 (two << 16 | one)

local def chunk [n] (name: [4]u8) (data: [n]u8): []u8 =
  let named = letters name ++ data
  in big_endian (u32.i64 n) ++ named ++ big_endian (crc named)

-- | Bytes in blocks of at most 65535 that are not compressed.
local def packed [n] (data: [n]u8): []u8 =
  let most = 65535
  let blocks = i64.max 1 ((n + most - 1) / most)
  let size b = i64.min most (n - b * most)
  let header b: [5]u8 =
    let len = u16.i64 (size b)
    in [u8.bool (b == blocks - 1)] ++ little_endian len ++ little_endian (!len)
         :> [5]u8
  let total = 5 * blocks + n
  let stored =
    tabulate total (\i ->
      let b = i / (most + 5)
      let k = i % (most + 5)
      in if k < 5 then (header b)[k] else data[b * most + k - 5])
  in [0x78, 0x01] ++ stored ++ big_endian (adler data)

-- | The file with a picture, three bytes for each pixel.
def png [h] [w] (pixels: [h][w][3]u8): []u8 =
  let rows = flatten (map (\row -> [0] ++ flatten row) pixels)
  let head = big_endian (u32.i64 w) ++ big_endian (u32.i64 h) ++ [8, 2, 0, 0, 0]
  in [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
     ++ chunk [0x49, 0x48, 0x44, 0x52] head
     ++ chunk [0x49, 0x44, 0x41, 0x54] (packed rows)
     ++ chunk [0x49, 0x45, 0x4e, 0x44] []
