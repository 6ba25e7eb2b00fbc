//! Backward slices: the statements of a body that some of its names need, if together they cost O(1).
//!
//! That is the cost rule: scalars, views, branches over them and calls of functions that are themselves such slices; no
//! loop, no second-order operator, no new array, and a limited number of statements.

use kenaz_base::{Symbol, with_stack};
use kenaz_ir::effects::{self, Fails};
use kenaz_ir::facts::Facts;
use kenaz_ir::visit::free_in_stm;
use kenaz_ir::{Body, Exp, Name, Operand, Param, Stm, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// The most statements of one slice, those in branches included.
pub(super) const MOST: usize = 32;

/// Branches with more statements than this are not looked into, so that a slice costs a bounded time.
const LONGEST_BRANCH: usize = 256;

/// Why there is no slice; goes on after "because".
pub(super) type Refusal = &'static str;

/// The functions whose bodies are cheap slices.
pub(super) type CheapFuns = FxHashMap<Symbol, Cost>;

#[derive(Clone, Copy, Debug)]
pub(super) struct Cost {
    pub stms: usize,
    /// Whether there is an operation that needs the certificates of the call.
    pub partial: bool,
}

/// Which statement of a body binds a name.
pub(super) struct Defs(FxHashMap<Name, usize>);

impl Defs {
    pub(super) fn of(stms: &[Stm]) -> Defs {
        let bound = |(i, stm): (usize, &Stm)| stm.pat.iter().map(move |p| (p.name, i)).collect::<Vec<_>>();
        Defs(stms.iter().enumerate().flat_map(bound).collect())
    }

    pub(super) fn get(&self, name: Name) -> Option<usize> {
        self.0.get(&name).copied()
    }

    /// The statement is no longer part of the body.
    pub(super) fn forget(&mut self, stm: &Stm) {
        for param in &stm.pat {
            self.0.remove(&param.name);
        }
    }
}

/// Statements of a body, in their order, with the names that they bind in it.
pub(super) struct Slice {
    pub stms: Vec<Stm>,
    /// Where they stand in the body.
    pub places: Vec<usize>,
    /// The names that the statements and the targets use but the body does not bind.
    pub free: BTreeSet<Name>,
}

impl Slice {
    /// The slice of a body that the targets need. Branches keep only the results that are needed.
    pub(super) fn of(
        stms: &[Stm],
        defs: &Defs,
        targets: impl IntoIterator<Item = Operand>,
        cheap: &CheapFuns,
    ) -> Result<Slice, Refusal> {
        Slice::within(MOST, stms, defs, targets, cheap)
    }

    /// The same with another limit on the number of statements.
    pub(super) fn within(
        mut budget: usize,
        stms: &[Stm],
        defs: &Defs,
        targets: impl IntoIterator<Item = Operand>,
        cheap: &CheapFuns,
    ) -> Result<Slice, Refusal> {
        slice(stms, defs, targets.into_iter().filter_map(Operand::name), cheap, &mut budget)
    }

    pub(super) fn has_assert(&self) -> bool {
        has_assert(&self.stms)
    }

    /// Whether it has the statement at a place of its body.
    pub(super) fn has(&self, place: usize) -> bool {
        self.places.binary_search(&place).is_ok()
    }

    /// How far it is defined wherever its operands are, and the checks of its body that go with it: `goes` says which
    /// these are.
    pub(super) fn defined(&self, body: &[Stm], goes: impl Fn(usize) -> bool, cheap: &CheapFuns) -> Defined {
        defined(&self.stms, &self.places, self.first_check(body, goes), cheap, &mut Facts::new())
    }

    /// The place of the first check before its last statement that does not go with it.
    fn first_check(&self, body: &[Stm], goes: impl Fn(usize) -> bool) -> Option<usize> {
        let is_check = |stm: &Stm| matches!(stm.exp, Exp::Assert(cond, _) if cond != Operand::bool(true));
        (0..*self.places.last()?).find(|at| is_check(&body[*at]) && !goes(*at))
    }
}

/// Whether statements can be evaluated elsewhere. The order is from better to worse.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Defined {
    /// Anywhere.
    Always,
    /// Where the checks have passed that they name.
    Checked,
    /// An operation names no check, or comes after one that stays: the place where it stands may vouch for it, so it
    /// must stay there. See Note [Checks that are not named].
    Here,
}

// Note [Checks that are not named]
//
// An operation names the checks that were made for it, and those it stood under. A check that follows from an earlier
// one is left out, as is a branch on a condition that does, and what stood under them does not name the earlier one. So
// certificates, where there are any, do not say all that an operation relies on; what they leave out stands before it.
// An operation that is defined for some operands only therefore never goes in front of a check.

fn slice(
    stms: &[Stm],
    defs: &Defs,
    targets: impl IntoIterator<Item = Name>,
    cheap: &CheapFuns,
    budget: &mut usize,
) -> Result<Slice, Refusal> {
    let mut needed: FxHashSet<Name> = FxHashSet::default();
    let mut free = BTreeSet::new();
    let mut todo = BTreeSet::new();
    let mut need = |name: Name, needed: &mut FxHashSet<Name>, todo: &mut BTreeSet<usize>| {
        if needed.insert(name) {
            match defs.get(name) {
                Some(place) => drop(todo.insert(place)),
                None => drop(free.insert(name)),
            }
        }
    };
    for name in targets {
        need(name, &mut needed, &mut todo);
    }
    // From the last statement to the first: what a statement needs stands before it.
    let mut found = Vec::new();
    while let Some(place) = todo.pop_last() {
        let part = restricted(&stms[place], &needed, cheap, budget)?;
        for name in free_in_stm(&part) {
            need(name, &mut needed, &mut todo);
        }
        found.push((place, part));
    }
    found.reverse();
    let (places, stms) = found.into_iter().unzip();
    Ok(Slice { stms, places, free })
}

/// A statement with the results that are needed, if it is cheap.
fn restricted(stm: &Stm, needed: &FxHashSet<Name>, cheap: &CheapFuns, budget: &mut usize) -> Result<Stm, Refusal> {
    const TOO_LONG: Refusal = "it needs many statements";
    *budget = budget.checked_sub(1).ok_or(TOO_LONG)?;
    let exp = match &stm.exp {
        Exp::Call(f, _) => {
            let cost = cheap.get(f).ok_or("it calls a function that does more")?;
            *budget = budget.checked_sub(cost.stms).ok_or(TOO_LONG)?;
            return Ok(stm.clone());
        }
        Exp::If(cond, yes, no) => {
            let keep = kept(&stm.pat, needed);
            let [yes, no] = [yes, no].map(|body| restricted_body(body, &keep, cheap, budget));
            Exp::If(*cond, yes?, no?)
        }
        Exp::Match(x, cases, default) => {
            let keep = kept(&stm.pat, needed);
            let mut bodies = Vec::new();
            for (value, body) in cases {
                bodies.push((*value, restricted_body(body, &keep, cheap, budget)?));
            }
            Exp::Match(*x, bodies, restricted_body(default, &keep, cheap, budget)?)
        }
        Exp::Loop { .. } => return Err("a loop computes it"),
        Exp::Soac(_) | Exp::Par(_) | Exp::Jvp(..) | Exp::Vjp(..) => return Err("a second-order operator computes it"),
        exp => {
            let effects = effects::of_exp(exp, &stm.pat);
            if effects.is_watched() {
                return Err("it goes through `trace` or `opaque`");
            }
            if !effects.may_repeat() || !effects.cost.is_constant() {
                return Err("an array is computed for it");
            }
            return Ok(stm.clone());
        }
    };
    let keep = kept(&stm.pat, needed);
    let pat = keep.iter().map(|i| stm.pat[*i].clone()).collect();
    Ok(Stm { pat, certs: stm.certs.clone(), attrs: stm.attrs.clone(), exp, loc: stm.loc })
}

/// The places of the needed names in a pattern, and of the sizes in their types.
fn kept(pat: &[Param], needed: &FxHashSet<Name>) -> Vec<usize> {
    let mut names: FxHashSet<Name> = FxHashSet::default();
    for param in pat.iter().filter(|p| needed.contains(&p.name)) {
        names.insert(param.name);
        names.extend(param.ty.dims().iter().filter_map(|x| x.name()));
    }
    (0..pat.len()).filter(|i| names.contains(&pat[*i].name)).collect()
}

fn restricted_body(body: &Body, keep: &[usize], cheap: &CheapFuns, budget: &mut usize) -> Result<Body, Refusal> {
    if body.stms.len() > LONGEST_BRANCH {
        return Err("it needs a long branch");
    }
    with_stack(|| {
        let results: Vec<Operand> = keep.iter().map(|i| body.results[*i]).collect();
        let targets = results.iter().filter_map(|x| x.name());
        let part = slice(&body.stms, &Defs::of(&body.stms), targets, cheap, budget)?;
        let first_check = part.first_check(&body.stms, |at| part.has(at));
        let after = |(stm, at): (&Stm, &usize)| first_check.is_some_and(|check| *at > check) && is_partial(stm, cheap);
        if part.stms.iter().zip(&part.places).any(after) {
            return Err("a check in a branch may vouch for it");
        }
        Ok(Body { stms: part.stms, results })
    })
}

/// Whether a statement is defined for some operands only, or something in it.
pub(super) fn is_partial(stm: &Stm, cheap: &CheapFuns) -> bool {
    let is_partial = |stm: &Stm| match &stm.exp {
        Exp::Call(f, _) => cheap.get(f).is_none_or(|cost| cost.partial),
        _ => effects::of(stm).fails == Fails::Partial,
    };
    is_partial(stm) || effects::any_inside(&stm.exp, is_partial)
}

/// How far statements at these places of a body are defined, of whose checks the first that stays is at the place.
fn defined(
    stms: &[Stm],
    places: &[usize],
    first_check: Option<usize>,
    cheap: &CheapFuns,
    facts: &mut Facts,
) -> Defined {
    let mut all = Defined::Always;
    for (stm, at) in stms.iter().zip(places) {
        all = all.max(match defined_stm(stm, cheap, facts) {
            Defined::Checked if first_check.is_some_and(|check| *at > check) => Defined::Here,
            defined => defined,
        });
        // Facts from checks are left out: they do not always hold.
        if !matches!(stm.exp, Exp::Assert(..)) {
            facts.stm(stm);
        }
    }
    all
}

fn defined_stm(stm: &Stm, cheap: &CheapFuns, facts: &mut Facts) -> Defined {
    // What relies on a check inside a branch is in no slice.
    let mut branch = |body: &Body, cond: Option<(Operand, bool)>| {
        let mark = facts.mark();
        if let Some((cond, holds)) = cond {
            facts.assume(cond, holds);
        }
        let places: Vec<usize> = (0..body.stms.len()).collect();
        let branch = with_stack(|| defined(&body.stms, &places, None, cheap, facts));
        facts.reset(mark);
        branch
    };
    match &stm.exp {
        Exp::If(cond, yes, no) => branch(yes, Some((*cond, true))).max(branch(no, Some((*cond, false)))),
        Exp::Match(_, cases, default) => {
            let bodies = cases.iter().map(|(_, body)| body).chain([default]);
            bodies.map(|body| branch(body, None)).max().unwrap_or(Defined::Always)
        }
        Exp::Bin(_, _, y) if facts.proves_lt(Operand::i64(0), *y) => Defined::Always,
        _ if !is_partial(stm, cheap) => Defined::Always,
        _ if stm.certs.is_empty() => Defined::Here,
        _ => Defined::Checked,
    }
}

/// Whether there is a check among statements or in their branches.
pub(super) fn has_assert(stms: &[Stm]) -> bool {
    let is_check = |stm: &Stm| matches!(stm.exp, Exp::Assert(..));
    stms.iter().any(|stm| is_check(stm) || effects::any_inside(&stm.exp, is_check))
}

/// Whether a statement can be left out when its result is known otherwise. What costs more is not said to be: nothing
/// is lost if it stays.
pub(super) fn is_pure(stm: &Stm) -> bool {
    let is_pure = |stm: &Stm| {
        let effects = effects::of(stm);
        let is_branch = matches!(stm.exp, Exp::If(..) | Exp::Match(..));
        effects.may_drop() && effects.may_repeat() && (effects.cost.is_constant() || is_branch)
    };
    is_pure(stm) && !effects::any_inside(&stm.exp, |stm| !is_pure(stm))
}

/// The places of the parameters that are sizes of others.
pub(super) fn sizes(params: &[Param]) -> Vec<usize> {
    let mentioned: FxHashSet<Name> = params.iter().flat_map(|p| kenaz_ir::visit::free_in_type(&p.ty)).collect();
    (0..params.len()).filter(|i| params[*i].ty == Type::I64 && mentioned.contains(&params[*i].name)).collect()
}
