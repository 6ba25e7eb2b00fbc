//! Why a program cannot be compiled or called.

use kenaz_driver::fault::Fault;
use kenaz_driver::native::{BuildError, CallError, Failure, LoadError};
use kenaz_driver::{CompileError, Rejected};
use std::path::Path;

/// What went wrong, in the words of the command line.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// The program is not right, or cannot be read: its diagnostics, with the lines they are about.
    #[error("{0}")]
    Rejected(String),
    /// The C compiler is missing or failed.
    #[error("{0}")]
    Build(String),
    /// The program failed, there is no device for it, or the sizes of its arguments do not agree.
    #[error("{}", .0.message.trim_end())]
    Failed(Failure),
    /// The caller asks for what is not there, or gives what does not suit.
    #[error("{0}")]
    Usage(String),
    /// A fault of ours.
    #[error("{0}")]
    Fault(String),
}

impl Error {
    pub(crate) fn of_fault(fault: &Fault, path: &Path) -> Error {
        Error::Fault(fault.text_about(path).trim_end().to_string())
    }

    pub(crate) fn out_of_memory(what: &str) -> Error {
        Error::Failed(Failure::read(format!("Error: out of memory: {what}.\n")))
    }
}

impl From<Box<Rejected>> for Error {
    fn from(rejected: Box<Rejected>) -> Error {
        let text = rejected.to_string().trim_end().to_string();
        if rejected.is_ours() { Error::Fault(text) } else { Error::Rejected(text) }
    }
}

impl From<CompileError> for Error {
    fn from(error: CompileError) -> Error {
        match error {
            CompileError::Rejected(rejected) => rejected.into(),
            CompileError::Selection(error) => Error::Usage(error.to_string()),
            CompileError::Broken(broken) => Error::Fault(broken.to_string()),
        }
    }
}

impl From<BuildError> for Error {
    fn from(error: BuildError) -> Error {
        match error {
            // Our C is right for any program.
            BuildError::Refused { .. } => Error::Fault(error.to_string().trim_end().to_string()),
            error => Error::Build(error.to_string()),
        }
    }
}

impl From<LoadError> for Error {
    fn from(error: LoadError) -> Error {
        match error {
            LoadError::Build(error) => error.into(),
            LoadError::Start(CallError::Failed(failure)) => failure.into(),
            LoadError::Start(CallError::Broken(what)) => Error::Fault(what),
        }
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Error {
        Error::Failed(failure)
    }
}
