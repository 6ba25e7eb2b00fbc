//! Parallel loops as C with threads: what they look like, and that they compute on four threads what they should.
//!
//! The programs are made by hand, as statements. Every loop runs on all threads, however short it is, and says at the
//! end on how many it ran (rts/tests/counted.h). ThreadSanitizer watches.

use kenaz_base::{Prim, Symbol};
use kenaz_codegen::{CFile, Options};
use kenaz_imp::{Arg, Exp, Fun, Hint, MessagePart, Param, Prog, Side, Stm, Ty};
use kenaz_ir::{BinOp, CmpOp, Level, Locs, Name, Scalar, Space};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The entry points, whose bodies are replaced by those below.
const ENTRIES: &str = "
entry entry_square (n_1: i64) (xm_2: mem) (xs_3: [n_1]f64 @ xm_2 -> 0 + {(n_1 : 1)}) : (rm_4: mem) ([n_1]f64 @ rm_4 -> 0 + {(n_1 : 1)})
  takes (xs: \"[]f64\" of 1) yields (\"[]f64\" of 1)
= { let s_5: mem = share xm_2 in s_5, xs_3 }

fun sum (n_1: i64) (xm_2: mem) : (r_3: i64) = { in 0 }

entry entry_sum (n_1: i64) (xm_2: mem) (xs_3: [n_1]i64 @ xm_2 -> 0 + {(n_1 : 1)}) : (r_4: i64)
  takes (xs: \"[]i64\" of 1) yields (\"i64\" of 1)
= { in 0 }

entry entry_sums (k_1: i64) (n_2: i64) (xm_3: mem) (xs_4: [n_2]i64 @ xm_3 -> 0 + {(n_2 : 1)}) : (rm_5: mem) ([k_1]i64 @ rm_5 -> 0 + {(k_1 : 1)})
  takes (k: \"i64\" of 1) (xs: \"[]i64\" of 1) yields (\"[]i64\" of 1)
= { let b_6: i64 = mul k_1 8 let m_7: mem = alloc host b_6 let a_8: [k_1]i64 @ m_7 -> 0 + {(k_1 : 1)} = replicate [k_1] 0 in m_7, a_8 }

entry entry_find (x_1: f32) (n_2: i64) (xm_3: mem) (xs_4: [n_2]f32 @ xm_3 -> 0 + {(n_2 : 1)}) : (r_5: bool)
  takes (x: \"f32\" of 1) (xs: \"[]f32\" of 1) yields (\"bool\" of 1)
= { in false }
";

fn name(base: &str, id: u32) -> Name {
    Name { base: Symbol::intern(base), id }
}

fn int(name: Name) -> Exp {
    Exp::Var(name, Prim::I64)
}

fn bytes(count: Exp, size: i64) -> Exp {
    Exp::Mul(Box::new(count), Box::new(Exp::i64(size)))
}

fn load(block: Name, prim: Prim, index: Exp) -> Exp {
    Exp::Load { block, prim, index: Box::new(index) }
}

fn store(block: Name, prim: Prim, index: Exp, value: Exp) -> Stm {
    Stm::Store { block, prim, index, value }
}

fn bin(op: BinOp, prim: Prim, x: Exp, y: Exp) -> Exp {
    Exp::Bin(op, prim, Box::new(x), Box::new(y))
}

fn cmp(op: CmpOp, prim: Prim, x: Exp, y: Exp) -> Exp {
    Exp::Cmp(op, prim, Box::new(x), Box::new(y))
}

fn alloc(name: Name, bytes: Exp) -> Stm {
    Stm::Alloc { name, space: Space::Host, bytes }
}

/// The number of chunks, and a loop over the iterations of each chunk of a parallel loop.
struct Loop {
    chunks: Name,
    chunk: Name,
    /// The iteration.
    i: Name,
    iterations: Exp,
    uneven: bool,
    before: Vec<Stm>,
    each: Vec<Stm>,
    after: Vec<Stm>,
}

impl Loop {
    /// Names are those from this number on.
    fn new(first: u32, iterations: Exp) -> Loop {
        let (chunks, chunk, i) = (name("chunks", first), name("chunk", first + 1), name("i", first + 2));
        let (before, each, after) = (Vec::new(), Vec::new(), Vec::new());
        Loop { chunks, chunk, i, iterations, uneven: false, before, each, after }
    }

    fn count(&self) -> Stm {
        let (iterations, work) = (self.iterations.clone(), Exp::i64(10));
        let (level, uneven) = (Level::Core, self.uneven);
        Stm::Chunks { name: self.chunks, level, iterations, work, uneven, combined: false }
    }

    fn run(self) -> Stm {
        let [start, len, j] = [("start", 3), ("len", 4), ("j", 5)].map(|(base, k)| name(base, self.chunks.id + k));
        let value = Exp::Add(Box::new(int(start)), Box::new(int(j)));
        let mut each = vec![Stm::Let { name: self.i, prim: Prim::I64, value }];
        each.extend(self.each);
        let inner = Stm::For { var: j, prim: Prim::I64, bound: int(len), hint: Hint::default(), body: each };
        let mut body = self.before;
        body.push(inner);
        body.extend(self.after);
        let (iterations, chunks) = (self.iterations, int(self.chunks));
        let worker = name("worker", self.chunks.id + 6);
        let ids = vec![self.chunk, start, len, worker];
        Stm::Parallel { level: Level::Core, ids, iterations, chunks, lanes: None, body, loc: Locs::NOWHERE() }
    }
}

/// `map (\x -> x * x)`, which fails for negative numbers.
fn square() -> Vec<Stm> {
    let (n, xs, result, ys) = (name("n", 1), name("xs_mem", 2), name("r_mem", 4), name("ys_mem", 10));
    let mut of = Loop::new(20, int(n));
    let x = name("x", 30);
    let cond = cmp(CmpOp::Le, Prim::F64, Exp::Const(Scalar::F64(0.0)), Exp::Var(x, Prim::F64));
    let message = vec![MessagePart::Text("negative: ".to_string()), MessagePart::Value(Exp::Var(x, Prim::F64))];
    of.each = vec![
        Stm::Let { name: x, prim: Prim::F64, value: load(xs, Prim::F64, int(of.i)) },
        Stm::Assert { cond, message, loc: Locs::NOWHERE() },
        store(ys, Prim::F64, int(of.i), bin(BinOp::Mul, Prim::F64, Exp::Var(x, Prim::F64), Exp::Var(x, Prim::F64))),
    ];
    vec![alloc(ys, bytes(int(n), 8)), of.count(), of.run(), Stm::SetBlock { name: result, from: ys }]
}

/// `reduce (+) 0`, with a partial sum for each chunk.
fn sum(n: Name, xs: Name, result: Name) -> Vec<Stm> {
    let (partial, total, own, k) = (name("partial_mem", 10), name("total", 11), name("own", 12), name("k", 13));
    let mut of = Loop::new(20, int(n));
    let add = |x: Exp, y: Exp| bin(BinOp::Add, Prim::I64, x, y);
    of.before = vec![Stm::Declare { name: own, ty: Ty::Scalar(Prim::I64) }, Stm::Set { name: own, value: Exp::i64(0) }];
    of.each = vec![Stm::Set { name: own, value: add(int(own), load(xs, Prim::I64, int(of.i))) }];
    of.after = vec![store(partial, Prim::I64, int(of.chunk), int(own))];
    let rest = Stm::For {
        var: k,
        prim: Prim::I64,
        bound: int(of.chunks),
        hint: Hint::default(),
        body: vec![Stm::Set { name: total, value: add(int(total), load(partial, Prim::I64, int(k))) }],
    };
    vec![
        of.count(),
        alloc(partial, bytes(int(of.chunks), 8)),
        of.run(),
        Stm::Declare { name: total, ty: Ty::Scalar(Prim::I64) },
        Stm::Set { name: total, value: Exp::i64(0) },
        rest,
        Stm::Free { name: partial },
        Stm::Set { name: result, value: int(total) },
    ]
}

/// `sum xs + i` for each `i`, by way of a block of its own and a call of what is a parallel loop itself.
fn sums() -> Vec<Stm> {
    let (k, n, xs, result) = (name("k", 1), name("n", 2), name("xs_mem", 3), name("r_mem", 5));
    let (out, scratch, got) = (name("out_mem", 10), name("scratch_mem", 11), name("got", 12));
    let mut of = Loop { uneven: true, ..Loop::new(20, int(k)) };
    of.each = vec![
        alloc(scratch, Exp::i64(8)),
        Stm::Declare { name: got, ty: Ty::Scalar(Prim::I64) },
        Stm::Call { fun: Symbol::intern("sum"), args: vec![Arg::Scalar(int(n)), Arg::Block(xs)], results: vec![got] },
        store(scratch, Prim::I64, Exp::i64(0), int(got)),
        store(out, Prim::I64, int(of.i), bin(BinOp::Add, Prim::I64, load(scratch, Prim::I64, Exp::i64(0)), int(of.i))),
        Stm::Free { name: scratch },
    ];
    vec![alloc(out, bytes(int(k), 8)), of.count(), of.run(), Stm::SetBlock { name: result, from: out }]
}

/// `any (== x)`: all that find it say so.
fn find() -> Vec<Stm> {
    let (x, n, xs, result) = (name("x", 1), name("n", 2), name("xs_mem", 3), name("r", 5));
    let found = name("found_mem", 10);
    let mut of = Loop::new(20, int(n));
    of.each = vec![Stm::If {
        cond: cmp(CmpOp::Eq, Prim::F32, load(xs, Prim::F32, int(of.i)), Exp::Var(x, Prim::F32)),
        yes: vec![Stm::Race {
            block: found,
            prim: Prim::Bool,
            index: Exp::i64(0),
            value: Exp::Const(Scalar::Bool(true)),
        }],
        no: Vec::new(),
    }];
    vec![
        Stm::Local { name: found, prim: Prim::Bool, len: 1 },
        store(found, Prim::Bool, Exp::i64(0), Exp::Const(Scalar::Bool(false))),
        of.count(),
        of.run(),
        Stm::Set { name: result, value: load(found, Prim::Bool, Exp::i64(0)) },
    ]
}

fn program() -> Prog {
    let entries = kenaz_ir::parse::prog(ENTRIES).expect("the text is right");
    let mut prog = kenaz_imp::lower(&entries, &kenaz_ir::target::C);
    let fun = |prog: &mut Prog, fun: &str, body: Vec<Stm>| {
        let found: Option<&mut Fun> = prog.funs.iter_mut().find(|found| found.name.as_str() == fun);
        found.expect("it is there").body = body;
    };
    fun(&mut prog, "entry_square", square());
    fun(&mut prog, "sum", sum(name("n", 1), name("xs_mem", 2), name("r", 3)));
    fun(&mut prog, "entry_sum", sum(name("n", 1), name("xs_mem", 2), name("r", 4)));
    fun(&mut prog, "entry_sums", sums());
    fun(&mut prog, "entry_find", find());
    let results = |params: &[Param]| params.iter().map(|param| param.name.id).collect::<Vec<u32>>();
    assert!(prog.funs.iter().any(|fun| results(&fun.results) == [5]), "names are not changed");
    prog
}

/// With regions for the parallel loops.
fn outlined(mut prog: Prog) -> Prog {
    kenaz_imp::outline::outline(&mut prog);
    kenaz_imp::check(&prog).unwrap_or_else(|error| panic!("{error}\n{}", kenaz_imp::print::prog(&prog)));
    prog
}

fn options() -> Options {
    Options { source: "loops.fut".to_string(), target: &kenaz_ir::target::MULTICORE }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository is there")
}

fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("parallel-{test}"));
    fs::create_dir_all(&folder).expect("there is room");
    folder
}

/// Compiles a text with all warnings as errors.
fn compile(file: &CFile, out: &Path, flags: &[&str]) {
    let source = out.with_extension("c");
    fs::write(&source, &file.text).expect("there is room");
    let mut command = Command::new(cc());
    command.args(["-std=c99", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread"]).args(flags).arg(&source);
    let ran = command.arg("-o").arg(out).arg("-lm").output().expect("there is a C compiler");
    assert!(ran.status.success(), "{command:?}: {}", String::from_utf8_lossy(&ran.stderr));
}

fn cc() -> String {
    std::env::var("CC").unwrap_or("cc".to_string())
}

fn run(executable: &Path, options: &[&str], environment: &[(&str, &str)], input: &str) -> Output {
    let mut command = Command::new(executable);
    command.args(options).envs(environment.iter().copied());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it can be started");
    // A program with wrong options does not read.
    let _ = child.stdin.take().expect("it was asked for").write_all(input.as_bytes());
    child.wait_with_output().expect("it ends")
}

/// All entry points on four threads, each loop of which says so.
fn check_all(executable: &Path) {
    let numbers = |n: i64, ty: &str| format!("[{}]", (0..n).map(|i| format!("{i}{ty}")).collect::<Vec<_>>().join(", "));
    let squares: Vec<String> = (0..11).map(|i| format!("{}.0f64", i * i)).collect();
    let cases = [
        ("square", numbers(11, "f64"), format!("[{}]", squares.join(", ")), "square_1: 4"),
        ("sum", numbers(100, "i64"), "4950i64".to_string(), "sum_2_1: 4"),
        ("sums", format!("40i64 {}", numbers(100, "i64")), format!("[4950i64, 4951i64, {}", ""), "sums_1: 4"),
        ("find", format!("7f32 {}", numbers(50, "f32").replace(", 9f32", ", 7f32")), "true".to_string(), "find_1: 4"),
        ("find", format!("7.5f32 {}", numbers(50, "f32")), "false".to_string(), "find_1: 4"),
        ("sum", "empty([0]i64)".to_string(), "0i64".to_string(), ""),
    ];
    for (entry, input, wanted, ran) in cases {
        let ended = run(executable, &["-e", entry, "-D", "--num-threads", "4"], &[], &input);
        let (found, said) = (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
        assert!(ended.status.success() && found.starts_with(&wanted), "{entry} {input}: {found}{said}");
        assert!(said.contains(ran) && !said.contains("left references"), "{entry} {input}: {said}");
    }
    let input = numbers(50, "f64").replace("33", "-33");
    let ended = run(executable, &["-e", "square", "-D", "--num-threads=4"], &[], &input);
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(1), "{said}");
    assert_eq!(said.matches("Error: negative: -33.0\n").count(), 1, "{said}");
}

#[test]
fn loops_look_like_this() {
    let file = kenaz_codegen::executable(&outlined(program()), &options());
    let path = root().join("crates/codegen/tests/parallel.c");
    let own = &file.text[file.program];
    if std::env::var_os("BLESS").is_some_and(|value| value != "0") {
        fs::write(&path, own).expect("it can be written");
    }
    assert_eq!(fs::read_to_string(&path).unwrap_or_default(), own);
}

/// All threads share a copy, but for one in a chunk of a loop.
#[test]
fn copies_are_shared() {
    let (n, xs, ys) = (name("n", 1), name("xs_mem", 2), name("ys_mem", 10));
    let side = |block, strides: Vec<Exp>| Side { block, offset: Exp::i64(0), strides };
    let copy = |sizes, to, from| Stm::Copy { prim: Prim::F64, sizes, to: side(ys, to), from: side(xs, from) };
    let copies = || {
        [
            copy(vec![int(n)], vec![Exp::i64(1)], vec![Exp::i64(1)]),
            copy(vec![Exp::i64(20), int(n)], vec![int(n), Exp::i64(1)], vec![Exp::i64(1), Exp::i64(20)]),
        ]
    };
    let mut of = Loop::new(20, int(n));
    of.before.extend(copies());
    let mut prog = program();
    let square = prog.funs.iter_mut().find(|fun| fun.name.as_str() == "entry_square").expect("it is there");
    let last = square.body.pop().expect("the result");
    square.body = vec![alloc(ys, bytes(int(n), 160))];
    square.body.extend(copies());
    square.body.extend([of.count(), of.run(), last]);
    let file = kenaz_codegen::executable(&outlined(prog), &options());
    let (chunk, around) = file.text[file.program.clone()].split_once("run_square_1").expect("a loop");
    assert!(chunk.contains("  memcpy(ys, ") && chunk.contains("  kz_copy(sizeof(double), 2, "), "{chunk}");
    assert!(around.contains("  kz_memcpy_on_threads(ctx, ys, "), "{around}");
    assert!(around.contains("  kz_copy_on_threads(ctx, sizeof(double), 2, "), "{around}");
    compile(&file, &folder("copies").join("copies"), &[]);
}

/// A parallel loop in a chunk of another is a region that a region launches: `sum (map (+ i) xs)` for each `i`, by way
/// of a block that the inner loop fills.
#[test]
fn loops_in_loops() {
    let (k, n, xs, result) = (name("k", 1), name("n", 2), name("xs_mem", 3), name("r_mem", 5));
    let (out, scratch, total, at) = (name("out_mem", 10), name("scratch_mem", 11), name("total", 12), name("at", 13));
    let add = |x: Exp, y: Exp| bin(BinOp::Add, Prim::I64, x, y);
    let mut outer = Loop::new(20, int(k));
    let mut inner = Loop::new(50, int(n));
    let value = add(load(xs, Prim::I64, int(inner.i)), int(outer.i));
    inner.each = vec![store(scratch, Prim::I64, int(inner.i), value)];
    let sum = Stm::For {
        var: at,
        prim: Prim::I64,
        bound: int(n),
        hint: Hint::default(),
        body: vec![Stm::Set { name: total, value: add(int(total), load(scratch, Prim::I64, int(at))) }],
    };
    outer.each = vec![
        alloc(scratch, bytes(int(n), 8)),
        inner.count(),
        inner.run(),
        Stm::Declare { name: total, ty: Ty::Scalar(Prim::I64) },
        Stm::Set { name: total, value: Exp::i64(0) },
        sum,
        store(out, Prim::I64, int(outer.i), int(total)),
        Stm::Free { name: scratch },
    ];
    let body =
        vec![alloc(out, bytes(int(k), 8)), outer.count(), outer.run(), Stm::SetBlock { name: result, from: out }];
    let mut prog = program();
    let sums = prog.funs.iter_mut().find(|fun| fun.name.as_str() == "entry_sums").expect("it is there");
    sums.body = body;
    let file = kenaz_codegen::executable(&outlined(prog), &options());
    let own = &file.text[file.program.clone()];
    let outer = own.split("loop_sums_2(").nth(1).expect("the function of the outer loop");
    assert!(
        outer.split("\n}\n").next().is_some_and(|body| body.contains("kz_parallel(ctx, run_sums_1, &env, n, ")),
        "{own}"
    );
    let executable = folder("nested").join("nested");
    compile(&file, &executable, &["-fsanitize=address,undefined", "-DKZ_GRAIN=1"]);
    for threads in ["1", "4"] {
        let ended =
            run(&executable, &["-e", "sums", "-D", "--num-threads", threads], &[], "3i64 [0i64, 1i64, 2i64, 3i64]");
        let (found, said) = (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
        assert_eq!(found, "[6i64, 10i64, 14i64]\n", "{said}");
        assert!(!said.contains("left references"), "{said}");
    }
}

#[test]
fn loops_compute_what_they_should() {
    let (folder, prog) = (folder("run"), outlined(program()));
    let counted = format!("-include{}", root().join("rts/tests/counted.h").display());
    let executable = folder.join("loops");
    compile(&kenaz_codegen::executable(&prog, &options()), &executable, &["-fsanitize=address,undefined", &counted]);
    check_all(&executable);
    for wrong in ["0", "-1", "", "x", "2x", "99999999999999999999", "1e3"] {
        let ended = run(&executable, &["--num-threads", wrong], &[], "");
        let said = String::from_utf8_lossy(&ended.stderr);
        let wanted = format!("Need a number of threads from 1 to 65536, not {wrong}\n");
        assert!(ended.status.code() == Some(1) && said.ends_with(&wanted), "{said}");
    }
    // Without the counts: a server, a library and a module are all right as well.
    compile(&kenaz_codegen::server(&prog, &options()), &folder.join("server"), &[]);
    compile(&kenaz_codegen::module(&prog, &options()), &folder.join("module"), &["-fsyntax-only"]);
    let library = kenaz_codegen::library(&prog, &options());
    let header = library.header.clone().unwrap_or_default();
    assert!(header.contains("#define FUTHARK_BACKEND_multicore\n") && header.contains("config_set_num_threads("));
    compile(&library, &folder.join("library"), &["-fsyntax-only"]);
    let help = run(&folder.join("server"), &["--help"], &[], "");
    assert!(String::from_utf8_lossy(&help.stdout).contains("--num-threads INT"));
}

/// A test of the run-time text by itself, under the sanitizers.
fn build_of_rts(file: &str, flags: &[&str], to: &Path) {
    let root = root();
    let mut command = Command::new(cc());
    command.args([
        "-std=gnu99",
        "-O1",
        "-g",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-pthread",
        "-fsanitize=address,undefined",
    ]);
    command.args(flags).arg("-iquote").arg(root.join("rts")).arg(root.join("rts/tests").join(file)).arg("-o").arg(to);
    let built = command.arg("-lm").output().expect("there is a C compiler");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
}

/// Chunks, failures, memory, contexts on several threads of the caller.
#[test]
fn loops_of_the_run_time_system() {
    let program = folder("loops").join("loops");
    // Where the system has calls to sleep and wake, and elsewhere.
    for flags in [&[][..], &["-DKZ_FUTEX=0"]] {
        build_of_rts("loops.c", flags, &program);
        let ended = run(&program, &[], &[("ASAN_OPTIONS", "allocator_may_return_null=1")], "");
        assert!(ended.status.success(), "{flags:?}: {}", String::from_utf8_lossy(&ended.stderr));
    }
}

/// Copies between any layouts, on one to four threads, also with stores that bypass the caches, and with the widest
/// vectors of this machine and without.
#[test]
fn copies_of_the_run_time_system() {
    let folder = folder("copies");
    for (name, flags) in
        [("plain", &[][..]), ("streaming", &["-DKZ_STREAM_FROM=0"]), ("wide", &["-DKZ_STREAM_FROM=0", "-march=native"])]
    {
        let program = folder.join(name);
        build_of_rts("copies.c", &[&["-DKZ_MULTICORE"], flags].concat(), &program);
        let ended = run(&program, &[], &[], "");
        assert!(ended.status.success(), "{name}: {}", String::from_utf8_lossy(&ended.stderr));
    }
}

#[test]
fn nothing_races() {
    let file = kenaz_codegen::executable(&outlined(program()), &options());
    let counted = format!("-include{}", root().join("rts/tests/counted.h").display());
    let flags = ["-fsanitize=thread", &counted];
    let executable = folder("watched").join("loops");
    compile(&file, &executable, &flags);
    check_all(&executable);
    // It would be seen.
    let racing = file.text.replacen("KZ_RACE(&found[0], true)", "found[0] = true", 1);
    assert_ne!(racing, file.text);
    let executable = folder("watched").join("racing");
    compile(&CFile { text: racing, ..file }, &executable, &flags);
    let ended = run(&executable, &["-e", "find", "--num-threads", "4"], &[], "1f32 [1f32, 1f32, 1f32, 1f32]");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(said.contains("data race"), "{said}");
}
