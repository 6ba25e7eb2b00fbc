//! Running a function on values.

use crate::code::{Compiled, Place, Routine};
use crate::entry;
use crate::error::{Kind, RunError, Stop};
use crate::machine::Machine;
use crate::values;
use kenaz_ir::{Name, Operand, Scalar, Type};
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
        let (described, yielded) = match &fun.entry {
            Some(entry) => (&entry.params[..], &entry.results[..]),
            None => return self.run_in(fun.name.as_str(), args, environment),
        };
        let owners = entry::owners(described);
        if args.len() != owners.len() {
            let message = format!("`{}` needs {} values, but got {}.", fun.name, owners.len(), args.len());
            return Err(argument_error(message));
        }
        let shown = entry::visible(&fun.params, described);
        let mut sizes: FxHashMap<Name, i64> = FxHashMap::default();
        for (value, param) in args.iter().zip(&shown) {
            if let (Type::Prim(_), Some(Scalar::I64(size))) = (&param.ty, value.as_scalar()) {
                sizes.insert(param.name, size);
            }
        }
        for ((value, param), (number, name)) in args.iter().zip(&shown).zip(&owners) {
            let dims = param.ty.dims().iter().zip(value.shape());
            let expected: Vec<i64> = dims
                .map(|(dim, size)| match dim {
                    Operand::Var(name) => *sizes.entry(*name).or_insert(*size as i64),
                    Operand::Const(scalar) => scalar.as_i64().unwrap_or(*size as i64),
                })
                .collect();
            if expected.iter().zip(value.shape()).any(|(expected, size)| *expected != *size as i64) {
                let expected: String = expected.iter().map(|n| format!("[{n}]")).collect();
                let message =
                    format!("Argument {number} (`{name}`) should have shape {expected}, but has {}.", shape(value));
                return Err(argument_error(message));
            }
        }
        let mut args = args.into_iter();
        let all = (fun.params.iter().zip(entry::hidden(&fun.params, described)))
            .filter_map(|(param, hidden)| {
                if hidden { Some(Value::from(sizes.get(&param.name).copied().unwrap_or(0))) } else { args.next() }
            })
            .collect();
        let values = self.run_in(fun.name.as_str(), all, environment)?;
        let hidden = entry::hidden(&fun.results, yielded);
        Ok(values.into_iter().zip(hidden).filter(|(_, hidden)| !hidden).map(|(value, _)| value).collect())
    }

    fn find(&self, fun: &str) -> Result<&Routine, RunError> {
        self.routine(fun).ok_or_else(|| argument_error(format!("There is no function `{fun}`.")))
    }
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
            Type::Cert | Type::Mem(_) | Type::Acc { .. } => false,
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
