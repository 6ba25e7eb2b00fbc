//! Running a function on values.

use crate::code::{Compiled, Place, Routine};
use crate::error::{Kind, RunError, Stop};
use crate::machine::Machine;
use crate::values;
use kenaz_ir::{EntryParam, Name, Operand, Param, Scalar, Type};
use kenaz_runtime::Value;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::atomic::AtomicBool;

/// What a run needs and leaves besides values.
pub struct Environment<'e> {
    /// Set to stop the run.
    pub interrupt: Option<&'e AtomicBool>,
    /// Where `trace` prints.
    pub trace: Box<dyn Write + 'e>,
    /// How often each kind of expression was executed, for programs compiled with [`crate::Options::count`]. Runs add to
    /// it, also those that fail; kinds that were compiled but never executed are there with 0.
    pub counts: BTreeMap<String, u64>,
}

impl Default for Environment<'_> {
    fn default() -> Self {
        Environment { interrupt: None, trace: Box::new(std::io::stderr()), counts: BTreeMap::new() }
    }
}

impl Compiled {
    /// Runs a function on values for all of its parameters, sizes included, and gives all of its results, sizes included.
    pub fn run(&self, fun: &str, args: Vec<Value>) -> Result<Vec<Value>, RunError> {
        self.run_in(fun, args, &mut Environment::default())
    }

    /// The same with control over the surroundings.
    pub fn run_in(&self, fun: &str, args: Vec<Value>, environment: &mut Environment) -> Result<Vec<Value>, RunError> {
        let routine = self.find(fun)?;
        check(routine, &args)?;
        let mut machine = Machine::new(self, environment.interrupt, &mut *environment.trace);
        for (value, place) in args.into_iter().zip(&routine.params) {
            match place {
                Place::Reg(reg) => {
                    machine.registers[*reg as usize] = value.as_scalar().map_or(0, Scalar::bits);
                }
                Place::Slot(slot) => {
                    *machine.state.slots[*slot as usize] = values::to_array(&value).map_err(nowhere)?;
                }
                Place::Nowhere => {}
            }
        }
        let result = machine.run(routine.start);
        for (label, count) in machine.counts() {
            *environment.counts.entry(label.to_string()).or_default() += count;
        }
        result?;
        let mut results = Vec::new();
        for (place, param) in routine.results.iter().zip(&routine.signature.results) {
            let prim = param.ty.prim();
            match (place, prim) {
                (Place::Reg(reg), Some(prim)) => {
                    results.push(Value::scalar(Scalar::from_bits(prim, machine.registers[*reg as usize])));
                }
                (Place::Slot(slot), Some(prim)) => {
                    // Each buffer is given up as soon as its value exists.
                    let array = std::mem::take(&mut *machine.state.slots[*slot as usize]);
                    results.push(values::from_array(&array, prim).map_err(nowhere)?);
                }
                (Place::Reg(_) | Place::Slot(_) | Place::Nowhere, _) => {}
            }
        }
        Ok(results)
    }

    /// Runs an entry point on the values that its user gives; the parameters that are only sizes of others follow from the
    /// arrays. Gives the results without those that are only sizes of others.
    pub fn run_entry(
        &self,
        fun: &str,
        args: Vec<Value>,
        environment: &mut Environment,
    ) -> Result<Vec<Value>, RunError> {
        let routine = self.find(fun)?;
        let fun = &routine.signature;
        let parts = |params: &[EntryParam]| params.iter().map(|p| p.parts as usize).sum::<usize>();
        let (given, yielded) = match &fun.entry {
            Some(entry) => (parts(&entry.params), parts(&entry.results)),
            None => (fun.params.len(), fun.results.len()),
        };
        if args.len() != given {
            let message = format!("`{}` needs {given} values, but got {}.", fun.name, args.len());
            return Err(argument_error(message));
        }
        let hidden = hidden_sizes(&fun.params, fun.params.len().saturating_sub(given));
        let shown = || fun.params.iter().zip(&hidden).filter(|(_, hidden)| !**hidden).map(|(param, _)| param);
        let mut sizes: FxHashMap<Name, i64> = FxHashMap::default();
        for (value, param) in args.iter().zip(shown()) {
            if let (Type::Prim(_), Some(Scalar::I64(size))) = (&param.ty, value.as_scalar()) {
                sizes.insert(param.name, size);
            }
        }
        for (k, (value, param)) in args.iter().zip(shown()).enumerate() {
            for (dim, size) in param.ty.dims().iter().zip(value.shape()) {
                let (Some(name), size) = (dim.name(), *size as i64) else { continue };
                let known = *sizes.entry(name).or_insert(size);
                if known != size {
                    return Err(argument_error(format!(
                        "Argument {} of `{}` has shape {}, but its size `{}` is {known} elsewhere.",
                        k + 1,
                        fun.name,
                        shape(value),
                        name.base,
                    )));
                }
            }
        }
        let mut args = args.into_iter();
        let all = (fun.params.iter().zip(&hidden))
            .filter_map(|(param, hidden)| {
                if *hidden { Some(Value::from(sizes.get(&param.name).copied().unwrap_or(0))) } else { args.next() }
            })
            .collect();
        let values = self.run_in(fun.name.as_str(), all, environment)?;
        let hidden = hidden_sizes(&fun.results, fun.results.len().saturating_sub(yielded));
        Ok(values.into_iter().zip(hidden).filter(|(_, hidden)| !hidden).map(|(value, _)| value).collect())
    }

    fn find(&self, fun: &str) -> Result<&Routine, RunError> {
        self.routine(fun).ok_or_else(|| argument_error(format!("There is no function `{fun}`.")))
    }
}

/// The parameters of a function that the user of an entry point gives, or the results that he sees: all but those that are
/// only sizes of others. `described` is what the entry point says about them.
pub fn visible<'p>(params: &'p [Param], described: &[EntryParam]) -> Vec<&'p Param> {
    let given: usize = described.iter().map(|p| p.parts as usize).sum();
    let hidden = hidden_sizes(params, params.len().saturating_sub(given));
    params.iter().zip(hidden).filter(|(_, hidden)| !hidden).map(|(param, _)| param).collect()
}

/// Which parameters or results the outside does not see: so many of those that are sizes of others, the first ones first.
fn hidden_sizes(params: &[Param], count: usize) -> Vec<bool> {
    let mut left = count;
    let is_size = |name: Name| params.iter().any(|p| p.ty.dims().contains(&Operand::Var(name)));
    params
        .iter()
        .map(|param| {
            let hidden = left > 0 && param.ty == Type::I64 && is_size(param.name);
            left -= usize::from(hidden);
            hidden
        })
        .collect()
}

/// Whether the arguments have the types of the parameters.
fn check(routine: &Routine, args: &[Value]) -> Result<(), RunError> {
    let fun = &routine.signature;
    if args.len() != fun.params.len() {
        let message = format!("`{}` has {} parameters, but got {} values.", fun.name, fun.params.len(), args.len());
        return Err(argument_error(message));
    }
    let mut sizes: FxHashMap<Name, i64> = FxHashMap::default();
    for (value, param) in args.iter().zip(&fun.params) {
        if let Some(Scalar::I64(n)) = value.as_scalar() {
            sizes.insert(param.name, n);
        }
    }
    for (k, (value, param)) in args.iter().zip(&fun.params).enumerate() {
        let fits = match &param.ty {
            Type::Prim(prim) => value.rank() == 0 && value.prim() == *prim,
            Type::Array(dims, prim) => {
                let size = |dim: &Operand| match dim {
                    Operand::Var(name) => sizes.get(name).copied(),
                    Operand::Const(scalar) => scalar.as_i64(),
                };
                value.prim() == *prim
                    && value.rank() == dims.len()
                    && dims.iter().zip(value.shape()).all(|(dim, n)| size(dim).is_none_or(|size| size == *n as i64))
            }
            Type::Cert | Type::Acc { .. } => false,
        };
        if !fits {
            let dim = |dim: &Operand| match dim {
                Operand::Var(name) => format!("[{}]", sizes.get(name).map_or(name.base.to_string(), i64::to_string)),
                Operand::Const(scalar) => format!("[{}]", values::plain(*scalar)),
            };
            let wanted: String = param.ty.dims().iter().map(dim).collect();
            let prim = param.ty.prim().map_or("another type", kenaz_syntax::ast::Prim::name);
            return Err(argument_error(format!(
                "Argument {} of `{}` should be of type {wanted}{prim}, but is of type {}{}.",
                k + 1,
                fun.name,
                shape(value),
                value.prim().name(),
            )));
        }
    }
    Ok(())
}

fn shape(value: &Value) -> String {
    value.shape().iter().map(|n| format!("[{n}]")).collect()
}

fn argument_error(message: String) -> RunError {
    RunError { kind: Kind::Arguments, message, trace: Vec::new() }
}

fn nowhere(Stop(stop): Stop) -> RunError {
    let (kind, message) = *stop;
    RunError { kind, message, trace: Vec::new() }
}
