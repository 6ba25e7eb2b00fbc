//! Data files as `run`, `dataset` and `test` read and write them, and the page about them.

use kenaz_base::TemporaryFolder;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const RIGHT: Option<i32> = Some(0);
const FAILURE: Option<i32> = Some(1);
const MISTAKE: Option<i32> = Some(2);

struct Answer {
    code: Option<i32>,
    stdout: Vec<u8>,
    stderr: String,
}

fn folder(files: &[(&str, &[u8])]) -> TemporaryFolder {
    let folder = TemporaryFolder::new().unwrap();
    for (name, contents) in files {
        fs::write(folder.path.join(name), contents).unwrap();
    }
    folder
}

fn command(program: &str, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).env("XDG_CACHE_HOME", folder.join("cache")).env("CFLAGS", "-O0");
    command.env_remove("KENAZ_CACHE").env_remove("COLUMNS");
    command
}

#[track_caller]
fn answer(mut command: Command, stdin: &[u8]) -> Answer {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A command that does not want its input may have gone.
    let _ = child.stdin.take().unwrap().write_all(stdin);
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(!stderr.contains("panicked"), "{stderr}");
    Answer { code: output.status.code(), stdout: output.stdout, stderr }
}

#[track_caller]
fn kenaz(folder: &TemporaryFolder, args: &[&str], stdin: &[u8]) -> Answer {
    let mut command = command(env!("CARGO_BIN_EXE_kenaz"), &folder.path);
    command.args(args);
    answer(command, stdin)
}

/// Runs with the interpreter, which needs no C compiler.
#[track_caller]
fn run(folder: &TemporaryFolder, args: &[&str], stdin: &[u8]) -> Answer {
    kenaz(folder, &[&["run", "--interpret"], args].concat(), stdin)
}

#[track_caller]
fn prints(folder: &TemporaryFolder, args: &[&str], stdin: &[u8], expected: &str) {
    let answer = run(folder, args, stdin);
    let stdout = String::from_utf8_lossy(&answer.stdout);
    assert_eq!((answer.code, &*stdout, answer.stderr.as_str()), (RIGHT, expected, ""), "{args:?}");
}

#[track_caller]
fn refuses(folder: &TemporaryFolder, args: &[&str], stdin: &[u8], expected: &str) {
    let answer = run(folder, args, stdin);
    let stderr = format!("error: {expected}\n");
    assert_eq!((answer.code, answer.stdout.as_slice(), answer.stderr), (MISTAKE, &b""[..], stderr), "{args:?}");
}

/// The files that are there.
fn names(folder: &TemporaryFolder) -> Vec<String> {
    let entries = fs::read_dir(&folder.path).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| name != "cache");
    names.sort();
    names
}

const PROGRAM: &[u8] = b"type point = {x: i32, y: f32}\n\
    entry main (k: i32) (xs: []i32) (ps: []point): ([]i32, []f32) =\n\
    (map (+ k) xs, map (\\p -> p.y + f32.i32 p.x) ps)\n\
    entry moved (ps: []point): []point = map (\\(p: point) -> p with x = p.x + 1) ps\n\
    entry both (p: point): {sum: f32, parts: []f32} = let y = p.y + f32.i32 p.x in {sum = y, parts = [y, y]}\n\
    entry picture: [][]u32 = [[0xff0000, 0xff00], [0xff, 0]]\n\
    entry nest (ts: [](i32, {a: f32, b: bool})): [](bool, i32) = map (\\(i, r) -> (r.b, i)) ts\n\
    entry fails (x: i32): []i32 = [10 / x]\n";

/// An array of two integers, as NumPy writes it.
fn npy(descr: &str, elements: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': (2,), }}");
    let mut bytes = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    bytes.extend(format!("{header:<117}\n").bytes());
    bytes.extend(elements);
    bytes
}

fn with_data() -> TemporaryFolder {
    folder(&[
        ("a.fut", PROGRAM),
        ("k.txt", b"10 -- a number"),
        ("xs.npy", &npy("<i4", &[1, 0, 0, 0, 2, 0, 0, 0])),
        ("ps.csv", b"y,x\n0.5,1\n1.5,2\n"),
        ("longs.npy", &npy("<i8", &[0; 16])),
        ("xs=1.npy", &npy("<i4", &[7, 0, 0, 0, 8, 0, 0, 0])),
    ])
}

#[test]
fn arguments() {
    let folder = with_data();
    let expected = "[11i32, 12i32]\n[1.5f32, 3.5f32]\n";
    for (args, stdin) in [
        (&["a.fut", "-i", "k=k.txt", "-i", "ps=ps.csv", "-i", "xs=xs.npy"][..], &b"junk that nobody reads"[..]),
        (&["a.fut", "--input", "k.txt", "--input", "xs.npy", "--input", "ps.csv"], b""),
        (&["a.fut", "-i", "ps=ps.csv"], b"10 [1, 2]"),
        (&["a.fut", "-i", "ps=ps.csv", "-i", "-", "-i", "xs=xs.npy"], b"10"),
        (&["a.fut", "-i", "ps.x=xs.npy", "-i", "xs=xs.npy", "-i", "ps.y=-", "-i", "k.txt"], b"[0.5, 1.5]"),
        (&["a.fut", "-i", "xs=xs.npy"], b"10 [1, 2] [0.5, 1.5]"),
    ] {
        prints(&folder, args, stdin, expected);
    }
    prints(
        &folder,
        &["a.fut", "-i", "k.txt", "-i", "./xs=1.npy", "-i", "ps.csv"],
        b"",
        "[17i32, 18i32]\n[1.5f32, 3.5f32]\n",
    );
    prints(&folder, &["a.fut", "-e", "moved", "--input-format", "csv"], b"x,y\n1,2", "[2i32]\n[2.0f32]\n");
    let nested = b"1.b,0,1.a\ntrue,1,2\nfalse,2,3\n";
    prints(
        &folder,
        &["a.fut", "-e", "nest", "--input-format", "csv", "--format", "csv"],
        nested,
        "0,1\ntrue,1\nfalse,2\n",
    );
    fs::write(folder.path.join("ps"), b"x,y\n1,2\n").unwrap();
    prints(&folder, &["a.fut", "-e", "moved", "-i", "ps", "--input-format", "csv"], b"", "[2i32]\n[2.0f32]\n");
}

#[test]
fn wrong_arguments() {
    let folder = with_data();
    for (args, stdin, expected) in [
        (
            &["a.fut", "-i", "k.txt", "-i", "longs.npy"][..],
            &b""[..],
            "longs.npy: argument 2 (`xs`: []i32): byte 0: expected a value of type `[]i32`, found one of type `[]i64`; \
             save `a.astype(np.int32)`",
        ),
        (
            &["a.fut", "-i", "k.txt", "-i", "xs.npy"],
            b"",
            "xs.npy: argument 3 (`ps`: []point): byte 136: expected a value of type `[]i32`, found the end of the data",
        ),
        (
            &["a.fut", "-i", "z=k.txt"],
            b"",
            "`main` has no parameter `z`, it has `k`, `xs`, `ps`; write `./z=…` for a file of that name",
        ),
        (&["a.fut", "-i", "ps.z=k.txt"], b"", "`ps` of type `[]point` has no field `z`, it has `x`, `y`"),
        (&["a.fut", "-i", "k=k.txt", "-i", "k=k.txt"], b"", "there are two files for `k`"),
        (&["a.fut", "-i", "ps=ps.csv", "-i", "ps.x=xs.npy"], b"", "there are two files for `ps.x`"),
        (&["a.fut", "-i", "k=none"], b"", "cannot read `none`: No such file or directory (os error 2)"),
        (
            &["a.fut", "-i", "k.txt", "-i", "xs.npy", "-i", "ps.x=xs.npy"],
            b"",
            "there is no value for `ps.y`; the other fields have some",
        ),
        (
            &["a.fut", "-i", "ps.csv"],
            b"",
            "ps.csv: argument 1 (`k`: i32): line 1, column 1: `i32` does not fit into csv data, which is an array with one or two dimensions, an array of records or a record of arrays",
        ),
        (
            &["a.fut", "-e", "moved", "-i", "ps.csv", "-i", "k.txt"],
            b"",
            "k.txt: after the last argument: line 1, column 1: expected the end of the data, found another value",
        ),
        (
            &["a.fut", "-i", "xs=xs.npy", "-i", "ps=ps.csv", "-i", "k=-"],
            b"1 2",
            "after `k`: line 1, column 3: expected the end of the data, found another value",
        ),
        (
            &["a.fut", "--input-format", "npy"],
            b"1 2",
            "argument 1 (`k`: i32): line 1, column 1: expected npy data, which begins with `\\x93NUMPY`",
        ),
        (
            &["a.fut", "-e", "moved", "-i", "ps=a.fut"],
            b"",
            "a.fut: argument 1 (`ps`: []point): line 1, column 1: expected a value, found `type`",
        ),
    ] {
        refuses(&folder, args, stdin, expected);
    }
    assert_eq!(run(&folder, &["a.fut", "--input-format", "npz"], b"").code, MISTAKE);
}

#[test]
fn results() {
    let folder = with_data();
    let args = ["a.fut", "-i", "k.txt", "-i", "xs.npy", "-i", "ps.csv"];
    let file = |name: &str| String::from_utf8(fs::read(folder.path.join(name)).unwrap()).unwrap();
    let with = |more: &[&'static str]| [&args[..], more].concat();
    prints(&folder, &with(&["-o", "0=a.csv"]), b"", "[1.5f32, 3.5f32]\n");
    assert_eq!(file("a.csv"), "11\n12\n");
    prints(&folder, &with(&["-o", "b.csv", "-o", "c.out"]), b"", "");
    assert_eq!((file("b.csv"), file("c.out")), ("11\n12\n".to_string(), "[1.5f32, 3.5f32]\n".to_string()));
    prints(&folder, &with(&["-o", "d.csv", "--format", "text"]), b"", "");
    assert_eq!(file("d.csv"), "[11i32, 12i32]\n[1.5f32, 3.5f32]\n");
    prints(&folder, &with(&["-o", "1=-", "-o", "0=e.csv", "--format", "csv"]), b"", "1.5\n3.5\n");
    prints(&folder, &with(&["-o", "1=f.csv", "-o", "-"]), b"", "[11i32, 12i32]\n");
    prints(&folder, &["a.fut", "-e", "moved", "-i", "ps.csv", "-o", "ps.csv"], b"", "");
    assert_eq!(file("ps.csv"), "x,y\n2,0.5\n3,1.5\n");
    prints(&folder, &["a.fut", "-e", "both", "-o", "parts=g.csv", "-o", "sum=h.out"], b"1 2", "");
    assert_eq!((file("g.csv"), file("h.out")), ("3.0\n3.0\n".to_string(), "3.0f32\n".to_string()));
    let npy = run(&folder, &["a.fut", "-e", "fails", "--format", "npy"], b"5").stdout;
    assert!(npy.starts_with(b"\x93NUMPY") && npy.ends_with(b"\n\x02\0\0\0"), "{npy:?}");
    prints(&folder, &["a.fut", "-e", "picture", "-o", "p.png"], b"", "");
    let answer = kenaz(&folder, &["dataset", "-i", "p.png", "--as", "[][][]u8"], b"");
    assert_eq!(answer.stdout, b"[[[255u8, 0u8, 0u8], [0u8, 255u8, 0u8]], [[0u8, 0u8, 255u8], [0u8, 0u8, 0u8]]]\n");
}

/// What the types tell is said before anything is read or run.
#[test]
fn impossible_results() {
    let folder = with_data();
    let before = names(&folder);
    for (args, expected) in [
        (
            &["a.fut", "-o", "r.npy"][..],
            "npy data is one value, not 2; each result of `main` needs a file: `--output 0=FILE`",
        ),
        (
            &["a.fut", "-e", "moved", "-o", "r.npy"],
            "the result of `moved` cannot be written: `[]point` does not fit into npy data, which is an array of numbers or booleans",
        ),
        (
            &["a.fut", "-o", "2=r.npy"],
            "`main` has no result `2`, but 2, which are numbered from 0; write `./2=…` for a file of that name",
        ),
        (
            &["a.fut", "-e", "both", "-o", "x=r.npy"],
            "`both` has no result `x`, but one of type `{parts:[]f32, sum:f32}`, it has `parts`, `sum`; write `./x=…` for a file of that name",
        ),
        (&["a.fut", "-o", "a", "-o", "b", "-o", "c"], "there are 3 files for 2 of the results of `main`"),
        (&["a.fut", "-o", "0=r.npy", "-o", "1=r.npy"], "there are two outputs for the file `r.npy`"),
        (&["a.fut", "-o", "./a.fut"], "cannot write `./a.fut`: it is the program itself"),
        (
            &["a.fut", "-o", "cache/none/r.txt"],
            "cannot write `cache/none/r.txt`: No such file or directory (os error 2)",
        ),
        (&["a.fut", "-o", "."], "cannot write `.`: it is a folder"),
        (&["a.fut", "-o", "-", "-o", "-"], "some results go to standard output already"),
    ] {
        refuses(&folder, args, b"not looked at", expected);
    }
    assert_eq!(names(&folder), before);
}

#[test]
fn nothing_is_half_written() {
    let folder = with_data();
    let before = names(&folder);
    assert_eq!(run(&folder, &["a.fut", "-e", "fails", "-o", "r.npy"], b"0").code, FAILURE);
    assert_eq!(run(&folder, &["a.fut", "-e", "fails", "-o", "r.npy"], b"x").code, MISTAKE);
    let full = run(&folder, &["a.fut", "-o", "r.npy", "-o", "/dev/full"], b"1 [2] [3] [4]");
    let message = "error: cannot write `/dev/full`: No space left on device (os error 28)\n";
    assert_eq!((full.code, full.stderr.as_str()), (FAILURE, message));
    assert_eq!(names(&folder), before);
    // A pipe or a device stays what it is.
    prints(&folder, &["a.fut", "-e", "fails", "-o", "/dev/null"], b"5", "");
    #[cfg(unix)]
    {
        // A link leads to what is written.
        std::os::unix::fs::symlink("target.txt", folder.path.join("link")).unwrap();
        fs::write(folder.path.join("target.txt"), "old").unwrap();
        prints(&folder, &["a.fut", "-e", "fails", "-o", "link"], b"5", "");
        assert_eq!(fs::read(folder.path.join("target.txt")).unwrap(), b"[2i32]\n");
        assert!(folder.path.join("link").is_symlink());
    }
}

#[test]
fn compiled_programs_too() {
    let folder = with_data();
    let args = ["run", "--backend", "c", "a.fut", "-i", "k.txt", "-i", "xs.npy", "-i", "ps.csv", "-o", "0=r.csv"];
    let answer = kenaz(&folder, &args, b"");
    assert_eq!((answer.code, answer.stdout.as_slice()), (RIGHT, &b"[1.5f32, 3.5f32]\n"[..]), "{}", answer.stderr);
    assert_eq!(fs::read(folder.path.join("r.csv")).unwrap(), b"11\n12\n");
}

#[test]
fn conversions() {
    let folder = with_data();
    for (args, stdin, expected) in [
        (&["-i", "xs.npy"][..], &b""[..], "[1i32, 2i32]\n"),
        (&["-i", "xs.npy", "-i", "k.txt", "-t"], b"", "[2]i32\ni32\n"),
        (&["--format", "csv"], b"[[1, 2], [3, 4]]", "1,2\n3,4\n"),
        (&["--input-format", "csv", "--as", "[]f32"], b"1\n2\n", "[1.0f32, 2.0f32]\n"),
        (&["--as", "i8", "--as", "f32"], b"1 2 3", "1i8\n2.0f32\n3i32\n"),
        (&["-i", "ps.csv", "--as", "[]{x: i64, y: f32}"], b"", "[1i64, 2i64]\n[0.5f32, 1.5f32]\n"),
        (&["-i", "ps.csv", "--as", "[]{x: i64, y: f32}", "--format", "csv"], b"", "x,y\n1,0.5\n2,1.5\n"),
    ] {
        let answer = kenaz(&folder, &[&["dataset"], args].concat(), stdin);
        let stdout = String::from_utf8_lossy(&answer.stdout);
        assert_eq!((answer.code, &*stdout), (RIGHT, expected), "{args:?}: {}", answer.stderr);
    }
    // From each format to each.
    let names = ["0.txt", "1.bin", "2.npy", "3.csv", "4.png", "5.txt"];
    fs::write(folder.path.join(names[0]), "[[1u8, 2u8], [3u8, 255u8]]\n").unwrap();
    for pair in names.windows(2) {
        let answer = kenaz(&folder, &["dataset", "-i", pair[0], "-o", pair[1], "--as", "[][]u8"], b"");
        assert_eq!((answer.code, answer.stderr.as_str()), (RIGHT, ""), "{pair:?}");
    }
    assert_eq!(fs::read(folder.path.join(names[0])).unwrap(), fs::read(folder.path.join(names[5])).unwrap());
    for (args, stdin, expected) in [
        (&["-o", "r.npy"][..], &b"1 2"[..], "npy data is one value, and there are more"),
        (&["-o", "r.png"], b"1", "`i32` does not fit into png data, which is a picture"),
        (&["-i", "none.csv"], b"", "cannot read `none.csv`: No such file"),
        (&["--as", "i32"], b"", "there is no value for `--as 'i32'`"),
        (&["-i", "k.txt", "-g", "i32"], b"", "`--input` and `--generate` do not go together"),
        (&["-o", "none/r.npy"], b"1", "cannot write `none/r.npy`: No such file"),
        (
            &["-i", "ps.csv", "--as", "[]{x: i32, y: i32}", "-o", "r.bin"],
            b"",
            "ps.csv: line 2, column 1: column `y`: `0.5` is not a value of type `i32`",
        ),
    ] {
        let answer = kenaz(&folder, &[&["dataset"], args].concat(), stdin);
        assert_eq!(answer.code, MISTAKE, "{args:?}");
        assert!(answer.stderr.starts_with(&format!("error: {expected}")), "{args:?}: {}", answer.stderr);
    }
    assert!(self::names(&folder).iter().all(|name| !name.starts_with("r.") && !name.contains("unfinished")));
    for ty in ["[]{x}", "[]{x: int}", "[]{}", "{x: i32}", "[]{x: i32, x: i32}", "[2]i32"] {
        let answer = kenaz(&folder, &["dataset", "--as", ty], b"");
        assert!(answer.code == MISTAKE && answer.stderr.contains("is not a type such as"), "{ty}: {}", answer.stderr);
    }
}

/// Test blocks read files of all formats, and tables and pictures with the types of the entry point.
#[test]
fn test_blocks() {
    let folder = with_data();
    let answer = run(&folder, &["a.fut", "-e", "picture", "-o", "p.png"], b"");
    assert_eq!(answer.code, RIGHT);
    let program = "-- ==\n-- entry: xs\n-- input @ xs.npy\n-- output @ r.csv\n\
        entry xs (xs: []i32): []f64 = map f64.i32 xs\n\
        -- ==\n-- entry: ps\n-- input @ ps.csv\n-- output { 5.0f32 }\n\
        entry ps (ps: []{x: i32, y: f32}): f32 = f32.sum (map (\\p -> p.y + f32.i32 p.x) ps)\n\
        -- ==\n-- entry: reds\n-- input @ p.png\n-- output { 255 }\n\
        entry reds (p: [][]i32): i32 = i32.sum (map (\\c -> (c >> 16) & 0xff) (flatten p))\n\
        entry red (p: [][]u32): u32 = p[0, 0]\n\
        -- ==\n-- entry: red\n-- script input { $loadimg \"p.png\" }\n-- output { 0xffff0000u32 }\n";
    fs::write(folder.path.join("t.fut"), program).unwrap();
    fs::write(folder.path.join("r.csv"), "1\n2\n").unwrap();
    let answer = kenaz(&folder, &["test", "--backend", "interpreter", "t.fut"], b"");
    assert_eq!(answer.code, RIGHT, "{}{}", String::from_utf8_lossy(&answer.stdout), answer.stderr);
    fs::write(folder.path.join("r.csv"), "1\n3\n").unwrap();
    assert_eq!(kenaz(&folder, &["test", "--backend", "interpreter", "t.fut"], b"").code, FAILURE);
}

/// The commands on the page answer what it says, with the files that it shows.
#[test]
#[cfg(unix)]
fn the_page_about_data() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/data.md");
    let folder = folder(&[]);
    let binary = Path::new(env!("CARGO_BIN_EXE_kenaz")).parent().unwrap();
    let path = std::env::join_paths(
        std::iter::once(binary.to_path_buf()).chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let path = path.unwrap();
    let mut commands = 0;
    let text = fs::read_to_string(page).unwrap();
    for block in text.split("\n```").skip(1).step_by(2) {
        let (tag, contents) = block.split_once('\n').unwrap();
        if let Some((_, name)) = tag.split_once(" file=") {
            fs::write(folder.path.join(name), format!("{contents}\n")).unwrap();
        }
        if tag != "console" {
            continue;
        }
        for example in contents.split("$ ").skip(1) {
            let (line, expected) = example.split_once('\n').unwrap_or((example, ""));
            let mut shell = command("sh", &folder.path);
            shell.env("PATH", &path).args(["-c", &format!("{line} 2>&1")]);
            let shown = String::from_utf8(answer(shell, b"").stdout).unwrap();
            assert_eq!(shown.trim_end(), expected.trim_end(), "{line}");
            commands += 1;
        }
    }
    assert!(commands > 10, "{commands}");
}
