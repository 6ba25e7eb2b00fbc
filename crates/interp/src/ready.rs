//! Programs of any stage, ready to run.

use crate::code::Compiled;
use crate::compile::{self, compile};
use crate::error::RunError;
use crate::heap;
use crate::run::Environment;
use kenaz_ir::Prog;
use kenaz_runtime::Value;

/// What runs a program.
pub enum Ready {
    ByValue(Box<Compiled>),
    /// Once a program says where its arrays are, they have to be there.
    ByHeap(Box<(Prog, heap::Options)>),
}

impl Ready {
    /// The options are for programs that have to be run by heap.
    pub fn new(prog: &Prog, options: heap::Options) -> Ready {
        if heap::has_memory(prog) {
            Ready::ByHeap(Box::new((prog.clone(), options)))
        } else {
            Ready::ByValue(Box::new(compile(prog, compile::Options::default())))
        }
    }

    /// Runs an entry point on the values that its user gives, and gives the results that the user sees.
    pub fn run_entry(
        &self,
        fun: &str,
        args: Vec<Value>,
        environment: &mut Environment,
    ) -> Result<Vec<Value>, RunError> {
        match self {
            Ready::ByValue(compiled) => compiled.run_entry(fun, args, environment),
            Ready::ByHeap(heap) => heap::run_in(&heap.0, fun, args, heap.1, environment),
        }
    }
}
