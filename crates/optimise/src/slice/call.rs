//! Functions: a shape function and a value function for one whose result sizes are cheap, checks made by the callers,
//! and what becomes of the calls.

use super::backward::{self, Cost, Defined, Defs, Slice};
use super::check::{MOST_CHECKS, vouch};
use super::{Outside, Slicer, remove_at, remove_places};
use kenaz_base::Symbol;
use kenaz_ir::visit::{Subst, Visit, VisitMut, copy_body, free_in_type, instantiate, relocate, walk, walk_mut};
use kenaz_ir::{Attrs, Body, DecisionKind, Exp, Fun, Lambda, Name, Operand, Param, Stm, Type};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The most statements that a caller gets for the checks of a function.
const MOST_OF_CHECKS: usize = 96;

/// How a function is called after it has changed.
pub(super) struct Changed {
    /// The name of the function that is left of it.
    name: Symbol,
    /// Its parameters before the change.
    params: Vec<Param>,
    /// The checks that the caller makes; yields their certificates.
    checks: Body,
    /// The results that it no longer has.
    known: Vec<(usize, Known)>,
    shape: Option<Shape>,
}

#[derive(Clone, Copy)]
enum Known {
    /// A constant or a parameter.
    Evident(Operand),
    /// The next result of the shape function, which is the next of the first arguments of the function.
    Computed,
}

struct Shape {
    fun: Fun,
    /// Which of the function's parameters it has.
    params: Vec<usize>,
    /// Whether it needs the certificates of the checks.
    partial: bool,
}

/// Takes certificates of checks that are gone from all that relies on them, however deep inside.
struct Without<'a>(&'a FxHashSet<Name>);

impl VisitMut for Without<'_> {
    fn stm(&mut self, stm: &mut Stm) {
        stm.certs.retain(|cert| !self.0.contains(cert));
        walk_mut::stm(self, stm);
    }
}

impl Slicer<'_> {
    /// A call, perhaps of a function that has changed.
    pub(super) fn call(&mut self, mut stm: Stm, out: &mut Vec<Stm>) {
        let Exp::Call(f, args) = &mut stm.exp else { unreachable!("a call") };
        let Some(changed) = self.changed.get(f).cloned() else { return out.push(stm) };
        let mut checks = instantiate(&changed.params, &changed.checks, args, self.fresh);
        relocate(&mut checks, self.locs, stm.loc);
        vouch(&mut checks.stms, &stm.certs, &self.cheap);
        let known = self.checks_at_call(checks.stms, out);
        stm.certs.extend(checks.results.into_iter().filter_map(Operand::name).filter(|cert| !known.contains(cert)));
        let given: Subst = changed.params.iter().map(|p| p.name).zip(args.iter().copied()).collect();
        let mut known = Vec::new();
        let mut computed = Vec::new();
        for (i, how) in &changed.known {
            let x = match how {
                Known::Evident(x) => given.get(*x),
                Known::Computed => {
                    computed.push(stm.pat[*i].clone());
                    stm.pat[*i].name.into()
                }
            };
            known.push((*i, x));
        }
        if let Some(shape) = &changed.shape {
            let shape_args = shape.params.iter().map(|i| args[*i]).collect();
            let certs = if shape.partial { stm.certs.clone() } else { Vec::new() };
            let exp = Exp::Call(shape.fun.name, shape_args);
            args.splice(0..0, computed.iter().map(|p| Operand::Var(p.name)));
            *f = changed.name;
            let call = Stm { pat: computed, certs, attrs: Attrs::default(), exp, loc: stm.loc };
            if self.log.fire("slice-inline-shape") {
                self.inline_shape(call, &shape.fun, out);
            } else {
                out.push(call);
            }
        }
        self.drop_sizes(&mut stm.pat, &known);
        Outside(&self.subst).stm(&mut stm);
        out.push(stm);
    }

    /// Adds the checks of a function in front of a call of it, but for those that are known to pass there, and gives
    /// the certificates of these.
    fn checks_at_call(&mut self, checks: Vec<Stm>, out: &mut Vec<Stm>) -> FxHashSet<Name> {
        let mut known = FxHashSet::default();
        for mut stm in checks {
            Without(&known).stm(&mut stm);
            if let Exp::Assert(cond, _) = &stm.exp
                && self.facts.decide(*cond).is_proved()
                && self.log.fire("slice-check-known")
            {
                known.extend(stm.pat.iter().map(|p| p.name));
                continue;
            }
            self.learn(&stm);
            out.push(stm);
        }
        known
    }

    /// A function whose body has been looked at; `out` gets what becomes of it.
    pub(super) fn function(&mut self, mut fun: Fun, repeated: &FxHashSet<Symbol>, out: &mut Vec<Fun>) {
        let is_cheap = self.is_cheap(&fun);
        let lifts_all = is_cheap || repeated.contains(&fun.name);
        let params: FxHashSet<Name> = fun.params.iter().map(|p| p.name).collect();
        let defs = Defs::of(&fun.body.stms);
        let sizes = backward::sizes(&fun.results);
        let is_evident = |x: Operand| x.name().is_none_or(|name| params.contains(&name));
        let (evident, others): (Vec<usize>, Vec<usize>) =
            sizes.into_iter().partition(|i| is_evident(fun.body.results[*i]));
        let (computed, wanted) = self.cheap_sizes(&fun, &defs, &others);
        let lifted = self.lifted_checks(&fun, &defs, |at| lifts_all || wanted.contains(&at));
        let mut known: Vec<(usize, Known)> = Vec::new();
        for i in evident {
            if self.log.fire("slice-shape-evident") {
                known.push((i, Known::Evident(fun.body.results[i])));
            }
        }
        let mut shape = None;
        let vouched = wanted.iter().all(|at| lifted.contains(at));
        if !computed.is_empty() && !vouched {
            self.log.decide(DecisionKind::SizeStaysWithValue, fun.loc, "a check vouches for it that is not cheap");
        } else if !computed.is_empty() && self.log.fire("slice-shape-function") {
            let made = self.shape_function(&fun, &defs, &computed, &lifted);
            out.push(made.fun.clone());
            shape = Some(made);
            known.extend(computed.iter().map(|i| (*i, Known::Computed)));
        }
        if is_cheap && checks_of(&fun).all(|at| lifted.contains(&at)) {
            let partial = fun.body.stms.iter().any(|stm| backward::is_partial(stm, &self.cheap));
            self.cheap.insert(fun.name, Cost { stms: fun.body.stms.len(), partial });
        }
        if lifted.is_empty() && known.is_empty() {
            return out.push(fun);
        }
        known.sort_by_key(|(i, _)| *i);
        let name = if shape.is_some() { self.new_name(fun.name, "value") } else { fun.name };
        let checks = self.checks_for_callers(&fun, &defs, &lifted);
        let changed = Changed { name, params: fun.params.clone(), checks, known, shape };
        self.apply(&mut fun, &changed, &lifted);
        self.changed.insert(fun.name, Rc::new(changed));
        fun.name = name;
        out.push(fun);
    }

    /// Whether all that a function does is a cheap slice, but for checks at its top.
    fn is_cheap(&self, fun: &Fun) -> bool {
        let is_scalar = |p: &Param| matches!(p.ty, Type::Prim(_));
        let stms = &fun.body.stms;
        let is_fine = |stm: &Stm| matches!(stm.exp, Exp::Assert(..)) || backward::is_pure(stm);
        stms.len() <= backward::MOST && fun.results.iter().all(is_scalar) && stms.iter().all(is_fine)
    }

    /// Which of these results can be computed cheaply together, and the places of the checks that this needs.
    fn cheap_sizes(&mut self, fun: &Fun, defs: &Defs, sizes: &[usize]) -> (Vec<usize>, BTreeSet<usize>) {
        let stms = &fun.body.stms;
        let slice = |sizes: &[usize], cheap: &_| {
            let slice = Slice::of(stms, defs, sizes.iter().map(|i| fun.body.results[*i]), cheap)?;
            match slice.defined(stms, |at| slice.has(at), cheap) {
                Defined::Always | Defined::Checked => Ok(slice),
                Defined::Here => Err("its place in the function vouches for it"),
            }
        };
        let mut computed: Vec<usize> = Vec::new();
        for i in sizes {
            computed.push(*i);
            if let Err(reason) = slice(&computed, &self.cheap) {
                self.log.decide(DecisionKind::SizeStaysWithValue, fun.loc, reason);
                computed.pop();
            }
        }
        let mut checks = BTreeSet::new();
        if let Ok(slice) = slice(&computed, &self.cheap) {
            checks.extend(slice.places.into_iter().filter(|at| matches!(stms[*at].exp, Exp::Assert(..))));
        }
        (computed, checks)
    }

    /// The places of the checks that callers can make.
    fn lifted_checks(&mut self, fun: &Fun, defs: &Defs, wanted: impl Fn(usize) -> bool) -> BTreeSet<usize> {
        let stms = &fun.body.stms;
        let mut lifted: BTreeSet<usize> = BTreeSet::new();
        for at in checks_of(fun).filter(|at| wanted(*at)).take(MOST_CHECKS) {
            let stm = &stms[at];
            let certs = lifted.iter().chain([&at]).map(|at| Operand::Var(stms[*at].pat[0].name));
            let slice = Slice::within(MOST_OF_CHECKS, stms, defs, certs, &self.cheap);
            let reason = match slice {
                Ok(slice)
                    if slice.defined(stms, |at| slice.has(at), &self.cheap) != Defined::Here
                        && only_checks(&slice, at, &lifted) =>
                {
                    if self.log.fire("slice-check-call") {
                        lifted.insert(at);
                    }
                    continue;
                }
                Ok(_) => "it relies on one that stays",
                Err(reason) => reason,
            };
            self.log.decide(DecisionKind::CheckStaysInFunction, stm.loc, reason);
        }
        lifted
    }

    fn checks_for_callers(&self, fun: &Fun, defs: &Defs, lifted: &BTreeSet<usize>) -> Body {
        let results: Vec<Operand> = lifted.iter().map(|at| fun.body.stms[*at].pat[0].name.into()).collect();
        let slice = Slice::within(MOST_OF_CHECKS, &fun.body.stms, defs, results.iter().copied(), &self.cheap);
        Body { stms: slice.map_or_else(|_| Vec::new(), |slice| slice.stms), results }
    }

    fn shape_function(&mut self, fun: &Fun, defs: &Defs, sizes: &[usize], lifted: &BTreeSet<usize>) -> Shape {
        let results: Vec<Operand> = sizes.iter().map(|i| fun.body.results[*i]).collect();
        let slice = Slice::of(&fun.body.stms, defs, results.iter().copied(), &self.cheap);
        let Ok(slice) = slice else { unreachable!("a slice that was there before") };
        let partial = slice.defined(&fun.body.stms, |at| slice.has(at), &self.cheap) != Defined::Always;
        let Slice { mut stms, places, mut free } = slice;
        let is_lifted: FxHashSet<usize> = (0..stms.len()).filter(|i| lifted.contains(&places[*i])).collect();
        remove_at(&mut stms, &is_lifted);
        let mut body = Body { stms, results };
        Forget(certs_of(fun, lifted)).body(&mut body);
        for param in fun.params.iter().rev() {
            if free.contains(&param.name) {
                free.extend(free_in_type(&param.ty));
            }
        }
        let used: Vec<usize> = (0..fun.params.len()).filter(|i| free.contains(&fun.params[*i].name)).collect();
        let mut subst = Subst::new();
        let mut params = Vec::new();
        for i in &used {
            let param = &fun.params[*i];
            let new = Param::new(self.fresh.like(param.name), subst.ty(&param.ty));
            subst.insert(param.name, new.name);
            params.push(new);
        }
        let mut body = copy_body(&body, self.fresh);
        subst.apply_to_body(&mut body);
        let results = sizes.iter().map(|i| Param::new(self.fresh.like(fun.results[*i].name), Type::I64)).collect();
        let name = self.new_name(fun.name, "shape");
        let mut count = Count(0);
        count.body(&body);
        self.cheap.insert(name, Cost { stms: count.0, partial });
        self.shapes.insert(name);
        let fun = Fun { name, entry: None, params, results, body, attrs: Attrs::default(), loc: fun.loc };
        Shape { fun, params: used, partial }
    }

    /// Makes a function what its callers now think it is.
    fn apply(&mut self, fun: &mut Fun, changed: &Changed, lifted: &BTreeSet<usize>) {
        let certs = certs_of(fun, lifted);
        remove_at(&mut fun.body.stms, &lifted.iter().copied().collect());
        if !certs.is_empty() {
            Forget(certs).body(&mut fun.body);
        }
        let mut here = Subst::new();
        let mut known = Vec::new();
        let mut given = Vec::new();
        for (i, how) in &changed.known {
            let name = fun.results[*i].name;
            match how {
                Known::Evident(x) => {
                    here.insert(name, *x);
                    known.push((*i, *x));
                }
                // The result becomes a parameter of the same name.
                Known::Computed => {
                    given.push(Param::new(name, Type::I64));
                    known.push((*i, name.into()));
                }
            }
        }
        self.fit(&mut fun.body, &known, &fun.results, fun.loc);
        remove_places(&mut fun.results, &known);
        for result in &mut fun.results {
            result.ty = here.ty(&result.ty);
        }
        fun.params.splice(0..0, given);
    }

    fn new_name(&mut self, name: Symbol, what: &str) -> Symbol {
        let mut new = Symbol::intern(&format!("{name}_{what}"));
        let mut i = 2;
        while !self.names.insert(new) {
            new = Symbol::intern(&format!("{name}_{what}{i}"));
            i += 1;
        }
        new
    }
}

/// The places of the checks at the top of a function.
fn checks_of(fun: &Fun) -> impl Iterator<Item = usize> + '_ {
    let stms = &fun.body.stms;
    (0..stms.len()).filter(|at| matches!(stms[*at].exp, Exp::Assert(..)))
}

/// Whether a slice has no other checks than those.
fn only_checks(slice: &Slice, at: usize, lifted: &BTreeSet<usize>) -> bool {
    slice.stms.iter().zip(&slice.places).all(|(stm, place)| match stm.exp {
        Exp::Assert(..) => *place == at || lifted.contains(place),
        _ => !backward::has_assert(std::slice::from_ref(stm)),
    })
}

fn certs_of(fun: &Fun, places: &BTreeSet<usize>) -> FxHashSet<Name> {
    places.iter().map(|at| fun.body.stms[*at].pat[0].name).collect()
}

/// Removes certificates of checks that were made before.
struct Forget(FxHashSet<Name>);

impl VisitMut for Forget {
    fn stm(&mut self, stm: &mut Stm) {
        stm.certs.retain(|cert| !self.0.contains(cert));
        walk_mut::stm(self, stm);
    }
}

struct Count(usize);

impl Visit for Count {
    fn stm(&mut self, stm: &Stm) {
        self.0 += 1;
        walk::stm(self, stm);
    }
}

/// The functions that are called in a lambda or loop, or by such a function.
pub(super) fn repeated(funs: &[Fun]) -> FxHashSet<Symbol> {
    struct Walk {
        found: FxHashSet<Symbol>,
        inside: bool,
    }
    impl Visit for Walk {
        fn exp(&mut self, exp: &Exp) {
            if let Exp::Call(f, _) = exp
                && self.inside
            {
                self.found.insert(*f);
            }
            let outer = self.inside;
            self.inside |= matches!(exp, Exp::Loop { .. });
            walk::exp(self, exp);
            self.inside = outer;
        }

        fn lambda(&mut self, lambda: &Lambda) {
            let outer = std::mem::replace(&mut self.inside, true);
            walk::lambda(self, lambda);
            self.inside = outer;
        }
    }
    let mut walk = Walk { found: FxHashSet::default(), inside: false };
    // Functions call only those before them.
    for fun in funs.iter().rev() {
        walk.inside = walk.found.contains(&fun.name);
        walk.fun(fun);
    }
    walk.found
}
