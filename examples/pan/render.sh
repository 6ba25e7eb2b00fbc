#!/bin/sh
# Writes each picture of frames.fut as a PNG file: render.sh KENAZ FOLDER [HEIGHT WIDTH TIME]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
kenaz=$1 folder=$2
shift 2
mkdir -p "$folder"
"$kenaz" c "$here/frames.fut" -o "$folder/frames"
for picture in swirled overlaid polar_board fractal julia_tiles; do
  # The values of an array in the binary format come after 15 bytes that say what it is.
  echo "${1:-480}i64 ${2:-640}i64 ${3:-0.3}f32" | "$folder/frames" -b -e "${picture}_file" | tail -c +16 >"$folder/$picture.png"
done
rm "$folder/frames" "$folder/frames.c"
