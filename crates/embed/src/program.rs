//! Programs: compiled, loaded, and what their entry points take and give.

use crate::Error;
use crate::raw::Library;
use kenaz_base::{FileSystem, RealFileSystem};
use kenaz_codegen::CFile;
use kenaz_driver::native::Toolchain;
use kenaz_driver::{Artefact, Compilation, Compiler, fault};
use kenaz_ir::{Entry, EntryParam, EntryType, Ownership, Part, Space, Stage, Target, entry};
use std::ffi::c_int;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const MEMORY: Stage = Stage::Memory(Ownership::Settled);

/// A program in this process. Copies are the same program.
#[derive(Clone)]
pub struct Program {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) library: Library,
    target: &'static Target,
    pub(crate) entries: Vec<EntryPoint>,
    types: Vec<Arc<EntryType>>,
    warnings: String,
}

/// Something that a program offers to be called.
#[derive(Clone, Debug)]
pub struct EntryPoint {
    pub name: String,
    /// Its comment, parameters and results, as the language has them.
    pub entry: Entry,
    /// The scalars and arrays of scalars of which its arguments consist, one argument after the other, and whether each
    /// is consumed.
    pub takes: Vec<(Part, bool)>,
    /// Those of which its results consist.
    pub gives: Vec<Part>,
    pub(crate) number: c_int,
}

impl Program {
    /// Compiles the program in a file, and loads it. What the C compiler makes is kept where `kenaz run` keeps it.
    pub fn compile(fs: &dyn FileSystem, path: &Path, target: &'static Target) -> Result<Program, Error> {
        let compiled = || -> Result<Program, Error> {
            let compilation = Compiler::new(fs, target).to(path, MEMORY)?;
            Program::load(&compilation, &Toolchain::from_env(target)?)
        };
        fault::guard(compiled).map_err(|fault| Error::of_fault(&fault, path))?
    }

    /// Loads a program of the memory stage.
    pub fn load(compilation: &Compilation, tools: &Toolchain) -> Result<Program, Error> {
        let library = tools.load("embed", &text(compilation), Library::load)?;
        let mut entries = Vec::new();
        for fun in &compilation.prog.funs {
            let Some(entry) = &fun.entry else { continue };
            let name = fun.name.as_str().strip_prefix("entry_").unwrap_or(fun.name.as_str()).to_string();
            let broken = || Error::Fault(format!("the entry point `{name}` is not in the library"));
            let number = library.find(&name).ok_or_else(broken)?;
            let parts = |param: &EntryParam| {
                let unique = param.unique;
                param.ty.parts().into_iter().map(move |part| (part, unique))
            };
            let takes = entry.params.iter().flat_map(parts).collect();
            let gives = entry.results.iter().flat_map(|result| result.ty.parts()).collect();
            entries.push(EntryPoint { name, entry: entry.clone(), takes, gives, number });
        }
        let warnings = compilation.warnings();
        let warnings = kenaz_base::render::terminal(&compilation.sources, &warnings, kenaz_base::render::Style::PLAIN);
        let types = entry::types(&compilation.prog);
        let inner = Inner { library, target: compilation.pipeline.target, entries, types, warnings };
        Ok(Program { inner: Arc::new(inner) })
    }

    /// In the order of the program.
    pub fn entry_points(&self) -> &[EntryPoint] {
        &self.inner.entries
    }

    pub fn entry_point(&self, name: &str) -> Option<&EntryPoint> {
        self.inner.entries.iter().find(|point| point.name == name)
    }

    /// All types that the entry points mention, each once and after those it is made of.
    pub fn types(&self) -> &[Arc<EntryType>] {
        &self.inner.types
    }

    pub fn target(&self) -> &'static Target {
        self.inner.target
    }

    /// What there was to say about the program, for people; empty if there was nothing.
    pub fn warnings(&self) -> &str {
        &self.inner.warnings
    }
}

impl Inner {
    pub(crate) fn is_device(&self) -> bool {
        is_device(self.target)
    }
}

fn is_device(target: &Target) -> bool {
    target.host_space == Space::Device
}

/// The C of a library that [`Program::load`] can load: one file, whose symbol `kz_embed` is the table of embed.h.
/// Programs that are linked together need other names for it and for `kz_module`, such as those of macros.
pub fn text(compilation: &Compilation) -> String {
    const LEND: &str = include_str!("lend.h");
    const LEND_DEVICE: &str = include_str!("lend_device.h");
    const EMBED: &str = include_str!("embed.h");
    let CFile { text, program, .. } = compilation.emit(Artefact::Module);
    let (before, after) = text.split_at(program.start);
    let is_device = is_device(compilation.pipeline.target);
    let lend = if is_device { LEND_DEVICE } else { LEND };
    let define = if is_device { "#define KZ_EMBED_DEVICE\n" } else { "" };
    [before, lend, after, "\n", define, EMBED].concat()
}

/// A program that is no file; what it imports is read from the folder of its path.
#[derive(Clone, Debug)]
pub struct Source {
    pub path: PathBuf,
    pub text: String,
}

impl FileSystem for Source {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if path == self.path { Ok(self.text.clone().into_bytes()) } else { RealFileSystem.read(path) }
    }

    fn exists(&self, path: &Path) -> bool {
        path == self.path || RealFileSystem.exists(path)
    }
}
