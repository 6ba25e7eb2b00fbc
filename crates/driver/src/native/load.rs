//! Programs as files that the C compiler made, and as functions to call.

use super::build::{BuildError, CCompiler};
use super::cache::{Built, Cache};
use super::module::{CallError, Module};
use super::outputs::{self, Kind};
use crate::entries::{described, name, no_function};
use crate::{Artefact, Compilation};
use kenaz_ir::{Entry, Target};
use kenaz_runtime::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The C compiler, and where what it makes is kept.
#[derive(Clone, Debug)]
pub struct Toolchain {
    pub compiler: CCompiler,
    pub cache: Cache,
}

/// Why a program was not loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error(transparent)]
    Build(#[from] BuildError),
    /// It was built, but does not start.
    #[error(transparent)]
    Start(#[from] CallError),
}

/// A program in this process, whose entry points can be called.
pub struct Loaded {
    module: Module,
    entries: BTreeMap<String, Entry>,
}

impl Toolchain {
    /// That of the user who runs this: `$CC`, `$CFLAGS`, `$KENAZ_CACHE`.
    pub fn from_env(target: &'static Target) -> Result<Toolchain, BuildError> {
        Ok(Toolchain { compiler: CCompiler::from_env(target)?, cache: Cache::of_user() })
    }

    /// An executable that was made of this text, now or earlier. `kind` tells it from others.
    pub fn executable(&self, kind: &str, text: &str) -> Result<Built, BuildError> {
        self.built(&self.cache, kind, text, |from, to| self.compiler.executable(from, to))
    }

    /// A shared library that was made of this text, now or earlier.
    pub fn library(&self, kind: &str, text: &str) -> Result<Built, BuildError> {
        self.built(&self.cache, kind, text, |from, to| self.compiler.shared(from, to))
    }

    fn built(
        &self,
        cache: &Cache,
        kind: &str,
        text: &str,
        make: impl FnMut(&Path, &Path) -> Result<(), BuildError>,
    ) -> Result<Built, BuildError> {
        let mut key = self.compiler.fingerprint();
        key.add(kind.as_bytes());
        key.add(text.as_bytes());
        cache.get(key, text, make)
    }

    /// Loads a shared library that was made of this text, now or earlier. `load` says that it is broken if the file
    /// cannot be used.
    pub fn load<T>(
        &self,
        kind: &str,
        text: &str,
        load: impl Fn(&Path) -> Result<T, CallError>,
    ) -> Result<T, LoadError> {
        let built = |cache: &Cache| self.built(cache, kind, text, |from, to| self.compiler.shared(from, to));
        let first = built(&self.cache)?;
        let loaded = match load(&first.path) {
            // Somebody may have damaged it, or another process removed it since we looked, to make room for its own.
            Err(CallError::Broken(_)) if first.found || !first.path.exists() => {
                self.cache.forget(first);
                let second = built(&self.cache)?;
                match load(&second.path) {
                    // A folder of our own, which no other process can clear.
                    Err(CallError::Broken(_)) if !second.path.exists() => load(&built(&Cache::new(None))?.path),
                    loaded => loaded,
                }
            }
            loaded => loaded,
        };
        loaded.map_err(|error| match error {
            // Our text has what is loaded, whatever the flags or the disk have made of it.
            CallError::Broken(error) => {
                LoadError::Build(BuildError::Unloadable { command: self.compiler.shown(), error })
            }
            CallError::Failed(_) => LoadError::Start(error),
        })
    }
}

impl Compilation {
    /// Writes a program of the memory stage as C beside `out`, with the header and manifest of a library, and compiles
    /// it to `out` unless it is a library, which others compile. Nothing is written if one of these files must not be.
    pub fn build(&self, artefact: Artefact, compiler: &CCompiler, out: &Path) -> Result<(), BuildError> {
        outputs::must_be_a_file(out)?;
        let is_library = artefact == Artefact::Library;
        let texts = [".h", ".json", ".c"].map(|suffix| outputs::with_suffix(out, suffix));
        let sources: Vec<PathBuf> = self.sources.ids().map(|id| self.sources.file(id).path.clone()).collect();
        let sources = [sources, vec![self.path.clone()]].concat();
        let (text_files, binary) = if is_library { (&texts[..], None) } else { (&texts[2..], Some(out)) };
        for path in text_files {
            outputs::must_be_free(path, Kind::Text, &sources)?;
        }
        binary.map_or(Ok(()), |path| outputs::must_be_free(path, Kind::Binary, &sources))?;
        let file = self.emit(artefact);
        let [header, manifest, source] = &texts;
        for (path, text) in [(header, &file.header), (manifest, &file.manifest)] {
            text.as_ref().map_or(Ok(()), |text| outputs::write(path, text))?;
        }
        outputs::write(source, &file.text)?;
        match artefact {
            Artefact::Executable | Artefact::Server => compiler.executable(source, out),
            Artefact::Module => compiler.shared(source, out),
            Artefact::Library => Ok(()),
        }
    }

    /// Loads a program of the memory stage, to run on so many threads if it is for several cores.
    pub fn load(&self, tools: &Toolchain, threads: Option<u32>) -> Result<Loaded, LoadError> {
        let text = self.emit(Artefact::Module).text;
        let module = tools.load("module", &text, |path| Module::load(path, threads))?;
        let entries = described(&self.prog).map(|(fun, entry)| (name(fun).to_string(), entry.clone())).collect();
        Ok(Loaded { module, entries })
    }
}

impl Loaded {
    /// Runs an entry point. What it takes and gives are arrays and scalars, those of which its arguments and results
    /// consist.
    pub fn call(&self, entry: &str, arguments: Vec<Value>) -> Result<Vec<Value>, CallError> {
        let described = self.entries.get(entry).ok_or_else(|| CallError::Broken(no_function(entry)))?;
        self.module.call(entry, &described.params, &described.results, arguments)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::native::FailureKind;
    use crate::native::cache::TemporaryFolder;
    use crate::{ArgumentsError, Compiler};
    use kenaz_base::MemoryFileSystem;
    use kenaz_ir::{Ownership, Stage, target::C};
    use std::fs;

    const PROGRAM: &str = "entry main [n] (xs: [n]i32) (ys: [n]i32) = map2 (+) xs ys\nentry half (x: i32) = 6 / x\n";

    fn compiled() -> Compilation {
        let files = MemoryFileSystem::new().with("a.fut", PROGRAM);
        let memory = Stage::Memory(Ownership::Settled);
        Compiler::new(&files, &C).to(Path::new("a.fut"), memory).unwrap()
    }

    #[test]
    fn a_program_is_called() {
        let compilation = compiled();
        let folder = TemporaryFolder::new().unwrap();
        let mut tools = Toolchain::from_env(&C).unwrap();
        tools.compiler.flags = vec!["-O0".to_string()];
        tools.cache = Cache::new(Some(folder.path.clone()));
        let loaded = compilation.load(&tools, None).unwrap();
        let (xs, ys) = (Value::from(vec![1i32, 2]), Value::from(vec![30i32, 40]));
        assert!(compilation.check_arguments("main", &[xs.clone(), ys.clone()]).is_ok());
        let few = compilation.check_arguments("main", std::slice::from_ref(&xs));
        assert!(matches!(&few, Err(ArgumentsError::Shapes(_))), "{few:?}");
        let short = loaded.call("main", vec![xs.clone(), Value::from(vec![1i32])]);
        assert!(
            matches!(&short, Err(CallError::Failed(failure)) if failure.kind == FailureKind::Arguments),
            "{short:?}"
        );
        assert_eq!(loaded.call("main", vec![xs, ys]), Ok(vec![Value::from(vec![31i32, 42])]));
        assert_eq!(loaded.call("half", vec![Value::from(2i32)]), Ok(vec![Value::from(3i32)]));
        let failed = loaded.call("half", vec![Value::from(0i32)]);
        assert!(
            matches!(&failed, Err(CallError::Failed(failure)) if failure.message.contains("a.fut:2:")),
            "{failed:?}"
        );
        assert!(matches!(loaded.call("none", Vec::new()), Err(CallError::Broken(_))));
    }

    #[test]
    fn a_library_is_three_files() {
        let folder = TemporaryFolder::new().unwrap();
        let out = folder.path.join("lib.v1");
        compiled().build(Artefact::Library, &CCompiler::from_env(&C).unwrap(), &out).unwrap();
        let mut names: Vec<String> = fs::read_dir(&folder.path)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        assert_eq!(names, ["lib.v1.c", "lib.v1.h", "lib.v1.json"]);
        let nowhere =
            compiled().build(Artefact::Server, &CCompiler::from_env(&C).unwrap(), &folder.path.join("no/such"));
        assert!(matches!(nowhere, Err(BuildError::Io { .. })));
    }
}
