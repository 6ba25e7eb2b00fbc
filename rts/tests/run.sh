#!/bin/sh
# Builds the samples with every compiler that is there, at -O0 and -O3, with sanitizers, and checks what they do.
# Usage: rts/tests/run.sh [folder for what is built]
here=$(cd "$(dirname "$0")" && pwd)
work=${1:-$(mktemp -d)}
mkdir -p "$work" && cd "$work" || exit 1
flags="-std=gnu99 -Wall -Wextra -Werror -iquote $here/.."
sanitizers="-g -fsanitize=address,undefined -fno-sanitize-recover=all"
failed=0
# The texts of kernels as strings, for device.c.
for text in "$here"/../kernel.h "$here"/../integer.h "$here"/../bits.h "$here"/../real.h "$here"/../convert.h "$here"/../half.h "$here"/scalars.h; do
  sed 's/\\/\\\\/g; s/"/\\"/g; s/^/"/; s/$/\\n"/' "$text" >"$(basename "$text" .h).inc"
done

# check NAME EXPECTED ACTUAL
check() {
  [ "$2" = "$3" ] && return
  failed=$((failed + 1))
  printf '%s\n--- expected\n%s\n--- found\n%s\n' "$1" "$2" "$3"
}
# reads ENTRY INPUT EXPECTED: what the executable prints, or why it does not
reads() {
  check "$1 of $2" "$3" "$(printf '%s' "$2" | ./exe -e "$1" 2>&1 | sed 's/^.*Error when reading input #0 of type [^:]*: //')"
}

check_reader() {
  reads doubles '[1, 0x10, 1_0, 1.5, -2.5e-3, .5, 1e400, f64.nan, -f64.inf, 0x1.8p3, 5e-324, 0b11]' \
    '[1.0f64, 16.0f64, 10.0f64, 1.5f64, -2.5e-3f64, 0.5f64, f64.inf, f64.nan, -f64.inf, 12.0f64, 5.0e-324f64, 3.0f64]'
  reads doubles '[0.1, 123456.789, 1e22, 1e23, 9007199254740993, 1234567.0, 12345678, -0.0, 1.7976931348623157e308]' \
    '[0.1f64, 123456.789f64, 1.0e22f64, 1.0e23f64, 9.007199254740992e15f64, 1234567.0f64, 1.2345678e7f64, -0.0f64, 1.7976931348623157e308f64]'
  reads matrix '[[1,2],[3,4],]' '[[1i32, 2i32], [3i32, 4i32]]'
  reads matrix ' -- one
 [[0xFFFFFFFF, -1i32, 4294967295i32],-- two
 [ -2147483648 ,0b101, 1_000]]' '[[-1i32, -1i32, -1i32], [-2147483648i32, 5i32, 1000i32]]'
  reads matrix '[[],[]]' 'empty([2][0]i32)'
  reads matrix 'empty( [0] [ 2 ] i32 )' 'empty([0][2]i32)'
  reads string '"a\n\x41\"é"' '[97u8, 10u8, 65u8, 34u8, 195u8, 169u8]'
  reads string '""' 'empty([0]u8)'
  reads string '"abc' 'line 1, column 5: the data ends in the middle of a value'
  reads string '"\q"' 'line 1, column 2: the string has an unknown escape sequence'
  reads matrix '[[1,2],[3]]' 'line 1, column 10: this row has 1 elements, the rows before it have 2'
  reads matrix '[[1],[]]' 'line 1, column 7: this row has 0 elements, the rows before it have 1'
  reads matrix '[1]' 'line 1, column 2: expected a value of type `[][]i32`, found an array with 1 dimensions'
  reads matrix '[[[1]]]' 'line 1, column 3: expected a value of type `[][]i32`, found an array with more than 2 dimensions'
  reads matrix '[]' 'line 1, column 2: the type and shape of an array without elements are unknown: write it as `empty([0]i32)`'
  reads matrix '[[1 2]]' 'line 1, column 5: expected `,` or `]`, found `2`'
  reads matrix '[[1,,2]]' 'line 1, column 5: expected a value, found `,`'
  reads matrix '[[1.5]]' 'line 1, column 3: expected a value of type `[][]i32`, found an element of type `f64`'
  reads matrix '[[1i8]]' 'line 1, column 3: expected a value of type `[][]i32`, found an element of type `i8`'
  reads matrix '
 [[12abc]]' 'line 2, column 4: `12abc` is not a number'
  reads matrix '[[4294967296]]' 'line 1, column 3: `4294967296` is out of the range of `i32`'
  reads matrix 'empty([2][1]i32)' 'line 1, column 6: the value is not empty: no dimension has the size 0'
  reads matrix 'empty([0][4611686018427387904]i32)' 'line 1, column 6: the dimensions are negative, or larger than any machine can hold'
  reads matrix 'empty([0][140737488355329]i8)' 'line 1, column 6: expected a value of type `[][]i32`, found `empty` of another type'
  reads matrix 'empty([0][35184372088833]i32)' 'line 1, column 6: the dimensions are negative, or larger than any machine can hold'
  reads matrix 'empty([0][0x2]i32)' 'line 1, column 11: expected a size, found `0x2`'
  reads matrix 'empty([0][_2]i32)' 'line 1, column 11: expected a size, found `_2`'
  reads matrix 'empty([-0][2]i32)' 'line 1, column 8: expected a size, found `-0`'
  reads matrix 'empty([0]i32)' 'line 1, column 6: expected a value of type `[][]i32`, found `empty` of another type'
  reads matrix '[[1-2]]' 'line 1, column 4: expected white space after a value, found `-`'
  reads matrix '7' 'line 1, column 1: expected a value of type `[][]i32`, found `7`'
  reads matrix '' 'line 1, column 1: expected a value of type `[][]i32`, found the end of the data'
  reads traced '[1]' 'line 1, column 1: expected a value of type `i32`, found an array'
  reads traced '1.5f32' 'line 1, column 1: expected a value of type `i32`, found one of type `f32`'
  for word in - x 1i 1i33 1i32i32 0x 0b2 _1 1e 1e- 1.5e 1..2 1e5e5 . e5 nan True -true 0rXIV 1bool 1.5i32 0x1.8 f64.pi 0x.p1 1.5f; do
    printf '[%s]' "$word" | ./exe -e doubles >out 2>&1 && check "no number: $word" error "$(cat out)"
  done
  # A byte-order mark is no data, but only where the data begins.
  check 'mark' '[4.0f32]' "$(printf '\357\273\2772 [2]' | ./exe -e scale)"
  reads traced "$(printf ' \357\273\2771')" 'line 1, column 2: expected a value, found the byte 0xef'
  # Binary data: what was written reads back; what is cut off or claims too much is refused.
  echo '2 [1,2,3]' | ./exe -b -e scale >binary
  check 'binary output' "$(printf 'b\002\001 f32\003\0\0\0\0\0\0\0\0\0\0\100\0\0\200\100\0\0\300\100\n' | od -An -tx1)" "$(od -An -tx1 <binary)"
  check 'mixed input' '[4.0f32, 8.0f32, 12.0f32]' "$( (echo 2; cat binary) | ./exe -e scale)"
  printf 'b\002\001 f64\377\377\377\377\377\0\0\0abc' >huge
  check 'cut off' 'the binary data ends after 3 of 8796093022200 bytes of a value' "$(./exe -e doubles <huge 2>&1 | sed 's/.*byte [0-9]*: //')"
  check 'cut off, from a pipe' 'the binary data ends after 3 of 8796093022200 bytes of a value' "$(cat huge | ./exe -e doubles 2>&1 | sed 's/.*byte [0-9]*: //')"
  printf 'b\002\001 f64\377\377\377\377\377\377\377\377' >huge
  check 'negative' 'the dimensions are not right: one of them is negative' "$(./exe -e doubles <huge 2>&1 | sed 's/.*byte [0-9]*: //')"
  printf 'b\002\001 f64\377\377\377\377\377\377\377\177' >huge
  check 'too large' 'the dimensions are larger than any machine can hold' "$(./exe -e doubles <huge 2>&1 | sed 's/.*byte [0-9]*: //')"
  printf 'b\002\000bool\002' >bad
  check 'no boolean' 'the byte 0x02 is not a boolean, which is 0 or 1' "$( (echo 1f16 1 1; cat bad) | ./exe -e floats 2>&1 | sed 's/.*byte [0-9]*: //')"
}

check_executable() {
  check 'results' '6i64
2.5f64' "$(echo 3 1.5 | ./exe)"
  check 'a failure' './exe: Error: Index [7] out of bounds for array of shape [3].

Backtrace:
-> #0  sample.fut:9:38-43
1' "$(echo '[1,2,3] 7' | ./exe -e at 2>&1; echo $?)"
  check 'a consuming entry point, several times' '[3i32]' "$(echo '[2]' | ./exe -e bump -r 3 -D 2>log)"
  check 'nothing is left' '' "$(grep left log)"
  check 'warm-up and runs' 3 "$(echo 2 | ./exe -e traced --runs=2 -t times -n 2>&1 | grep -c '^trace: 2i32$')"
  check 'a time for each run' 2 "$(grep -c '^[0-9][0-9]*$' times)"
  check 'a constant' '[0.0f64, 0.5f64, 1.0f64, 1.5f64]' "$(./exe -e constant </dev/null)"
  check 'parameters' 'sample.limit (threshold)' "$(./exe --print-params)"
  check 'letters together' '' "$(echo 3 1 | ./exe -bn --param sample.limit=3)"
  for options in --bogus -x -r '-r 0' '-r x' '--runs=' '--param x=1' '--param sample.limit' '--param sample.limit=x' '--tuning /no/file' \
    extra '-t /no/file' '-e none' --p --help=1; do
    echo 3 1 | ./exe $options >out 2>&1
    check "options $options" 1 $?
  done
}

check_server() {
  printf '[1,2,3] 5i64' >data
  printf '1.5f32 true 2i32' >scalars
  printf '1.5f32' >single
  printf 'corrupt [1,' >corrupt
  ./server >transcript <<'END'
inputs bump
outputs pair
restore data xs []i32 n i64
call at r xs n
call bump ys xs
free xs
restore scalars f f32 b bool k i32
new p point f f
call swap q p
project x q x
fields "(i32, bool)"
new t "(i32, bool)" k b
call pair o1 o2 ys t
project k2 o2 0
store stored x o1 k2
call points pts n
store opaque pts
restore opaque pts2 []point
rename pts2 pts3
set_tuning_param sample.limit 7
tuning_params grow
tuning_param_class sample.limit
report
END
  check 'transcript' "%%% OK
*[]i32
%%% OK
[]i32
(i32, bool)
%%% OK
%%% OK
runtime: N
%%% FAILURE
Error: Index [5] out of bounds for array of shape [3].

Backtrace:
-> #0  sample.fut:9:38-43

%%% OK
runtime: N
%%% OK
%%% OK
%%% OK
%%% OK
runtime: N
%%% OK
%%% OK
0 i32
1 bool
%%% OK
%%% OK
runtime: N
%%% OK
%%% OK
%%% OK
runtime: N
%%% OK
%%% OK
%%% OK
%%% OK
%%% OK
sample.limit threshold
%%% OK
threshold
%%% OK
{\"memory\":{\"default space\": M},\"events\":[]}
%%% OK" "$(sed 's/^runtime: [0-9]*$/runtime: N/; s/space": [0-9]*/space": M/' transcript)"
  check 'stored' "$(printf 'b\002\000 f32\0\0\300\077b\002\001 i32\003\0\0\0\0\0\0\0\002\0\0\0\002\0\0\0\003\0\0\0b\002\000 i32\002\0\0\0' | od -An -tx1)" "$(od -An -tx1 <stored)"
  # Every line of garbage is refused, and the server goes on.
  {
    printf '%s\n' '' '  ' bogus '"types' 'types x' 'call' 'call nope' 'call main a' 'call main a b c d e' 'restore' 'restore data xs' \
      'restore /no/file a i32' 'restore corrupt a i32' 'restore corrupt a nosuch' 'restore data a f32' 'restore data a []i32' \
      'restore . a i32' 'restore data z []i32 z i64' 'store /no/file' 'store out v' 'free v' 'rename v w' 'inputs' 'inputs v' 'outputs v' 'fields i32' 'fields nosuch' \
      'new a i32' 'new a point' 'new a point v v' 'new a nosuch v' 'project a v x' 'set_tuning_param x 1' 'set_tuning_param sample.limit x' \
      'tuning_params v' 'tuning_param_class v' 'call points p v'
    printf '\001\002\377\376 x\n\000\n'
    head -c 3000000 /dev/zero | tr '\0' x
    echo
    head -c 100000 /dev/zero | tr '\0' ' '
    echo
  } >garbage
  ./server <garbage >answers 2>&1
  check 'garbage ends well' 0 $?
  check 'garbage is refused' "$(wc -l <garbage | tr -d ' ')" "$(grep -c '^%%% FAILURE$' answers)"
}

# Makes each allocation of a session fail in turn: there is a message, no report of the sanitizers, and the server goes on.
check_faults() {
  printf 'restore data xs []i32 n i64\ncall bump ys xs\ncall grow g n\ncall points p n\nrestore single f f32\nnew q point f f\ncall swap r q\nproject x r x\nreport\nstore out xs g p\nentry_points\n' >session
  count=$(KENAZ_COUNT_ALLOC=1 ./server-faults <session 2>&1 >answers | sed -n 's/^allocations: //p')
  check 'a session without faults' 0 "$(grep -c FAILURE answers)"
  [ "${count:-0}" -gt 30 ] || check 'allocations' 'more than 30' "$count"
  n=1
  while [ $n -le "${count:-0}" ]; do
    KENAZ_FAIL_ALLOC=$n ./server-faults <session >answers 2>&1
    code=$?
    if [ $code -ne 0 ]; then check "fault $n ends with a message" '1 out of memory' "$code $(grep -o 'out of memory' answers | head -1)"
    elif grep -q 'FAILURE' answers; then check "fault $n, and on" 'transposed' "$(tail -2 answers | head -1)"
    else check "fault $n is told" 'a failure' "$(cat answers)"; fi
    n=$((n + 1))
  done
  echo '[[1,2],[3,4]]' >input
  count=$(KENAZ_COUNT_ALLOC=1 ./exe-faults -e transposed <input 2>&1 >answers | sed -n 's/^allocations: //p')
  n=1
  while [ $n -le "${count:-0}" ]; do
    KENAZ_FAIL_ALLOC=$n ./exe-faults -e transposed <input >answers 2>&1
    check "fault $n of the executable" '1 out of memory' "$? $(grep -o 'out of memory' answers | head -1)"
    n=$((n + 1))
  done
}

# Loops and copies on several threads, also where the system has no calls to sleep and wake.
check_loops() {
  for variant in loops 'loops -DKZ_FUTEX=0' 'copies -DKZ_MULTICORE' 'copies -DKZ_MULTICORE -DKZ_STREAM_FROM=0'; do
    set -- "$1" "$2" $variant
    for watch in "$sanitizers" '-g -fsanitize=thread'; do
      $1 $flags $watch $2 $4 $5 -pthread "$here/$3.c" -lm -o threaded || failed=$((failed + 1))
      check "$variant on threads, $watch" '0 failures' "$(TSAN_OPTIONS=allocator_may_return_null=1 ./threaded 2>&1 | grep -v 'failed to allocate')"
    done
  done
}

# Programs for devices, where OpenCL has one. PoCL and LLVM keep memory to the end, which is not ours.
check_device() {
  for target in 'device-cuda -DKZ_CUDA' 'device-units -DUNITS' 'device-exe' 'device-server -DSERVER' 'device-faults -DSERVER -DCHECKED'; do
    set -- "$1" "$2" $target
    $1 $flags -iquote . $sanitizers $2 "$here/device.c" $4 $5 -lm -ldl -lpthread -o "$3" || failed=$((failed + 1))
    $1 $flags -iquote . $2 "$here/device.c" $4 $5 -lm -ldl -lpthread -o plain || failed=$((failed + 1))
  done
  printf 'leak:libLLVM\nleak:libpocl\nleak:libclang\nleak:libOpenCL\n' >suppressed
  export XDG_CACHE_HOME="$work/caches" LSAN_OPTIONS=suppressions=suppressed:print_suppressions=0
  ./device-cuda --list-devices >out 2>&1 || check 'without CUDA' 'CUDA' "$(grep -o CUDA out | head -1)"
  check 'without a driver' '2 ./device-exe: Error: OpenCL has no driver' \
    "$(OCL_ICD_VENDORS=/no/folder ./device-exe </dev/null 2>&1 >out | sed 's/;.*//' >error; OCL_ICD_VENDORS=/no/folder ./device-exe </dev/null >out 2>&1; echo $? "$(cat error)")"
  ./device-exe --list-devices >out 2>&1 || return 0
  check 'units' '0 failures' "$(./device-units 2>&1 | grep -v -e 'errors* generated' -e 'AddressSanitizer failed to allocate')"
  check 'units in threads' '0 failures' "$(IN_THREADS=1 ASAN_OPTIONS=use_sigaltstack=0 ./device-units 2>&1 | grep -v -e 'errors* generated' -e 'AddressSanitizer failed to allocate')"
  check 'units without f64' '0 failures' "$(WITHOUT_F64=1 ./device-units 2>&1 | grep -v 'AddressSanitizer failed to allocate')"
  check 'squares' '[0i64, 1i64, 4i64]' "$(echo 3 | ./device-exe)"
  check 'no squares' 'empty([0]i64)' "$(echo 0 | ./device-exe)"
  check 'a constant' '[0i64, 1i64, 4i64, 9i64]' "$(./device-exe -e constant </dev/null)"
  check 'transposed' '[[1i32, 4i32], [2i32, 5i32], [3i32, 6i32]]' "$(echo '[[1,2,3],[4,5,6]]' | ./device-exe -e transposed)"
  check 'sum' '500500i64' "$(seq -s, 1000 | sed 's/.*/[&]/' | ./device-exe -e sum)"
  check 'consumed, several times' '[3i32]' "$(echo '[2]' | ./device-exe -e bump -r 3 -D -t times 2>log)"
  check 'nothing is left' '' "$(grep left log)"
  check 'a time for each run' 3 "$(grep -c '^[0-9][0-9]*$' times)"
  check 'traced' 'backwards: [3i32, 2i32, 1i32]' "$(echo '[1,2,3]' | ./device-exe -n -e traced 2>&1)"
  check 'binary' '[4.0f32]' "$( (echo 2; echo '2 [1]' | ./device-exe -b -e scale) | ./device-exe -e scale)"
  check 'a failure' './device-exe: Error: Index [7] out of bounds for array of shape [3].

Backtrace:
-> #0  device.fut:9:38-43
1' "$(echo '[1,2,3] [1,7]' | ./device-exe -e gather 2>&1; echo $?)"
  check 'too large' 1 "$(echo 1000000000000 | ./device-exe -n -e large >out 2>&1; echo $?)"
  check 'too large' 'out of memory: cannot allocate 8000000000000 bytes' "$(grep -o 'out of memory: .* bytes' out)"
  check 'no such device' '2 with the name none' "$(./device-exe -d none </dev/null >out 2>&1; echo $? "$(grep -o 'with the name none' out)")"
  ./device-exe --dump-opencl text.cl && ./device-exe --dump-opencl-binary binary.cl
  for options in '-d #0' '-p #0' '--load-opencl text.cl' '--load-opencl-binary binary.cl' '--cache-file cached' '--cache-file cached' \
    '--default-group-size 8' '--build-option -cl-mad-enable' '--default-tile-size 1 --default-threshold=2' -P; do
    check "options $options" '[0i64, 1i64]' "$(echo 2 | ./device-exe $options 2>&1)"
  done
  for options in '--load-opencl /no/file' '--default-group-size x' '--load-opencl-binary /no/file'; do
    echo 2 | ./device-exe $options >out 2>&1
    check "options $options" 1 $?
  done
  printf '[1,2,3] [2,0] [1,9]' >data
  printf 'restore data xs []i32 is []i64 js []i64\ncall gather ys xs is\ncall gather zs xs js\ncall sum s ys\nstore stored ys s\nentry_points\n' >session
  check 'a session' "%%% OK
%%% OK
runtime: N
%%% OK
runtime: N
%%% FAILURE
Error: Index [9] out of bounds for array of shape [3].

Backtrace:
-> #0  device.fut:9:38-43

%%% OK
runtime: N
%%% OK
%%% OK" "$(./device-server <session | sed 's/^runtime: [0-9]*$/runtime: N/; /^bump$/,$d')"
  check 'stored' "$(printf 'b\002\001 i32\002\0\0\0\0\0\0\0\003\0\0\0\001\0\0\0b\002\000 i64\004\0\0\0\0\0\0\0' | od -An -tx1)" "$(od -An -tx1 <stored)"
  # Each request for memory of the host fails in turn.
  [ "$2" = '-O0' ] || return 0
  count=$(KENAZ_COUNT_ALLOC=1 ./device-faults <session 2>&1 >answers | sed -n 's/^allocations: //p')
  [ "${count:-0}" -gt 20 ] || check 'allocations' 'more than 20' "$count"
  n=1
  while [ $n -le "${count:-0}" ]; do
    KENAZ_FAIL_ALLOC=$n ./device-faults <session >answers 2>&1
    code=$?
    grep -q AddressSanitizer answers && check "fault $n" 'no report' "$(cat answers)"
    if [ $code -eq 0 ]; then check "fault $n, and on" 'transposed' "$(tail -2 answers | head -1)"
    else check "fault $n ends with a message" 1 "$(grep -c -e 'out of memory' -e 'no device' -e 'cannot' answers)"; fi
    n=$((n + 1))
  done
}

for compiler in gcc clang-15 clang; do
  command -v $compiler >/dev/null || continue
  for level in '-O0' '-O3 -march=native'; do
    echo "$compiler $level"
    for target in "units units.c" "copies copies.c" "copies-streaming copies.c -DKZ_STREAM_FROM=0" "exe sample.c" "server sample.c -DSERVER" "exe-faults sample.c -DCHECKED" "server-faults sample.c -DSERVER -DCHECKED"; do
      set -- $target
      $compiler $flags $sanitizers $level "$here/$2" $3 $4 -lm -o "$1" || failed=$((failed + 1))
      $compiler $flags $level "$here/$2" $3 $4 -lm -o plain || failed=$((failed + 1))
    done
    export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1
    check 'units' '0 failures' "$(./units 2>&1 | grep -v 'WARNING: AddressSanitizer failed to allocate')"
    check 'copies' '0 failures' "$(./copies 2>&1)"
    check 'streaming copies' '0 failures' "$(./copies-streaming 2>&1)"
    check_reader
    check_executable
    check_server
    check_faults
    check_loops "$compiler" "$level"
    check_device "$compiler" "$level"
  done
done
[ $failed -eq 0 ] && echo 'all is well'
[ $failed -eq 0 ]
