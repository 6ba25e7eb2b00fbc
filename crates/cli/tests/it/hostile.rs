//! What no user means to do, and some do: full disks, files that must not be overwritten, compilers that do not work,
//! odd names. Each gets one clear line and the documented exit code, and nothing is left half done.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const RIGHT: Option<i32> = Some(0);
const FAILURE: Option<i32> = Some(1);
const MISTAKE: Option<i32> = Some(2);

const PROGRAM: &str = "-- ==\n-- input { 1 } output { 2 }\nentry main (x: i32) = x + 1\n";

const MAP: &str = "entry main (xs: []i32) = map (+ 1) xs\n";

/// A fresh folder for one test, with files in it.
fn folder(test: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("hostile-{test}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    for (name, contents) in files {
        fs::write(folder.join(name), contents).unwrap();
    }
    folder
}

fn command(folder: &Path, args: &[impl AsRef<OsStr>]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kenaz"));
    command.current_dir(folder).args(args).env("KENAZ_CACHE", folder.join("cache")).env("CFLAGS", "-O0");
    command.env_remove("CC").env_remove("COLUMNS");
    command
}

struct Answer {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

#[track_caller]
fn answer(command: &mut Command, stdin: &[u8]) -> Answer {
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A command that does not want its input may have gone.
    let _ = child.stdin.take().unwrap().write_all(stdin);
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let answer = Answer { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) };
    assert!(!answer.stderr.contains("panicked") && !answer.stderr.contains("internal error"), "{}", answer.stderr);
    answer
}

#[track_caller]
fn kenaz(folder: &Path, args: &[impl AsRef<OsStr>], stdin: impl AsRef<[u8]>) -> Answer {
    answer(command(folder, args).stdout(Stdio::piped()), stdin.as_ref())
}

/// The names in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Whatever is printed, a disk without room for it is an error.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_on_standard_output() {
    let folder = folder("full", &[("a.fut", PROGRAM), ("map.fut", MAP), ("wrong.fut", "def x = y\n")]);
    for args in [
        &["run", "a.fut"][..],
        &["run", "--interpret", "a.fut"],
        &["ir", "a.fut"],
        &["ir", "--strategies", "map.fut"],
        &["ir", "--metrics", "a.fut"],
        &["explain", "map.fut"],
        &["explain", "--output", "json", "map.fut"],
        &["test", "a.fut"],
        &["explain-error"],
        &["explain-error", "unknown-name"],
        &["check", "--output=json", "wrong.fut"],
        &["check", "--output=concise", "wrong.fut"],
        &["dataset", "-g", "[3]i32"],
        &["dataset"],
        &["bisect", "a.fut"],
        &["repl"],
        &["--help"],
        &["run", "--help"],
        &["--version"],
    ] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let answer = answer(command(&folder, args).stdout(full), b"1");
        let line = "error: cannot write the output: No space left on device (os error 28)\n";
        assert_eq!((answer.code, &*answer.stderr), (FAILURE, line), "{args:?}");
    }
}

#[test]
fn no_file_is_overwritten_that_was_not_generated() {
    let folder = folder("occupied", &[("a.fut", PROGRAM), ("b.fut", "import \"a\"\nentry two = main 1\n")]);
    fs::create_dir(folder.join("dir")).unwrap();
    let by_hand = "#include <stdio.h>\nint main(void) { return 0; }\n";
    for name in ["hand.c", "lib.h", "lib2.json", "script"] {
        fs::write(folder.join(name), by_hand).unwrap();
    }
    let before = names(&folder);
    for (args, path, why) in [
        (&["c", "a.fut", "-o", "dir"][..], "dir", "is a folder"),
        (&["c", "a.fut", "-o", "dir/"], "dir/", "is a folder"),
        (&["c", "a.fut", "-o", "new/"], "new/", "is a folder"),
        (&["c", "--library", "a.fut", "-o", "new/"], "new/", "is a folder"),
        (&["c", "a.fut", "-o", ".."], "..", "is a folder"),
        (&["c", "a.fut", "-o", "/dev/null"], "/dev/null", "is no regular file"),
        (&["c", "a.fut", "-o", "a.fut"], "a.fut", "is the program itself"),
        (&["multicore", "--server", "a.fut", "-o", "./dir/../a.fut"], "./dir/../a.fut", "is the program itself"),
        (&["c", "b.fut", "-o", "a.fut"], "a.fut", "is the program itself"),
        (&["c", "a.fut", "-o", "hand"], "hand.c", "was not made by a compiler"),
        (&["c", "--library", "a.fut", "-o", "lib"], "lib.h", "was not made by a compiler"),
        (&["c", "--library", "a.fut", "-o", "lib2"], "lib2.json", "was not made by a compiler"),
        (&["c", "a.fut", "-o", "script"], "script", "was not made by a compiler"),
    ] {
        let answer = kenaz(&folder, args, "");
        let expected = format!(
            "error: `{path}` {why}, and is not overwritten\nhint: `-o` names another file, or remove this one\n"
        );
        assert_eq!((answer.code, &*answer.stdout, &*answer.stderr), (MISTAKE, "", &*expected), "{args:?}");
        assert_eq!(names(&folder), before, "{args:?}");
    }
    assert_eq!(fs::read_to_string(folder.join("a.fut")).unwrap(), PROGRAM);
    assert_eq!(fs::read_to_string(folder.join("hand.c")).unwrap(), by_hand);
    // Those that were generated are, and an older result stays if there is no new one.
    for _ in 0..2 {
        for args in [&["c", "a.fut"][..], &["c", "--library", "a.fut", "-o", "made"], &["multicore", "a.fut"]] {
            let answer = kenaz(&folder, args, "");
            assert_eq!((answer.code, &*answer.stderr), (RIGHT, ""), "{args:?}");
        }
    }
    let made = fs::read(folder.join("a")).unwrap();
    let failed = answer(command(&folder, &["c", "a.fut"]).env("CFLAGS", "-fno-such-flag").stdout(Stdio::piped()), b"");
    assert_eq!((failed.code, fs::read(folder.join("a")).unwrap() == made), (MISTAKE, true));
    let after = [&before[..], &["a", "a.c", "made.c", "made.h", "made.json"].map(str::to_string)].concat();
    let mut after = after;
    after.sort();
    assert_eq!(names(&folder), after);
}

/// A compiler that cannot compile anything is not our fault, and the first line that it says is the cause.
#[test]
fn compilers_that_do_not_work() {
    let full = "echo '/usr/bin/ld: final link failed: No space left on device' >&2; exit 1\n";
    // Small programs find room.
    let nearly_full = "case \"$*\" in *' - '*) exec cc \"$@\";; esac; exec sh ./full.sh\n";
    let folder = folder("unusable", &[("a.fut", PROGRAM), ("full.sh", full), ("nearly.sh", nearly_full)]);
    let no_space = "/usr/bin/ld: final link failed: No space left on device";
    for (variable, value, said) in [
        ("CFLAGS", "-fno-such-flag", "-fno-such-flag"),
        ("CFLAGS", "-include no-such-file.h", "no-such-file.h"),
        ("CFLAGS", "-lno-such-library", "no-such-library"),
        ("CFLAGS", "no-such-file.c", "no-such-file.c"),
        ("CFLAGS", "-O0 -std=c89 -pedantic-errors", "because of these flags: "),
        ("CC", "false", "cannot compile any program"),
        ("CC", "sh ./full.sh", no_space),
        ("CC", "sh ./nearly.sh", no_space),
    ] {
        for args in [&["run", "--backend", "c", "a.fut"][..], &["c", "a.fut"], &["multicore", "a.fut"]] {
            let answer = answer(command(&folder, args).env(variable, value).stdout(Stdio::piped()), b"1");
            assert_eq!((answer.code, &*answer.stdout), (MISTAKE, ""), "{value} {args:?}: {}", answer.stderr);
            let (first, hint) = answer.stderr.split_once('\n').unwrap();
            assert!(first.starts_with("error: the C compiler `") && first.contains(said), "{value}: {first}");
            assert!(hint.starts_with("hint: `$CC` says") && hint.lines().count() == 1, "{hint}");
            assert!(!folder.join("a").exists());
        }
    }
    assert_eq!(names(&folder.join("cache").join("compiled")), [""; 0], "something was left behind");
}

/// `$CC` and `$CFLAGS` are words as in a shell.
#[cfg(unix)]
#[test]
fn quotes_in_the_environment() {
    let cc = "[ \"$1\" = 'a  b' ] && shift && exec cc \"$@\"\n";
    let folder = folder("quotes", &[("a.fut", PROGRAM), ("my cc", cc)]);
    let flags = "-O0 '-DUNUSED=\"x y\"'";
    for args in [&["run", "--backend", "c", "a.fut"][..], &["c", "a.fut"], &["test", "--backend", "c", "a.fut"]] {
        let mut right = command(&folder, args);
        let right = right.env("CC", "sh \"my cc\" a\\ \\ b").env("CFLAGS", flags).stdout(Stdio::piped());
        let right = answer(right, b"1");
        assert_eq!((right.code, &*right.stderr), (RIGHT, ""), "{args:?}");
    }
    fs::remove_file(folder.join("a.c")).unwrap();
    for (variable, value, said) in [
        ("CC", "\"my cc", "error: `$CC` is `\"my cc`, in which the quotation mark \" is opened and not closed\n"),
        ("CFLAGS", "-D'A", "error: `$CFLAGS` is `-D'A`, in which the quotation mark ' is opened and not closed\n"),
        ("CC", "cc \\", "error: `$CC` is `cc \\`, in which nothing follows its last backslash\n"),
    ] {
        for args in [&["run", "--backend", "c", "a.fut"][..], &["c", "a.fut"], &["test", "--backend", "c", "a.fut"]] {
            let answer = answer(command(&folder, args).env(variable, value).stdout(Stdio::piped()), b"1");
            assert_eq!((answer.code, &*answer.stdout), (MISTAKE, ""), "{value} {args:?}");
            assert!(answer.stderr.starts_with(said), "{value} {args:?}: {}", answer.stderr);
        }
    }
    assert!(!folder.join("a.c").exists());
}

/// What was made cannot be used.
#[cfg(unix)]
#[test]
fn results_that_cannot_be_loaded() {
    let folder = folder("unloadable", &[("a.fut", PROGRAM)]);
    for flags in ["-c", "-O0 -Dmalloc=no_such_function"] {
        let answer = answer(command(&folder, &["run", "a.fut"]).env("CFLAGS", flags).stdout(Stdio::piped()), b"1");
        assert_eq!((answer.code, &*answer.stdout), (MISTAKE, ""), "{flags}: {}", answer.stderr);
        let said = format!("error: what the C compiler `cc {flags}` has made cannot be loaded: ");
        assert!(answer.stderr.starts_with(&said) && answer.stderr.contains("\nhint: `$CC`"), "{}", answer.stderr);
    }
}

/// Names that compilers and shells take for something else.
#[test]
fn odd_names() {
    let odd = ["-o.fut", "@a.fut", "a b.fut", "it's \"x\".fut", "-.fut", "äöü.fut", "$HOME.fut", "a.b.fut", "+x.fut"];
    let folder = folder("names", &odd.map(|name| (name, PROGRAM)));
    for name in odd {
        for args in [&["check", "--"][..], &["run", "--interpret", "--"], &["c", "--"]] {
            let answer = kenaz(&folder, &[args, &[name]].concat(), "1");
            assert_eq!((answer.code, &*answer.stderr), (RIGHT, ""), "{args:?} {name}");
        }
        let program = folder.join(name.strip_suffix(".fut").unwrap());
        let made = answer(Command::new(&program).stdout(Stdio::piped()), b"1");
        assert_eq!((made.code, &*made.stdout), (RIGHT, "2i32\n"), "{name}");
    }
}

/// What C and its library call something else.
#[test]
fn entry_points_with_names_of_c() {
    let names = ["int", "printf", "malloc", "errno", "NULL", "stdin", "sin", "exit", "default", "futhark_context_new"];
    let entries: String = names.iter().map(|name| format!("entry {name} (x: i32) = x + 1\n")).collect();
    let folder = folder("keywords", &[("a.fut", &entries)]);
    assert_eq!(kenaz(&folder, &["c", "a.fut"], "").code, RIGHT);
    for name in names {
        let made = answer(Command::new(folder.join("a")).args(["-e", name]).stdout(Stdio::piped()), b"1");
        assert_eq!((made.code, &*made.stdout), (RIGHT, "2i32\n"), "{name}: {}", made.stderr);
    }
}

/// Some editors begin a file with a mark of its encoding.
#[test]
fn byte_order_marks() {
    let folder = folder("mark", &[("a.fut", &format!("\u{feff}{PROGRAM}")), ("wrong.fut", "\u{feff}def x = y\n")]);
    for args in [&["run", "a.fut"][..], &["run", "--interpret", "a.fut"]] {
        let answer = kenaz(&folder, args, "\u{feff}1\n");
        assert_eq!((answer.code, &*answer.stdout, &*answer.stderr), (RIGHT, "2i32\n", ""));
    }
    assert_eq!(kenaz(&folder, &["test", "a.fut"], "").stdout, "1 passed, 0 failed\n");
    assert_eq!(kenaz(&folder, &["c", "a.fut"], "").code, RIGHT);
    for (data, code, said) in [
        ("\u{feff}1\n", RIGHT, ""),
        ("\u{feff}\n x", FAILURE, "line 2, column 2"),
        ("\u{feff}x", FAILURE, "line 1, column 1"),
    ] {
        let made = answer(Command::new(folder.join("a")).stdout(Stdio::piped()), data.as_bytes());
        assert_eq!((made.code, made.stderr.contains(said)), (code, true), "{}", made.stderr);
    }
    assert!(kenaz(&folder, &["check", "wrong.fut"], "").stderr.contains("wrong.fut:1:9"));
}

/// Binary data has one byte for the number of dimensions, and arrays have far fewer.
#[test]
fn more_dimensions_than_binary_data_has() {
    let (open, close, sizes) = ("[".repeat(260), "]".repeat(260), "[1]".repeat(260));
    let program = format!("entry out (x: i32): {sizes}i32 = {open}x{close}\n");
    let folder = folder("rank", &[("a.fut", &program)]);
    let answer = kenaz(&folder, &["c", "a.fut"], "");
    assert_eq!((answer.code, &*answer.stdout), (MISTAKE, ""));
    assert!(answer.stderr.contains("error[type-too-large]"), "{}", answer.stderr);
}

/// Whoever runs a program gets the same words.
#[test]
fn errors_at_run_time_in_the_same_words() {
    let program = "entry copies (n: i64) = replicate n 1i32\n";
    let folder = folder("words", &[("a.fut", program)]);
    for (n, first) in [
        ("-1", "Error: A value cannot be replicated -1 times."),
        ("4000000000000000", "Error: out of memory: cannot allocate 16000000000000000 bytes"),
        ("4611686018427387904", "Error: out of memory: cannot allocate 9223372036854775807 bytes or more"),
    ] {
        for backend in ["interpreter", "c", "multicore"] {
            let answer = kenaz(&folder, &["run", "--backend", backend, "-e", "copies", "a.fut"], n);
            assert_eq!((answer.code, &*answer.stdout), (FAILURE, ""));
            assert!(answer.stderr.starts_with(first), "{backend}: {}", answer.stderr);
        }
    }
}

/// Options may be cut short where that is clear.
#[test]
fn long_options_may_be_cut_short() {
    let folder = folder("short", &[("a.fut", PROGRAM)]);
    for args in [
        &["c", "--lib", "a.fut", "-o", "l"][..],
        &["c", "--serv", "a.fut", "-o", "s"],
        &["run", "--interp", "a.fut"],
        &["run", "--entry=main", "a.fut"],
        &["check", "--out", "json", "a.fut"],
        &["dataset", "--gen", "i32"],
    ] {
        let answer = kenaz(&folder, args, "1");
        assert_eq!((answer.code, &*answer.stderr), (RIGHT, ""), "{args:?}");
    }
    // This may be `--optimise` or none at all.
    assert_eq!(kenaz(&folder, &["c", "--s", "a.fut"], "").code, MISTAKE);
}

/// The memory of the compiler has a limit.
#[test]
fn more_memory_than_the_compiler_may_take() {
    let many: String = (0..20_000).map(|i| format!("def f{i} (x: i32) = x + {i}\n")).collect();
    let folder = folder("memory", &[("a.fut", PROGRAM), ("many.fut", &many)]);
    let limited = |limit: &str, args: &[&str]| {
        let mut command = command(&folder, args);
        answer(command.env("KENAZ_MEMORY", limit).stdout(Stdio::piped()), b"1")
    };
    let said =
        "error: the compiler needs more than 16 MiB of memory for this program; `$KENAZ_MEMORY` sets the limit\n";
    for args in [&["check", "many.fut"][..], &["c", "many.fut"], &["ir", "many.fut"], &["run", "many.fut"]] {
        let refused = limited("16M", args);
        assert_eq!((refused.code, &*refused.stdout, &*refused.stderr), (MISTAKE, "", said), "{args:?}");
    }
    assert_eq!(names(&folder), ["a.fut", "many.fut"]);
    for limit in ["512M", "1 GiB", "none"] {
        let checked = limited(limit, &["check", "many.fut"]);
        assert_eq!((checked.code, &*checked.stderr), (RIGHT, ""), "{limit}");
    }
    for limit in ["", "much", "-1"] {
        let wrong = limited(limit, &["check", "a.fut"]);
        assert_eq!(wrong.code, MISTAKE);
        assert!(
            wrong.stderr.starts_with(&format!("error: `$KENAZ_MEMORY` is `{limit}`, and must be")),
            "{}",
            wrong.stderr
        );
    }
    // The program is another matter: its arguments and results do not count.
    fs::write(folder.join("many-values.fut"), "entry main (n: i64) = (iota n, map (+ 1) (iota n))\n").unwrap();
    for backend in ["interpreter", "c"] {
        let ran = answer(
            command(&folder, &["run", "--backend", backend, "many-values.fut"])
                .env("KENAZ_MEMORY", "32M")
                .stdout(Stdio::null()),
            b"3000000",
        );
        assert_eq!((ran.code, &*ran.stderr), (RIGHT, ""), "{backend}");
    }
}

/// A folder for temporary files that is none.
#[test]
fn no_temporary_folder() {
    let folder = folder("tmpdir", &[("a.fut", PROGRAM)]);
    for args in [&["run", "a.fut"][..], &["c", "a.fut"]] {
        let mut command = command(&folder, args);
        command.env("TMPDIR", folder.join("none")).env("KENAZ_CACHE", folder.join("a.fut")).stdout(Stdio::piped());
        let answer = answer(&mut command, b"1");
        // Some compilers go elsewhere.
        assert!(answer.code == MISTAKE || answer.code == RIGHT, "{:?} {}", answer.code, answer.stderr);
        assert!(answer.stderr.lines().count() <= 2, "{}", answer.stderr);
    }
}

/// Whoever asks a command to end is left nothing behind: with Ctrl-C, by `kill`, by closing the terminal.
#[cfg(unix)]
#[test]
fn interrupts() {
    if kenaz_cli::interrupt::hangups_are_ignored() {
        // We run under `nohup`, and so would the commands.
        return;
    }
    // A compiler that says when it has begun, and goes on for long.
    let cc = "touch begun; exec sleep 60\n";
    let folder = folder("interrupt", &[("a.fut", PROGRAM), ("cc.sh", cc)]);
    let temporary = folder.join("tmp");
    fs::create_dir(&temporary).unwrap();
    let before = ["a.fut", "cc.sh", "tmp"];
    for (signal, args, kept) in [
        ("-INT", &["c", "a.fut"][..], &["a.c"][..]),
        ("-INT", &["run", "a.fut"], &[]),
        ("-INT", &["test", "--backend", "c", "a.fut"], &[]),
        ("-INT", &["bench", "--json", "times.json", "--report", "times.html", "a.fut"], &[]),
        ("-TERM", &["run", "a.fut"], &[]),
        ("-HUP", &["run", "a.fut"], &[]),
    ] {
        let mut command = command(&folder, args);
        command.env("CC", "sh ./cc.sh").env("TMPDIR", &temporary).env("KENAZ_CACHE", folder.join("a.fut").join("none"));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(b"1").unwrap();
        while !folder.join("begun").exists() {
            assert_eq!(child.try_wait().unwrap(), None, "{args:?}");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        assert_eq!(child.wait().unwrap().code(), Some(130), "{args:?}");
        fs::remove_file(folder.join("begun")).unwrap();
        assert_eq!(names(&temporary), [""; 0], "{args:?}");
        let mut expected = [&before[..], kept].concat();
        expected.sort_unstable();
        assert_eq!(names(&folder), expected, "{args:?}");
        kept.iter().for_each(|name| fs::remove_file(folder.join(name)).unwrap());
    }
}

/// People at a terminal are told what is read, and say once that it has ended.
#[cfg(target_os = "linux")]
#[test]
fn a_terminal_is_asked() {
    let folder = folder("terminal", &[("a.fut", "entry main (x: i32) (ys: []i64) = (x, ys)\nentry two = 2i8\n")]);
    // `script` gives the command a terminal, and types what it reads.
    let typed = |args: &str, keys: &str| {
        let mut script = Command::new("script");
        script.current_dir(&folder).args(["-qec", &format!("{} {args}", env!("CARGO_BIN_EXE_kenaz")), "/dev/null"]);
        let mut child = match script.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn() {
            Ok(child) => child,
            // There is no such command everywhere.
            Err(_) => return None,
        };
        // The input stays open, so that only what was typed can end that of the command.
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(keys.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        drop(stdin);
        Some(String::from_utf8(output.stdout).unwrap())
    };
    for (args, keys, parts) in [
        (
            "run --interpret a.fut",
            "1 [2]\n\u{4}",
            &["reading x: i32, ys: []i64 from the terminal; Ctrl-D", "[2i64]"][..],
        ),
        ("run --interpret -e two a.fut", "", &["2i8"]),
        ("dataset", "7\n\u{4}", &["reading values from the terminal; Ctrl-D", "7i32"]),
    ] {
        let Some(shown) = typed(args, keys) else { return };
        assert!(parts.iter().all(|part| shown.contains(part)), "{args}: {shown}");
    }
}
