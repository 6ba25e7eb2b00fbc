//! Programs and their contexts.

use crate::argument::{Arguments, Slots};
use crate::results::{Parts, Results};
use crate::{Array, CompileError, Element, Error, Options, Type, TypeError};
use kenaz_base::{FileSystem, RealFileSystem};
use kenaz_driver::native::Toolchain;
use kenaz_driver::{CompileError as NotCompiled, Compiler, fault};
use kenaz_embed as embed;
use kenaz_ir::{EntryParam, Ownership, Stage, Target, target};
use std::path::Path;

/// What runs a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Backend {
    /// One core.
    C,
    /// All cores.
    #[default]
    Multicore,
    /// A device, by way of OpenCL.
    OpenCl,
    /// A GPU of NVIDIA, by way of CUDA.
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

/// A compiled program in this process. Copies are the same program.
#[derive(Clone)]
pub struct Program {
    inner: embed::Program,
}

/// Something that a program offers to be called.
#[derive(Clone, Debug)]
pub struct EntryPoint {
    pub name: String,
    /// Its documentation comment.
    pub doc: Option<String>,
    /// `_` is the name of a parameter whose pattern is no name.
    pub params: Vec<Param>,
    pub results: Vec<Type>,
}

/// A parameter of an entry point.
#[derive(Clone, Debug)]
pub struct Param {
    pub name: String,
    pub ty: Type,
    /// Whether the entry point consumes it: `*[]f32`.
    pub is_consumed: bool,
}

impl Program {
    /// Compiles the program in a file, and loads it.
    pub fn compile(path: impl AsRef<Path>, backend: Backend) -> Result<Program, Error> {
        compile(&RealFileSystem, path.as_ref(), backend)
    }

    /// Compiles a program, and loads it. What it imports is looked for in the current folder.
    pub fn from_text(text: &str, backend: Backend) -> Result<Program, Error> {
        let path = Path::new("program.fut").to_path_buf();
        compile(&embed::Source { path: path.clone(), text: text.to_string() }, &path, backend)
    }

    /// In the order of the program.
    pub fn entry_points(&self) -> impl Iterator<Item = EntryPoint> + '_ {
        self.inner.entry_points().iter().map(|point| {
            let param = |param: &EntryParam| Param {
                name: param.name.to_string(),
                ty: Type::new(&param.ty),
                is_consumed: param.unique,
            };
            EntryPoint {
                name: point.name.clone(),
                doc: point.entry.doc.clone(),
                params: point.entry.params.iter().map(param).collect(),
                results: point.entry.results.iter().map(|result| Type::new(&result.ty)).collect(),
            }
        })
    }

    /// What the compiler warns about, as the command line prints it; empty if there is nothing.
    pub fn warnings(&self) -> &str {
        self.inner.warnings()
    }

    /// A context with the usual options.
    pub fn start(&self) -> Result<Context, Error> {
        self.start_with(&Options::default())
    }

    pub fn start_with(&self, options: &Options) -> Result<Context, Error> {
        Ok(Context { program: self.clone(), inner: self.inner.context(options)? })
    }
}

fn compile(fs: &dyn FileSystem, path: &Path, backend: Backend) -> Result<Program, Error> {
    let target = backend.target();
    let compiled = || -> Result<Program, Error> {
        let compilation = match Compiler::new(fs, target).to(path, Stage::Memory(Ownership::Settled)) {
            Err(NotCompiled::Rejected(rejected)) if !rejected.is_ours() => {
                return Err(CompileError::new(&rejected.sources, &rejected.diagnostics).into());
            }
            compiled => compiled.map_err(embed::Error::from)?,
        };
        let tools = Toolchain::from_env(target).map_err(embed::Error::from)?;
        Ok(Program { inner: embed::Program::load(&compilation, &tools)? })
    };
    fault::guard(compiled).map_err(|fault| Error::Fault(fault.text_about(path).trim_end().to_string()))?
}

/// What a program needs to run: memory, threads, a device. Copies are the same context, whose calls take turns.
#[derive(Clone)]
pub struct Context {
    program: Program,
    inner: embed::Context,
}

impl Context {
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Calls an entry point. To call one often, keep its [`Function`].
    pub fn call<'a, A: Arguments<'a>, R: Results>(&self, name: &str, arguments: A) -> Result<R, Error> {
        call(&self.inner, self.find(name)?, arguments)
    }

    pub fn function(&self, name: &str) -> Result<Function, Error> {
        let (number, _) = self.find(name)?;
        Ok(Function { context: self.clone(), number })
    }

    /// A copy of elements, to be passed to several calls: on a device, they go there once. Nothing if there are more or
    /// fewer than the shape says.
    pub fn array<T: Element>(&self, elements: &[T], shape: &[usize]) -> Result<Array, Error> {
        let made = self.inner.array(elements, shape)?;
        let wrong = || Error::Usage(format!("{} elements do not fill an array of shape {shape:?}", elements.len()));
        Ok(Array { inner: made.ok_or_else(wrong)? })
    }

    fn find(&self, name: &str) -> Result<(usize, &embed::EntryPoint), Error> {
        let points = self.program.inner.entry_points();
        points.iter().enumerate().find(|(_, point)| point.name == name).ok_or_else(|| Error::NoEntryPoint {
            name: name.to_string(),
            known: points.iter().map(|point| point.name.clone()).collect(),
        })
    }
}

/// An entry point of a context. Copies are the same.
#[derive(Clone)]
pub struct Function {
    context: Context,
    number: usize,
}

impl Function {
    pub fn call<'a, A: Arguments<'a>, R: Results>(&self, arguments: A) -> Result<R, Error> {
        let point = &self.context.program.inner.entry_points()[self.number];
        call(&self.context.inner, (self.number, point), arguments)
    }
}

fn call<'a, A: Arguments<'a>, R: Results>(
    context: &embed::Context,
    (number, point): (usize, &embed::EntryPoint),
    arguments: A,
) -> Result<R, Error> {
    let (given, takes) = (arguments.count(), point.entry.params.len());
    if given != takes {
        return Err(many(point, given).into());
    }
    R::check(point)?;
    let mut slots = Slots::new(context, point);
    arguments.put_all(&mut slots)?;
    let results = context.call(number, slots.into_args())?;
    Ok(R::take(point, &mut Parts::new(results))?)
}

fn many(point: &embed::EntryPoint, given: usize) -> TypeError {
    let expected: Vec<String> =
        point.entry.params.iter().map(|param| format!("({}: {})", param.name, param.ty.name)).collect();
    TypeError {
        entry: point.name.clone(),
        place: "what it takes".to_string(),
        expected: if expected.is_empty() { "()".to_string() } else { expected.join(" ") },
        found: format!("{given} arguments"),
    }
}
