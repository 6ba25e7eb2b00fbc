//! What `kenaz ir --strategies` says about kernels. The texts are those of the compiler; the numbers of loads and
//! stores in them were compared by hand with the loops of the `imp` stage.

use kenaz_base::MemoryFileSystem;
use kenaz_cli::ir::kernel_list;
use kenaz_driver::kernels::{Kernel, of_file};
use kenaz_driver::{Artefact, Compiler};
use kenaz_ir::{Ownership, Stage, target};
use std::path::Path;

fn file(text: &str) -> MemoryFileSystem {
    MemoryFileSystem::new().with("a.fut", text)
}

#[track_caller]
fn kernels(text: &str) -> Vec<Kernel> {
    let files = file(text);
    of_file(&Compiler::new(&files, &target::CUDA), Path::new("a.fut")).unwrap_or_else(|error| panic!("{error}"))
}

#[track_caller]
fn expect(text: &str, expected: &str) {
    assert_eq!(kernel_list(&kernels(text)), expected, "{text}");
}

/// The lines about what is accessed.
#[track_caller]
fn accesses(text: &str) -> Vec<String> {
    let list = kernel_list(&kernels(text));
    let is_access = |line: &&str| ["reads ", "writes ", "updates "].iter().any(|word| line.starts_with(word));
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    list.lines().map(str::trim).filter(is_access).map(words).collect()
}

#[test]
fn a_map_reads_and_writes_each_element_once() {
    expect(
        "entry main [n] (a: f32) (xs: [n]f32): [n]f32 = map (\\x -> a * x) xs\n",
        "
kernel main_1  a.fut:1:48-67
  on       up to n threads
  reads    xs: n f32
  writes   result: n f32
  checks   none
",
    );
}

/// One block at the end writes the results, into one block of memory; which one is known only then.
#[test]
fn a_reduction() {
    expect(
        "entry main [n] (xs: [n]f32): f32 = reduce (+) 0 (map (\\x -> x * x) xs)\n",
        "
kernel main_1  a.fut:1:36-70
  on       up to ceil(n / width) blocks of width lanes
  on chip  4*width + 16 bytes
  reads    xs: n f32
  writes   results: at most blocks f32
  checks   none
",
    );
}

/// Threads and blocks read the whole matrix once. How many elements a part has is not known: its number goes from point
/// to point.
#[test]
fn a_nest_with_versions() {
    let text = "entry main [n][m] (a: [n][m]f32): [n]f32 = map (\\row -> reduce (+) 0 row) a\n";
    expect(
        text,
        "
kernel main_1  a.fut:1:44-75
  when     n < main.flat_1 (256) or (shared_memory < 2048 and n < main.threads_1 (1099511627776))
  and      main.wide_1 (2048) <= m
  on       up to n*size_2 blocks of width lanes
  on chip  4*width + 16 bytes
  reads    a: an unknown number of f32
  writes   parts: n*size_2 f32
  checks   none
  where    size = max(min(ceil(2048 / min(max(n, 1), 2048)), ceil(m / 1024)), 1)
           size_2 = ceil(m / max(ceil(m / size), 1))

kernel main_2  a.fut:1:44-75
  when     n < main.flat_1 (256) or (shared_memory < 2048 and n < main.threads_1 (1099511627776))
  and      main.wide_1 (2048) <= m
  on       up to n blocks (blocks_2) of lanes lanes
  on chip  4*lanes + 16 bytes
  reads    parts: n*size_2 f32
  writes   result: n f32
  checks   none
  where    size = max(min(ceil(2048 / min(max(n, 1), 2048)), ceil(m / 1024)), 1)
           size_2 = ceil(m / max(ceil(m / size), 1))

kernel main_3  a.fut:1:44-75
  when     (main.flat_1 (256) <= n and (2048 <= shared_memory or main.threads_1 (1099511627776) <= n)) or m < main.wide_1 (2048)
  and      main.threads_1 (1099511627776) <= n or m < main.lanes_1 (32) or shared_memory < 2048
  on       up to n threads
  reads    a: n*m f32
  writes   result: n f32
  checks   none

kernel main_4  a.fut:1:44-75
  when     (main.flat_1 (256) <= n and (2048 <= shared_memory or main.threads_1 (1099511627776) <= n)) or m < main.wide_1 (2048)
  and      n < main.threads_1 (1099511627776)
  and      main.lanes_1 (32) <= m
  and      2048 <= shared_memory
  on       up to n blocks (blocks_3) of lanes lanes
  on chip  4*lanes + 16 bytes
  reads    a: n*m f32
  writes   result: n f32
  checks   none
",
    );
    // They are called as in the program itself.
    let files = file(text);
    let compiled = Compiler::new(&files, &target::CUDA).to(Path::new("a.fut"), Stage::Memory(Ownership::Settled));
    let c = compiled.unwrap_or_else(|error| panic!("{error}")).emit(Artefact::Executable).text;
    for kernel in kernels(text) {
        assert!(c.contains(&format!("KERNEL {}(", kernel.name)), "{}", kernel.name);
    }
}

/// The tables of kernels are well-formed without any.
#[test]
fn none() {
    let text = "entry main (x: i32): i32 = x + 1\n";
    assert!(kernels(text).is_empty());
    let files = file(text);
    let compiled = Compiler::new(&files, &target::CUDA).to(Path::new("a.fut"), Stage::Memory(Ownership::Settled));
    let c = compiled.unwrap_or_else(|error| panic!("{error}")).emit(Artefact::Executable).text;
    assert!(c.contains("kz_kernel_names[] = {NULL};") && c.contains("kz_narrow_kernels[] = {0};"), "{c}");
}

/// The last tile need not be full.
#[test]
fn a_scan() {
    let found = accesses("entry main [n] (xs: [n]i32): [n]i32 = scan (+) 0 xs\n");
    assert_eq!(found, ["reads xs: at most 15*width*tiles i32", "writes result: at most 15*width*tiles i32"]);
}

#[test]
fn a_histogram_updates_atomically() {
    expect(
        "entry main [n] (k: i64) (is: [n]i64) (xs: [n]i32): [k]i32 = reduce_by_index (replicate k 0) (+) 0 is xs\n",
        "
kernel main_1  a.fut:1:7-10
  on       up to k threads
  writes   result: k i32
  checks   none

kernel main_2  a.fut:1:61-103
  when     4*k <= shared_memory
  and      32*max(k, 1) <= n
  on       blocks_3 blocks of width lanes
  on chip  4*k*copies + 16 bytes
  reads    is: n i64
  reads    xs: n i32
  updates  result: k*blocks_3 i32, atomically
  checks   none
  where    at_a_time = max(min(floor(204800 / max(4*k*copies, 1)), 8), 1)
           blocks_3 = max(min(floor((blocks_2*at_a_time) / 8), floor(n / max(k, 1))), 1)
           copies = min(max(floor(max(min(shared_memory, 16384), 0) / max(4*k, 1)), 1), 32)

kernel main_3  a.fut:1:61-103
  when     shared_memory < 4*k or n < 32*max(k, 1)
  on       up to n threads (threads_2)
  reads    is: n i64
  reads    xs: n i32
  updates  result: at most n i32, atomically
  checks   none
",
    );
}

/// At the ends one element is read, elsewhere three.
#[test]
fn a_stencil_in_a_loop() {
    expect(
        "entry main [n] (steps: i64) (xs: [n]f32): [n]f32 =
  loop xs for _i < steps do
    map (\\i -> if i == 0 || i == n - 1 then xs[i] else 0.25 * xs[i-1] + 0.5 * xs[i] + 0.25 * xs[i+1]) (iota n)\n",
        "
kernel main_1  a.fut:3:5-110
  runs     steps times, in a loop of the host
  on       up to n threads
  reads    xs_2: at most 3*n f32
  writes   xs_3: n f32
  checks   none
",
    );
}

/// Of several dimensions, with a private array, in a loop that depends on the iteration or on data, and in a function.
/// Copies are made by a thread for each element; a loop over the rows would have one for each row.
#[test]
fn rows_that_are_all_the_same_are_a_copy() {
    assert_eq!(kernel_list(&kernels("entry main [n] (m: i64) (xs: [n]f32): [m][n]f32 = replicate m xs\n")), "");
}

#[test]
fn other_counts() {
    let rows = "entry main [n][m] (a: [n][m]f32) (v: [m]f32): [n][m]f32 = map (\\row -> map2 (+) row v) a\n";
    assert_eq!(accesses(rows), ["reads a: n*m f32", "reads v: n*m f32", "writes result: n*m f32"]);
    let private = "entry main [n] (xs: [n]f32) : [n][4]f32 = map (\\x -> scan (+) 0 [x, x*x, x+1, x-1]) xs\n";
    assert_eq!(accesses(private), ["reads xs: n f32", "writes result: 4*n f32"]);
    assert_eq!(kernels(private)[0].private, [(4, kenaz_base::Prim::F32)]);
    let triangle = "entry main [n] (xs: [n]f32): [n]f32 = map (\\i -> loop s = 0 for j < i do s + xs[j]) (iota n)\n";
    assert_eq!(accesses(triangle), ["reads xs: at most n*max(n - 1, 0) f32", "writes result: n f32"]);
    let rows_of_data = "entry main [n] [m] (start: [n]i64) (len: [n]i64) (xs: [m]f32): [n]f32 =
  map2 (\\s l -> loop t = xs[s] for j < l do t + xs[s + j]) start len\n";
    let expected = ["reads start: n i64", "reads len: n i64", "reads xs: at least n f32", "writes result: n f32"];
    assert_eq!(accesses(rows_of_data), expected);
    assert!(kernels(rows_of_data)[0].can_fail);
    let called = "#[noinline] def f [n] (xs: [n]i32) = map (+1) xs
entry main [n] (xs: [n]i32) (c: bool) = if c then f (f xs) else map (*2) xs\n";
    let found = kernels(called);
    let names: Vec<(&str, Vec<String>)> =
        found.iter().map(|kernel| (&*kernel.name, kernel.conditions.clone())).collect();
    assert_eq!(names, [("f_0_1", vec![]), ("main_1", vec!["not c".to_string()])]);
}

#[test]
fn no_kernels_without_a_device() {
    let files = file("entry main [n] (xs: [n]f32) = map f32.sqrt xs\n");
    for target in [&target::C, &target::MULTICORE] {
        let found = of_file(&Compiler::new(&files, target), Path::new("a.fut"));
        assert_eq!(found.unwrap_or_else(|error| panic!("{error}")), []);
    }
}
