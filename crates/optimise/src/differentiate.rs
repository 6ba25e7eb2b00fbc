//! Derivatives, written out.
//!
//! ```text
//! let y_1, d_2 = jvp \x_3 -> { let s_4 = mul x_3 x_3; in s_4 } (a) (t)
//! ⇒ let x_3 = a; let s_4 = mul x_3 x_3; let d_5 = mul t x_3; let d_6 = mul t x_3; let d_7 = add d_5 d_6
//! ```
//!
//! Forward mode ([`forward`]) computes beside each value its change. Reverse mode ([`reverse`]) computes all values
//! first and then, from the last statement to the first, the derivatives of the results by them; bodies of branches,
//! loops and operators run once more where their derivatives are needed, instead of leaving a tape. [`activity`] says
//! what depends on the argument at all: nothing else gets a derivative.
//!
//! Derivatives in derivatives are expanded from the inside, with a simplification in between. Code is made as if
//! nothing was ever consumed; copies and marks of uniqueness follow ([`kenaz_ir::unique`]).
//!
//! What cannot be derived stays, and the log says why. Does not ask for fuel, since no stage after this one can run
//! derivatives.

mod activity;
pub(crate) mod arrays;
mod forward;
mod partial;
mod reverse;

use crate::simplify;
use kenaz_base::{Symbol, with_stack};
use kenaz_ir::visit::{Subst, Visit, VisitMut, walk, walk_mut};
use kenaz_ir::{
    Body, Builder, DecisionKind, Exp, Fun, Lambda, LoopForm, Name, Operand, Param, Pass, PassCx, Prog, Stm, Type,
};
use rustc_hash::{FxHashMap, FxHashSet};

pub const PASS: Pass = Pass { name: "differentiate", about: "writes out derivatives", stage: None, run: differentiate };

/// Why something has no derivative here.
type Derived<T = ()> = Result<T, &'static str>;

pub fn differentiate(prog: &mut Prog, cx: &mut PassCx) {
    while has_derivatives(prog) {
        let mut expander = Expander::new(prog);
        expander.prog(prog);
        let Expander { cx: Cx { b, .. }, progress, stuck, .. } = expander;
        (prog.fresh, prog.locs) = (b.fresh, b.locs);
        for (loc, reason) in stuck {
            cx.log.decide(DecisionKind::DerivativeStays, loc, reason);
        }
        if !progress {
            return;
        }
        kenaz_ir::unique::infer(prog);
        (simplify::PASS.run)(prog, cx);
    }
}

/// Whether there is a derivative in a program.
pub fn has_derivatives(prog: &Prog) -> bool {
    let mut find = Find { calls: FxHashSet::default(), found: false };
    prog.funs.iter().for_each(|fun| find.fun(fun));
    find.found
}

/// Looks for derivatives, and for calls.
struct Find {
    calls: FxHashSet<Symbol>,
    found: bool,
}

impl Visit for Find {
    fn stm(&mut self, stm: &Stm) {
        match &stm.exp {
            Exp::Jvp(..) | Exp::Vjp(..) => self.found = true,
            Exp::Call(f, _) => {
                self.calls.insert(*f);
            }
            _ => {}
        }
        walk::stm(self, stm);
    }
}

/// What both modes work with.
pub(crate) struct Cx {
    b: Builder,
    /// The functions that can be called, in the order in which they will stand.
    funs: Vec<Fun>,
    index: FxHashMap<Symbol, usize>,
    /// Derivatives of functions: their mode, and which arguments and results are active.
    made: FxHashMap<(Symbol, bool, Vec<bool>, Vec<bool>), Symbol>,
}

impl Cx {
    fn fun(&self, name: Symbol) -> Derived<&Fun> {
        self.index.get(&name).map(|i| &self.funs[*i]).ok_or("a function that is not known")
    }

    fn add(&mut self, fun: Fun) {
        self.index.insert(fun.name, self.funs.len());
        self.funs.push(fun);
    }

    /// A name for another version of a function.
    fn fun_name(&self, like: Symbol, what: &str) -> Symbol {
        let name = |i: usize| Symbol::intern(&format!("{like}_{what}{i}"));
        (0..).map(name).find(|name| !self.index.contains_key(name)).unwrap_or(like)
    }

    /// A copy of a lambda with new names; what is active in it stays so.
    fn copy(&mut self, lambda: &Lambda, active: &mut FxHashSet<Name>) -> Lambda {
        let copy = kenaz_ir::visit::copy_lambda(lambda, &mut self.b.fresh);
        let (mut old, mut new) = (Bound::default(), Bound::default());
        old.lambda(lambda);
        new.lambda(&copy);
        for (from, to) in old.0.iter().zip(&new.0) {
            if active.contains(from) {
                active.insert(*to);
            }
        }
        Declare(&mut self.b).lambda(&copy);
        copy
    }

    /// The same for a body that needs these names from outside.
    fn copy_body(&mut self, body: &Body, params: &[Param], active: &mut FxHashSet<Name>) -> (Vec<Param>, Body) {
        let lambda = Lambda { params: params.to_vec(), body: body.clone(), ret: Vec::new() };
        let copy = self.copy(&lambda, active);
        (copy.params, copy.body)
    }
}

/// The names that something binds, in order.
#[derive(Default)]
struct Bound(Vec<Name>);

impl Visit for Bound {
    fn binder(&mut self, name: &Name) {
        self.0.push(*name);
    }
}

/// Makes the types of all names known.
struct Declare<'a>(&'a mut Builder);

impl Visit for Declare<'_> {
    fn param(&mut self, param: &Param) {
        self.0.declare(param.name, param.ty.clone());
    }

    fn exp(&mut self, exp: &Exp) {
        if let Exp::Loop { form: LoopForm::For(i, prim, _), .. } = exp {
            self.0.declare(*i, Type::Prim(*prim));
        }
        walk::exp(self, exp);
    }
}

impl Declare<'_> {
    fn declare_body(&mut self, body: &Body) {
        self.body(body);
    }
}

struct Expander {
    cx: Cx,
    /// The functions in which there is a derivative, or in what they call.
    unfinished: FxHashSet<Symbol>,
    progress: bool,
    stuck: Vec<(kenaz_ir::LocId, String)>,
}

impl Expander {
    fn new(prog: &mut Prog) -> Expander {
        let b = Builder::with(std::mem::take(&mut prog.fresh), std::mem::take(&mut prog.locs));
        let cx = Cx { b, funs: Vec::new(), index: FxHashMap::default(), made: FxHashMap::default() };
        Expander { cx, unfinished: FxHashSet::default(), progress: false, stuck: Vec::new() }
    }

    fn prog(&mut self, prog: &mut Prog) {
        for fun in &prog.funs {
            let mut find = Find { calls: FxHashSet::default(), found: false };
            find.fun(fun);
            if find.found || !find.calls.is_disjoint(&self.unfinished) {
                self.unfinished.insert(fun.name);
            }
            self.cx.index.insert(fun.name, usize::MAX);
        }
        for mut fun in std::mem::take(&mut prog.funs) {
            Declare(&mut self.cx.b).fun(&fun);
            self.body(&mut fun.body);
            self.cx.add(fun);
        }
        prog.funs = std::mem::take(&mut self.cx.funs);
    }

    /// Whether there are derivatives in a lambda, or in what it calls.
    fn is_ready(&self, lambda: &Lambda) -> bool {
        let mut find = Find { calls: FxHashSet::default(), found: false };
        find.lambda(lambda);
        !find.found && find.calls.is_disjoint(&self.unfinished)
    }
}

impl VisitMut for Expander {
    fn body(&mut self, body: &mut Body) {
        with_stack(|| {
            let mut stms = Vec::with_capacity(body.stms.len());
            for mut stm in std::mem::take(&mut body.stms) {
                match &stm.exp {
                    Exp::Jvp(lambda, ..) | Exp::Vjp(lambda, ..) if self.is_ready(lambda) => {
                        self.cx.b.begin();
                        let outcome = expand(&mut self.cx, &stm);
                        let new = self.cx.b.end(Vec::new());
                        match outcome {
                            Ok(()) => {
                                self.progress = true;
                                stms.extend(new.stms);
                                continue;
                            }
                            Err(reason) => self.stuck.push((stm.loc, reason.to_string())),
                        }
                    }
                    _ => walk_mut::stm(self, &mut stm),
                }
                stms.push(stm);
            }
            body.stms = stms;
        });
    }
}

/// Adds the statements that take the place of a derivative.
fn expand(cx: &mut Cx, stm: &Stm) -> Derived {
    let (Exp::Jvp(lambda, at, direction) | Exp::Vjp(lambda, at, direction)) = &stm.exp else { return Ok(()) };
    let mut lambda = cx.copy(lambda, &mut FxHashSet::default());
    (cx.b.loc, cx.b.certs) = (stm.loc, stm.certs.clone());
    // A parameter that is the size of something is what it is.
    let mut sizes = FxHashSet::default();
    Sizes(&mut sizes).lambda(&lambda);
    let is_size = |p: &Param| sizes.contains(&p.name);
    let subst: Subst = lambda.params.iter().zip(at).filter(|(p, _)| is_size(p)).map(|(p, x)| (p.name, *x)).collect();
    subst.apply_to_lambda(&mut lambda);
    Declare(&mut cx.b).lambda(&lambda);
    for (p, x) in lambda.params.iter().zip(at) {
        cx.b.let_pat(vec![Param::new(p.name, p.ty.clone())], Exp::Operand(*x));
    }
    let params: Vec<Option<Name>> = lambda.params.iter().map(|p| (!is_size(p)).then_some(p.name)).collect();
    cx.b.certs = Vec::new();
    let derivatives = match &stm.exp {
        Exp::Jvp(..) => forward::along(cx, &lambda.body, &params, direction)?,
        _ => reverse::back(cx, &lambda.body, &params, direction)?,
    };
    cx.b.loc = stm.loc;
    let values = lambda.body.results.iter().copied().chain(derivatives);
    for (p, x) in stm.pat.iter().zip(values) {
        cx.b.let_pat(vec![p.clone()], Exp::Operand(x));
    }
    Ok(())
}

/// The names that are sizes in types.
struct Sizes<'a>(&'a mut FxHashSet<Name>);

impl Visit for Sizes<'_> {
    fn ty(&mut self, ty: &Type) {
        self.0.extend(ty.dims().iter().filter_map(|n| n.name()));
    }
}

/// A new version of a function: its parameters, results and body with new names.
fn renamed(cx: &mut Cx, fun: &Fun) -> (Vec<Param>, Vec<Param>, Body) {
    let (params, body) = cx.copy_body(&fun.body, &fun.params, &mut FxHashSet::default());
    let mut subst: Subst = fun.params.iter().map(|p| p.name).zip(params.iter().map(|p| Operand::Var(p.name))).collect();
    let mut results = Vec::new();
    for result in &fun.results {
        let name = cx.b.fresh.like(result.name);
        subst.insert(result.name, name);
        results.push(Param::new(name, result.ty.clone()));
    }
    for result in &mut results {
        result.ty = subst.ty(&result.ty);
        cx.b.declare(result.name, result.ty.clone());
    }
    (params, results, body)
}
