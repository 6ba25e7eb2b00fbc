//! Whether there is a device that programs can run on. Nobody else asks.
//!
//! The answer is that of a small program which is compiled for the target, loaded and run: it needs all that other
//! programs need, and says what is missing in the same words. What the C compiler and that of kernels make of it is
//! kept as usual, so that only the first answer takes long.

use super::load::{LoadError, Toolchain};
use super::module::CallError;
use super::{BuildError, FailureKind};
use crate::Compiler;
use kenaz_base::MemoryFileSystem;
use kenaz_ir::{Ownership, Scalar, Stage, Target, target};
use kenaz_runtime::Value;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// The targets whose programs run on a device, that one first which is preferred where several can be used.
pub static TARGETS: [&Target; 2] = [&target::CUDA, &target::OPENCL];

/// Why programs for a target cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    /// There is no device, library or driver for it; in one line, which says what to install.
    #[error("{0}")]
    Missing(String),
    /// The program was not compiled.
    #[error(transparent)]
    Build(BuildError),
    /// It does not do what it should.
    #[error("{0}")]
    Failed(String),
}

/// Runs as little as there can be on a device. Threads do so one after the other: each loads a program of its own, and
/// not every driver can be set up by several at once.
pub fn probe(target: &'static Target) -> Result<(), DeviceError> {
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let failed = |error: &dyn std::fmt::Display| DeviceError::Failed(error.to_string().trim_end().to_string());
    let files = MemoryFileSystem::new().with("probe.fut", "entry main (n: i64) = map (+ 1) (iota n)\n");
    let compiler = Compiler::new(&files, target);
    let compilation =
        compiler.to(Path::new("probe.fut"), Stage::Memory(Ownership::Settled)).map_err(|error| failed(&error))?;
    let tools = Toolchain::from_env(target).map_err(DeviceError::Build)?;
    // How fast it is does not matter.
    let tools = Toolchain { compiler: tools.compiler.with_default_flags(&["-O1"]), ..tools };
    let called = |error: CallError| match error {
        CallError::Failed(failure) if failure.kind == FailureKind::Device => {
            DeviceError::Missing(failure.said().to_string())
        }
        error => failed(&error),
    };
    let loaded = compilation.load(&tools, None).map_err(|error| match error {
        LoadError::Build(error) => DeviceError::Build(error),
        LoadError::Start(error) => called(error),
    })?;
    let results = loaded.call("main", vec![Value::scalar(Scalar::I64(3))]).map_err(called)?;
    if results == [Value::vector(vec![1i64, 2, 3])] {
        Ok(())
    } else {
        Err(DeviceError::Failed("the device computes wrong results".to_string()))
    }
}

/// The first target for which there is a device; or why there is none for each of them.
pub fn first() -> Result<&'static Target, Vec<(&'static Target, DeviceError)>> {
    let mut errors = Vec::new();
    for target in TARGETS {
        match probe(target) {
            Ok(()) => return Ok(target),
            Err(error) => errors.push((target, error)),
        }
    }
    Err(errors)
}
