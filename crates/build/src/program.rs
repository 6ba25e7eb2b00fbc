//! From a program to the files of a build.

use crate::names::Names;
use crate::write;
use kenaz_base::{Diagnostic, RealFileSystem, SourceMap, render};
use kenaz_codegen::FLAGS;
use kenaz_driver::{Compilation, CompileError, Compiler, fault};
use kenaz_ir::{Level, Ownership, Space, Stage, Target, target};
use std::io;
use std::path::{Path, PathBuf};
use std::{env, fs, process};

/// What runs a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Backend {
    /// One core.
    C,
    /// All cores.
    #[default]
    Multicore,
    /// A device, by way of OpenCL, which is loaded when the program runs.
    OpenCl,
    /// A GPU of NVIDIA, by way of CUDA, which is loaded when the program runs.
    Cuda,
}

impl Backend {
    fn target(self) -> &'static Target {
        match self {
            Backend::C => &target::C,
            Backend::Multicore => &target::MULTICORE,
            Backend::OpenCl => &target::OPENCL,
            Backend::Cuda => &target::CUDA,
        }
    }
}

/// A program to be built.
#[derive(Clone, Debug)]
pub struct Program {
    path: PathBuf,
    backend: Backend,
    name: Option<String>,
    out_dir: Option<PathBuf>,
}

/// Why a program cannot be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The program is not right: what is wrong, with the lines that it is about.
    #[error("{0}")]
    Program(String),
    /// The C compiler is missing, or failed.
    #[error("{0}")]
    CCompiler(#[from] cc::Error),
    #[error("{}: {error}", path.display())]
    Io { path: PathBuf, error: io::Error },
    /// Not called from `build.rs`, or with a name that no module can have.
    #[error("{0}")]
    Usage(String),
    /// A fault of the compiler.
    #[error("{0}")]
    Fault(String),
}

impl Program {
    /// The program in a file, whose path is relative to the folder of the crate.
    pub fn new(path: impl AsRef<Path>) -> Program {
        Program { path: path.as_ref().to_path_buf(), backend: Backend::default(), name: None, out_dir: None }
    }

    #[must_use]
    pub fn backend(mut self, backend: Backend) -> Program {
        self.backend = backend;
        self
    }

    /// What the module is called, in `$OUT_DIR/NAME.rs`. Usually it has the name of the file.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Program {
        self.name = Some(name.into());
        self
    }

    /// Where the files go instead of `$OUT_DIR`.
    #[must_use]
    pub fn out_dir(mut self, folder: impl Into<PathBuf>) -> Program {
        self.out_dir = Some(folder.into());
        self
    }

    /// Builds the program. What is wrong is said on standard error, and ends the build.
    #[expect(clippy::print_stderr, reason = "Cargo shows there why a build has failed")]
    pub fn build(&self) {
        if let Err(error) = self.try_build() {
            eprintln!("{error}");
            process::exit(1);
        }
    }

    /// Builds the program, or says why it cannot be built.
    pub fn try_build(&self) -> Result<(), Error> {
        let name = self.module_name()?;
        let out_dir = match &self.out_dir {
            Some(folder) => folder.clone(),
            None => env::var_os("OUT_DIR").map(PathBuf::from).ok_or_else(|| {
                Error::Usage("OUT_DIR is not set: this is for build.rs, or say where the files go".to_string())
            })?,
        };
        let compilation =
            fault::guard(|| self.compile()).map_err(|fault| Error::Fault(fault.text_about(&self.path)))??;
        watch(&compilation.sources);
        tell(&compilation.sources, &compilation.warnings());
        let library = format!("kenaz_{name}");
        let source = out_dir.join(format!("{name}.c"));
        put(&source, &write::c(&compilation, &library))?;
        self.compile_c(&source, &library, &out_dir)?;
        put(&out_dir.join(format!("{name}.rs")), &write::rust(&compilation, &library))
    }

    /// The name of the file, as that of a module.
    fn module_name(&self) -> Result<String, Error> {
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy().replace(['-', '.', ' '], "_");
        let name = self.name.clone().unwrap_or(stem);
        if Names::is_identifier(&name) {
            return Ok(name);
        }
        Err(Error::Usage(format!("`{name}` cannot be the name of a module; `name` gives it another one")))
    }

    fn compile(&self) -> Result<Compilation, Error> {
        let compiler = Compiler::new(&RealFileSystem, self.backend.target());
        compiler.to(&self.path, Stage::Memory(Ownership::Settled)).map_err(|error| match error {
            CompileError::Rejected(rejected) => {
                // The next attempt is when one of them has changed.
                watch(&rejected.sources);
                let text = rejected.to_string().trim_end().to_string();
                if rejected.is_ours() { Error::Fault(text) } else { Error::Program(text) }
            }
            CompileError::Selection(error) => Error::Fault(error.to_string()),
            CompileError::Broken(broken) => Error::Fault(broken.to_string()),
        })
    }

    fn compile_c(&self, source: &Path, library: &str, out_dir: &Path) -> Result<(), Error> {
        let target = self.backend.target();
        let mut build = cc::Build::new();
        build.file(source).out_dir(out_dir).flag("-std=c99").warnings(false).opt_level(3);
        FLAGS.iter().for_each(|flag| _ = build.flag(flag));
        // Programs that are linked together each have a table of their own.
        for symbol in ["kz_embed", "kz_module"] {
            build.define(symbol, format!("{library}_{symbol}").as_str());
        }
        let has_threads = target.runs(Level::Core) || self.backend == Backend::Cuda;
        if has_threads {
            build.flag("-pthread");
        }
        build.try_compile(library)?;
        let loads = target.host_space == Space::Device;
        for (library, needed) in [("m", true), ("pthread", has_threads), ("dl", loads)] {
            if needed {
                println!("cargo:rustc-link-lib={library}");
            }
        }
        Ok(())
    }
}

/// Asks Cargo to build again when a file of the program changes.
fn watch(sources: &SourceMap) {
    for file in sources.ids().map(|id| sources.file(id)).filter(|file| !file.builtin) {
        println!("cargo:rerun-if-changed={}", file.path().display());
    }
}

/// Passes warnings on, line by line, since Cargo takes them so.
fn tell(sources: &SourceMap, warnings: &[Diagnostic]) {
    let text = render::terminal(sources, warnings, render::Style::PLAIN);
    text.lines().for_each(|line| println!("cargo:warning={line}"));
}

/// Writes a file if it would change.
fn put(path: &Path, text: &str) -> Result<(), Error> {
    if fs::read(path).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(());
    }
    fs::write(path, text).map_err(|error| Error::Io { path: path.to_path_buf(), error })
}
