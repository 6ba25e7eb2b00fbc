//! What each pass sets, what it says when it does not, and that it asks for fuel first.

use kenaz_ir::{Decision, DecisionKind, Log, Ownership, PassCx, Prog, Target, check, parse, target};

/// A program after all passes, each of which the checker accepts, and their log.
fn planned(text: &str, target: &'static Target, log: Log) -> (Prog, Log) {
    let mut prog = parse::prog(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let settled =
        |prog: &Prog| check::memory(prog, Ownership::Settled).unwrap_or_else(|error| panic!("{error}\n{prog}"));
    settled(&prog);
    let mut cx = PassCx::new(target, log);
    for pass in kenaz_plan::PASSES {
        cx.log.enter(pass.name);
        (pass.run)(&mut prog, &mut cx);
        settled(&prog);
    }
    let text = prog.to_string();
    assert_eq!(parse::prog(&text).unwrap_or_else(|error| panic!("{error}\n{text}")).to_string(), text);
    (prog, cx.log)
}

/// The plans of a program, from the outside in and in their order.
fn plans(prog: &Prog) -> Vec<String> {
    let text = prog.to_string();
    let mut plans = Vec::new();
    let mut rest = &text[..];
    while let Some(at) = rest.find("plan [") {
        let plan = &rest[at + "plan [".len()..];
        let end = plan.find(']').expect("a plan ends");
        plans.push(plan[..end].to_string());
        rest = &plan[end..];
    }
    plans
}

/// Checks the plans of a program, that each piece is due to one rewrite, and that without fuel there is none.
#[track_caller]
fn expect(text: &str, target: &'static Target, expected: &[&str]) -> Log {
    let (prog, log) = planned(text, target, Log::new());
    assert_eq!(plans(&prog), expected, "{prog}");
    let (untouched, _) = planned(text, target, Log::with_fuel(0));
    assert_eq!(untouched.to_string(), parse::prog(text).unwrap().to_string());
    for fuel in 0..log.used() {
        let (_, some) = planned(text, target, Log::with_fuel(fuel));
        assert_eq!(some.used(), fuel);
    }
    log
}

fn decisions(log: &Log, wanted: impl Fn(DecisionKind) -> bool) -> Vec<String> {
    let line = |decision: &Decision| format!("{}: {}", decision.kind, decision.reason);
    log.decisions().iter().filter(|decision| wanted(decision.kind)).map(line).collect()
}

/// What was not planned, and why.
fn reasons(log: &Log) -> Vec<String> {
    decisions(log, |kind| kind == DecisionKind::NestStays || kind.id().starts_with("no-"))
}

const ADD: &str = r"\(x_101: f32, y_102: f32) -> { let z_103: f32 = add x_101 y_102 in z_103 }";

/// A map over two dimensions of an array that is seen with the given strides, into one with others.
fn map(from: &str, to: &str, columns: &str) -> String {
    format!(
        "fun f (n_1: i64) (m_2: i64) (k_3: i64) (s_4: mem) (v_5: [k_3]f32 @ s_4 -> 0 + {{(k_3 : 1)}}) : (t_6: mem) = {{
           let a_7: [n_1][{columns}]f32 @ s_4 -> 0 + {{(n_1 : {}) ({columns} : {})}} = flat v_5 0 [(n_1, {}), ({columns}, {})]
           let t_8: mem = alloc host 80000
           let b_9: [n_1][{columns}]f32 @ t_8 -> 0 + {{(n_1 : {}) ({columns} : {})}} = par (i_10 < n_1, j_11 < {columns}) own {{
             let x_12: f32 = index a_7[i_10, j_11]
             in x_12
           }}
           in t_8
         }}",
        strides(from, columns)[0],
        strides(from, columns)[1],
        strides(from, columns)[0],
        strides(from, columns)[1],
        strides(to, columns)[0],
        strides(to, columns)[1],
    )
}

fn strides<'a>(order: &str, columns: &'a str) -> [&'a str; 2] {
    if order == "rows" { [columns, "1"] } else { ["1", "n_1"] }
}

#[test]
fn the_innermost_loop_goes_along_neighbours() {
    expect(&map("rows", "rows", "m_2"), &target::C, &[]);
    expect(&map("columns", "columns", "m_2"), &target::C, &["order (1, 0)"]);
    // One array along each dimension.
    expect(&map("rows", "columns", "m_2"), &target::C, &["order (1, 0), squares (1, 0) by 16"]);
    expect(&map("columns", "rows", "m_2"), &target::C, &["squares (0, 1) by 16"]);
    expect(&map("columns", "rows", "31"), &target::C, &[]);
}

#[test]
fn an_index_along_a_nest_of_dimensions_is_split() {
    let text = format!(
        "fun f (n_1: i64) (m_2: i64) (s_3: mem) (a_4: [n_1][m_2]f32 @ s_3 -> 0 + {{(n_1 : m_2) (m_2 : 1)}}) : (f32) = {{
           let nm_5: i64 = mul n_1 m_2
           let t_6: [m_2][n_1]f32 @ s_3 -> 0 + {{(m_2 : 1) (n_1 : m_2)}} = rearrange (1, 0) a_4
           let v_7: [nm_5]f32 @ s_3 -> 0 + {{((m_2 : 1)(n_1 : m_2))}} = reshape [nm_5] t_6
           let s_8: f32 = par (i_9 < nm_5) reduce (0.0f32) {ADD} {{
             let x_10: f32 = index v_7[i_9]
             in x_10
           }}
           in s_8
         }}"
    );
    // Two loops are not for lanes.
    expect(&text, &target::C, &["split 0 (m_2, n_1)"]);
}

/// A map of maps, which reads the transpose of an array.
fn nest(level: &str, inner: &str) -> String {
    format!(
        "fun f (n_1: i64) (m_2: i64) (s_3: mem) (a_4: [m_2][n_1]f32 @ s_3 -> 0 + {{(m_2 : n_1) (n_1 : 1)}}) : (t_5: mem) = {{
           let t_6: mem = alloc host 80000
           let b_7: [n_1][m_2]f32 @ t_6 -> 0 + {{(n_1 : m_2) (m_2 : 1)}} = par {level}(i_8 < n_1) own {{
             let r_9: [m_2]f32 @ t_6 -> m_2*i_8 + {{(m_2 : 1)}} = par {inner}(j_10 < m_2) own {{
               let x_11: f32 = index a_4[j_10, i_8]
               in x_11
             }}
             in r_9
           }}
           in t_6
         }}"
    )
}

#[test]
fn maps_of_maps_collapse() {
    let log = expect(&nest("", ""), &target::C, &["squares (0, 1) by 16"]);
    assert_eq!(log.counts().get("collapse"), Some(&1));
    // A level that the target does not run means nothing.
    expect(&nest("core ", "core "), &target::C, &["squares (0, 1) by 16"]);
    // Chunks are nests of their own, in which rows are written past the caches.
    let log = expect(&nest("core ", ""), &target::MULTICORE, &["chunks 2*m_2 + 1", "stream 512 from 4"]);
    assert_eq!(reasons(&log), ["nest stays: it runs in chunks, each of which is a nest of its own"]);
    let inside = ["chunks 2*m_2 + 1 inside", "chunks 2, stream 512 from 4"];
    expect(&nest("core ", "core "), &target::MULTICORE, &inside);
}

fn reduction(level: &str, body: &str, op: &str) -> String {
    format!(
        "fun f (n_1: i64) (s_3: mem) (a_4: [n_1]f32 @ s_3 -> 0 + {{(n_1 : 1)}}) : (f32) = {{
           let s_5: f32 = par {level}(i_6 < n_1) reduce (0.0f32) {op} {{
             let x_7: f32 = index a_4[i_6]
             {body}
             in y_8
           }}
           in s_5
         }}"
    )
}

#[test]
fn reductions_run_in_lanes() {
    let lanes = ["lanes 32 8 from 16"];
    expect(&reduction("", "let y_8: f32 = mul x_7 x_7", ADD), &target::C, &lanes);
    // What becomes a choice between two values is no branch.
    let select = "let c_9: bool = lt x_7 0.0f32
        let y_8: f32 = if c_9 then { let z_10: f32 = neg x_7 in z_10 } else { in x_7 }";
    expect(&reduction("", select, ADD), &target::C, &lanes);
    // So are branches in branches, as far as they cost little.
    let selects = "let c_9: bool = lt x_7 0.0f32
        let y_8: f32 = if c_9 then { let z_10: f32 = neg x_7 in z_10 } else {
          let d_11: bool = gt x_7 1.0f32
          let w_12: f32 = if d_11 then {
            let u_13: f32 = mul x_7 2.0f32
            let v_14: f32 = add u_13 1.0f32
            in v_14
          } else { in x_7 }
          in w_12
        }";
    expect(&reduction("", selects, ADD), &target::C, &lanes);
    let log = expect(&reduction("", "let y_8: f32 = exp f32 (x_7)", ADD), &target::C, &[]);
    assert_eq!(reasons(&log), ["no lanes: an iteration branches, calls a function or changes an array"]);
    let log = expect(&reduction("", "let y_8: f32 = mul x_7 x_7", &ADD.replace("add", "sub")), &target::C, &[]);
    assert_eq!(reasons(&log), ["no lanes: an operator is not known to commute"]);
    let short = reduction("", "let y_8: f32 = mul x_7 x_7", ADD).replace("i_6 < n_1", "i_6 < 15");
    expect(&short, &target::C, &[]);
    let both = ["chunks 4, lanes 32 8 from 16"];
    let log = expect(&reduction("core ", "let y_8: f32 = mul x_7 x_7", ADD), &target::MULTICORE, &both);
    let said = ["chunks: an iteration costs about 4 operations", "lanes: its operator commutes"];
    assert_eq!(decisions(&log, |_| true), said);
    // C compilers reorder operations on integers themselves.
    let ints = reduction("", "let y_8: f32 = mul x_7 x_7", ADD).replace("f32", "i32").replace("0.0i32", "0i32");
    expect(&ints, &target::C, &[]);
}

/// Sums of columns, with a scalar that each of them needs.
fn columns(scalar: &str, size: &str) -> String {
    format!(
        "fun f (n_1: i64) (m_2: i64) (s_3: mem) (a_4: [n_1][m_2]f32 @ s_3 -> 0 + {{(n_1 : m_2) (m_2 : 1)}})
           (v_20: mem) (w_21: [m_2]f32 @ v_20 -> 0 + {{(m_2 : 1)}}) : (t_5: mem) = {{
           let t_6: mem = alloc host 80000
           let b_7: [{size}]f32 @ t_6 -> 0 + {{({size} : 1)}} = par (j_8 < {size}) own {{
             {scalar}
             let s_9: f32 = par (k_10 < n_1) reduce (0.0f32) {ADD} {{
               let x_11: f32 = index a_4[k_10, j_8]
               let y_12: f32 = mul x_11 w_13
               in y_12
             }}
             in s_9
           }}
           in t_6
         }}"
    )
}

#[test]
fn reductions_run_in_strips() {
    let load = "let w_13: f32 = index w_21[j_8]";
    expect(&columns(load, "m_2"), &target::C, &["strips 0 by 2048 over 2 keep () at_once (4)"]);
    let exp = "let v_22: f32 = index w_21[j_8]\n let w_13: f32 = exp f32 (v_22)";
    expect(&columns(exp, "m_2"), &target::C, &["strips 0 by 1024 over 3 keep (w_13) at_once (4)"]);
    let log = expect(&columns(load, "7"), &target::C, &["lanes 32 8 from 16"]);
    assert_eq!(reasons(&log), ["no strips: there are fewer than 8 iterations side by side"]);
}

/// A product of matrices, with the given index of the second.
fn product(second: &str, after: &str) -> String {
    format!(
        "fun f (n_1: i64) (s_3: mem) (a_4: [n_1][n_1]f32 @ s_3 -> 0 + {{(n_1 : n_1) (n_1 : 1)}})
           (v_20: mem) (b_21: [n_1][n_1]f32 @ v_20 -> 0 + {{(n_1 : n_1) (n_1 : 1)}}) : (t_5: mem) = {{
           let t_6: mem = alloc host 80000
           let c_7: [n_1][n_1]f32 @ t_6 -> 0 + {{(n_1 : n_1) (n_1 : 1)}} = par (i_8 < n_1, j_9 < n_1) own {{
             let s_10: f32 = par (k_11 < n_1) reduce (0.0f32) {ADD} {{
               let x_12: f32 = index a_4[i_8, k_11]
               let y_13: f32 = index b_21[{second}]
               let z_14: f32 = mul x_12 y_13
               in z_14
             }}
             {after}
             in r_15
           }}
           in t_6
         }}"
    )
}

#[test]
fn products_run_in_tiles() {
    let after = "let r_15: f32 = neg s_10";
    let tile = "tile 8 by 32 columns (y_13) rows () block 262144 from 8";
    let strips = "strips 1 by 2048 over 1 keep () at_once (4)";
    expect(&product("k_11, j_9", after), &target::C, &[&format!("{tile}, {strips}")]);
    expect(&product("j_9, k_11", after), &target::C, &[tile, "lanes 32 8 from 16"]);
    let log = expect(&product("i_8, k_11", after), &target::C, &["lanes 32 8 from 16"]);
    assert_eq!(reasons(&log), ["no tile: no operand depends on the row, or none on the column"]);
    let branch = "let c_16: bool = lt s_10 0.0f32
        let r_15: f32 = if c_16 then { let q_17: f32 = exp f32 (s_10) in q_17 } else { in s_10 }";
    expect(&product("j_9, k_11", branch), &target::C, &[tile, "lanes 32 8 from 16"]);
    let log = expect(&product("j_9, k_11", LOOP_AFTER), &target::C, &["lanes 32 8 from 16"]);
    assert_eq!(reasons(&log), ["no tile: there is more than scalars and loads whose index is linear"]);
}

/// A loop after a reduction.
const LOOP_AFTER: &str =
    "let r_15: f32 = loop (q_16: f32 = s_10) for l_17: i64 < n_1 { let q_18: f32 = neg q_16 in q_18 }";

/// What `tile` alone makes of a program for a device: the plans, and what was not planned and why.
fn tiles_of_blocks(text: &str) -> (Vec<String>, Vec<String>) {
    let text = text.replace(": mem", ": mem device").replace("alloc host", "alloc device");
    let mut prog = parse::prog(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut cx = PassCx::new(&target::CUDA, Log::new());
    cx.log.enter("tile");
    (kenaz_plan::tile::PASS.run)(&mut prog, &mut cx);
    check::memory(&prog, Ownership::Settled).unwrap_or_else(|error| panic!("{error}\n{prog}"));
    (plans(&prog), reasons(&cx.log))
}

#[test]
fn blocks_of_a_device_have_tiles() {
    let after = "let r_15: f32 = neg s_10";
    let on_grid = |second: &str, after: &str| product(second, after).replacen("par (", "par grid (", 1);
    let planned = |tile: &str| (vec![tile.to_string()], Vec::new());
    let refused = |reason: &str| (Vec::new(), vec![format!("no tile: {reason}")]);
    // Neighbouring columns are neighbours in memory, or they are not.
    let tile = |columns: &str| format!("tile 128 by 128 columns ({columns}) rows () block 262144 from 8");
    assert_eq!(tiles_of_blocks(&on_grid("k_11, j_9", after)), planned(&tile("y_13")));
    assert_eq!(tiles_of_blocks(&on_grid("j_9, k_11", after)), planned(&tile("")));
    // Without a level one thread runs it.
    assert_eq!(tiles_of_blocks(&product("k_11, j_9", after)), (Vec::new(), Vec::new()));
    // What does not depend on the column is for all of them.
    let rows = "tile 256 by 1 columns () rows () block 262144 from 8";
    assert_eq!(tiles_of_blocks(&on_grid("i_8, k_11", after)), planned(rows));
    let branch = "let c_16: bool = lt s_10 0.0f32
        let r_15: f32 = if c_16 then { let q_17: f32 = exp f32 (s_10) in q_17 } else { in s_10 }";
    assert_eq!(tiles_of_blocks(&on_grid("j_9, k_11", branch)), planned(&tile("")));
    let load = "let c_16: bool = lt s_10 0.0f32
        let r_15: f32 = if c_16 then { let q_17: f32 = index a_4[j_9, i_8] in q_17 } else { in s_10 }";
    assert_eq!(tiles_of_blocks(&on_grid("j_9, k_11", load)), planned(&tile("")));
    let reason = "there is more than scalars and loads whose index is linear";
    assert_eq!(tiles_of_blocks(&on_grid("j_9, k_11", LOOP_AFTER)), refused(reason));
    // The load of an operand in a branch is none that could be copied for all.
    let operand = on_grid("j_9, k_11", after).replace(
        "let z_14: f32 = mul x_12 y_13",
        "let c_16: bool = lt x_12 y_13
         let z_14: f32 = if c_16 then { let q_17: f32 = index a_4[k_11, i_8] in q_17 } else { in y_13 }",
    );
    assert_eq!(tiles_of_blocks(&operand), refused(reason));
}

#[test]
fn rows_that_have_their_operands_in_common_are_tiles() {
    let text = |load: &str| {
        format!(
            "fun f (n_1: i64) (s_3: mem) (a_4: [n_1][n_1]f32 @ s_3 -> 0 + {{(n_1 : n_1) (n_1 : 1)}})
               (v_20: mem) (b_21: [n_1]f32 @ v_20 -> 0 + {{(n_1 : 1)}}) : (t_5: mem) = {{
               let t_6: mem = alloc host 80000
               let c_7: [n_1]f32 @ t_6 -> 0 + {{(n_1 : 1)}} = par grid (i_8 < n_1) own {{
                 let s_10: f32 = par (k_11 < n_1) reduce (0.0f32) {ADD} {{
                   let x_12: f32 = index b_21[i_8]
                   let y_13: f32 = index {load}
                   let z_14: f32 = mul x_12 y_13
                   in z_14
                 }}
                 in s_10
               }}
               in t_6
             }}"
        )
    };
    let tile = "tile 256 by 1 columns () rows () block 262144 from 8".to_string();
    assert_eq!(tiles_of_blocks(&text("b_21[k_11]")), (vec![tile], Vec::new()));
    // A row of its own each: there is nothing to share.
    let (plans, reasons) = tiles_of_blocks(&text("a_4[i_8, k_11]"));
    assert_eq!((plans, reasons.len()), (Vec::new(), 1), "{reasons:?}");
}

/// A histogram of rows.
#[test]
fn a_row_is_looked_for_once() {
    let text = |index: &str| {
        format!(
            "fun f (n_1: i64) (r_2: i64) (s_3: mem) (a_4: *[n_1][n_1]f32 @ s_3 -> 0 + {{(n_1 : n_1) (n_1 : 1)}}) : = {{
               let b_7: [n_1][n_1]f32 @ s_3 -> 0 + {{(n_1 : n_1) (n_1 : 1)}} = par (j_8 < n_1)
                 acc (a_4) rank 2 (0.0f32) {ADD} {{
                 let k_9: i64 = add j_8 1
                 in r_2, {index}, 1.0f32
               }}
               in
             }}"
        )
    };
    expect(&text("j_8"), &target::C, &["guard"]);
    expect(&text("k_9"), &target::C, &[]);
}

/// An edge, a `rotate`, and what is no reason to cut.
#[test]
fn loops_are_cut_where_comparisons_change() {
    let text = |body: &str| {
        format!(
            "fun f (n_1: i64) (k_2: i64) (s_3: mem) (a_4: [n_1]f32 @ s_3 -> 0 + {{(n_1 : 1)}}) : = {{
               let w_6: i64 = size_mul i64 (4, n_1)
               let t_5: mem = alloc host w_6
               let b_7: [n_1]f32 @ t_5 -> 0 + {{(n_1 : 1)}} = par (j_8 < n_1) own {{ {body} in x_20 }}
               let () = free t_5
               in
             }}"
        )
    };
    let rotated = "let d_9: i64 = add k_2 j_8
        let c_10: bool = gt n_1 d_9
        let i_11: i64 = if c_10 then { in d_9 } else { let e_12: i64 = sub d_9 n_1 in e_12 }
        let x_20: f32 = index a_4[i_11]";
    expect(&text(rotated), &target::C, &["cuts (c_10)"]);
    let edges = "let c_10: bool = eq j_8 0
        let n_11: i64 = sub n_1 1
        let d_12: bool = eq j_8 n_11
        let e_13: bool = or c_10 d_12
        let x_20: f32 = if e_13 then { in 0.0f32 } else { let y_14: f32 = index a_4[j_8] in y_14 }";
    expect(&text(edges), &target::C, &["cuts (c_10, d_12)"]);
    let computed = "let y_9: f32 = index a_4[j_8]
        let c_10: bool = lt y_9 0.0f32
        let x_20: f32 = if c_10 then { in 0.0f32 } else { in y_9 }";
    expect(&text(computed), &target::C, &[]);
    let twice = "let d_9: i64 = mul j_8 2
        let c_10: bool = lt d_9 k_2
        let x_20: f32 = if c_10 then { in 0.0f32 } else { in 1.0f32 }";
    expect(&text(twice), &target::C, &[]);
}

#[test]
fn not_everything_runs_in_chunks() {
    let text = reduction("core ", "let y_8: f32 = trace \"x\" x_7", ADD);
    let log = expect(&text, &target::MULTICORE, &[]);
    assert!(reasons(&log).contains(&"no chunks: something is printed, which has an order".to_string()));
    let single = reduction("core ", "let y_8: f32 = mul x_7 x_7", ADD).replace("i_6 < n_1", "i_6 < 1");
    expect(&single, &target::MULTICORE, &[]);
    // What a chunk does runs in sequence.
    let nest = format!(
        "fun f (n_1: i64) (s_3: mem) (a_4: [n_1][n_1]f32 @ s_3 -> 0 + {{(n_1 : n_1) (n_1 : 1)}}) : (f32) = {{
           let s_5: f32 = par core (i_6 < n_1) reduce (0.0f32) {ADD} {{
             let t_7: f32 = par core (j_8 < n_1) reduce (0.0f32) {} {{
               let x_9: f32 = index a_4[i_6, j_8]
               in x_9
             }}
             in t_7
           }}
           in s_5
         }}",
        ADD.replace("_10", "_20")
    );
    expect(&nest, &target::MULTICORE, &["chunks 3*n_1 + 2", "lanes 32 8 from 16"]);
}

/// Plans are in terms of names in scope: the result of a loop is not called as its parameter is.
#[test]
fn sizes_that_loops_make() {
    let text = format!(
        "fun f (n_1: i64) : (t_2: mem) = {{
           let d_3: i64 = loop (e_4: i64 = n_1) for i_5: i64 < 3 {{ let g_6: i64 = add e_4 1 in g_6 }}
           let t_7: mem = alloc host 80000
           let b_8: [d_3]f32 @ t_7 -> 0 + {{(d_3 : 1)}} = par core (i_9 < d_3) own {{
             let s_10: f32 = par (j_11 < d_3) reduce (0.0f32) {ADD} {{
               let x_12: f32 = conv f32 j_11
               in x_12
             }}
             in s_10
           }}
           in t_7
         }}"
    );
    expect(&text, &target::MULTICORE, &["chunks 3*d_3 + 1", "lanes 32 8 from 16"]);
}
