//! Parallel loops become regions: the body of each is moved out of its function and launched by a statement.
//!
//! ```text
//! fun f (n_1: i64) (xm_2: block) … {                region f.1: core (xm_2: block) with c_4, s_5, l_6, w_8 {
//!   chunks k_3 of n_1 at 2                             for i_7: i64 < l_6 { xm_2.f32[s_5 + i_7] = … }
//!   parallel core k_3 of n_1 with c_4, … {          →  }
//!     for i_7: i64 < l_6 { xm_2.f32[s_5 + i_7] = … } fun f (n_1: i64) (xm_2: block) … {
//!   }                                                  chunks k_3 of n_1 at 2
//! }                                                    launch k_3 of f.1(xm_2) for n_1
//!                                                    }
//! ```
//!
//! The parameters of a region are the variables that its body uses and does not declare, under the same names and in
//! the order of their first use. Of loops inside one another, the inner one becomes a region first, so that a region
//! launches only those before it. Assumes that names are declared once in a function, and leaves no [`Stm::Parallel`].
//! That a body changes nothing around it is what the checker is for. Cost: linear in the program, times the depth of
//! parallel loops.

use crate::visit::for_each_stm;
use crate::{Arg, Combined, Exp, Fun, Lanes, Lock, Param, Prog, Region, Side, Stm, Traced, Ty};
use kenaz_base::{Prim, Symbol, with_stack};
use kenaz_ir::{Fresh, MathFn, Name, Space};
use rustc_hash::{FxHashMap, FxHashSet};

/// Outlines all parallel loops of a program.
pub fn outline(prog: &mut Prog) {
    let Prog { funs, regions, fresh, .. } = prog;
    for fun in funs {
        let mut is_parallel = false;
        for_each_stm(&fun.body, &mut |stm| is_parallel |= matches!(stm, Stm::Parallel { .. }));
        if is_parallel {
            let (types, tables) = (types(fun), tables(fun));
            let mut outliner = Outliner { fun: fun.name, types, tables, regions: Vec::new(), fresh };
            outliner.stms(&mut fun.body);
            regions.extend(outliner.regions);
        }
    }
}

/// The types of all variables of a function.
pub(crate) fn types(fun: &Fun) -> FxHashMap<Name, Ty> {
    let int = Ty::Scalar(Prim::I64);
    let mut types: FxHashMap<Name, Ty> = fun.params.iter().chain(&fun.results).map(|p| (p.name, p.ty)).collect();
    for_each_stm(&fun.body, &mut |stm| match stm {
        Stm::Let { name, prim, .. } | Stm::For { var: name, prim, .. } | Stm::Read { name, prim, .. } => {
            types.insert(*name, Ty::Scalar(*prim));
        }
        Stm::Update { cells, .. } => types.extend(cells.iter().map(|cell| (cell.old, Ty::Scalar(cell.prim)))),
        Stm::Declare { name, ty } => drop(types.insert(*name, *ty)),
        Stm::Alloc { name, space, .. } => drop(types.insert(*name, Ty::Block(*space))),
        Stm::Local { name, .. } | Stm::Table { name, .. } => drop(types.insert(*name, Ty::Block(Space::Private))),
        Stm::Share { name, from } => drop(types.get(from).copied().map(|ty| types.insert(*name, ty))),
        Stm::Slot { name, from, .. } => drop(types.get(from).copied().map(|ty| types.insert(*name, ty))),
        Stm::Shared { name, .. } => drop(types.insert(*name, Ty::Block(Space::Shared))),
        Stm::Chunks { name, .. } | Stm::Workers { name } | Stm::Width { name, .. } | Stm::Tunable { name, .. } => {
            types.insert(*name, int);
        }
        Stm::Lanes { lane, .. } => drop(types.insert(*lane, int)),
        Stm::PerLane { name, .. } => drop(types.insert(*name, Ty::Block(Space::Private))),
        Stm::Combine { values, .. } => {
            for Combined { prim, left, right, all, .. } in values {
                types.extend([left, right, all].map(|name| (*name, Ty::Scalar(*prim))));
            }
        }
        Stm::Board { name, .. } => drop(types.insert(*name, Ty::Block(Space::Device))),
        Stm::Take { number, turn, .. } => types.extend([(*number, int), (*turn, Ty::Scalar(Prim::U32))]),
        Stm::Await { names, .. } => types.extend(names.iter().map(|(name, prim)| (*name, Ty::Scalar(*prim)))),
        Stm::Streams { name, .. } => drop(types.insert(*name, Ty::Scalar(Prim::Bool))),
        Stm::Parallel { ids, .. } => types.extend(ids.iter().map(|name| (*name, int))),
        Stm::Set { .. }
        | Stm::SetBlock { .. }
        | Stm::Free { .. }
        | Stm::Store { .. }
        | Stm::Copy { .. }
        | Stm::While { .. }
        | Stm::If { .. }
        | Stm::Switch { .. }
        | Stm::Launch { .. }
        | Stm::Stream { .. }
        | Stm::Race { .. }
        | Stm::Write { .. }
        | Stm::Publish { .. }
        | Stm::Call { .. }
        | Stm::Assert { .. }
        | Stm::Trace { .. } => {}
    });
    types
}

/// The tables of a function.
fn tables(fun: &Fun) -> FxHashMap<Name, Stm> {
    let mut tables = FxHashMap::default();
    for_each_stm(&fun.body, &mut |stm| {
        if let Stm::Table { name, .. } = stm {
            tables.insert(*name, stm.clone());
        }
    });
    tables
}

/// The loops of a function.
struct Outliner<'f> {
    fun: Symbol,
    types: FxHashMap<Name, Ty>,
    /// The statements that declare its tables.
    tables: FxHashMap<Name, Stm>,
    regions: Vec<Region>,
    fresh: &'f mut Fresh,
}

impl Outliner<'_> {
    fn stms(&mut self, stms: &mut Vec<Stm>) {
        with_stack(|| {
            let mut out = Vec::with_capacity(stms.len());
            for mut stm in std::mem::take(stms) {
                stm.for_each_body_mut(|body| self.stms(body));
                if let Stm::Parallel { level, ids, iterations, chunks, lanes, body, loc } = &mut stm {
                    let lanes = lanes.take().map(|count| Lanes { count, shared: self.shared(body, &mut out) });
                    // A variable without a type is declared nowhere; the checker says so.
                    let param = |name: Name| self.types.get(&name).map(|ty| Param { name, ty: *ty });
                    let (tables, used): (Vec<Name>, Vec<Name>) =
                        free(body, ids).into_iter().partition(|name| self.tables.contains_key(name));
                    let params: Vec<Param> = used.into_iter().filter_map(param).collect();
                    let name = Symbol::intern(&format!("{}.{}", self.fun, self.regions.len() + 1));
                    let args = params.iter().map(as_arg).collect();
                    // A table is the same everywhere, and nobody has to pass it on.
                    let tables = tables.iter().filter_map(|name| self.tables.get(name).cloned());
                    let (body, ids) = (tables.chain(std::mem::take(body)).collect(), std::mem::take(ids));
                    self.regions.push(Region { name, fun: self.fun, level: *level, params, ids, body, loc: *loc });
                    let (iterations, count) = (iterations.clone(), chunks.clone());
                    stm = Stm::Launch { region: name, args, iterations, count, lanes };
                }
                out.push(stm);
            }
            *stms = out;
        });
    }

    /// Gives the blocks that lanes share their places in memory, and how much of it they need together. The host says
    /// where each begins, so that their sizes are in terms of what is known there.
    fn shared(&mut self, body: &mut Vec<Stm>, host: &mut Vec<Stm>) -> Exp {
        let mut values: FxHashMap<Name, Exp> = FxHashMap::default();
        for_each_stm(body, &mut |stm| {
            if let Stm::Let { name, value, .. } = stm {
                values.insert(*name, value.clone());
            }
        });
        let mut next = Exp::i64(RESERVED);
        self.share(body, host, &values, &mut next);
        next
    }

    fn share(&mut self, stms: &mut Vec<Stm>, host: &mut Vec<Stm>, values: &FxHashMap<Name, Exp>, next: &mut Exp) {
        with_stack(|| {
            for stm in stms.iter_mut() {
                if let Stm::For { body, .. } | Stm::While { body, .. } = stm {
                    check_stay(body);
                }
                stm.for_each_body_mut(|body| self.share(body, host, values, next));
                let Stm::Alloc { name, space: Space::Shared, bytes } = stm else { continue };
                let mut bytes = bytes.clone();
                spell_out(&mut bytes, values);
                let name = *name;
                self.types.insert(name, Ty::Block(Space::Shared));
                let aligned = Exp::mul(
                    Exp::quot(Exp::add(bytes, Exp::i64(ALIGNMENT - 1)), Exp::i64(ALIGNMENT)),
                    Exp::i64(ALIGNMENT),
                );
                // A kernel knows more of what it finds at a constant.
                if let (Some(first), Some(size)) = (constant(next), constant(&aligned)) {
                    *stm = Stm::Shared { name, offset: Exp::i64(first) };
                    *next = Exp::i64(first + size.max(0));
                    continue;
                }
                let [offset, end] = [0, 1].map(|_| self.fresh.like(name));
                let after = Exp::add(Exp::var(offset), Exp::max(aligned, Exp::i64(0)));
                for (name, value) in [(offset, next.clone()), (end, after)] {
                    self.types.insert(name, Ty::Scalar(Prim::I64));
                    host.push(Stm::Let { name, prim: Prim::I64, value });
                }
                *next = Exp::var(end);
                *stm = Stm::Shared { name, offset: Exp::var(offset) };
            }
            for stm in stms.iter_mut() {
                // Nobody counts who has a block in shared memory.
                if let Stm::Share { name, from } = stm
                    && self.types.get(from) == Some(&Ty::Block(Space::Shared))
                {
                    *stm = Stm::Slot { name: *name, from: *from, offset: Exp::i64(0) };
                }
            }
            stms.retain(
                |stm| !matches!(stm, Stm::Free { name } if self.types.get(name) == Some(&Ty::Block(Space::Shared))),
            );
        });
    }
}

/// The bytes at the beginning of shared memory in which lanes tell each other that a check has failed.
const RESERVED: i64 = 16;

/// Every block in shared memory begins at a multiple of this.
const ALIGNMENT: i64 = 16;

/// The value of an index, if it is known.
fn constant(exp: &Exp) -> Option<i64> {
    match exp {
        Exp::Const(c) => c.as_i64(),
        Exp::Add(x, y) => constant(x)?.checked_add(constant(y)?),
        Exp::Mul(x, y) => constant(x)?.checked_mul(constant(y)?),
        Exp::Quot(x, y) => constant(x)?.checked_div(constant(y)?),
        Exp::Math(MathFn::SizeMul, _, args) => args.iter().try_fold(1, |all: i64, x| all.checked_mul(constant(x)?)),
        _ => None,
    }
}

/// An allocation in shared memory is the same bytes each time, so that no iteration may leave its block to the next.
fn check_stay(body: &[Stm]) {
    let (mut own, mut inside) = (Vec::new(), FxHashSet::default());
    for_each_stm(body, &mut |stm| {
        inside.extend(stm.declares());
        if let Stm::Alloc { name, space: Space::Shared, .. } = stm {
            own.push(*name);
        }
    });
    let mut seen: FxHashSet<Name> = own.iter().copied().collect();
    while let Some(block) = own.pop() {
        for_each_stm(body, &mut |stm| {
            let (Stm::SetBlock { name, from } | Stm::Share { name, from }) = stm else { return };
            if *from == block {
                assert!(inside.contains(name), "{block} in shared memory outlives its iteration as {name}");
                if seen.insert(*name) {
                    own.push(*name);
                }
            }
        });
    }
}

/// Puts the values of variables in their place, and of those in these values.
fn spell_out(exp: &mut Exp, values: &FxHashMap<Name, Exp>) {
    with_stack(|| {
        if let Exp::Var(name, _) = exp
            && let Some(value) = values.get(name)
        {
            *exp = value.clone();
            spell_out(exp, values);
        } else {
            exp.for_each_part_mut(|part| spell_out(part, values));
        }
    });
}

/// A parameter as what it gets from around the region.
fn as_arg(param: &Param) -> Arg {
    match param.ty {
        Ty::Scalar(prim) => Arg::Scalar(Exp::Var(param.name, prim)),
        Ty::Block(_) => Arg::Block(param.name),
    }
}

/// The variables of statements that are declared around them, in the order of their first use.
fn free(stms: &[Stm], declared: &[Name]) -> Vec<Name> {
    let mut free = Free { known: declared.iter().copied().collect(), found: Vec::new() };
    for_each_stm(stms, &mut |stm| free.stm(stm));
    free.found
}

/// Names are declared once, and before they are used.
struct Free {
    /// Declared inside, or found already.
    known: FxHashSet<Name>,
    found: Vec<Name>,
}

impl Free {
    fn add(&mut self, name: Name) {
        if self.known.insert(name) {
            self.found.push(name);
        }
    }

    fn exp(&mut self, exp: &Exp) {
        with_stack(|| {
            match exp {
                Exp::Var(name, _) => self.add(*name),
                Exp::Load { block, .. } => self.add(*block),
                _ => {}
            }
            exp.for_each_part(|part| self.exp(part));
        });
    }

    fn stm(&mut self, stm: &Stm) {
        match stm {
            Stm::SetBlock { name, from } => {
                self.add(*from);
                self.add(*name);
            }
            Stm::Set { name, .. }
            | Stm::Free { name }
            | Stm::Share { from: name, .. }
            | Stm::Slot { from: name, .. } => self.add(*name),
            Stm::Store { block, .. } | Stm::Race { block, .. } | Stm::Read { block, .. } | Stm::Write { block, .. } => {
                self.add(*block);
            }
            // What its body declares is known to its values.
            Stm::Update { cells, lock, body } => {
                if let Some(Lock { block, index }) = lock {
                    self.add(*block);
                    self.exp(index);
                }
                for cell in cells {
                    self.add(cell.block);
                    self.exp(&cell.index);
                }
                self.known.extend(cells.iter().map(|cell| cell.old));
                for_each_stm(body, &mut |stm| self.stm(stm));
                return cells.iter().for_each(|cell| self.exp(&cell.value));
            }
            Stm::Combine { values, busy, body, .. } => {
                self.exp(busy);
                for Combined { own, room, left, right, .. } in values {
                    self.add(*own);
                    self.add(*room);
                    self.known.extend([*left, *right]);
                }
                for_each_stm(body, &mut |stm| self.stm(stm));
                values.iter().for_each(|value| self.exp(&value.result));
                return self.known.extend(stm.declares());
            }
            Stm::Take { board, .. } | Stm::Publish { board, .. } | Stm::Await { board, .. } => self.add(*board),
            Stm::Copy { to: Side { block: to, .. }, from: Side { block: from, .. }, .. }
            | Stm::Stream { block: to, from, .. } => {
                self.add(*to);
                self.add(*from);
            }
            Stm::Call { args, results, .. } => {
                self.args(args);
                results.iter().for_each(|name| self.add(*name));
            }
            Stm::Launch { args, .. } => self.args(args),
            Stm::Trace { value: Traced::Array { block, .. }, .. } => self.add(*block),
            Stm::Let { .. }
            | Stm::Declare { .. }
            | Stm::Alloc { .. }
            | Stm::Local { .. }
            | Stm::Table { .. }
            | Stm::For { .. }
            | Stm::While { .. }
            | Stm::If { .. }
            | Stm::Switch { .. }
            | Stm::Chunks { .. }
            | Stm::Workers { .. }
            | Stm::Width { .. }
            | Stm::Tunable { .. }
            | Stm::Shared { .. }
            | Stm::Lanes { .. }
            | Stm::PerLane { .. }
            | Stm::Board { .. }
            | Stm::Streams { .. }
            | Stm::Parallel { .. }
            | Stm::Assert { .. }
            | Stm::Trace { value: Traced::Scalar(_), .. } => {}
        }
        stm.for_each_exp(|exp| self.exp(exp));
        self.known.extend(stm.declares());
        match stm {
            Stm::For { var, .. } => self.known.extend([*var]),
            Stm::Parallel { ids, .. } => self.known.extend(ids),
            Stm::Lanes { lane, .. } => self.known.extend([*lane]),
            _ => {}
        }
    }

    fn args(&mut self, args: &[Arg]) {
        for arg in args {
            match arg {
                Arg::Block(block) => self.add(*block),
                Arg::Scalar(_) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{Value, run};
    use crate::{Hint, check, print};
    use kenaz_ir::{BinOp, Level, Locs, Scalar};

    fn name(base: &str, id: u32) -> Name {
        Name { base: Symbol::intern(base), id }
    }

    fn int(name: Name) -> Exp {
        Exp::Var(name, Prim::I64)
    }

    /// A parallel loop, its body and the iteration that the body is about. Names are those from this number on.
    fn parallel(id: u32, iterations: Exp, count: Exp, body: impl FnOnce(Exp) -> Vec<Stm>) -> Stm {
        let [chunk, start, len, i] = ["chunk", "start", "len", "i"].map(|base| name(base, id));
        let [chunk, start, len, i] = [(chunk, 0), (start, 1), (len, 2), (i, 3)].map(|(n, k)| Name { id: id + k, ..n });
        let worker = name("worker", id + 4);
        let body = body(Exp::Add(Box::new(int(start)), Box::new(int(i))));
        let body = vec![Stm::For { var: i, prim: Prim::I64, bound: int(len), hint: Hint::default(), body }];
        let ids = vec![chunk, start, len, worker];
        Stm::Parallel { level: Level::Core, ids, iterations, chunks: count, lanes: None, body, loc: Locs::NOWHERE() }
    }

    /// `out[3*i + j] = 10*i + j`, the loop over `j` inside of the one over `i`.
    fn nested() -> Prog {
        let (n, out) = (name("n", 1), name("out_mem", 2));
        let times = |x: Exp, n: i64| Exp::Mul(Box::new(x), Box::new(Exp::i64(n)));
        let plus = |x: Exp, y: Exp| Exp::Bin(BinOp::Add, Prim::I64, Box::new(x), Box::new(y));
        let x = name("x", 30);
        let outer = parallel(10, int(n), Exp::i64(2), |i| {
            let inner = parallel(20, Exp::i64(3), Exp::i64(2), |j| {
                let index = Exp::Add(Box::new(times(i.clone(), 3)), Box::new(j.clone()));
                vec![Stm::Store { block: out, prim: Prim::I64, index, value: plus(int(x), j) }]
            });
            vec![Stm::Let { name: x, prim: Prim::I64, value: times(i.clone(), 10) }, inner]
        });
        let own = name("own_mem", 3);
        let ty = Ty::Block(Space::Host);
        let fun = Fun {
            name: Symbol::intern("f"),
            entry: None,
            params: vec![Param { name: n, ty: Ty::Scalar(Prim::I64) }],
            results: vec![Param { name: own, ty }],
            body: vec![
                Stm::Alloc { name: out, space: Space::Host, bytes: times(int(n), 24) },
                outer,
                Stm::SetBlock { name: own, from: out },
            ],
            loc: Locs::NOWHERE(),
        };
        Prog { funs: vec![fun], ..Prog::default() }
    }

    #[test]
    fn a_loop_in_a_loop_is_launched_by_its_region() {
        let mut prog = nested();
        assert_eq!(check(&prog).map_err(|error| error.rule.id()), Err("region"));
        outline(&mut prog);
        let text = print::prog(&prog);
        assert_eq!(check(&prog), Ok(()), "{text}");
        let heads: Vec<&str> = text.lines().map(str::trim).filter(|line| line.contains("f.")).collect();
        let wanted = [
            "region f.1: core (out_mem_2: block) (start_11: i64) (i_13: i64) (x_30: i64) with chunk_20, start_21, len_22, worker_24 {",
            "region f.2: core (out_mem_2: block) with chunk_10, start_11, len_12, worker_14 {",
            "launch 2 of f.1(out_mem_2, start_11, i_13, x_30) for 3",
            "launch 2 of f.2(out_mem_2) for n_1",
        ];
        assert_eq!(heads, wanted, "{text}");
        let outcome =
            run(&prog, "f", &[Value::Scalar(Scalar::I64(3))]).unwrap_or_else(|fault| panic!("{fault:?}\n{text}"));
        let wanted: Vec<Scalar> = [0, 1, 2, 10, 11, 12, 20, 21, 22].map(Scalar::I64).to_vec();
        assert_eq!(outcome.results[0].elems(Prim::I64), wanted, "{text}");
    }

    /// A body that changes what is around it is a region that is not right, not another program.
    #[test]
    fn what_a_body_must_not_change_is_seen() {
        let [out, own, x] = [name("out_mem", 2), name("own_mem", 3), name("x", 30)];
        let cases: [(&str, Vec<Stm>, Vec<Stm>); 3] = [
            (
                "assignable",
                vec![Stm::Declare { name: x, ty: Ty::Scalar(Prim::I64) }, Stm::Set { name: x, value: Exp::i64(0) }],
                vec![Stm::Set { name: x, value: Exp::i64(1) }],
            ),
            ("assignable", vec![], vec![Stm::SetBlock { name: own, from: out }]),
            ("borrowed", vec![], vec![Stm::Free { name: out }]),
        ];
        for (rule, before, inside) in cases {
            let mut prog = nested();
            let body = &mut prog.funs[0].body;
            body[1] = parallel(10, Exp::i64(3), Exp::i64(2), |_| inside);
            // A result has a value, so that it can be handed to the region at all.
            body.insert(1, Stm::SetBlock { name: own, from: out });
            body.splice(1..1, before);
            outline(&mut prog);
            let error = check(&prog).expect_err(rule);
            assert_eq!((error.rule.id(), error.fun.as_str()), (rule, "f.1"), "{error}\n{}", print::prog(&prog));
        }
    }
}
