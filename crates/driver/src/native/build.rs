//! The C compiler of the machine.

use super::outputs::Occupant;
use super::words::{self, WordsError};
use kenaz_base::UnfinishedFile;
use kenaz_codegen::FLAGS;
use kenaz_ir::target::Dialect;
use kenaz_ir::{Level, Target};
use kenaz_runtime::Fingerprint;
use std::fmt;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::SystemTime;

/// The flags with which programs for a target are compiled unless `$CFLAGS` says otherwise. Where kernels do the work,
/// code of the host only calls them, and more effort would delay the first run of a program by a second.
pub fn default_flags(target: &Target) -> &'static [&'static str] {
    match target.dialect {
        Dialect::C => &["-O3", "-march=native"],
        Dialect::OpenCl | Dialect::Cuda => &["-O1"],
    }
}

/// The flag for programs with threads.
const THREADS: &str = "-pthread";

/// How C is compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CCompiler {
    /// The command and what always follows it.
    pub command: Vec<String>,
    pub flags: Vec<String>,
    /// The target whose programs it compiles.
    pub target: &'static Target,
}

/// Why there is no executable.
#[derive(Debug)]
pub enum BuildError {
    /// The variable that says how it is called has no words in it.
    Words { variable: &'static str, text: String, error: WordsError },
    /// The compiler could not be run.
    NoCompiler { command: String, error: io::Error },
    /// It cannot compile anything as it is called, and said this about it.
    Unusable { command: String, output: String },
    /// It refuses our text, but not without the flags that the user chose.
    Flags { command: String, output: String },
    /// What it made cannot be loaded.
    Unloadable { command: String, error: String },
    /// A file that would be written must not be.
    Occupied { path: PathBuf, by: Occupant },
    /// It refused our text.
    Refused { command: String, output: String },
    /// A file or folder cannot be written to.
    Io { path: PathBuf, error: io::Error },
}

impl CCompiler {
    /// For a target, as `$CC` and `$CFLAGS` say.
    pub fn from_env(target: &'static Target) -> Result<CCompiler, BuildError> {
        // The compiler itself says what it thinks of flags that are no text.
        let variable = |name: &str| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned());
        CCompiler::new(variable("CC").as_deref(), variable("CFLAGS").as_deref(), target)
    }

    fn new(cc: Option<&str>, flags: Option<&str>, target: &'static Target) -> Result<CCompiler, BuildError> {
        let words = |variable: &'static str, text: &str| {
            words::split(text).map_err(|error| BuildError::Words { variable, text: text.to_string(), error })
        };
        let mut command = cc.map_or(Ok(Vec::new()), |text| words("CC", text))?;
        if command.is_empty() {
            command.push("cc".to_string());
        }
        let default = || Ok(default_flags(target).iter().map(ToString::to_string).collect());
        let flags = flags.map_or_else(default, |text| words("CFLAGS", text))?;
        Ok(CCompiler { command, flags, target })
    }

    /// The command with the user's flags, for messages.
    pub fn shown(&self) -> String {
        words::join(&[&self.command[..], &self.flags].concat())
    }

    /// Compiles a file of C to an executable.
    pub fn executable(&self, source: &Path, out: &Path) -> Result<(), BuildError> {
        self.run(&["-std=c99"], source, out)
    }

    /// Compiles a file of C to a shared library.
    pub fn shared(&self, source: &Path, out: &Path) -> Result<(), BuildError> {
        self.run(&["-std=c99", "-shared", "-fPIC"], source, out)
    }

    /// The same compiler with other flags, unless the user has chosen some.
    pub fn with_default_flags(mut self, flags: &[&str]) -> CCompiler {
        if std::env::var_os("CFLAGS").is_none() {
            self.flags = flags.iter().map(ToString::to_string).collect();
        }
        self
    }

    /// All that the result depends on, beside the text: this compiler, the one of the machine, its flags, and where
    /// they make code for this very machine, what that can do.
    pub fn fingerprint(&self) -> Fingerprint {
        let mut key = Fingerprint::new();
        key.add(env!("CARGO_PKG_VERSION").as_bytes());
        key.add(self.target.name.as_bytes());
        for words in [&self.command, &self.flags] {
            key.add(words::join(words).as_bytes());
        }
        key.add(FLAGS.join(" ").as_bytes());
        if let Some(path) = find(&self.command[0]) {
            key.add(path.as_os_str().as_encoded_bytes());
            if let Ok(data) = fs::metadata(&path) {
                let changed = data.modified().ok().and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
                key.add(&data.len().to_le_bytes());
                key.add(&changed.unwrap_or_default().as_nanos().to_le_bytes());
            }
        }
        if self.flags.iter().chain(&self.command).any(|flag| flag.ends_with("=native")) {
            key.add(processor().as_bytes());
        }
        key
    }

    fn run(&self, ours: &[&str], source: &Path, out: &Path) -> Result<(), BuildError> {
        // The result appears when it is complete.
        let unfinished = UnfinishedFile::beside(out);
        let mut command = self.compile(ours, source, unfinished.path());
        let shown = format!("{command:?}");
        let ran =
            command.output().map_err(|error| BuildError::NoCompiler { command: self.command[0].clone(), error })?;
        if !ran.status.success() {
            return Err(self.blame(ours, source, out, shown, said(&ran)));
        }
        unfinished.finish(out).map_err(|error| BuildError::Io { path: out.to_path_buf(), error })
    }

    /// The compiler with its flags: those of the user last, so that they win, but for those without which nothing
    /// works.
    fn call(&self, ours: &[&str]) -> Command {
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]).args(ours).args(FLAGS).args(&self.flags);
        let has_threads = self.target.runs(Level::Core) || self.target.dialect == Dialect::Cuda;
        command.args(has_threads.then_some(THREADS));
        command
    }

    fn compile(&self, ours: &[&str], source: &Path, out: &Path) -> Command {
        let mut command = self.call(ours);
        command.arg(operand(source)).arg("-o").arg(operand(out)).arg("-lm").stdin(Stdio::null());
        command
    }

    /// Whether a text can be compiled at all.
    fn accepts(&self, ours: &[&str], source: &Path, beside: &Path) -> bool {
        let probe = UnfinishedFile::beside(beside);
        self.compile(ours, source, probe.path()).output().is_ok_and(|ran| ran.status.success())
    }

    /// What it says about a text that it cannot compile.
    fn fails(&self, ours: &[&str], text: &str, beside: &Path) -> Option<String> {
        let probe = UnfinishedFile::beside(beside);
        let mut command = self.call(ours);
        command.args(["-x", "c", "-", "-o"]).arg(operand(probe.path())).arg("-lm");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().ok()?;
        // One that does not know the flags may not read.
        let _ = child.stdin.take().map(|mut stdin| stdin.write_all(text.as_bytes()));
        let ran = child.wait_with_output().ok()?;
        (!ran.status.success()).then(|| said(&ran))
    }

    /// Whose fault it is that the compiler failed, called as shown: that of our text only if it compiles others to the
    /// same place, with the same flags.
    fn blame(&self, ours: &[&str], source: &Path, out: &Path, shown: String, output: String) -> BuildError {
        let command = words::join(&self.command);
        if let Some(output) = self.fails(ours, "int main(void) { return 0; }\n", out) {
            return BuildError::Unusable { command, output };
        }
        // A disk may have room for these small files alone.
        let full = io::Error::from(io::ErrorKind::StorageFull).to_string();
        if output.to_lowercase().contains("no space left") || output.contains(&full) {
            return BuildError::Unusable { command, output };
        }
        let plain = CCompiler { flags: vec!["-O0".to_string()], ..self.clone() };
        if self.flags != plain.flags && plain.accepts(ours, source, out) {
            return BuildError::Flags { command: self.shown(), output };
        }
        BuildError::Refused { command: shown, output }
    }
}

/// A file as an argument that no compiler takes for an option.
fn operand(path: &Path) -> PathBuf {
    let is_odd = path.as_os_str().as_encoded_bytes().first().is_some_and(|byte| matches!(byte, b'-' | b'@' | b'+'));
    if is_odd { Path::new(".").join(path) } else { path.to_path_buf() }
}

/// All that a compiler has said.
fn said(ran: &Output) -> String {
    [&ran.stdout, &ran.stderr].iter().map(|out| String::from_utf8_lossy(out).into_owned()).collect()
}

/// The file of a command.
fn find(command: &str) -> Option<PathBuf> {
    let path = if command.contains('/') {
        PathBuf::from(command)
    } else {
        let folders = std::env::var_os("PATH")?;
        std::env::split_paths(&folders).map(|folder| folder.join(command)).find(|path| path.is_file())?
    };
    path.canonicalize().ok()
}

/// What is known about the processor of this machine, where the system tells.
fn processor() -> String {
    let mut about = [0; 1 << 13];
    // All processors of a machine are alike, and the file has a section for each.
    let read = fs::File::open("/proc/cpuinfo").and_then(|mut file| file.read(&mut about)).unwrap_or(0);
    let first = String::from_utf8_lossy(&about[..read]);
    let first = first.split("\n\n").next().unwrap_or_default();
    let words = ["vendor_id", "cpu family", "model", "flags", "Features", "CPU "];
    first.lines().filter(|line| words.iter().any(|word| line.starts_with(word))).collect::<Vec<_>>().join("\n")
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::Words { variable, text, error } => write!(f, "`${variable}` is `{text}`, in which {error}"),
            BuildError::NoCompiler { command, error } => {
                write!(f, "the C compiler `{command}` cannot be run: {error}; `$CC` says which one to use")
            }
            BuildError::Io { path, error } => write!(f, "cannot write {}: {error}", path.display()),
            BuildError::Unusable { command, output } => {
                write!(f, "the C compiler `{command}` cannot compile any program{}", cause(output))
            }
            BuildError::Flags { command, output } => {
                write!(f, "the C compiler `{command}` refuses the program because of these flags{}", cause(output))
            }
            BuildError::Unloadable { command, error } => {
                write!(f, "what the C compiler `{command}` has made cannot be loaded: {error}")
            }
            BuildError::Occupied { path, by } => write!(f, "`{}` {by}, and is not overwritten", path.display()),
            BuildError::Refused { command, output } => write!(f, "the C compiler failed: {command}\n{output}"),
        }
    }
}

/// The first line of what a compiler said that is about an error, or else the first one.
fn cause(output: &str) -> String {
    let mut lines = output.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.clone().next();
    // The last one only says that another program failed.
    let is_cause = |line: &&str| line.contains("error:") && !line.starts_with("collect2:");
    lines.find(is_cause).or(first).map_or_else(String::new, |line| format!(": {line}"))
}

impl std::error::Error for BuildError {}

#[cfg(test)]
mod tests {
    use super::*;
    use kenaz_ir::target::{C, CUDA, MULTICORE, OPENCL};

    #[test]
    fn the_environment_chooses() {
        let default = CCompiler::new(None, None, &C).unwrap();
        assert_eq!((default.command.join(" "), default.flags.join(" ")), ("cc".into(), "-O3 -march=native".into()));
        for target in [&CUDA, &OPENCL] {
            assert_eq!(CCompiler::new(None, None, target).unwrap().flags, ["-O1"], "{}", target.name);
            assert_eq!(CCompiler::new(None, Some("-O2"), target).unwrap().flags, ["-O2"], "{}", target.name);
        }
        let chosen = CCompiler::new(Some("ccache gcc"), Some(" -O0  -g"), &C).unwrap();
        assert_eq!((chosen.command.join(" "), chosen.flags.join(" ")), ("ccache gcc".into(), "-O0 -g".into()));
        assert_eq!(CCompiler::new(Some(""), Some(""), &C).unwrap().command, ["cc"]);
    }

    /// A compiler that only says what it was asked.
    #[test]
    fn the_users_flags_come_behind_ours() {
        let folder = kenaz_base::TemporaryFolder::new().unwrap();
        let (script, out) = (folder.path.join("cc.sh"), folder.path.join("out"));
        fs::write(&script, "for last; do [ \"$to\" = here ] && file=$last; to=; [ \"$last\" = -o ] && to=here; done\necho \"$@\" > \"$file\"\n")
            .unwrap();
        let cc = format!("sh {}", script.display());
        let on = |target| CCompiler::new(Some(&cc), Some("-O1 -ftrapping-math"), target).unwrap();
        let compiler = on(&C);
        let said = |built: Result<(), BuildError>| {
            built.unwrap();
            fs::read_to_string(&out).unwrap()
        };
        let ours = FLAGS.join(" ");
        let executable = said(compiler.executable(Path::new("x.c"), &out));
        assert!(executable.starts_with(&format!("-std=c99 {ours} -O1 -ftrapping-math x.c -o ")), "{executable}");
        let shared = said(compiler.shared(Path::new("x.c"), &out));
        assert!(shared.starts_with(&format!("-std=c99 -shared -fPIC {ours} -O1 ")), "{shared}");
        let threaded = said(on(&MULTICORE).executable(Path::new("x.c"), &out));
        assert!(threaded.contains(" -ftrapping-math -pthread x.c -o "), "{threaded}");
    }

    #[test]
    fn everything_that_matters_is_in_the_fingerprint() {
        let for_target =
            |cc: &str, flags: &str, target| CCompiler::new(Some(cc), Some(flags), target).unwrap().fingerprint();
        let of = |cc: &str, flags: &str| for_target(cc, flags, &C);
        assert_eq!(of("cc", "-O1"), of("cc", "-O1"));
        assert_ne!(of("cc", "-O1"), of("cc", "-O2"));
        assert_ne!(of("cc", "-O1"), of("no-such-compiler", "-O1"));
        assert_ne!(of("cc", "-O1"), of("cc -O1", ""));
        assert_ne!(of("cc", "-D'A -O1'"), of("cc", "-DA -O1"));
        assert_ne!(of("cc", "-O1"), for_target("cc", "-O1", &MULTICORE));
    }

    #[test]
    fn files_are_no_options() {
        for (path, expected) in [("a.c", "a.c"), ("-o.c", "./-o.c"), ("@a", "./@a"), ("/-o", "/-o"), ("a b", "a b")] {
            assert_eq!(operand(Path::new(path)), Path::new(expected));
        }
    }

    /// It is our fault only if the compiler accepts other programs.
    #[test]
    fn who_is_to_blame() {
        let folder = kenaz_base::TemporaryFolder::new().unwrap();
        let (source, out) = (folder.path.join("x.c"), folder.path.join("x"));
        let built = |text: &str, flags: &str, target| {
            fs::write(&source, text).unwrap();
            CCompiler::new(None, Some(flags), target).unwrap().executable(&source, &out)
        };
        for target in [&C, &MULTICORE] {
            let error = built("int main(void) { return x; }\n", "-O0", target);
            assert!(matches!(&error, Err(BuildError::Refused { .. })), "{error:?}");
            let error = built("int main(void) { return 0; }\n", "-O0 -fno-such-flag", target);
            assert!(matches!(&error, Err(BuildError::Unusable { .. })), "{error:?}");
            let error = built("// No comment.\nint main(void) { return 0; }\n", "-std=c89 -pedantic-errors", target);
            assert!(matches!(&error, Err(BuildError::Flags { .. })), "{error:?}");
            assert!(!out.exists());
            built("int main(void) { return 0; }\n", "-O0", target).unwrap();
            assert!(out.exists());
            // Nothing is left of what was tried.
            assert_eq!(fs::read_dir(&folder.path).unwrap().count(), 2);
            fs::remove_file(&out).unwrap();
        }
    }

    #[test]
    fn a_missing_compiler_is_named() {
        let compiler = CCompiler::new(Some("no-such-compiler"), None, &C).unwrap();
        let error = compiler.executable(Path::new("x.c"), Path::new("x")).unwrap_err();
        assert!(error.to_string().starts_with("the C compiler `no-such-compiler` cannot be run"), "{error}");
    }
}
