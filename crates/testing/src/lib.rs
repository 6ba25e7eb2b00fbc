//! Tests that programs carry in their comments: what they say, and whether it holds.
//!
//! ```text
//! -- ==
//! -- input { 1 2 } output { 3 }
//! def main (x: i32) (y: i32) = x + y
//! ```

pub mod cache;
mod cursor;
mod data;
mod examples;
mod executor;
pub mod executors;
mod pattern;
mod report;
mod runner;
pub mod script;
mod spec;
mod tuning;

pub use cursor::SpecError;
pub use data::{DataCase, DataSet, data_cases, data_sets, must_fit};
pub use examples::run_examples;
pub use executor::{CompileError, Compiled, Executor, Program, RunError, Session, Timed};
pub use kenaz_runtime::{EntryPoint, EntryType, Fingerprint};
pub use pattern::Pattern;
pub use report::{Report, TestResult, Verdict};
pub use runner::{Options, agree, find_programs, run};
pub use spec::{Case, Expected, Generated, Group, Input, Output, Spec, Structure, Subject};
pub use tuning::{Tuning, read_tuning, tuning_file, write_tuning};
