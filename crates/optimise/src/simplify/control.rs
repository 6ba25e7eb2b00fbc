//! Rules about branches and loops.

use super::book::Rule;
use super::engine::{Cx, Step, Steps, Work};
use kenaz_ir::effects::{self, Cost};
use kenaz_ir::visit::{Subst, bound_in_body, free_in_exp};
use kenaz_ir::{Attrs, BinOp, Body, CmpOp, Exp, LoopForm, Name, Operand, Param, Scalar, Stm, Type, UnOp};
use rustc_hash::FxHashSet;

/// Before the bodies are walked.
pub(super) const BEFORE: &[Rule] = &[
    Rule { name: "branch-decided", apply: decided },
    Rule { name: "branch-not", apply: negated },
    Rule { name: "loop-never", apply: never },
    Rule { name: "loop-once", apply: once },
    Rule { name: "loop-invariant-parameter", apply: invariant },
];

/// Behind the bodies.
pub(super) const AFTER: &[Rule] = &[
    Rule { name: "branch-same-statement", apply: same_statements },
    Rule { name: "branch-same-result", apply: same_result },
    Rule { name: "branch-of-booleans", apply: booleans },
    Rule { name: "branch-of-what-is-compared", apply: compared },
];

/// The statements of a body, and then names for its results.
fn splice(body: &Body, pat: &[Param]) -> Vec<Work> {
    let stms = body.stms.iter().cloned().map(|stm| Work::Stm(stm, false));
    stms.chain([Work::Bind(pat.to_vec(), body.results.clone())]).collect()
}

fn decided(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    use kenaz_ir::facts::Answer;
    let body = match &stm.exp {
        Exp::If(cond, yes, no) => match cx.facts.decide(*cond) {
            Answer::Proved => yes,
            Answer::Refuted => no,
            Answer::Unknown => return None,
        },
        Exp::Match(Operand::Const(c), cases, default) => {
            cases.iter().find(|(case, _)| case == c).map_or(default, |(_, body)| body)
        }
        Exp::Match(_, cases, default) if cases.is_empty() => default,
        _ => return None,
    };
    Some(Step::Splice(splice(body, &stm.pat)))
}

/// `if not c then x else y`
fn negated(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::If(cond, yes, no) = &stm.exp else { return None };
    let Exp::Un(UnOp::Not, x) = cx.def_of(*cond)?.exp else { return None };
    Some(Step::Become(Exp::If(x, no.clone(), yes.clone()), vec![]))
}

fn never(_: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::Loop { params, form, .. } = &stm.exp else { return None };
    let runs = match form {
        LoopForm::For(_, prim, Operand::Const(n)) => n.bits() != 0 && !(prim.is_signed() && (n.bits() as i64) < 0),
        LoopForm::For(..) => true,
        LoopForm::While(cond) => {
            let init = params.iter().find(|(p, _)| p.name == *cond).map(|(_, init)| *init);
            init != Some(Operand::bool(false))
        }
    };
    (!runs).then(|| Step::Bind(params.iter().map(|(_, init)| *init).collect()))
}

fn once(_: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::Loop { params, form: LoopForm::For(i, prim, Operand::Const(n)), body } = &stm.exp else { return None };
    if n.bits() != 1 {
        return None;
    }
    let (params, inits): (Vec<Param>, Vec<Operand>) = params.iter().cloned().unzip();
    let index = Param::new(*i, Type::Prim(*prim));
    let mut work = vec![Work::Bind(params, inits), Work::Bind(vec![index], vec![Operand::Const(Scalar::zero(*prim))])];
    work.extend(splice(body, &stm.pat));
    Some(Step::Splice(work))
}

/// A parameter that never changes is its initial value.
fn invariant(_: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::Loop { params, form, body } = &stm.exp else { return None };
    let is_invariant = |i: usize| {
        let (param, init) = &params[i];
        let next = body.results[i];
        let is_condition = *form == LoopForm::While(param.name);
        (next == Operand::Var(param.name) || next == *init) && !is_condition && !matches!(param.ty, Type::Acc { .. })
    };
    let gone: Vec<usize> = (0..params.len()).filter(|i| is_invariant(*i)).collect();
    if gone.is_empty() {
        return None;
    }
    let pick = |i: &usize| !gone.contains(i);
    let kept: Vec<usize> = (0..params.len()).filter(pick).collect();
    let inits: Vec<Operand> = gone.iter().map(|i| params[*i].1).collect();
    let exp = Exp::Loop {
        params: kept.iter().map(|i| params[*i].clone()).collect(),
        form: form.clone(),
        body: Body { stms: body.stms.clone(), results: kept.iter().map(|i| body.results[*i]).collect() },
    };
    let pat = kept.iter().map(|i| stm.pat[*i].clone()).collect();
    let rest = Stm { pat, certs: Vec::new(), attrs: stm.attrs.clone(), exp, loc: stm.loc };
    // A parameter may be the size of others, so its meaning is needed first.
    Some(Step::Splice(vec![
        Work::Bind(gone.iter().map(|i| params[*i].0.clone()).collect(), inits.clone()),
        Work::Bind(gone.iter().map(|i| stm.pat[*i].clone()).collect(), inits),
        Work::Stm(rest, false),
    ]))
}

/// The bodies of a branch.
fn bodies(exp: &Exp) -> Vec<&Body> {
    match exp {
        Exp::If(_, yes, no) => vec![yes, no],
        Exp::Match(_, cases, default) => cases.iter().map(|(_, body)| body).chain([default]).collect(),
        _ => Vec::new(),
    }
}

/// Arithmetic that all branches do comes before them. What is left of them may be nothing but a choice.
fn same_statements(_: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    // Bodies are walked again afterwards, so that they should be short.
    const MOST: usize = 64;
    let all = bodies(&stm.exp);
    let (first, rest) = all.split_first()?;
    let mut statements = 0;
    let is_long = |_: &Stm| {
        statements += 1;
        statements > MOST
    };
    if rest.is_empty() || all.iter().any(|body| body.stms.is_empty()) || effects::any_inside(&stm.exp, is_long) {
        return None;
    }
    let mut inside: FxHashSet<Name> = bound_in_body(first).into_iter().collect();
    let mut substs = vec![Subst::new(); rest.len()];
    let mut gone: FxHashSet<Name> = FxHashSet::default();
    let mut hoisted = Vec::new();
    for candidate in first.stms.iter().filter(|stm| is_arithmetic(stm)) {
        if free_in_exp(&candidate.exp).iter().any(|name| inside.contains(name)) {
            continue;
        }
        let twin = |(body, subst): (&&Body, &Subst)| {
            let is_twin = |other: &&Stm| {
                let mut exp = other.exp.clone();
                subst.apply_to_exp(&mut exp);
                is_arithmetic(other) && !gone.contains(&other.pat[0].name) && exp == candidate.exp
            };
            body.stms.iter().find(is_twin).map(|other| other.pat[0].name)
        };
        let twins: Option<Vec<Name>> = rest.iter().zip(&substs).map(twin).collect();
        let Some(twins) = twins else { continue };
        let name = candidate.pat[0].name;
        for (subst, twin) in substs.iter_mut().zip(&twins) {
            subst.insert(*twin, name);
        }
        gone.extend(twins);
        gone.insert(name);
        inside.remove(&name);
        hoisted.push(Work::Stm(candidate.clone(), false));
    }
    if hoisted.is_empty() {
        return None;
    }
    let mut left = stm.clone();
    left.certs.clear();
    let nothing = Subst::new();
    for (body, subst) in bodies_mut(&mut left.exp).into_iter().zip([&nothing].into_iter().chain(&substs)) {
        body.stms.retain(|stm| stm.pat.first().is_none_or(|param| !gone.contains(&param.name)));
        subst.apply_to_body(body);
    }
    hoisted.push(Work::Stm(left, false));
    Some(Step::Splice(hoisted))
}

/// Whether a statement computes a number or a truth value from others, and cannot go wrong.
fn is_arithmetic(stm: &Stm) -> bool {
    let is_scalar = matches!(stm.exp, Exp::Un(..) | Exp::Bin(..) | Exp::Cmp(..) | Exp::Conv(..) | Exp::Math(..));
    is_scalar && effects::of(stm).may_speculate() && stm.certs.is_empty() && stm.attrs == Attrs::default()
}

/// The bodies of a branch, in the same order.
fn bodies_mut(exp: &mut Exp) -> Vec<&mut Body> {
    match exp {
        Exp::If(_, yes, no) => vec![yes, no],
        Exp::Match(_, cases, default) => cases.iter_mut().map(|(_, body)| body).chain([default]).collect(),
        _ => Vec::new(),
    }
}

/// A result that is the same in all branches comes from outside.
fn same_result(_: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let all = bodies(&stm.exp);
    let (first, rest) = all.split_first()?;
    let same = |i: usize| {
        let is_accumulator = matches!(stm.pat[i].ty, Type::Acc { .. });
        !is_accumulator && rest.iter().all(|body| body.results[i] == first.results[i])
    };
    let gone: Vec<usize> = (0..stm.pat.len()).filter(|i| same(*i)).collect();
    without(stm, &gone, gone.iter().map(|i| first.results[*i]).collect())
}

/// A branch without some of its results.
pub(super) fn without_results(stm: &Stm, gone: &[usize]) -> Stm {
    let mut stm = stm.clone();
    stm.certs.clear();
    retain(&mut stm.pat, gone);
    match &mut stm.exp {
        Exp::If(_, yes, no) => {
            retain(&mut yes.results, gone);
            retain(&mut no.results, gone);
        }
        Exp::Match(_, cases, default) => {
            for (_, body) in cases {
                retain(&mut body.results, gone);
            }
            retain(&mut default.results, gone);
        }
        _ => unreachable!("only branches are given"),
    }
    stm
}

/// Removes the elements at these places, which are sorted.
pub(super) fn retain<T>(items: &mut Vec<T>, gone: &[usize]) {
    let mut at = 0;
    items.retain(|_| {
        at += 1;
        gone.binary_search(&(at - 1)).is_err()
    });
}

/// `if c then true else x` is `c or x`, and the like. A few instructions that make `x` come before.
fn booleans(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::If(cond, yes, no) = &stm.exp else { return None };
    let is_plain = yes.stms.is_empty() && no.stms.is_empty();
    if !is_plain && (stm.pat.len() != 1 || !may_come_before(yes) || !may_come_before(no)) {
        return None;
    }
    let (i, _) = stm.pat.iter().enumerate().find(|(i, p)| {
        let constant = |x: Operand| matches!(x, Operand::Const(_));
        p.ty == Type::BOOL && (constant(yes.results[*i]) || constant(no.results[*i]))
    })?;
    let (x, y) = (yes.results[i], no.results[i]);
    let (cond, param) = (*cond, stm.pat[i].clone());
    let mut steps = Steps::new(cx, stm);
    let not = |steps: &mut Steps<'_, '_>| steps.add("not", Exp::Un(UnOp::Not, cond)).into();
    let value = match (x, y) {
        (Operand::Const(Scalar::Bool(true)), Operand::Const(Scalar::Bool(false))) => cond,
        (Operand::Const(Scalar::Bool(false)), Operand::Const(Scalar::Bool(true))) => not(&mut steps),
        (Operand::Const(Scalar::Bool(true)), y) => steps.add("or", Exp::Bin(BinOp::Or, cond, y)).into(),
        (x, Operand::Const(Scalar::Bool(false))) => steps.add("and", Exp::Bin(BinOp::And, cond, x)).into(),
        (Operand::Const(Scalar::Bool(false)), y) => {
            let other = not(&mut steps);
            steps.add("and", Exp::Bin(BinOp::And, other, y)).into()
        }
        (x, Operand::Const(Scalar::Bool(true))) => {
            let other = not(&mut steps);
            steps.add("or", Exp::Bin(BinOp::Or, other, x)).into()
        }
        _ => return None,
    };
    let before = yes.stms.iter().chain(&no.stms).cloned();
    let mut work: Vec<Work> = before.chain(steps.stms).map(|stm| Work::Stm(stm, false)).collect();
    work.push(Work::Bind(vec![param], vec![value]));
    if is_plain {
        work.push(Work::Stm(without_results(stm, &[i]), true));
    }
    Some(Step::Splice(work))
}

/// Whether a body has only a few instructions, which may run where they were not going to.
fn may_come_before(body: &Body) -> bool {
    const FEW: usize = 3;
    let is_free = |stm: &Stm| {
        let effects = effects::of(stm);
        let is_instruction = matches!(effects.cost, Cost::Free | Cost::Instruction);
        is_instruction && effects.may_speculate() && stm.certs.is_empty()
    };
    body.stms.len() <= FEW && body.stms.iter().all(is_free)
}

/// `if x == 1 then 1 else x` is `x`.
fn compared(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::If(cond, yes, no) = &stm.exp else { return None };
    let (x, c, same, other) = match cx.def_of(*cond)?.exp {
        Exp::Cmp(CmpOp::Eq, x, y) => (x, y, yes, no),
        Exp::Cmp(CmpOp::Ne, x, y) => (x, y, no, yes),
        _ => return None,
    };
    let (x, c) = if let Operand::Const(_) = x { (c, x) } else { (x, c) };
    // Zeros of both signs are equal, but not the same.
    let is_number = |i: usize| matches!(stm.pat[i].ty, Type::Prim(prim) if !prim.is_float());
    // The size of another result is that of an array in each branch.
    let is_size = |i: usize| stm.pat.iter().any(|p| p.ty.dims().contains(&stm.pat[i].name.into()));
    let is_x = |i: &usize| is_number(*i) && !is_size(*i) && same.results[*i] == c && other.results[*i] == x;
    let gone: Vec<usize> = (0..stm.pat.len()).filter(is_x).collect();
    let operands = vec![x; gone.len()];
    without(stm, &gone, operands)
}

/// A branch without some of its results, which are these operands.
fn without(stm: &Stm, gone: &[usize], operands: Vec<Operand>) -> Option<Step> {
    if gone.is_empty() {
        return None;
    }
    let bind = Work::Bind(gone.iter().map(|i| stm.pat[*i].clone()).collect(), operands);
    Some(Step::Splice(vec![bind, Work::Stm(without_results(stm, gone), true)]))
}
