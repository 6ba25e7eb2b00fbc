//! Running a function on values.

use crate::code::{self, Compiled, Place, Routine};
use crate::error::{Kind, RunError, Stop};
use crate::machine::Machine;
use crate::values;
use kenaz_ir::entry::{DimCheck, DimSource, Signature, Slot};
use kenaz_ir::{Entry, Name, Operand, Scalar, Type};
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
    /// How often each kind of expression was executed, for programs compiled with [`crate::Options::count`]. Runs add
    /// to it, also those that fail; kinds that were compiled but never executed are there with 0.
    pub counts: BTreeMap<String, u64>,
}

impl Default for Environment<'_> {
    fn default() -> Self {
        Environment { interrupt: None, trace: Box::new(std::io::stderr()), counts: BTreeMap::new() }
    }
}

impl Compiled {
    /// Runs a function on values for all of its parameters, sizes included, and gives all of its results, sizes
    /// included.
    pub fn run(&self, fun: &str, args: Vec<Value>) -> Result<Vec<Value>, RunError> {
        self.run_in(fun, args, &mut Environment::default())
    }

    /// The same with control over the surroundings.
    pub fn run_in(&self, fun: &str, args: Vec<Value>, environment: &mut Environment) -> Result<Vec<Value>, RunError> {
        let routine = self.find(fun)?;
        check(&routine.signature, &args)?;
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

    /// Runs an entry point on the values that its user gives; the parameters that are only sizes of others follow from
    /// the arrays. Gives the results without those that are only sizes of others.
    pub fn run_entry(
        &self,
        fun: &str,
        args: Vec<Value>,
        environment: &mut Environment,
    ) -> Result<Vec<Value>, RunError> {
        let fun = &self.find(fun)?.signature;
        let (all, shown) = from_outside(fun, args)?;
        let values = self.run_in(fun.name.as_str(), all, environment)?;
        Ok(values.into_iter().zip(shown).filter(|(_, shown)| *shown).map(|(value, _)| value).collect())
    }

    fn find(&self, fun: &str) -> Result<&Routine, RunError> {
        self.routine(fun).ok_or_else(|| argument_error(format!("There is no function `{fun}`.")))
    }
}

/// The values for all parameters of a function from those that its user gives, and which of its results the user sees.
pub(crate) fn from_outside(fun: &code::Signature, args: Vec<Value>) -> Result<(Vec<Value>, Vec<bool>), RunError> {
    let Some(entry) = &fun.entry else { return Ok((args, vec![true; fun.results.len()])) };
    let signature = Signature::of(Some(entry), &fun.params, &fun.results).map_err(|why| RunError {
        kind: Kind::Fault,
        message: format!("`{}`: {why}.", fun.name),
        trace: Vec::new(),
    })?;
    if args.len() != signature.takes.len() {
        let message = format!("`{}` needs {} values, but got {}.", fun.name, signature.takes.len(), args.len());
        return Err(argument_error(message));
    }
    check_shapes(entry, &signature, &args)?;
    let size = |from: &[(usize, usize)]| from.first().map_or(0, |(part, dim)| size_of(&args[*part], *dim));
    let sizes: Vec<Option<i64>> = (signature.params.iter())
        .map(|slot| match slot {
            Slot::Part(_) => None,
            Slot::Size { from } => Some(size(from)),
        })
        .collect();
    // Parts are in the order of the parameters.
    let mut args = args.into_iter();
    let all = sizes.into_iter().filter_map(|size| size.map(Value::from).or_else(|| args.next())).collect();
    Ok((all, signature.results.iter().map(|slot| matches!(slot, Slot::Part(_))).collect()))
}

/// Whether the shapes of an entry point's arguments fit each other, which its signature says; for those who run
/// programs in another way and want the same messages.
pub fn check_arguments(entry: &Entry, signature: &Signature, args: &[Value]) -> Result<(), RunError> {
    if args.len() != signature.takes.len() {
        let message = format!("The entry point needs {} values, but got {}.", signature.takes.len(), args.len());
        return Err(argument_error(message));
    }
    check_shapes(entry, signature, args)
}

/// Whether the dimensions of an entry point's arguments are as they must be. Their types are checked later.
fn check_shapes(entry: &Entry, signature: &Signature, args: &[Value]) -> Result<(), RunError> {
    let expected = |is: DimSource| match is {
        DimSource::Const(n) => n,
        DimSource::Part(part) => match args[part].as_scalar() {
            Some(Scalar::I64(n)) => n,
            _ => 0,
        },
        DimSource::Dim { part, dim } => size_of(&args[part], dim),
    };
    let fails = |check: &DimCheck| {
        check.dim < args[check.part].rank() && expected(check.is) != size_of(&args[check.part], check.dim)
    };
    let Some(part) = signature.checks.iter().find(|check| fails(check)).map(|check| check.part) else { return Ok(()) };
    let mut wanted: Vec<i64> = args[part].shape().iter().map(|n| *n as i64).collect();
    for check in signature.checks.iter().filter(|check| check.part == part) {
        if let Some(size) = wanted.get_mut(check.dim) {
            *size = expected(check.is);
        }
    }
    let wanted: String = wanted.iter().map(|n| format!("[{n}]")).collect();
    let owner = signature.takes[part].owner;
    let (number, name, found) = (owner + 1, entry.params[owner].name, shape(&args[part]));
    Err(argument_error(format!("Argument {number} (`{name}`) should have shape {wanted}, but has {found}.")))
}

/// The size of a dimension, if there is such a dimension.
fn size_of(value: &Value, dim: usize) -> i64 {
    value.shape().get(dim).map_or(0, |n| *n as i64)
}

/// Whether the arguments have the types of the parameters.
pub(crate) fn check(fun: &code::Signature, args: &[Value]) -> Result<(), RunError> {
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
            let prim = param.ty.prim().map_or("another type", kenaz_base::Prim::name);
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

pub(crate) fn argument_error(message: String) -> RunError {
    RunError { kind: Kind::Arguments, message, trace: Vec::new() }
}

pub(crate) fn nowhere(Stop(stop): Stop) -> RunError {
    let (kind, message) = *stop;
    RunError { kind, message, trace: Vec::new() }
}
