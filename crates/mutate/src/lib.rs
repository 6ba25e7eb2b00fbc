//! Mutants of programs, for finding out where the compiler breaks and where its verdicts are wrong.
//!
//! [`rough::mutate`] damages a program in any way at all: the compiler must survive it. [`fine::mutate`] makes one
//! small change that leaves the program well-formed most of the time: the verdict on it must be right. [`probe`] runs
//! the compiler on a mutant and checks what must hold for every input; [`minimise`] makes a mutant that fails smaller.
//! [`data`] damages the input of programs.
//!
//! The same seed gives the same mutants on every machine.

pub mod corpus;
pub mod data;
pub mod fine;
pub mod minimise;
pub mod probe;
pub mod rough;
pub mod tokens;
pub mod workers;

/// A changed program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mutant {
    /// Not always valid UTF-8.
    pub text: Vec<u8>,
    /// The kinds of the changes, in the order in which they were made.
    pub kinds: Vec<&'static str>,
    /// The line of the last change, from 1.
    pub line: usize,
}

impl Mutant {
    /// What was done, for people.
    pub fn what(&self) -> String {
        format!("{} at line {}", self.kinds.join(", "), self.line)
    }
}
