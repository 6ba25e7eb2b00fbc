//! The C compiler of the machine.

use std::fmt;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// The flags with which programs are compiled unless `$CFLAGS` says otherwise.
pub const DEFAULT_FLAGS: &[&str] = &["-O3", "-march=native", "-ffp-contract=fast"];

/// How C is compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiler {
    /// The command and what always follows it.
    pub command: Vec<String>,
    pub flags: Vec<String>,
}

/// Why there is no executable.
#[derive(Debug)]
pub enum BuildError {
    /// The compiler could not be run.
    NoCompiler { command: String, error: io::Error },
    /// It refused our text.
    Refused { command: String, output: String },
}

impl Compiler {
    /// As `$CC` and `$CFLAGS` say.
    pub fn from_env() -> Compiler {
        let variable = |name: &str| std::env::var(name).ok();
        Compiler::new(variable("CC").as_deref(), variable("CFLAGS").as_deref())
    }

    fn new(cc: Option<&str>, flags: Option<&str>) -> Compiler {
        let words = |text: &str| text.split_whitespace().map(str::to_string).collect::<Vec<_>>();
        let mut command = cc.map(words).unwrap_or_default();
        if command.is_empty() {
            command.push("cc".to_string());
        }
        let flags = flags.map_or_else(|| DEFAULT_FLAGS.iter().map(ToString::to_string).collect(), words);
        Compiler { command, flags }
    }

    /// Compiles a file of C to an executable.
    pub fn executable(&self, source: &Path, out: &Path) -> Result<(), BuildError> {
        self.run(&["-std=c99"], source, out)
    }

    fn run(&self, ours: &[&str], source: &Path, out: &Path) -> Result<(), BuildError> {
        let mut command = Command::new(&self.command[0]);
        // The user's flags come last, so that they win.
        command.args(&self.command[1..]).args(ours).args(&self.flags);
        command.arg(source).arg("-o").arg(out).arg("-lm").stdin(Stdio::null());
        let shown = format!("{command:?}");
        let ran =
            command.output().map_err(|error| BuildError::NoCompiler { command: self.command[0].clone(), error })?;
        if ran.status.success() {
            return Ok(());
        }
        let output = [ran.stdout, ran.stderr].iter().map(|out| String::from_utf8_lossy(out).into_owned()).collect();
        Err(BuildError::Refused { command: shown, output })
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::NoCompiler { command, error } => {
                write!(f, "the C compiler `{command}` cannot be run: {error}; `$CC` says which one to use")
            }
            BuildError::Refused { command, output } => write!(f, "the C compiler failed: {command}\n{output}"),
        }
    }
}

impl std::error::Error for BuildError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_chooses() {
        let default = Compiler::new(None, None);
        assert_eq!((default.command.join(" "), default.flags.join(" ")), ("cc".into(), DEFAULT_FLAGS.join(" ")));
        let chosen = Compiler::new(Some("ccache gcc"), Some(" -O0  -g"));
        assert_eq!((chosen.command.join(" "), chosen.flags.join(" ")), ("ccache gcc".into(), "-O0 -g".into()));
        assert_eq!(Compiler::new(Some(""), Some("")).command, ["cc"]);
    }

    #[test]
    fn a_missing_compiler_is_named() {
        let compiler = Compiler::new(Some("no-such-compiler"), None);
        let error = compiler.executable(Path::new("x.c"), Path::new("x")).unwrap_err();
        assert!(error.to_string().starts_with("the C compiler `no-such-compiler` cannot be run"), "{error}");
    }
}
