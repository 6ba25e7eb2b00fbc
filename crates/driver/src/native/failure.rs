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
    /// There is no device, or something is missing that it needs.
    Device,
    /// A server did not understand or could not obey a command; the program did not run.
    Command,
}

/// How a program's own errors begin.
const ERROR: &str = "Error: ";

const OUT_OF_MEMORY: &str = "out of memory";

/// What rts/cuda.h and rts/opencl.h tell people to do who have no device that can be used, and what they name.
const ADVICE: &str = "install ";
const DEVICES: [&str; 5] = ["CUDA", "OpenCL", "libcuda", "libnvrtc", "driver"];

impl Failure {
    /// Of what a program or server said: `Error: …` is said by the program, anything else by what is around it.
    pub fn read(message: impl Into<String>) -> Failure {
        let message = message.into();
        let kind = match message.strip_prefix(ERROR) {
            Some(said) if said.starts_with(OUT_OF_MEMORY) => FailureKind::OutOfMemory,
            Some(said) if said.starts_with(BAD_ARGUMENTS) => FailureKind::Arguments,
            Some(said) if said.lines().any(advises) => FailureKind::Device,
            Some(_) => FailureKind::Program,
            // Data that was being read may be named before.
            None if message.contains(OUT_OF_MEMORY) => FailureKind::OutOfMemory,
            None => FailureKind::Command,
        };
        Failure { kind, message }
    }

    /// The line that says what is wrong: the first, or the one that says what to install.
    pub fn said(&self) -> &str {
        let said = self.message.strip_prefix(ERROR).unwrap_or(&self.message);
        said.lines().find(|line| advises(line)).or(said.lines().next()).unwrap_or_default()
    }
}

fn advises(line: &str) -> bool {
    line.contains(ADVICE) && DEVICES.iter().any(|device| line.contains(device))
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
        let none = "Error: OpenCL has no driver; install that of the GPU.\n";
        let no_compiler = "Error: the kernels cannot be built for a GPU: there is no compiler for them (code -3).\n\
                           there is no compiler for kernels: libnvrtc.so cannot be loaded; install that of CUDA.\n";
        assert_eq!([none, no_compiler].map(kind), [FailureKind::Device; 2]);
        assert_eq!(Failure::read(none).said(), "OpenCL has no driver; install that of the GPU.");
        assert!(Failure::read(no_compiler).said().starts_with("there is no compiler for kernels: libnvrtc.so"));
        assert_eq!(kind("Error: the device cannot read memory: unknown error (code 999).\n"), FailureKind::Program);
    }
}
