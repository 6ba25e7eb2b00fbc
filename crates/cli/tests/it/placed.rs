//! Where the arrays of small programs are built: how many blocks there are, and how many copies are left.

use kenaz_base::MemoryFileSystem;
use kenaz_driver::{Compiler, Settings};
use kenaz_ir::metrics::Metrics;
use kenaz_ir::visit::{Visit, walk};
use kenaz_ir::{DecisionKind, Exp, Log, MemExp, Ownership, Prog, Stage, Stm, target};
use std::path::Path;

/// The memory stage of a program, and what the passes say about it.
#[track_caller]
fn placed(source: &str) -> (Prog, Log) {
    let (prog, log) = unchecked(source);
    kenaz_ir::check::memory(&prog, Ownership::Settled).unwrap_or_else(|error| panic!("{error}\n{prog}"));
    (prog, log)
}

#[track_caller]
fn unchecked(source: &str) -> (Prog, Log) {
    let files = MemoryFileSystem::new().with("main.fut", source);
    let settings = Settings { check_passes: false, ..Settings::default() };
    let compiler = Compiler::new(&files, &target::C).with(settings);
    let placed = compiler.to(Path::new("main.fut"), Stage::Memory(Ownership::Settled));
    let placed = placed.unwrap_or_else(|error| panic!("{error}\n{source}"));
    (placed.prog, placed.report.log)
}

/// So many blocks are allocated and so many arrays copied, none of them in a loop.
#[track_caller]
fn builds(source: &str, allocations: usize, copies: usize) -> Prog {
    let (prog, _) = placed(source);
    let metrics = Metrics::of(&prog);
    let found = (metrics.count("alloc"), metrics.count("copy"));
    assert_eq!(found, (allocations, copies), "allocations and copies\n{prog}");
    let outside = (metrics.count_at("alloc", 0), metrics.count_at("copy", 0));
    assert_eq!(outside, found, "outside loops\n{prog}");
    prog
}

/// The same for a program that must copy in a loop.
#[track_caller]
fn builds_with_copies_inside(source: &str, allocations: usize, copies: usize) {
    let (prog, _) = placed(source);
    let metrics = Metrics::of(&prog);
    let found = (metrics.count("alloc"), metrics.count_at("alloc", 0), metrics.count("copy"));
    assert_eq!(found, (allocations, allocations, copies), "allocations, those outside loops, and copies\n{prog}");
    assert_eq!(metrics.count_at("copy", 0), 0, "copies outside loops\n{prog}");
}

/// The decisions of a kind, without their places.
fn reasons(log: &Log, kind: DecisionKind) -> Vec<&str> {
    log.decisions().iter().filter(|decision| decision.kind == kind).map(|decision| decision.reason.as_str()).collect()
}

// Concat

#[test]
fn parts_are_built_in_the_whole() {
    builds("entry main [n] [m] (xs: [n]i32) (ys: [m]i32) = map (+ 1) xs ++ map (* 2) ys ++ [1, 2, 3]", 1, 0);
    builds("entry main [n] [m] (xs: [n]i32) (ys: [m]i32) = scan (+) 0 xs ++ scan (*) 1 ys", 1, 0);
}

#[test]
fn nested_parts_are_built_in_the_whole() {
    let source = "
        entry main [n] (xs: [n]i64) =
          (iota n ++ (replicate n 1 ++ map (+ 1) xs)) ++ (scan (+) 0 xs ++ [7])";
    builds(source, 1, 0);
    let source = "
        entry main [n] [m] (a: [n][m]i64) (b: [n][m]i64) =
          (map (scan (+) 0) a ++ map (map (* 2)) b) ++ [replicate m 1]";
    builds(source, 1, 0);
}

#[test]
fn rows_are_concatenated_in_their_slots() {
    let source = "
        entry main [n] [m] (a: [n][m]i32) =
          map (\\r -> map (+ 1) r ++ [i32.sum r]) a";
    builds(source, 1, 0);
}

#[test]
fn rows_of_many_parts_lie_apart() {
    builds("entry main [n] [m] (a: [n][m]i32) = map (\\r -> map (+ 1) r ++ scan (+) 0 r ++ [i32.sum r]) a", 1, 0);
}

#[test]
fn matrices_that_have_become_flat_lie_apart() {
    let body = "flatten (map (scan (+) 0) a) ++ flatten (map (map (* 2)) a)";
    builds(&format!("entry main [n] [m] (a: [n][m]i32) = {body}"), 1, 0);
}

/// What the checker cannot prove is not built in place.
#[test]
fn what_cannot_be_proved_is_copied() {
    for source in [
        // That each row has the size it should have is checked for all rows at once.
        "entry main [n] (a: [n]i32) (k: i64) = map (\\i -> (take i a ++ [7] ++ drop i a) :> [k]i32) (iota n)",
        // Row by row, while the diagonal is read.
        "entry main [n] [m] (a: *[n][n][m]i64) =
           #[unsafe] loop a for s < n - 1 do
             let rows = map (\\r -> loop r = copy r for i < m do r with [i] = r[i] - a[s, s, i]) (copy a[s, s + 1:n])
             in a with [s, s + 1:n] = rows",
    ] {
        let (prog, log) = placed(source);
        let unproved = "it cannot be proved that nothing else would be overwritten";
        let is_told = reasons(&log, DecisionKind::Allocation).iter().any(|reason| reason.ends_with(unproved));
        assert!(is_told, "{:?}\n{prog}", log.decisions());
    }
    // Behind a check that always fails an array seems to be larger than it is.
    placed("entry main (x: i32) = ([([1], [2, 3]), ([2, 3], [x]) :> ([1]i32, [2]i32)])[1]");
}

/// Two blocks in turns, and none for the parts.
#[test]
fn parts_are_built_in_the_array_of_a_loop() {
    let source = "
        entry main [n] (k: i64) (xs: [n]i32) =
          loop acc = replicate (2 * n) 0 for i < k do
            (map (+ i32.i64 i) acc[n:] ++ map2 (*) xs (take n acc)) :> [2 * n]i32";
    builds(source, 2, 0);
}

/// What exists already has to be copied, and nothing else.
#[test]
fn existing_parts_are_copied() {
    builds("entry main [n] [m] (xs: [n]i32) (ys: [m]i32) = xs ++ map (+ 1) ys", 1, 1);
    builds("entry main [n] (xs: [n]i32) = xs ++ xs", 1, 2);
}

/// How many elements there are in front of the second part is known only when the first is made.
#[test]
fn filtered_parts_are_copied() {
    builds("entry main (xs: []i32) = filter (> 2) xs ++ filter (<= 2) xs", 3, 2);
}

// Updates

#[test]
fn values_are_built_in_the_slices_they_replace() {
    builds("entry main [n] [m] (a: *[n][m]i64) (xs: [m]i64) = loop a for i < n do a with [i] = map (+ i) xs", 0, 0);
    builds("entry main [n] [m] (a: *[n][m]i64) (xs: [n]i64) = loop a for j < m do a with [:, j] = map (+ j) xs", 0, 0);
    let source = "
        entry main [n] (k: i64) (a: *[n]i64) =
          let b = copy a[k:2 * k] in a with [0:k] = map (* 2) b[0:k]";
    builds(source, 1, 1);
}

/// The slot of a value is used only when it is known to exist: the check that it does is made first.
#[test]
fn a_check_that_a_slot_exists_is_made_first() {
    let prog = builds("entry main [n] (a: *[n]i32) (xs: [10]i32) = a with [0:10] = map (* 3) xs", 0, 0);
    let text = prog.to_string();
    assert!(text.find("assert") < text.find("par ("), "{text}");
}

/// Unless it reads the slice, or cannot be told not to.
#[test]
fn a_scan_is_built_in_the_slice_it_replaces() {
    let of = |row: &str| {
        format!("entry main [n] [m] (a: *[n][m]i64) (xs: [m]i64) = loop a for i < n do a with [i] = scan (+) i {row}")
    };
    builds(&of("xs"), 0, 0);
    builds_with_copies_inside(&of("a[i]"), 1, 1);
    builds_with_copies_inside(&of("a[xs[i]]"), 1, 1);
}

#[test]
fn a_map_over_a_slice_replaces_it() {
    builds("entry main [n] (a: *[n]i32) (k: i64) = a with [0:k] = map (* 2) a[0:k]", 0, 0);
    builds("entry main [n] [m] (a: *[n][m]i32) (i: i64) = a with [i] = map (* 2) a[i]", 0, 0);
    builds("entry main [n] [m] (a: *[n][m]i32) (j: i64) = a with [:, j] = map (* 2) a[:, j]", 0, 0);
}

/// Each element is read after the one before it was replaced.
#[test]
fn a_map_over_a_shifted_slice_is_copied() {
    let (prog, log) = placed("entry main [n] (a: *[n]i32) = a with [1:] = map (* 2) a[:n - 1]");
    assert_eq!((Metrics::of(&prog).count("alloc"), Metrics::of(&prog).count("copy")), (1, 1), "{prog}");
    assert_eq!(reasons(&log, DecisionKind::Copy), ["`mapped`: the slice is used while its new value is made"]);
}

// Maps

#[test]
fn rows_are_built_in_their_slots() {
    builds("entry main [n] [m] (a: [n][m]f32) = map (\\r -> scan (+) 0 (map (* 2) r)) a", 1, 0);
    let source = "
        entry main [n] [m] [k] (a: [n][m][k]f32) =
          map (\\p -> map (\\r -> reverse (scan (+) 0 r)) (reverse p)) a";
    builds(source, 1, 0);
}

#[test]
fn views_at_the_end_are_how_the_result_is_written() {
    builds("entry main [n] [m] (a: [n][m]f32) = transpose (map (scan (+) 0) a)", 1, 0);
    builds("entry main [n] [m] (a: [n][m]f32) = flatten (map (scan (+) 0) a)", 1, 0);
    builds("entry main [n] [m] (a: [n][m]f32) = map reverse (map (scan (+) 0) a)", 1, 0);
}

/// The check of the view is made before the scan.
#[test]
fn a_view_with_a_check_is_built_in_place() {
    builds("entry main (n: i64) (m: i64) (xs: [n * m]f32) = unflatten (scan (+) 0 xs)", 1, 0);
    builds("entry main [n] (xs: [n]f32) = reverse (scan (+) 0 xs)", 1, 0);
}

#[test]
fn zip_and_unzip_are_nothing() {
    builds("entry main [n] (xs: [n]i32) (ys: [n]f32) = zip (scan (+) 0 xs) (scan (+) 0 ys)", 2, 0);
    builds("entry main [n] (xs: [n]i32) = unzip (map (\\x -> (x + 1, f32.i32 x)) xs)", 2, 0);
}

#[test]
fn what_is_replicated_is_written_once() {
    builds("entry main (n: i64) (m: i64) (x: f32) = replicate n x ++ replicate m 1", 1, 0);
    builds("entry main (n: i64) (m: i64) (x: f32) = replicate n (replicate m x) ++ replicate n (replicate m 1)", 1, 0);
    // The row, and the rows.
    builds("entry main [m] (n: i64) (xs: [m]f32) = replicate n (map (* 2) xs)", 2, 0);
}

// Stencils

/// [views] fig. 7.3: the borders are written beside the loop.
#[test]
fn padding_needs_no_branch() {
    let source = "
        entry main [n] (xs: [n]f32) =
          [xs[0]] ++ map (\\i -> (xs[i] + xs[i + 1] + xs[i + 2]) / 3) (iota (n - 2)) ++ [xs[n - 1]]";
    let prog = builds(source, 1, 0);
    assert_eq!(Metrics::of(&prog).count("if"), 0, "{prog}");
    let source = "
        entry main [n] (k: i64) (xs: [n]f32) =
          loop (ys: [n]f32) = copy xs for _i < k do
            ([ys[0]] ++ map (\\i -> (ys[i] + ys[i + 1] + ys[i + 2]) / 3) (iota (n - 2)) ++ [ys[n - 1]]) :> [n]f32";
    // The copy is that of the parameter, which is not ours.
    let prog = builds(source, 2, 1);
    assert_eq!(Metrics::of(&prog).count("if"), 0, "{prog}");
}

// Branches

#[test]
fn branches_are_built_in_one_place() {
    builds("entry main [n] (c: bool) (xs: [n]f32) = (if c then map (+ 1) xs else scan (+) 0 xs) ++ [1, 2]", 1, 0);
}

/// One block in front of the branches, also when nothing else wants the result, or one branch writes transposed.
#[test]
fn branches_that_make_their_result_share_a_block() {
    let source = "
        entry main [n] (c: bool) (a: [n][n]f32) =
          if c then transpose (map (scan (+) 0) a) else map (map (+ 1)) a";
    builds(source, 1, 0);
    let source = "
        entry main [n] (c: i32) (xs: [n]i64) =
          let ys = match c case 0 -> iota n
                           case 1 -> if xs[0] > 3 then scan (+) 0 xs else scatter (replicate n 7) xs xs
                           case _ -> loop ys = replicate n 1 for i < n do ys with [i] = ys[i / 2] + xs[i]
          in i64.sum (scan (*) 1 ys)";
    // The scan writes over what it reads.
    builds(source, 1, 0);
}

/// So the block can leave a loop, and a loop can alternate between two.
#[test]
fn the_block_of_branches_leaves_a_loop() {
    let source = "
        entry main [n] (xs: [n]f64) =
          map (\\x -> let v = if x > 0 then [x, x + 1, x * 2] else [x, 1, x] in f64.sum (scan (*) 1 v)) xs";
    builds(source, 2, 0);
    let source = "
        entry main (n: i64) (k: i64) =
          loop xs = iota n for i < k do if i % 2 == 0 then scan (+) i xs else map (+ xs[i % n]) xs";
    builds(source, 2, 0);
}

/// What is part of something else in its branch is not made twice, and what exists is not copied.
#[test]
fn branches_choose_their_block_where_one_would_copy() {
    let source = "
        entry main [n] (c: bool) (xs: [n]i32) =
          if c then let ys = scan (+) 0 xs in (i32.sum ys, ys ++ ys[:1]) else (1, xs ++ [2])";
    let (prog, _) = placed(source);
    assert_eq!(Metrics::of(&prog).count("copy"), 2, "{prog}");
    let source = "
        entry main [n] (c: bool) (xs: [n]i32) =
          i32.sum (reverse (scan (+) 0 (if c then xs else scan (+) 1 xs)))";
    builds(source, 2, 0);
    builds("entry main [n] (c: bool) (xs: [n]i32) = if c then xs else scan (+) 1 xs", 1, 0);
}

/// A copy in the first branch only.
#[test]
fn a_branch_may_return_what_exists() {
    let source = "
        entry main [n] (c: bool) (a: [n][n]f32) (b: [n][n]f32) =
          if c then transpose a else map (map (+ 1)) b";
    let (prog, _) = placed(source);
    let metrics = Metrics::of(&prog);
    assert_eq!((metrics.count("alloc"), metrics.count("copy")), (2, 1), "{prog}");
    let text = prog.to_string();
    assert!(text.find("= copy") < text.find("} else {"), "{text}");
    // All would copy, so one copy does behind them.
    builds("entry main [n] (c: bool) (a: [n][n]f32) = if c then transpose a else reverse a", 1, 1);
}

// Loops

#[test]
fn loops_update_in_place() {
    builds("entry main [n] (k: i64) (a: *[n]i32) = loop a for i < k do a with [i % n] = a[(i + 1) % n] + 1", 0, 0);
    let source = "
        entry main [n] (k: i64) (a: [n]i32) =
          loop (a: *[n]i32) = copy a for i < k do a with [i % n] = a[(i + 1) % n] + 1";
    builds(source, 1, 1);
}

/// The array that the loop changes is made in the whole, or in the row.
#[test]
fn what_a_loop_changes_is_made_in_the_whole() {
    let source = "
        entry main [n] (k: i64) (xs: [n]i32) =
          (loop a = map (+ 1) xs for i < k do a with [i % n] = a[(i + 1) % n] + 1) ++ [1]";
    builds(source, 1, 0);
    let source = "
        entry main [n] [m] (a: [n][m]i64) =
          map (\\r -> loop r = copy r for i < m do r with [i] = r[i] + i) a";
    builds_with_copies_inside(source, 1, 1);
}

#[test]
fn loops_alternate_between_two_blocks() {
    builds(
        "entry main (n: i64) (k: i64) (x: f32) = loop (a: [n]f32) = replicate n x for i < k do scan (+) (f32.i64 i) a",
        2,
        0,
    );
    let source = "
        entry main (n: i64) (k: i64) =
          loop (a, b) = (iota n, replicate n 1) for _i < k do (map2 (+) a (rotate 1 b), scan (*) 1 a)";
    builds(source, 4, 0);
}

/// The first array is only read, and there are two other blocks.
#[test]
fn a_loop_does_not_overwrite_its_first_array() {
    builds("entry main [n] (k: i64) (a: [n]f32) = loop a for i < k do scan (+) (f32.i64 i) a", 2, 0);
    let source = "
        entry main (n: i64) (k: i64) =
          let a = scan (+) 0 (iota n)
          let b = loop a while a[0] < k do scan (+) 1 a
          in (a, b)";
    builds(source, 3, 0);
    // Only the first array is somewhere in its block.
    let source = "entry main [n] [m] (k: i64) (a: [m][n]f32) = loop r = a[k] for i < k do scan (+) (f32.i64 i) r";
    let (prog, _) = placed(source);
    assert_eq!(Metrics::of(&prog).count_at("alloc", 1), 0, "{prog}");
}

/// What an entry point consumes is one of the two blocks, unless it is needed later.
#[test]
fn a_loop_overwrites_what_is_consumed() {
    builds("entry main [n] (k: i64) (a: *[n]f32) = loop a for i < k do scan (+) (f32.i64 i) a", 1, 0);
    let source = "
        entry main [n] (k: i64) (a: *[n]i64) =
          let b = loop a for i < k do scan (+) i a
          in (b, i64.sum (reverse (scan (+) 0 a)))";
    builds(source, 3, 0);
    // The next iteration of the loop around it starts with the same array.
    let source = "
        entry main [n] (k: i64) (a: *[n]i64) =
          loop s = 0 for j < k do s + i64.sum (loop a for i < k do scan (+) (i + j) a)";
    builds(source, 2, 0);
}

/// The blocks between which a loop alternates leave the loop around it.
#[test]
fn blocks_of_inner_loops_leave_outer_ones() {
    let source = "
        entry main [n] [m] (k: i64) (a: [n][m]i64) =
          map (\\r -> i64.sum (loop r for i < k do scan (+) i r)) a";
    builds(source, 3, 0);
    let source = "
        entry main [n] (k: i64) (xs: [n]i64) =
          loop s = 0 for j < k do s + i64.sum (loop ys = map (+ j) xs for i < k do scan (+) i ys)";
    builds(source, 2, 0);
    // Here the result is needed in the next iteration.
    let source = "entry main [n] (k: i64) (xs: [n]i64) = loop xs for j < k do loop xs for i < k do scan (+) (i + j) xs";
    let (prog, _) = placed(source);
    assert_eq!(Metrics::of(&prog).count_at("alloc", 1), 2, "{prog}");
}

// Calls

/// What a function makes lies at the beginning of its block, so an entry point can yield it.
#[test]
fn results_of_functions_are_yielded() {
    let source = "
        #[noinline] def f [n] (xs: [n]i32) = scan (+) 0 xs
        entry main [n] (xs: [n]i32) = f xs";
    builds(source, 1, 0);
    // Here it is part of a larger array.
    let source = "
        #[noinline] def f [n] [m] (a: [n][m]i32) (k: i64) = a[k]
        entry main [n] [m] (a: [n][m]i32) = f a 1";
    builds(source, 1, 1);
}

// Scatter, histograms, filter

#[test]
fn scatters_update_what_is_made_for_them() {
    builds("entry main [n] [m] (a: [n]i32) (is: [m]i64) (vs: [m]i32) = scatter (copy a) is vs", 1, 1);
    builds("entry main [n] [m] (a: [n]i32) (is: [m]i64) (vs: [m]i32) = scatter (map (+ 1) a) is vs", 1, 0);
    builds("entry main [n] [m] (a: *[n]i32) (is: [m]i64) (vs: [m]i32) = scatter a is vs", 0, 0);
    builds("entry main [m] (n: i64) (is: [m]i64) (vs: [m]i32) = hist (+) 0 n is vs", 1, 0);
}

#[test]
fn what_is_scattered_into_is_made_in_the_whole() {
    let source = "
        entry main [n] [m] (a: [n]i32) (is: [m]i64) (vs: [m]i32) = scatter (replicate n 0) is vs ++ map (+ 1) a";
    builds(source, 1, 0);
}

#[test]
fn a_filter_has_one_block() {
    builds("entry main (xs: []i32) = filter (> 2) xs", 1, 0);
    builds("entry main (xs: []i32) = filter (\\x -> x % 2 == 0) (map (+ 1) xs)", 1, 0);
    builds("entry main (xs: []i32) = partition (> 2) xs", 2, 0);
}

// Attributes

#[test]
fn what_is_materialised_has_a_block_of_its_own() {
    builds("entry main [n] (xs: [n]i32) (ys: [n]i32) = (#[materialize] map (+ 1) xs) ++ map (* 2) ys", 2, 1);
    let source = "entry main [n] [m] (a: [n][m]i32) = map (\\r -> (#[materialize] map (+ 1) r) ++ map (* 2) r) a";
    builds_with_copies_inside(source, 2, 1);
    // A view becomes an array.
    builds("entry main [n] [m] (a: [n][m]i32) = i32.sum (#[materialize] transpose a)[0]", 1, 1);
    let (_, log) = placed("entry main [n] (xs: [n]i32) = (#[materialize] filter (> 1) xs) ++ [1]");
    assert_eq!(reasons(&log, DecisionKind::AttributeRefused), [""; 0]);
}

#[test]
fn attributes_are_obeyed_silently() {
    for source in [
        "entry main [n] (xs: [n]i32) (ys: [n]i32) = (#[dest] map (+ 1) xs) ++ (#[dest] scan (+) 0 ys)",
        "entry main [n] (xs: [n]i32) = #[dest] map (+ 1) xs",
        "entry main [n] [m] (a: [n][m]i32) = #[dest] transpose (#[dest] map (scan (+) 0) a)",
        "entry main [n] [m] (a: [n][m]i32) = map (\\r -> (#[dest] map (+ 1) r) ++ [1]) a",
        "entry main [n] (a: *[n]i32) (k: i64) = a with [0:k] = #[dest] map (* 2) a[0:k]",
    ] {
        let (prog, log) = placed(source);
        assert_eq!(reasons(&log, DecisionKind::AttributeRefused), [""; 0], "{source}\n{prog}");
    }
}

#[test]
fn attributes_are_refused_with_the_reason() {
    for (source, reason) in [
        (
            "entry main [n] (a: *[n]i32) = a with [1:] = #[try(dest)] map (* 2) a[:n - 1]",
            "`#[dest]`, `mapped`: the slice is used while its new value is made",
        ),
        (
            "entry main [n] (xs: [n]i32) = i32.sum (scan (+) 0 (#[try(dest)] map (* 2) xs))",
            "`#[dest]`, `mapped`: it does not become part of another array",
        ),
        (
            "entry main [n] (xs: [n]i32) (k: i64) = (#[try(dest)] loop xs for i < k do scan (+) (i32.i64 i) xs) ++ [1]",
            "`#[dest]`, `xs`: a loop makes it in turns in two blocks",
        ),
        (
            "entry main [n] (xs: [n]i32) = map (+ 1) (reverse (#[try(source)] scan (+) 0 xs))",
            "`#[source]`, `s`: it is needed as a whole, or its elements depend on each other",
        ),
    ] {
        let (prog, log) = placed(source);
        assert_eq!(reasons(&log, DecisionKind::AttributeRefused), [reason], "{source}\n{prog}");
    }
}

// Reasons

/// Every copy and allocation has a reason, with its place.
#[test]
fn copies_and_allocations_have_reasons() {
    for source in [
        "entry main [n] [m] (xs: [n]i32) (ys: [m]i32) = xs ++ map (+ 1) ys",
        "entry main [n] (a: *[n]i32) = a with [1:] = map (* 2) a[:n - 1]",
        "entry main [n] (k: i64) (a: [n]f32) = loop a for i < k do scan (+) (f32.i64 i) a",
        "entry main [n] (c: bool) (a: [n][n]f32) (b: [n][n]f32) = if c then transpose a else map (map (+ 1)) b",
        "entry main [n] [m] (a: [n]i32) (is: [m]i64) (vs: [m]i32) = scatter (copy a) is vs",
        "entry main (k: i64) (xs: []i32) = loop s = 0 for i < k do s + i32.sum (scan (+) 0 (filter (> i32.i64 i) xs))",
        "entry main [n] (xs: [n]f32) = reverse (scan (+) 0 xs)",
        "#[noinline] def f [n] (xs: [n]i32) = scan (+) 0 xs
         entry main [n] (a: [n][n]i32) = map f (transpose a)",
        "entry main [n] [m] (a: [n][m]i32) = map (\\r -> (#[materialize] map (+ 1) r) ++ [1]) a",
        "entry main [n] [m] (a: [n][m]i32) = i32.sum (#[materialize] transpose a)[0]",
        "entry main [n] [m] (a: [n][m]i32) = reduce_comm (map2 (+)) (replicate m 0) (map (scan (+) 0) a)",
    ] {
        let (prog, log) = placed(source);
        let mut moves = Moves::default();
        prog.funs.iter().for_each(|fun| moves.fun(fun));
        assert!(!moves.0.is_empty(), "{prog}");
        for (what, stm) in moves.0 {
            let is_told = log.decisions().iter().any(|decision| decision.kind == what && decision.loc == stm.loc);
            assert!(is_told, "{what}: {stm}\n{source}\n{:?}", log.decisions());
            let place = prog.locs.chain(stm.loc);
            assert!(place.first().is_some_and(|place| place.as_str().starts_with("main.fut:")), "{stm}: {place:?}");
        }
    }
}

/// The statements that allocate or copy, with what decisions about them are called.
#[derive(Default)]
struct Moves(Vec<(DecisionKind, Stm)>);

impl Visit for Moves {
    fn stm(&mut self, stm: &Stm) {
        match &stm.exp {
            Exp::Copy(_) => self.0.push((DecisionKind::Copy, stm.clone())),
            Exp::Mem(MemExp::Alloc(..)) => self.0.push((DecisionKind::Allocation, stm.clone())),
            _ => {}
        }
        walk::stm(self, stm);
    }
}
