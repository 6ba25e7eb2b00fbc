//! How a run ends when it does not end well.

use kenaz_base::Symbol;
use std::fmt;

/// Why a program stopped, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunError {
    pub kind: Kind,
    pub message: String,
    /// The places in the program text, from the one that failed to the outermost call.
    pub trace: Vec<Symbol>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A check of the program failed.
    Assertion,
    /// A part of the program that is not written yet was reached.
    Hole,
    OutOfMemory,
    /// The user asked for it.
    Interrupted,
    /// We cannot do this yet.
    Limitation,
    /// The arguments do not fit the function.
    Arguments,
    /// Our own fault: the program broke a rule that its checker should enforce.
    Fault,
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for RunError {}

/// An error before its place is known. Boxed, since it is on the path of every instruction's result.
#[derive(Clone, Debug)]
pub struct Stop(pub Box<(Kind, String)>);

impl Stop {
    #[cold]
    pub fn new(kind: Kind, message: String) -> Stop {
        Stop(Box::new((kind, message)))
    }

    #[cold]
    pub fn fault(message: &str) -> Stop {
        Stop::new(Kind::Fault, format!("The interpreter met {message}."))
    }
}
