//! The tests in tests/codegen: programs of the memory stage as text, what they are in C, and what that C does.
//!
//! The file `.c` next to a program is its own part of the executable, without the run-time system; `BLESS=1` rewrites
//! it. Comments say how it is run:
//!
//! ```text
//! -- run NAME ARGUMENT ARGUMENT
//! -- gives RESULT                  one line for each result
//! -- fails MESSAGE                 or the first line of the error
//! -- traces LINE                   what it prints on standard error
//! ```
//!
//! All programs are compiled with all warnings as errors and run under the sanitizers.

use kenaz_base::TemporaryFolder;
use kenaz_codegen::{CFile, Options};
use libtest_mimic::{Arguments, Failed, Trial};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::{fs, io};

fn main() -> ExitCode {
    let args = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::env::set_current_dir(root).expect("the repository is there");
    let bless = std::env::var_os("BLESS").is_some_and(|value| value != "0");
    let mut trials = Vec::new();
    for path in list("tests/codegen", "ir") {
        let name = path.display().to_string();
        let same = path.clone();
        trials.push(Trial::test(format!("{name} text"), move || text_test(&path, bless)));
        trials.push(Trial::test(format!("{name} runs"), move || run_test(&same)));
    }
    trials.push(Trial::test("a library is used", library_test));
    trials.push(Trial::test("a small program is short", short_test));
    libtest_mimic::run(&args, trials).exit_code()
}

fn list(folder: &str, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder of the tests is there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be read").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|found| found == extension));
    paths.sort();
    paths
}

fn lower(path: &Path) -> Result<(String, kenaz_imp::Prog), Failed> {
    let text = fs::read_to_string(path)?;
    let mut prog = kenaz_ir::parse::prog(&text)?;
    kenaz_plan::plan(&mut prog, &kenaz_ir::target::C);
    let lowered = kenaz_imp::lower(&prog, &kenaz_ir::target::C);
    kenaz_imp::check(&lowered).map_err(|error| format!("the imperative IR is not right: {error:?}"))?;
    Ok((text, lowered))
}

fn options(path: &Path) -> Options {
    let source = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Options { source, target: &kenaz_ir::target::C }
}

/// The program's own part is as it was read.
fn text_test(path: &Path, bless: bool) -> Result<(), Failed> {
    let (_, prog) = lower(path)?;
    let file = kenaz_codegen::executable(&prog, &options(path));
    let own = &file.text[file.program.clone()];
    let expected = path.with_extension("c");
    if bless {
        fs::write(&expected, own)?;
    }
    let found = fs::read_to_string(&expected).unwrap_or_default();
    if found == own { Ok(()) } else { Err(format!("{} is not\n{own}", expected.display()).into()) }
}

/// A place for what is compiled.
fn folder() -> io::Result<TemporaryFolder> {
    TemporaryFolder::new().map_err(|(_, error)| error)
}

/// The program does what its comments say.
fn run_test(path: &Path) -> Result<(), Failed> {
    let (text, prog) = lower(path)?;
    let folder = folder()?;
    let stem = folder.path.join(path.file_stem().unwrap_or_default());
    let executable =
        compile(&kenaz_codegen::executable(&prog, &options(path)), &stem, &["-fsanitize=undefined,address"])?;
    compile(&kenaz_codegen::server(&prog, &options(path)), &stem.with_extension("server"), &["-fsyntax-only"])?;
    compile(&kenaz_codegen::library(&prog, &options(path)), &stem.with_extension("library"), &["-fsyntax-only"])?;
    let cases = cases(&text);
    if cases.is_empty() {
        return Err("the program is never run".into());
    }
    for case in &cases {
        case.check(&executable)?;
    }
    Ok(())
}

fn compile(file: &CFile, stem: &Path, flags: &[&str]) -> Result<PathBuf, Failed> {
    let source = stem.with_extension(format!("{}.c", stem.extension().unwrap_or_default().to_string_lossy()));
    fs::write(&source, &file.text)?;
    run_compiler(&[&source], stem, flags)?;
    Ok(stem.to_path_buf())
}

fn run_compiler(sources: &[&Path], out: &Path, flags: &[&str]) -> Result<(), Failed> {
    let mut command = Command::new(std::env::var("CC").unwrap_or("cc".to_string()));
    command.args(["-std=c99", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-fno-sanitize-recover=all"]).args(flags);
    command.args(sources);
    if !flags.contains(&"-fsyntax-only") {
        command.arg("-o").arg(out).arg("-lm");
    }
    let ran = command.output()?;
    let said = String::from_utf8_lossy(&ran.stderr);
    if ran.status.success() { Ok(()) } else { Err(format!("{command:?}: {said}").into()) }
}

/// A program in C calls a library through its header. What libraries are made of programs of the language is tested by
/// `cli`.
fn library_test() -> Result<(), Failed> {
    let path = Path::new("tests/codegen/records.ir");
    let (_, prog) = lower(path)?;
    let file = kenaz_codegen::library(&prog, &options(path));
    let temporary = folder()?;
    let folder = &temporary.path;
    let source = folder.join("records.c");
    fs::write(&source, &file.text)?;
    fs::write(folder.join("records.h"), file.header.ok_or("a library has a header")?)?;
    let user = Path::new("tests/codegen/library/records_user.c");
    let (out, include) = (folder.join("user"), format!("-I{}", folder.display()));
    run_compiler(&[&source, user], &out, &["-fsanitize=undefined,address", &include])?;
    let ran = Command::new(&out).output()?;
    let said = String::from_utf8_lossy(&ran.stderr);
    if ran.status.success() { Ok(()) } else { Err(format!("the user of the library fails: {said}").into()) }
}

/// A run of a program.
#[derive(Default)]
struct Case {
    entry: String,
    arguments: String,
    results: Vec<String>,
    error: Option<String>,
    traces: Vec<String>,
}

fn cases(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("-- ")) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match (word, cases.last_mut()) {
            ("run", _) => {
                let (entry, arguments) = rest.split_once(' ').unwrap_or((rest, ""));
                let (entry, arguments) = (entry.to_string(), arguments.to_string());
                cases.push(Case { entry, arguments, ..Case::default() });
            }
            ("gives", Some(case)) => case.results.push(rest.to_string()),
            ("fails", Some(case)) => case.error = Some(rest.to_string()),
            ("traces", Some(case)) => case.traces.push(rest.to_string()),
            _ => {}
        }
    }
    cases
}

impl Case {
    fn check(&self, executable: &Path) -> Result<(), Failed> {
        let mut command = Command::new(executable);
        command.args(["-e", &self.entry, "-D"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        match child.stdin.take().expect("it was asked for").write_all(self.arguments.as_bytes()) {
            // A program that takes nothing may end before it is given anything.
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => return Err(error.into()),
            _ => {}
        }
        let ended = child.wait_with_output()?;
        let found = String::from_utf8_lossy(&ended.stdout);
        let errors = String::from_utf8_lossy(&ended.stderr);
        let wrong = |what: &str| Err(format!("run {} {}: {what}\n{found}{errors}", self.entry, self.arguments).into());
        for trace in &self.traces {
            if !errors.lines().any(|line| line == trace) {
                return wrong(&format!("it does not print {trace}"));
            }
        }
        if errors.contains("left references") {
            return wrong("blocks are left behind");
        }
        match &self.error {
            Some(error) if ended.status.success() || !errors.contains(&format!("Error: {error}\n")) => {
                wrong(&format!("it does not fail with {error}"))
            }
            None if !ended.status.success() => wrong("it fails"),
            None if found.lines().ne(self.results.iter().map(String::as_str)) => wrong("other results"),
            _ => Ok(()),
        }
    }
}

/// The C of a one-line program is something that people can look at.
fn short_test() -> Result<(), Failed> {
    let text = "entry entry_main (x_1: i32) : (i32) = { let y_2: i32 = add x_1 1i32 in y_2 }";
    let prog = kenaz_imp::lower(&kenaz_ir::parse::prog(text)?, &kenaz_ir::target::C);
    let options = options(Path::new("a.fut"));
    for file in [kenaz_codegen::executable(&prog, &options), kenaz_codegen::server(&prog, &options)] {
        let lines = file.text.lines().count();
        if lines > 2100 {
            return Err(format!("{lines} lines").into());
        }
    }
    Ok(())
}
