//! Programs compiled by other commands: another compiler, or another version of this one.

use super::guarded;
use super::served::Served;
use crate::{CompileError, Compiled, Executor, read_tuning, tuning_file};
use kenaz_base::{RealFileSystem, TemporaryFolder};
use kenaz_driver::{Compiler, Settings, entry_points, result_types};
use kenaz_ir::Target;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

/// A compiler of which only its command line is known, which is that of Futhark.
#[derive(Clone, Debug)]
pub struct Foreign {
    /// None if programs are compiled already: that of `a.fut` is the server `a`.
    pub compiler: Option<PathBuf>,
    pub target: &'static Target,
    /// What else it is given.
    pub compiler_options: Vec<String>,
    /// How we read programs ourselves.
    pub settings: Settings,
    /// How long a program may take for an answer.
    pub limit: Duration,
    pub threads: Option<u32>,
    /// What else programs are started with.
    pub options: Vec<String>,
    /// The extension of tuning files beside programs, if they are looked for.
    pub tuning: Option<String>,
}

impl Executor for Foreign {
    fn name(&self) -> &str {
        self.target.name
    }

    fn compile(&self, path: &Path) -> Result<Compiled, CompileError> {
        guarded(path, || self.build(path))
    }
}

impl Foreign {
    fn build(&self, path: &Path) -> Result<Compiled, CompileError> {
        // What arguments consist of is known here alone; both call types the same.
        let elaborated = Compiler::new(&RealFileSystem, self.target).with(self.settings.clone()).elaborate(path);
        let prog = elaborated.map_err(kenaz_driver::CompileError::from)?.prog;
        let folder = TemporaryFolder::new()
            .map_err(|(path, error)| CompileError::Failed(format!("{}: {error}", path.display())))?;
        let executable = match &self.compiler {
            Some(compiler) => self.run(compiler, path, folder.path.join("program"))?,
            None => path.with_extension(""),
        };
        let tuning = self.tuning.iter().map(|extension| read_tuning(&tuning_file(path, extension)));
        let tuning = tuning.collect::<Result<Vec<_>, _>>().map_err(CompileError::Rejected)?.concat();
        let program = Served {
            entry_points: entry_points(&prog),
            result_types: result_types(&prog),
            fingerprint: prog.to_string(),
            executable: started_from_here(executable),
            host: None,
            folder,
            limit: self.limit,
            threads: self.threads,
            options: self.options.clone(),
            tuning: Mutex::new(tuning),
            server: Mutex::new(None),
            _built: None,
        };
        Ok(Compiled { program: Box::new(program), warnings: String::new() })
    }

    fn run(&self, compiler: &Path, path: &Path, out: PathBuf) -> Result<PathBuf, CompileError> {
        let rejected = |why: &dyn std::fmt::Display| {
            CompileError::Rejected(format!("error: {}: `{}`: {why}\n", path.display(), compiler.display()))
        };
        let mut command = Command::new(compiler);
        command.arg(self.target.name).args(&self.compiler_options).arg("--server").arg("-o").arg(&out).arg(path);
        let output = command.stdin(Stdio::null()).output().map_err(|error| rejected(&error))?;
        if output.status.success() {
            return Ok(out);
        }
        let said = [output.stderr, output.stdout].concat();
        let said = String::from_utf8_lossy(&said);
        Err(rejected(&format!("it does not compile the program\n{}", said.trim())))
    }
}

/// A file in this folder is not one that is looked for where commands are.
fn started_from_here(executable: PathBuf) -> PathBuf {
    match executable.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new(".").join(executable),
        _ => executable,
    }
}
