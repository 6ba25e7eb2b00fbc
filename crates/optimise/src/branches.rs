//! Branches on what an earlier branch has chosen.
//!
//! ```text
//! let tag_1: u8, x_2: f32 = if c_0 then { in 0u8, 1.5f32 } else { in 1u8, 0.0f32 }
//! let eq_3: bool = eq tag_1 0u8
//! let y_4: f32 = if eq_3 then { let z_5: f32 = sqrt f32 (x_2) in z_5 } else { in 2.0f32 }
//!   →
//! let y_4: f32 = if c_0 then { … in z_6 } else { … in 2.0f32 }
//! ```
//!
//! A value of a sum type is a number that says which constructor it is, and the fields of all of them. A function that
//! gives one, put into its caller, is a branch, and the `match` around it another. What follows the first branch, up to
//! the last statement that uses its results, goes to the ends of it, where the number is known and `simplify` decides
//! the second one. What does not depend on the branch goes in front of it.
//!
//! Only scalars are moved, read and chosen here: operators stay where they can be fused. The statements that follow are
//! few, since they are there once for each end, of which there are few as well.
//!
//! Linear in the size of the program.

use kenaz_base::with_stack;
use kenaz_ir::visit::{self, for_each_body_mut, free_in_stm};
use kenaz_ir::{BinOp, Body, Exp, Fresh, Log, Name, Operand, Param, Pass, PassCx, Prog, Stm, Type, effects};
use rustc_hash::{FxHashMap, FxHashSet};

pub const PASS: Pass = Pass {
    name: "branches",
    about: "decides branches on what earlier branches chose, where these choose it",
    stage: None,
    run,
};

pub const RULES: &[&str] = &["branch-of-branch"];

/// The most statements that follow a branch and are moved, nested ones included.
const FOLLOWING: usize = 100;

/// The most statements that are added for the ends of a branch.
const GROWTH: usize = 200;

fn run(prog: &mut Prog, cx: &mut PassCx) {
    for fun in &mut prog.funs {
        Walk { fresh: &mut prog.fresh, log: &mut cx.log }.body(&mut fun.body);
    }
}

struct Walk<'a> {
    fresh: &'a mut Fresh,
    log: &'a mut Log,
}

/// What follows a branch and goes to its ends.
struct Rest {
    /// The results of the branch, in whose place those of an end are put.
    params: Vec<Param>,
    /// Its results are those that are used afterwards.
    body: Body,
    results: Vec<Param>,
}

impl Walk<'_> {
    /// Goes from the last statement to the first, with the last uses of names by the numbers of statements.
    fn body(&mut self, body: &mut Body) {
        with_stack(|| {
            for stm in &mut body.stms {
                for_each_body_mut(&mut stm.exp, |inner| self.body(inner));
            }
            let mut last: FxHashMap<Name, usize> = FxHashMap::default();
            last.extend(body.results.iter().filter_map(|x| Some((x.name()?, usize::MAX))));
            // The last statement is at the bottom.
            let mut behind: Vec<(usize, Stm)> = Vec::new();
            for (number, stm) in std::mem::take(&mut body.stms).into_iter().enumerate().rev() {
                for name in free_in_stm(&stm) {
                    last.entry(name).or_insert(number);
                }
                let (stm, number) = self.joined(stm, number, &mut behind, &mut last);
                behind.push((number, stm));
            }
            body.stms = behind.into_iter().rev().map(|(_, stm)| stm).collect();
        });
    }

    /// A branch with what follows it, which is taken away from there; or the statement as it is.
    fn joined(
        &mut self,
        stm: Stm,
        number: usize,
        behind: &mut Vec<(usize, Stm)>,
        last: &mut FxHashMap<Name, usize>,
    ) -> (Stm, usize) {
        let tags = tags(&stm);
        if tags.is_empty() {
            return (stm, number);
        }
        let until = stm.pat.iter().filter_map(|p| last.get(&p.name)).filter(|at| **at < usize::MAX).max();
        let Some((count, until, derived)) = until.and_then(|until| following(behind, *until, tags, last)) else {
            return (stm, number);
        };
        let at = behind.len() - count;
        let (first, rest) = parts(&stm, &behind[at..]);
        let Some(rest) = rest_of(&stm, rest, until, last) else { return (stm, number) };
        let ends: usize = bodies(&stm.exp).map(|body| count_ends(body, &body.results)).sum();
        let size = size(&rest.body.stms);
        let decides = rest.body.stms.iter().any(|stm| chooses(stm, &derived));
        if !decides || size > FOLLOWING || size * (ends - 1) > GROWTH || !self.log.fire("branch-of-branch") {
            return (stm, number);
        }
        behind.truncate(at);
        let Stm { pat: _, certs, attrs, exp, loc } = stm;
        let exp = self.at_ends(exp, &rest, |body| body.results.clone());
        let joined = Stm { pat: rest.results.clone(), certs, attrs, exp, loc };
        // It stands where the last of its parts was, so that is where all of them use their names now.
        for name in free_in_stm(&joined) {
            let at = last.entry(name).or_insert(until);
            *at = (*at).max(until);
        }
        // What goes in front of it is above it on the stack.
        behind.push((until, joined));
        behind.extend(first.into_iter().rev().map(|stm| (number, stm)));
        behind.pop().map(|(number, stm)| (stm, number)).expect("what was just put there")
    }

    /// A branch with what follows at the end of each of its bodies, to which these operands are the results of the
    /// first branch.
    fn at_ends(&mut self, exp: Exp, rest: &Rest, args: impl Fn(&Body) -> Vec<Operand>) -> Exp {
        match exp {
            Exp::If(cond, yes, no) => {
                let (of_yes, of_no) = (args(&yes), args(&no));
                Exp::If(cond, self.end(yes, of_yes, rest), self.end(no, of_no, rest))
            }
            Exp::Match(x, cases, default) => {
                let mut end = |body: Body| {
                    let args = args(&body);
                    self.end(body, args, rest)
                };
                let cases = cases.into_iter().map(|(case, body)| (case, end(body))).collect();
                Exp::Match(x, cases, end(default))
            }
            exp => exp,
        }
    }

    fn end(&mut self, mut body: Body, args: Vec<Operand>, rest: &Rest) -> Body {
        with_stack(|| {
            if let Some(inner) = body.stms.pop() {
                if is_end_of(&inner, &args) {
                    let place = |x: Operand| inner.pat.iter().position(|p| Operand::Var(p.name) == x);
                    let exp = self.at_ends(inner.exp, rest, |body| {
                        args.iter().map(|x| place(*x).map_or(*x, |i| body.results[i])).collect()
                    });
                    let pat: Vec<Param> =
                        rest.results.iter().map(|p| Param::new(self.fresh.like(p.name), p.ty.clone())).collect();
                    body.results = pat.iter().map(|p| p.name.into()).collect();
                    body.stms.push(Stm { pat, exp, ..inner });
                    return body;
                }
                body.stms.push(inner);
            }
            let mut copy = visit::instantiate(&rest.params, &rest.body, &args, self.fresh);
            body.stms.append(&mut copy.stms);
            body.results = copy.results;
            body
        })
    }
}

/// Whether a branch at the end of a body is the one that says what the results are.
fn is_end_of(inner: &Stm, args: &[Operand]) -> bool {
    let is_branch = matches!(inner.exp, Exp::If(..) | Exp::Match(..));
    let gives = |p: &Param| matches!(p.ty, Type::Prim(_)) && args.contains(&Operand::Var(p.name));
    is_branch && inner.pat.iter().all(gives)
}

/// At how many ends of a body its results are chosen.
fn count_ends(body: &Body, args: &[Operand]) -> usize {
    with_stack(|| match body.stms.last() {
        Some(inner) if is_end_of(inner, args) => bodies(&inner.exp)
            .map(|body| {
                let place = |x: Operand| inner.pat.iter().position(|p| Operand::Var(p.name) == x);
                let args: Vec<Operand> = args.iter().map(|x| place(*x).map_or(*x, |i| body.results[i])).collect();
                count_ends(body, &args)
            })
            .sum(),
        _ => 1,
    })
}

fn bodies(exp: &Exp) -> impl Iterator<Item = &Body> {
    let (pair, cases, default) = match exp {
        Exp::If(_, yes, no) => (Some([yes, no]), None, None),
        Exp::Match(_, cases, default) => (None, Some(cases), Some(default)),
        _ => (None, None, None),
    };
    pair.into_iter().flatten().chain(cases.into_iter().flatten().map(|(_, body)| body)).chain(default)
}

/// The results of a branch of scalars that are numbers at one of its ends.
fn tags(stm: &Stm) -> FxHashSet<Name> {
    let mut tags = FxHashSet::default();
    if matches!(stm.exp, Exp::If(..) | Exp::Match(..)) && stm.pat.iter().all(|p| matches!(p.ty, Type::Prim(_))) {
        for (i, param) in stm.pat.iter().enumerate() {
            if bodies(&stm.exp).any(|body| is_known(body, body.results[i])) {
                tags.insert(param.name);
            }
        }
    }
    tags
}

/// Whether a result of a body is a number at one of its ends.
fn is_known(body: &Body, x: Operand) -> bool {
    with_stack(|| match (x, body.stms.last()) {
        (Operand::Const(_), _) => true,
        (Operand::Var(name), Some(inner)) => match inner.pat.iter().position(|p| p.name == name) {
            Some(i) => bodies(&inner.exp).any(|body| is_known(body, body.results[i])),
            None => false,
        },
        (Operand::Var(_), None) => false,
    })
}

/// The statements that follow, up to the last that uses the results of a branch or a comparison of its tags: how many
/// they are, the number of the last, and the tags with what is known from them.
fn following(
    behind: &[(usize, Stm)],
    mut until: usize,
    tags: FxHashSet<Name>,
    last: &FxHashMap<Name, usize>,
) -> Option<(usize, usize, FxHashSet<Name>)> {
    let mut derived = tags;
    let mut count = 0;
    for (number, next) in behind.iter().rev() {
        if *number > until {
            break;
        }
        count += 1;
        if count > FOLLOWING || !may_follow(next) {
            return None;
        }
        if follows_from(&next.exp, &derived) {
            for param in &next.pat {
                derived.insert(param.name);
                until = until.max(last.get(&param.name).copied().filter(|at| *at < usize::MAX).unwrap_or(0));
            }
        }
    }
    (count > 0).then_some((count, until, derived))
}

/// Whether something is known where the tags are, and not elsewhere: what is computed from them and numbers alone. Of a
/// conjunction or disjunction one side is enough.
fn follows_from(exp: &Exp, derived: &FxHashSet<Name>) -> bool {
    let follows = |x: &Operand| x.name().is_some_and(|name| derived.contains(&name));
    let known = |x: &Operand| matches!(x, Operand::Const(_)) || follows(x);
    match exp {
        Exp::Un(_, x) => follows(x),
        Exp::Bin(BinOp::And | BinOp::Or, x, y) => follows(x) || follows(y),
        Exp::Cmp(_, x, y) | Exp::Bin(_, x, y) => (follows(x) || follows(y)) && known(x) && known(y),
        _ => false,
    }
}

/// Whether a statement, or one in it, is a branch on a tag.
fn chooses(stm: &Stm, derived: &FxHashSet<Name>) -> bool {
    let mut derived = derived.clone();
    let mut on_tag = |stm: &Stm| {
        if follows_from(&stm.exp, &derived) {
            derived.extend(stm.pat.iter().map(|p| p.name));
        }
        match &stm.exp {
            Exp::If(Operand::Var(x), ..) | Exp::Match(Operand::Var(x), ..) => derived.contains(x),
            _ => false,
        }
    };
    on_tag(stm) || effects::any_inside(&stm.exp, on_tag)
}

/// Whether a statement is of scalars alone, and so is all in it. A check must not move under a branch, where it would
/// stay in a loop.
fn may_follow(stm: &Stm) -> bool {
    let is_scalar = |stm: &Stm| {
        stm.pat.iter().all(|p| matches!(p.ty, Type::Prim(_) | Type::Cert))
            && (effects::is_arithmetic(&stm.exp)
                || matches!(stm.exp, Exp::Operand(_) | Exp::Index(..) | Exp::If(..) | Exp::Match(..) | Exp::Assert(..)))
    };
    !matches!(stm.exp, Exp::Assert(..)) && is_scalar(stm) && !effects::any_inside(&stm.exp, |stm| !is_scalar(stm))
}

/// Of the statements that follow a branch, which are given last first: those that go in front of it, and the rest.
fn parts<'a>(stm: &Stm, following: &'a [(usize, Stm)]) -> (Vec<Stm>, Vec<&'a Stm>) {
    let mut here: FxHashSet<Name> = stm.pat.iter().map(|p| p.name).collect();
    let (mut first, mut rest) = (Vec::new(), Vec::new());
    for (_, next) in following.iter().rev() {
        if effects::is_arithmetic(&next.exp)
            && effects::of(next).may_speculate()
            && free_in_stm(next).iter().all(|name| !here.contains(name))
        {
            first.push(next.clone());
        } else {
            here.extend(next.pat.iter().map(|p| p.name));
            rest.push(next);
        }
    }
    (first, rest)
}

/// None if something that is used afterwards is no scalar.
fn rest_of(stm: &Stm, rest: Vec<&Stm>, until: usize, last: &FxHashMap<Name, usize>) -> Option<Rest> {
    let bound = stm.pat.iter().chain(rest.iter().flat_map(|stm| &stm.pat));
    let results: Vec<Param> = bound.filter(|p| last.get(&p.name).is_some_and(|at| *at > until)).cloned().collect();
    if results.is_empty() || !results.iter().all(|p| matches!(p.ty, Type::Prim(_))) {
        return None;
    }
    let body =
        Body { stms: rest.into_iter().cloned().collect(), results: results.iter().map(|p| p.name.into()).collect() };
    Some(Rest { params: stm.pat.clone(), body, results })
}

fn size(stms: &[Stm]) -> usize {
    let mut size = 0;
    for stm in stms {
        size += 1;
        effects::any_inside(&stm.exp, |_| {
            size += 1;
            false
        });
    }
    size
}
