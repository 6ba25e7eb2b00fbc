//! How a run ends when it does not end well.

use kenaz_base::Symbol;
use kenaz_ir::{CheckKind, Message};
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
    /// A program of the memory stage broke a rule about memory.
    Memory(Rule),
    /// Our own fault: the program broke a rule that its checker should enforce.
    Fault,
}

impl Kind {
    /// Why a program stops with this message of a check.
    pub fn of(message: &Message) -> Kind {
        match message.kind {
            CheckKind::Program => Kind::Assertion,
            CheckKind::Hole => Kind::Hole,
            CheckKind::Arguments => Kind::Arguments,
        }
    }
}

/// The rules of the memory stage that a run can break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Memory is written before it is read.
    Unwritten,
    /// No block is used when its last reference is gone.
    UseAfterFree,
    /// A reference is given up only once.
    DoubleFree,
    /// Arrays lie in their blocks.
    OutOfBlock,
    /// Blocks have a size.
    Size,
    /// At the end nothing is left but the results.
    Leak,
    /// No iteration writes what another one reads or writes.
    Race,
    /// An array is where its binder says.
    Place,
    /// The source of a copy is not overwritten while it is copied.
    Overlap,
    /// Arguments that are not consumed do not change.
    Argument,
}

impl Rule {
    pub fn name(self) -> &'static str {
        match self {
            Rule::Unwritten => "unwritten",
            Rule::UseAfterFree => "use-after-free",
            Rule::DoubleFree => "double-free",
            Rule::OutOfBlock => "out-of-block",
            Rule::Size => "block-size",
            Rule::Leak => "leak",
            Rule::Race => "race",
            Rule::Place => "place",
            Rule::Overlap => "overlap",
            Rule::Argument => "argument",
        }
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for RunError {}

/// An error before its place is known. Boxed, since it is on the path of every instruction's result.
#[derive(Clone, Debug)]
pub(crate) struct Stop(pub Box<(Kind, String)>);

impl Stop {
    #[cold]
    pub(crate) fn new(kind: Kind, message: String) -> Stop {
        Stop(Box::new((kind, message)))
    }

    #[cold]
    pub(crate) fn fault(message: &str) -> Stop {
        Stop::new(Kind::Fault, format!("The interpreter met {message}."))
    }
}
