//! Copies that are not needed: the array is not used any more, so what updates the copy may as well update the array.
//!
//! ```text
//! let b_2 = map n_1 (a_1) \…                     let b_2 = map n_1 (a_1) \…
//! let r_9 = loop (p_3 = b_2) for i_4 < k {       let r_9 = loop (p_3: * = b_2) for i_4 < k {
//!   let c_5 = copy p_3                       →     let c_5 = p_3
//!   let d_6 = update c_5[i_4] = 0                  let d_6 = update c_5[i_4] = 0
//!   in d_6                                         in d_6
//! }                                              }
//! ```
//!
//! The rules:
//!
//! - `copy-of-dead`: a copy becomes another name of its array, if nothing that may share the array's memory is used
//!   later, and the memory belongs to the function, loop or lambda in which the copy stands: it was made there or is
//!   that of a unique parameter. Memory from outside a body that may run again is needed by the next run.
//! - `loop-in-place`: a parameter of a loop, whose copy could go if only it were unique, is made so. A copy of the
//!   initial value comes before the loop, and may go in turn. Parameters whose values move from one to the other become
//!   unique together.
//! - `unique-parameter`: the same for a function that is not an entry point; its callers copy what they give. A copy
//!   that the function always makes costs no more there, so that is done if one caller may do without it; one
//!   that it makes in a branch moves only if no caller needs it.
//! - `unique-result`: a result of such a function that is in memory of its own is marked so.
//! - `copy-of-result`: a copy that is a result of an entry point goes, if nobody changes it or its array and the entry
//!   point does not promise a result without aliases. Who called it then has two names of one array: of an
//!   argument, or two results.
//!
//! Copies with attributes, and those in functions to be derived, stay. What stays is recorded as `copy stays`, with the
//! reason. The clean-up is left to `simplify`. A round looks at each function twice: forwards for where arrays lie, see
//! [`kenaz_ir::alias`], and backwards for what is used later. Since a loop that owns its parameters yields new arrays,
//! there are rounds as long as parameters or results become unique, but at most [`ROUNDS`]. Each round is linear.

mod live;
mod walk;

use kenaz_base::{Symbol, with_stack};
use kenaz_ir::alias::Aliases;
use kenaz_ir::entry;
use kenaz_ir::sharing::{Sharing, Signatures};
use kenaz_ir::visit::{Subst, VisitMut, walk_mut};
use kenaz_ir::{Attrs, Body, DecisionKind, Exp, Fresh, Fun, LocId, Log, Name, Operand, Param, Pass, PassCx, Prog, Stm};
use rustc_hash::{FxHashMap, FxHashSet};
use walk::{Found, Tally, Walk, Wish};

pub const PASS: Pass = Pass {
    name: "in-place",
    about: "drops copies of arrays that are not used any more, so that they are updated in place",
    stage: None,
    run: in_place,
};

/// The names of its rules.
pub const RULES: &[&str] = &["copy-of-dead", "loop-in-place", "unique-parameter", "unique-result", "copy-of-result"];

/// Two or three are enough, unless functions hand on what they were given.
const ROUNDS: usize = 8;

pub fn in_place(prog: &mut Prog, cx: &mut PassCx) {
    let log = &mut cx.log;
    prog.funs.iter_mut().for_each(given);
    let signatures = Signatures::of(prog);
    prog.funs.iter_mut().for_each(|fun| results(fun, &signatures, log));
    let mut kept = Vec::new();
    for _ in 0..ROUNDS {
        let used = log.used();
        let mut found = Found::default();
        copies(prog, &mut found, log);
        let moved = parameters(prog, &mut found, log);
        kept = found.kept;
        if !moved && !found.changed || log.used() == used {
            break;
        }
    }
    for (loc, reason) in kept {
        log.decide(DecisionKind::CopyStays, loc, reason);
    }
}

/// Parameters that an entry point takes for itself are its own, also if only copies of them are changed so far.
fn given(fun: &mut Fun) {
    let Some(described) = &fun.entry else { return };
    let Ok(signature) = entry::signature(fun) else { return };
    for (param, slot) in fun.params.iter_mut().zip(&signature.params) {
        if let entry::Slot::Part(part) = slot {
            let is_given = described.params[signature.takes[*part].owner].unique;
            param.unique |= is_given && param.ty.is_array();
        }
    }
}

/// Drops the copies that an entry point hands back, of its arguments and of what else nobody changes. An array of one
/// array is another view of it.
fn results(fun: &mut Fun, signatures: &Signatures, log: &mut Log) {
    let Some(described) = &fun.entry else { return };
    let Ok(signature) = entry::signature(fun) else { return };
    let is_unique = |slot: usize| match signature.results.get(slot) {
        Some(entry::Slot::Part(part)) => described.results[signature.yields[*part].owner].unique,
        _ => true,
    };
    let promised: Vec<bool> = (0..fun.results.len()).map(is_unique).collect();
    if promised.iter().all(|is_unique| *is_unique) {
        return;
    }
    let yielded = fun.body.results.iter().map(|x| x.name()).collect();
    let sharing = Sharing::of(fun, signatures);
    let mut results = Results { yielded, promised, sharing, aliased: Vec::new(), log };
    results.body(&mut fun.body);
    results.aliased.iter().for_each(|slot| fun.results[*slot].unique = false);
}

/// The results of an entry point.
struct Results<'a> {
    yielded: Vec<Option<Name>>,
    /// Whether the entry point says of them that they have no aliases.
    promised: Vec<bool>,
    sharing: Sharing,
    /// Those that have some now.
    aliased: Vec<usize>,
    log: &'a mut Log,
}

impl Results<'_> {
    /// A body that runs at most once.
    fn body(&mut self, body: &mut Body) {
        for stm in &mut body.stms {
            match &mut stm.exp {
                Exp::If(_, yes, no) => [yes, no].into_iter().for_each(|body| with_stack(|| self.body(body))),
                Exp::Match(_, cases, default) => {
                    let bodies = cases.iter_mut().map(|(_, body)| body).chain([default]);
                    bodies.for_each(|body| with_stack(|| self.body(body)));
                }
                Exp::Copy(a) if self.may_alias(&stm.attrs, stm.pat[0].name, *a) => stm.exp = Exp::Operand((*a).into()),
                Exp::Array(elems, ty) if ty.is_array() => {
                    if let [Operand::Var(row)] = elems[..]
                        && self.may_alias(&stm.attrs, stm.pat[0].name, row)
                    {
                        stm.exp = Exp::Reshape(stm.pat[0].ty.dims().to_vec(), row);
                    }
                }
                _ => {}
            }
        }
    }

    /// Whether a copy may lie where its array is. Then they do from now on.
    fn may_alias(&mut self, attrs: &Attrs, copy: Name, array: Name) -> bool {
        let lies_in = |slot: usize, array: Name| self.yielded[slot].is_some_and(|x| self.sharing.may_share(x, array));
        let slots = 0..self.yielded.len();
        let same: Vec<usize> = slots.filter(|slot| lies_in(*slot, copy) || lies_in(*slot, array)).collect();
        let is_allowed = same.iter().any(|slot| lies_in(*slot, copy))
            && !same.iter().any(|slot| self.promised[*slot])
            && self.sharing.is_fixed(array)
            && self.sharing.is_fixed(copy)
            && attrs.is_empty()
            && self.log.fire("copy-of-result");
        if is_allowed {
            self.sharing.join(array, copy);
            self.aliased.extend(same);
        }
        is_allowed
    }
}

/// Rewrites functions one by one, and finds out what their parameters should be.
fn copies(prog: &mut Prog, found: &mut Found, log: &mut Log) {
    let mut signatures = Signatures::of(prog);
    for fun in &mut prog.funs {
        let aliases = Aliases::of(fun, &signatures);
        if fun.entry.is_none() {
            let unique = aliases.unique(&fun.body.results);
            for (result, _) in fun.results.iter_mut().zip(unique).filter(|(r, unique)| *unique && !r.unique) {
                if log.fire("unique-result") {
                    result.unique = true;
                    found.changed = true;
                }
            }
            signatures.insert(fun);
        }
        let granted = Walk::new(&aliases, &signatures, found, &mut prog.fresh, log).fun(fun);
        if !granted.is_empty() {
            Grant { granted, log }.fun(fun);
        }
    }
}

/// Makes another name of the array out of each copy that is not needed.
struct Grant<'a> {
    granted: FxHashSet<Name>,
    log: &'a mut Log,
}

impl VisitMut for Grant<'_> {
    fn stm(&mut self, stm: &mut Stm) {
        if let Exp::Copy(a) = stm.exp
            && stm.pat.iter().any(|p| self.granted.contains(&p.name))
            && self.log.fire("copy-of-dead")
        {
            stm.exp = Exp::Operand(a.into());
        }
        walk_mut::stm(self, stm);
    }
}

/// Makes parameters of functions unique whose copies could go then. Says whether there were any.
fn parameters(prog: &mut Prog, found: &mut Found, log: &mut Log) -> bool {
    let mut unique: FxHashMap<Symbol, (Vec<Param>, Vec<usize>)> = FxHashMap::default();
    let index: FxHashMap<Symbol, usize> = prog.funs.iter().enumerate().map(|(i, fun)| (fun.name, i)).collect();
    for Wish { fun, params, always, loc } in std::mem::take(&mut found.wishes) {
        let mut tallies = params.iter().map(|i| found.tallies.get(&(fun, *i)).copied().unwrap_or_default());
        let is_welcome = |t: Tally| if always { t.done + t.given > 0 } else { t.calls > 0 && t.done == t.calls };
        let fun = &mut prog.funs[index[&fun]];
        let is_done = params.iter().all(|i| fun.params[*i].unique);
        let allowed = fun.entry.is_none() && tallies.all(is_welcome);
        if !is_done && (!allowed || !log.fire("unique-parameter")) {
            let param = fun.params[params[0]].name;
            let reason = match fun.entry {
                Some(_) => format!("`{param}` is a parameter of an entry point that does not own it"),
                None => format!("`{param}` is a parameter, and callers of `{}` still need what they give", fun.name),
            };
            found.kept.push((loc, reason));
            continue;
        }
        for i in params {
            if !std::mem::replace(&mut fun.params[i].unique, true) {
                unique.entry(fun.name).or_insert_with(|| (fun.params.clone(), Vec::new())).1.push(i);
            }
        }
    }
    if unique.is_empty() {
        return false;
    }
    for fun in &mut prog.funs {
        CopyArguments { unique: &unique, fresh: &mut prog.fresh }.fun(fun);
    }
    true
}

/// Copies the arguments of functions that own them now.
struct CopyArguments<'a> {
    /// For each such function its parameters, and which are new to be unique.
    unique: &'a FxHashMap<Symbol, (Vec<Param>, Vec<usize>)>,
    fresh: &'a mut Fresh,
}

impl VisitMut for CopyArguments<'_> {
    fn body(&mut self, body: &mut Body) {
        walk_mut::body(self, body);
        let is_call = |stm: &Stm| matches!(&stm.exp, Exp::Call(f, _) if self.unique.contains_key(f));
        if !body.stms.iter().any(is_call) {
            return;
        }
        for mut stm in std::mem::take(&mut body.stms) {
            if let Exp::Call(f, args) = &mut stm.exp
                && let Some((params, unique)) = self.unique.get(f)
            {
                let params = params.iter().zip(args.iter_mut());
                body.stms.extend(copy_before(params, unique, stm.loc, self.fresh));
            }
            body.stms.push(stm);
        }
    }
}

/// Puts copies in the place of the values of some parameters; gives the statements that make them.
fn copy_before<'a>(
    params: impl Iterator<Item = (&'a Param, &'a mut Operand)>,
    which: &[usize],
    loc: LocId,
    fresh: &mut Fresh,
) -> Vec<Stm> {
    let mut params: Vec<(&Param, &mut Operand)> = params.collect();
    let sizes: Subst = params.iter().map(|(p, x)| (p.name, **x)).collect();
    let mut copies = Vec::new();
    for i in which {
        let (param, x) = &mut params[*i];
        let Operand::Var(array) = **x else { continue };
        let copy = Param::new(fresh.like(array), sizes.ty(&param.ty));
        **x = copy.name.into();
        copies.push(Stm { pat: vec![copy], certs: Vec::new(), attrs: Attrs::default(), exp: Exp::Copy(array), loc });
    }
    copies
}
