//! Allocations leave loops.
//!
//! ```text
//! let y_1 = par (i_2 < n_3) own {              let m_4: mem = alloc host b_5
//!   let m_4: mem = alloc host b_5          →   let y_1 = par (i_2 < n_3) own {
//!   let x_6 @ m_4 -> … = …                       let x_6 @ m_4 -> … = …
//!   …                                            …
//! }                                            }
//! ```
//!
//! A block that is allocated in each iteration and is gone at its end is allocated once, when its size does not depend
//! on the iteration: iterations run one after the other and nothing in it outlives one. The scalars that the size is
//! computed from go along. A block that is yielded or handed on stays, since its array may outlive the iteration,
//! unless it is handed to a loop that only alternates between its blocks, of which none is needed in the end but for
//! what is read there. So does everything in a `par` with a level, whose iterations need blocks of their own, and in
//! branches, which may not be taken.
//!
//! The pass assumes that blocks are not freed or shared yet. From the inside out, each body is looked at once.

use crate::moves::Movable;
use kenaz_base::with_stack;
use kenaz_ir::visit::{Visit, for_each_body_mut, walk};
use kenaz_ir::{Body, Exp, Fun, Log, MemExp, Name, Param, Pass, PassCx, Place, Prog, Stm, Type};
use rustc_hash::{FxHashMap, FxHashSet};

pub const PASS: Pass = Pass {
    name: "hoist-allocations",
    about: "allocates once what each iteration of a loop would allocate",
    stage: Some(kenaz_ir::Stage::Memory(kenaz_ir::Ownership::Open)),
    run: hoist,
};

/// The names of its rules.
pub const RULES: &[&str] = &["hoist-allocation"];

pub fn hoist(prog: &mut Prog, cx: &mut PassCx) {
    let log = &mut cx.log;
    for fun in &mut prog.funs {
        let handed = outliving(fun);
        body(&mut fun.body, &handed, log);
    }
}

fn body(body_: &mut Body, handed: &FxHashSet<Name>, log: &mut Log) {
    with_stack(|| {
        let mut out = Vec::with_capacity(body_.stms.len());
        for mut stm in std::mem::take(&mut body_.stms) {
            for_each_body_mut(&mut stm.exp, |inner| body(inner, handed, log));
            let repeats = match &stm.exp {
                Exp::Loop { .. } => true,
                Exp::Par(par) => par.level.is_none(),
                _ => false,
            };
            if repeats {
                let bound = bound_by(&stm.exp);
                for_each_body_mut(&mut stm.exp, |inner| allocations(inner, &bound, handed, &mut out, log));
            }
            out.push(stm);
        }
        body_.stms = out;
    });
}

/// Takes the allocations out of a body that do not depend on it.
fn allocations(body: &mut Body, bound: &FxHashSet<Name>, handed: &FxHashSet<Name>, out: &mut Vec<Stm>, log: &mut Log) {
    let wanted: Vec<usize> = (0..body.stms.len())
        .filter(|i| match &body.stms[*i] {
            Stm { exp: Exp::Mem(MemExp::Alloc(..)), pat, .. } => !handed.contains(&pat[0].name),
            _ => false,
        })
        .collect();
    if wanted.is_empty() {
        return;
    }
    let mut movable = Movable::of(body, bound);
    for i in wanted {
        if movable.can_move(body, i) && log.fire("hoist-allocation") {
            movable.take(i);
        }
    }
    out.extend(movable.finish(body));
}

/// What an expression binds outside its statements: indices and parameters, which differ from iteration to iteration.
pub(crate) fn bound_by(exp: &Exp) -> FxHashSet<Name> {
    struct Binders(FxHashSet<Name>);
    impl Visit for Binders {
        fn binder(&mut self, name: &Name) {
            self.0.insert(*name);
        }

        fn body(&mut self, _: &Body) {}
    }
    let mut binders = Binders(FxHashSet::default());
    binders.exp(exp);
    // A second body of a `par` sees the names of the first.
    if let Exp::Par(par) = exp {
        binders.0.extend(par.body.stms.iter().flat_map(|stm| &stm.pat).map(|p| p.name));
    }
    binders.0
}

/// The blocks whose arrays may outlive the body that allocates them.
fn outliving(fun: &Fun) -> FxHashSet<Name> {
    let mut uses = Uses::default();
    uses.fun(fun);
    let mut loops = Closed { uses: &uses.0, given: FxHashMap::default() };
    loops.fun(fun);
    let given = loops.given;
    let is_handed = |(name, count): (&Name, &usize)| *count > given.get(name).copied().unwrap_or(0);
    uses.0.iter().filter(|use_| is_handed(*use_)).map(|(name, _)| *name).collect()
}

/// How often names are used other than as the block of a place.
#[derive(Default)]
struct Uses(FxHashMap<Name, usize>);

impl Visit for Uses {
    fn name(&mut self, name: &Name) {
        *self.0.entry(*name).or_default() += 1;
    }

    fn place(&mut self, place: &Place) {
        place.layout.names().for_each(|name| self.name(&name));
    }
}

/// How often blocks are given to loops that do nothing with their blocks but exchange them.
struct Closed<'a> {
    uses: &'a FxHashMap<Name, usize>,
    given: FxHashMap<Name, usize>,
}

impl Visit for Closed<'_> {
    fn stm(&mut self, stm: &Stm) {
        if let Exp::Loop { params, body, .. } = &stm.exp {
            let uses = |name: Name| self.uses.get(&name).copied().unwrap_or(0);
            let yielded = |name: Name| body.results.iter().filter(|x| x.name() == Some(name)).count();
            let blocks = params.iter().zip(&stm.pat).filter(|((p, _), _)| matches!(p.ty, Type::Mem(_)));
            if blocks.clone().all(|((p, _), result)| uses(result.name) == 0 && uses(p.name) == yielded(p.name)) {
                for name in blocks.filter_map(|((_, init), _)| init.name()) {
                    *self.given.entry(name).or_default() += 1;
                }
            }
        }
        walk::stm(self, stm);
    }
}

/// The blocks that are not only used in places: yielded, initial values of loops, arguments.
#[derive(Default)]
pub struct Handed(pub FxHashSet<Name>);

impl Visit for Handed {
    fn name(&mut self, name: &Name) {
        self.0.insert(*name);
    }

    fn place(&mut self, place: &Place) {
        for name in place.layout.names() {
            self.0.insert(name);
        }
    }

    fn param(&mut self, param: &Param) {
        walk::param(self, param);
    }

    fn fun(&mut self, fun: &Fun) {
        walk::fun(self, fun);
    }
}
