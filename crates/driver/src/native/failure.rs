//! What compiled programs say when they fail.
//!
//! A compiled program has only its words to say why: those of rts/, which follow Futhark's server protocol and C API.
//! They are read here and nowhere else.

use kenaz_ir::exp::BAD_ARGUMENTS;
use std::fmt;

/// Why a compiled program, or a server's command, did not do what it was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub kind: FailureKind,
    /// As the program says it to its user.
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// A check of the program failed.
    Program,
    /// The sizes of the arguments do not agree with each other.
    Arguments,
    OutOfMemory,
    /// A server did not understand or could not obey a command; the program did not run.
    Command,
}

/// How a program's own errors begin.
const ERROR: &str = "Error: ";

const OUT_OF_MEMORY: &str = "out of memory";

impl Failure {
    /// Of what a program or server said: `Error: …` is said by the program, anything else by what is around it.
    pub fn read(message: impl Into<String>) -> Failure {
        let message = message.into();
        let kind = match message.strip_prefix(ERROR) {
            Some(said) if said.starts_with(OUT_OF_MEMORY) => FailureKind::OutOfMemory,
            Some(said) if said.starts_with(BAD_ARGUMENTS) => FailureKind::Arguments,
            Some(_) => FailureKind::Program,
            // Data that was being read may be named before.
            None if message.contains(OUT_OF_MEMORY) => FailureKind::OutOfMemory,
            None => FailureKind::Command,
        };
        Failure { kind, message }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds() {
        let kind = |message: &str| Failure::read(message).kind;
        assert_eq!(kind("Error: out of memory: cannot allocate 8 bytes, with 0 in use.\n"), FailureKind::OutOfMemory);
        assert_eq!(kind("a.in, byte 12: out of memory: there is none for 8 bytes\n"), FailureKind::OutOfMemory);
        assert_eq!(kind("Error: Entry point arguments have invalid sizes: argument 1\n"), FailureKind::Arguments);
        assert_eq!(kind("Error: Assertion is false: the box is out of memory\n"), FailureKind::Program);
        assert_eq!(kind("Unknown variable: x\n"), FailureKind::Command);
    }
}
