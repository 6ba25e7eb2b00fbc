//! The interpreter by heap ([mem] fig. 10): runs the memory stage on blocks of bytes, exactly where its places say.
//!
//! An array is a label and a layout with numbers in it. Statements that make arrays write to the places of their
//! binders, views must be where their binders say, and a value that is already where it is copied to is not copied.
//! Memory has no meaning of its own in this stage: results must be those of the parallel stage ([mem] def. 3.1).
//!
//! What is wrong with the use of memory is reported as [`crate::Kind::Memory`], with one of the rules of
//! [`crate::Rule`]. Reads of unwritten memory are reported where a scalar is read or a result is returned; moving it
//! elsewhere is allowed.
//!
//! An array whose binder has no place gets a block of its own, so that the parallel stage can be run, too.

mod arrays;
mod blocks;
mod lmad;
mod machine;
mod par;
mod race;

use crate::code::Signature;
use crate::error::{RunError, Stop};
use crate::run::{Environment, argument_error, check, from_outside, nowhere};
use crate::values;
use blocks::Label;
use kenaz_ir::visit::{Visit, walk};
use kenaz_ir::{Body, Fun, Param, Prog, Scalar, Type};
use kenaz_runtime::Value;
use machine::{Array, Item, Items, Machine, is_block};
use std::rc::Rc;

#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// So many workers take turns at the iterations of a `par` with a level; with fewer than two, the iterations run in
    /// order.
    pub workers: usize,
    pub races: RaceCheck,
    /// In blocks that are larger than this, races are not looked for.
    pub race_bytes: usize,
    /// Whether blocks must be gone at the end.
    pub leaks: bool,
}

/// In which `par`s to look for races.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaceCheck {
    Never,
    /// In those with a level.
    Levels,
    /// In those without, too, which run in order and may use memory one after the other.
    Always,
}

impl Default for Options {
    fn default() -> Options {
        Options { workers: 1, races: RaceCheck::Levels, race_bytes: 1 << 24, leaks: true }
    }
}

/// Runs a function on the values that its user gives; parameters that are sizes of others or only there for memory
/// follow from them. Gives the results without such.
pub fn run(prog: &Prog, fun: &str, args: Vec<Value>, options: Options) -> Result<Vec<Value>, RunError> {
    run_in(prog, fun, args, options, &mut Environment::default())
}

/// The same with control over the surroundings.
pub fn run_in(
    prog: &Prog,
    fun: &str,
    args: Vec<Value>,
    options: Options,
    environment: &mut Environment,
) -> Result<Vec<Value>, RunError> {
    let Some(fun) = prog.funs.iter().find(|f| f.name.as_str() == fun) else {
        return Err(argument_error(format!("There is no function `{fun}`.")));
    };
    let (params, results) = (memory_only(&fun.params), memory_only(&fun.results));
    let shown = |params: &[Param], hidden: &[bool]| -> Vec<Param> {
        params.iter().zip(hidden).filter(|(_, hidden)| !**hidden).map(|(param, _)| param.clone()).collect()
    };
    let signature = Signature {
        name: fun.name,
        entry: fun.entry.clone(),
        params: shown(&fun.params, &params),
        results: shown(&fun.results, &results),
    };
    let (args, mut visible) = from_outside(&signature, args)?;
    check(&signature, &args)?;

    let mut machine = Machine::new(prog, options, environment.interrupt, &mut *environment.trace);
    let args = arguments(&mut machine, fun, &params, args).map_err(nowhere)?;
    let ran = machine.enter(fun, args).and_then(|items| {
        let values = yielded(&mut machine, fun, &results, &items)?;
        if machine.options.leaks {
            let blocks = items.iter().zip(&fun.results).filter(|(_, param)| is_block(&param.ty));
            let blocks: Vec<Label> = blocks.map(|(item, _)| label(item)).collect();
            machine.heap.check_end(&blocks)?;
        }
        Ok(values)
    });
    let values = ran.map_err(|Stop(stop)| {
        let (kind, message) = *stop;
        let trace = machine.failed.iter().flat_map(|loc| prog.locs.chain(*loc)).collect();
        RunError { kind, message, trace }
    })?;
    visible.resize(values.len(), true);
    Ok(values.into_iter().zip(visible).filter(|(_, visible)| *visible).map(|(value, _)| value).collect())
}

/// Whether a program says where arrays are, so that it has to be run by heap.
pub fn has_memory(prog: &Prog) -> bool {
    struct Find(bool);
    impl Visit for Find {
        fn param(&mut self, param: &Param) {
            self.0 |= is_block(&param.ty) || param.place.is_some();
        }

        fn body(&mut self, body: &Body) {
            if !self.0 {
                walk::body(self, body);
            }
        }
    }
    let mut find = Find(false);
    prog.funs.iter().for_each(|fun| find.fun(fun));
    find.0
}

/// Which of the parameters or results exist only for the memory of others: blocks, and offsets in blocks.
fn memory_only(params: &[Param]) -> Vec<bool> {
    let is_offset = |name| {
        let mut places = params.iter().filter_map(|param| param.place.as_ref());
        places.any(|place| place.layout.offset.names().any(|n| n == name))
    };
    params.iter().map(|param| is_block(&param.ty) || param.ty == Type::I64 && is_offset(param.name)).collect()
}

/// The arguments of a function, arrays in blocks of their own.
fn arguments(machine: &mut Machine, fun: &Fun, hidden: &[bool], args: Vec<Value>) -> Result<Items, Stop> {
    let mut items: Items = fun.params.iter().map(|_| Item::Bits(0)).collect();
    let mut args = args.into_iter();
    for (k, param) in fun.params.iter().enumerate() {
        if hidden[k] {
            continue;
        }
        let value = args.next().ok_or_else(|| Stop::fault("too few arguments"))?;
        if let (Some(scalar), Type::Prim(_)) = (value.as_scalar(), &param.ty) {
            items[k] = Item::Bits(scalar.bits());
            continue;
        }
        let block = param.place.as_ref().map_or(param.name, |place| place.block);
        let array = values::to_array(&value)?;
        let layout = lmad::Lmad::row_major(&array.shape());
        let label = machine.heap.argument(block, array.bytes().to_vec(), param.unique)?;
        items[k] = Item::Array(Rc::new(Array { label, layout, prim: value.prim() }));
        if let Some(at) = fun.params.iter().position(|p| p.name == block && is_block(&p.ty)) {
            items[at] = Item::Bits(u64::from(label));
        }
    }
    Ok(items)
}

/// The results of a function as values, without those that are only there for memory.
fn yielded(machine: &mut Machine, fun: &Fun, hidden: &[bool], items: &Items) -> Result<Vec<Value>, Stop> {
    let mut values = Vec::new();
    for ((item, param), hidden) in items.iter().zip(&fun.results).zip(hidden) {
        match (item, param.ty.prim()) {
            _ if *hidden => {}
            (Item::Bits(bits), Some(prim)) => values.push(Value::scalar(Scalar::from_bits(prim, *bits))),
            (Item::Array(array), _) => values.push(machine.value(array)?),
            (Item::Bits(_), None) => {}
        }
    }
    Ok(values)
}

fn label(item: &Item) -> Label {
    match item {
        Item::Bits(bits) => *bits as Label,
        Item::Array(array) => array.label,
    }
}
