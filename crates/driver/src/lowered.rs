//! Runs the functions of a program of the memory stage as loops, loads and stores: by the evaluator of `imp`.
//!
//! Interpreters ignore plans, so this is where a wrong plan shows. It is slow, and looks at every access.

use crate::compare::Answer;
use kenaz_base::Prim;
use kenaz_imp::eval::{self, Fault};
use kenaz_interp::check_arguments;
use kenaz_ir::entry::{Signature, Slot};
use kenaz_ir::{Fun, Name, Operand, Param, Prog, Scalar, Target, Type};
use kenaz_runtime::{Data, Value};
use rustc_hash::FxHashMap;

/// A program, and what it became.
pub(crate) struct Lowered {
    funs: Vec<Fun>,
    prog: kenaz_imp::Prog,
}

impl Lowered {
    /// A program whose blocks have owners. What its checker does not accept is an error.
    pub(crate) fn new(prog: &Prog, target: &Target) -> Result<Lowered, String> {
        let lowered = kenaz_imp::lower(prog, target);
        kenaz_imp::check(&lowered).map_err(|error| error.to_string())?;
        Ok(Lowered { funs: prog.funs.clone(), prog: lowered })
    }

    /// Runs a function on the values that its user gives.
    pub(crate) fn run(&self, function: &str, args: &[Value]) -> Answer {
        let Some(fun) = self.funs.iter().find(|fun| fun.name.as_str() == function) else {
            return Answer::Fault(format!("there is no function `{function}`"));
        };
        match call(fun, &self.prog, args) {
            Ok((values, traced)) => Answer::Values(values, traced),
            Err(Fault::Failed(message)) => Answer::Failed(message),
            Err(Fault::Wrong(message)) => Answer::Fault(message),
        }
    }
}

fn wrong(message: impl ToString) -> Fault {
    Fault::Wrong(message.to_string())
}

fn call(fun: &Fun, prog: &kenaz_imp::Prog, args: &[Value]) -> Result<(Vec<Value>, String), Fault> {
    let without_blocks = |params: &[Param]| -> Vec<Param> {
        params.iter().filter(|param| !matches!(param.ty, Type::Mem(_))).cloned().collect()
    };
    let (params, results) = (without_blocks(&fun.params), without_blocks(&fun.results));
    let signature = Signature::of(fun.entry.as_ref(), &params, &results).map_err(wrong)?;
    if let Some(entry) = &fun.entry {
        check_arguments(entry, &signature, args).map_err(|error| Fault::Failed(error.message))?;
    }
    if args.len() != signature.takes.len() {
        return Err(Fault::Failed(format!("{} arguments", args.len())));
    }
    let mut scalars: FxHashMap<Name, Scalar> = FxHashMap::default();
    let mut blocks: FxHashMap<Name, eval::Value> = FxHashMap::default();
    for (param, slot) in params.iter().zip(&signature.params) {
        match slot {
            Slot::Size { from } => {
                let size = from.first().and_then(|(part, dim)| args[*part].shape().get(*dim)).copied();
                scalars.insert(param.name, Scalar::I64(i64::try_from(size.unwrap_or(0)).unwrap_or(0)));
            }
            Slot::Part(part) => match (&param.place, args[*part].as_scalar()) {
                (Some(place), _) => drop(blocks.insert(place.block, block_of(args[*part].data()))),
                (None, Some(scalar)) => drop(scalars.insert(param.name, scalar)),
                (None, None) => return Err(wrong(format!("{} is no scalar", param.name))),
            },
        }
    }
    let mut inputs = Vec::new();
    for param in &fun.params {
        match param.ty {
            Type::Prim(_) => inputs.extend(scalars.get(&param.name).map(|x| eval::Value::Scalar(*x))),
            Type::Mem(_) => inputs.push(blocks.remove(&param.name).unwrap_or(eval::Value::Block(Vec::new()))),
            Type::Array(..) | Type::Cert | Type::Acc { .. } => {}
        }
    }
    let outcome = eval::run(prog, fun.name.as_str(), &inputs)?;
    let is_variable = |param: &&Param| matches!(param.ty, Type::Prim(_) | Type::Mem(_));
    for (param, value) in fun.results.iter().filter(is_variable).zip(outcome.results) {
        match value {
            eval::Value::Scalar(x) => drop(scalars.insert(param.name, x)),
            block @ eval::Value::Block(_) => drop(blocks.insert(param.name, block)),
        }
    }
    let mut values = Vec::new();
    for (result, slot) in results.iter().zip(&signature.results) {
        if let Slot::Part(_) = slot {
            values.push(
                value_of(result, &scalars, &blocks).ok_or_else(|| wrong(format!("{} is not there", result.name)))?,
            );
        }
    }
    let traced = outcome.traced.iter().map(|line| format!("{line}\n")).collect();
    Ok((values, traced))
}

fn block_of(data: &Data) -> eval::Value {
    let elems: Vec<Scalar> = (0..data.len()).map(|i| data.get(i)).collect();
    eval::Value::block(&elems)
}

/// A result, which is row-major from the beginning of its block if it is an array.
fn value_of(result: &Param, scalars: &FxHashMap<Name, Scalar>, blocks: &FxHashMap<Name, eval::Value>) -> Option<Value> {
    let (Type::Array(dims, prim), Some(place)) = (&result.ty, &result.place) else {
        return scalars.get(&result.name).map(|x| Value::scalar(*x));
    };
    let size = |n: &Operand| match n {
        Operand::Const(c) => c.as_i64(),
        Operand::Var(name) => scalars.get(name).and_then(|x| x.as_i64()),
    };
    let shape: Option<Vec<usize>> = dims.iter().map(|n| usize::try_from(size(n)?).ok()).collect();
    let shape = shape?;
    let count = if shape.contains(&0) { 0 } else { shape.iter().product() };
    let elems = blocks.get(&place.block).map(|block| block.elems(*prim)).unwrap_or_default();
    let data = data_of(*prim, elems.get(..count)?)?;
    Some(Value::new(shape, data))
}

fn data_of(prim: Prim, elems: &[Scalar]) -> Option<Data> {
    let mut data = Data::empty(prim);
    elems.iter().all(|x| data.push(*x)).then_some(data)
}
