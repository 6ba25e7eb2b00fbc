//! Programs of the parallel stage whose entry point `main` takes a number, run by value and as loops and blocks.

use kenaz_base::Prim;
use kenaz_imp::eval;
use kenaz_interp::{Environment, Kind, Options, compile};
use kenaz_ir::visit::{VisitMut, walk_mut};
use kenaz_ir::{Exp, Level, Log, Ownership, PassCx, Prog, Scalar, Space, Target};
use kenaz_runtime::{Data, Value};

/// The same when all iterations may run at the same time, in chunks that run in another order, on the cores and on a
/// device. Gives what it becomes on the cores.
#[track_caller]
pub(crate) fn in_chunks(before: &Prog) -> kenaz_imp::Prog {
    on_device(before, &[]);
    let mut on_cores = before.clone();
    on_cores.funs.iter_mut().for_each(|fun| OnCores.fun(fun));
    same_as(before, on_cores, &kenaz_ir::target::MULTICORE)
}

/// What a program becomes on a device, which gives the same, also for these numbers.
#[track_caller]
pub(crate) fn on_device(before: &Prog, more: &[i64]) -> kenaz_imp::Prog {
    let mut on_device = before.clone();
    on_device.funs.iter_mut().for_each(|fun| OnDevice.fun(fun));
    let lowered = same_as(before, on_device, &kenaz_ir::target::OPENCL);
    for n in more {
        let text = || kenaz_imp::print::prog(&lowered);
        assert_eq!(by_block(&lowered, *n), by_value(before, *n), "main {n}\n{}", text());
    }
    lowered
}

/// What a program with levels becomes for a target, which gives the same as the one before.
#[track_caller]
pub(crate) fn same_as(before: &Prog, mut after: Prog, target: &'static Target) -> kenaz_imp::Prog {
    kenaz_ir::check::parallel(&after).unwrap_or_else(|error| panic!("{error}\n{after}"));
    let is_device = target.host_space == Space::Device;
    let mut cx = PassCx::new(target, Log::new());
    // On the cores, blocks stay where they are made, so that there is something to be seen of them.
    let mut place_cx = if is_device { PassCx::new(target, Log::new()) } else { PassCx::default() };
    for pass in kenaz_place::PASSES {
        (pass.run)(&mut after, &mut place_cx);
    }
    for pass in kenaz_plan::PASSES {
        if !is_device || matches!(pass.name, "collapse" | "chunks") {
            (pass.run)(&mut after, &mut cx);
        }
    }
    kenaz_ir::check::memory(&after, Ownership::Settled).unwrap_or_else(|error| panic!("{error}\n{after}"));
    let lowered = kenaz_imp::lower(&after, target);
    kenaz_imp::check(&lowered).unwrap_or_else(|error| panic!("{error}\n{}", kenaz_imp::print::prog(&lowered)));
    // Tiles of the three lanes there have up to 45 elements, and a group three tiles.
    let more: &[i64] = if is_device { &[20, 21, 22, 45, 64, 150] } else { &[] };
    for n in [0, 1, 2, 5, 11].iter().chain(more).copied() {
        let text = || kenaz_imp::print::prog(&lowered);
        assert_eq!(by_block(&lowered, n), by_value(before, n), "main {n}\n{after}\n{}", text());
    }
    lowered
}

/// The outermost `par`s run on all threads of a device.
struct OnDevice;

impl VisitMut for OnDevice {
    fn exp(&mut self, exp: &mut Exp) {
        match exp {
            Exp::Par(par) => par.level = Some(Level::Grid),
            exp => walk_mut::exp(self, exp),
        }
    }
}

struct OnCores;

impl VisitMut for OnCores {
    fn exp(&mut self, exp: &mut Exp) {
        if let Exp::Par(par) = exp {
            par.level = Some(Level::Core);
        }
        walk_mut::exp(self, exp);
    }
}

/// The elements of each result, or the message of a check.
pub(crate) type Results = Result<Vec<Vec<i64>>, String>;

pub(crate) fn by_value(prog: &Prog, n: i64) -> Results {
    let mut environment = Environment { trace: Box::new(std::io::sink()), ..Environment::default() };
    let argument = vec![Value::scalar(Scalar::I64(n))];
    match compile(prog, Options::default()).run_in("main", argument, &mut environment) {
        Ok(values) => Ok(values
            .iter()
            .map(|value| match value.data() {
                Data::I64(elems) => elems.clone(),
                other => panic!("the tests use i64 only, not {other:?}"),
            })
            .collect()),
        Err(error) => {
            assert_ne!(error.kind, Kind::Fault, "{error}\n{prog}");
            Err(error.message.clone())
        }
    }
}

/// Blocks may be longer than the arrays in them, so the numbers of elements come first: a result `[k]` stands behind
/// `k`.
pub(crate) fn by_block(prog: &kenaz_imp::Prog, n: i64) -> Results {
    match eval::run(prog, "main", &[eval::Value::Scalar(Scalar::I64(n))]) {
        Ok(outcome) => {
            let mut results: Vec<Vec<i64>> = Vec::new();
            for value in &outcome.results {
                let mut elems: Vec<i64> = value.elems(Prim::I64).iter().filter_map(|x| x.as_i64()).collect();
                if let (eval::Value::Block(_), Some([len])) = (value, results.last().map(Vec::as_slice)) {
                    elems.truncate(usize::try_from(*len).unwrap_or(0));
                }
                results.push(elems);
            }
            Ok(results)
        }
        Err(eval::Fault::Failed(message)) => Err(message),
        Err(eval::Fault::Wrong(what)) => panic!("{what}\n{}", kenaz_imp::print::prog(prog)),
    }
}
