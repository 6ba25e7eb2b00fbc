//! Sets `lanes`: reductions whose operator commutes get several accumulators side by side.
//!
//! ```text
//! let s_1: f32 = par (i_2 < n_3)                        let s_1: f32 = par (i_2 < n_3) plan [lanes 32 8 from 16]
//!   reduce (0.0f32) \… { let x_4 = index a_5[i_2] … }  →  reduce (0.0f32) \… { let x_4 = index a_5[i_2] … }
//! ```
//!
//! The order of additions of floats matters to C compilers, so that they do not use vectors; built-in operations on
//! integers they reorder themselves. The body is written several times, so it must be short and do nothing but compute
//! scalars: one that calls functions or branches does not become vectors anyway. A scan in chunks first reduces each
//! chunk, and that reduction is what its lanes are about. `strips` comes before: what it does at once for many
//! iterations is not for lanes. Cost: linear in the program.

use crate::walk::{At, each_par};
use kenaz_base::{Attr, Code, Prim, with_stack};
use kenaz_ir::plan::{Lanes, Piece};
use kenaz_ir::{
    BinOp, Body, DecisionKind, Exp, Form, Level, OpKind, Operand, Par, ParOp, Param, Pass, PassCx, Prog, Stm, Type,
};

pub const PASS: Pass = Pass {
    name: "lanes",
    about: "gives reductions whose operator commutes several accumulators",
    stage: None,
    run: lanes,
};

/// The names of its rules.
pub const RULES: &[&str] = &["lanes"];

/// Bodies and operators with more statements than this are written once.
const MOST_STATEMENTS: usize = 48;
const MOST_IN_OPERATOR: usize = 8;

/// The accumulators of a reduction side by side: enough vectors of any width to hide how long an addition takes. When
/// not enough operands are left for all of them, fewer have less to do for each operand. It takes some to make up for
/// the combination of the lanes.
const LANES: Lanes = Lanes { wide: 32, narrow: 8, fewest: 16 };

/// Branches of at most this many simple operations are both evaluated by `imp` in lanes.
const SELECTED: usize = 8;

fn lanes(prog: &mut Prog, cx: &mut PassCx) {
    let is_asked = |par: &Par| matches!(par.level, Some(Level::Simd(_)));
    each_par(prog, cx, &|par| !par.ops.is_empty() || is_asked(par), |at, pat, par| {
        if let (Some(Level::Simd(width)), Some(attr)) = (par.level, at.attrs.find(Attr::is_level)) {
            let width = if width == 0 { machine_width(at, pat, par) } else { width.into() };
            return asked(at, pat, par, width, (attr, Code::LevelRefused));
        }
        if let Some(attr) = at.attrs.find(|attr| matches!(attr, Attr::Vector(_)))
            && let Attr::Vector(width) = attr.wanted()
        {
            return asked(at, pat, par, width.into(), (attr, Code::AttributeRefused));
        }
        if !is_candidate(at, par) {
            return;
        }
        if at.in_order {
            return at.log.obey(DecisionKind::NotInLanes, at.loc, "`#[sequential]`: the order is the one written");
        }
        match refused(pat, par) {
            Some(reason) => at.log.decide(DecisionKind::NotInLanes, at.loc, reason),
            None => {
                at.set(par, "lanes", Piece::Lanes(LANES), "its operator commutes");
            }
        }
    });
}

/// The elements in a vector of the machine, by the largest of what is computed.
fn machine_width(at: &At, pat: &[Param], par: &Par) -> u64 {
    let values = pat.iter().chain(par.ops.iter().flat_map(|op| &op.lambda.params));
    let bytes = values.filter_map(|param| param.ty.prim()).map(|prim| prim.bytes() as u64).max();
    (at.target.vector_bytes / bytes.unwrap_or(8).max(1)).max(1)
}

/// Sets lanes that an attribute asks for, of exactly this width, or refuses them.
fn asked(at: &mut At, pat: &[Param], par: &mut Par, width: u64, (attr, code): (Attr, Code)) {
    let is_loop = par.space.len() == 1 && par.scans().next().is_none() && par.ops.iter().all(|op| op.shape.is_empty());
    let reason = if !width.is_power_of_two() {
        Some("the elements of a vector are a power of two")
    } else if !is_loop {
        Some("this is neither a map nor a reduction of scalars")
    } else if code != Code::LevelRefused && par.ops.is_empty() {
        Some("this is no reduction")
    } else {
        refused(pat, par)
    };
    match reason {
        Some(reason) => at.refuse(code, attr, reason),
        None => {
            let lanes = Lanes { wide: width, narrow: width, fewest: width };
            at.set(par, "lanes", Piece::Lanes(lanes), "an attribute asks for it");
        }
    }
}

/// The operators that a loop in lanes would be about.
fn reductions(par: &Par) -> Vec<&ParOp> {
    if par.scans().next().is_some() { par.scans().collect() } else { par.ops.iter().collect() }
}

/// Whether a `par` is one loop with reductions of scalars, from which a C compiler makes no vectors by itself.
fn is_candidate(at: &At, par: &Par) -> bool {
    let has_scan = par.scans().next().is_some();
    let in_chunks = par.plan.chunks().is_some();
    let is_short = at.extent(par, 0).is_some_and(|n| n < LANES.fewest.cast_signed());
    let is_split = par.plan.split(0).is_some() && !at.is_part(par);
    let ops = reductions(par);
    par.space.len() == 1
        && !ops.is_empty()
        && ops.iter().all(|op| op.shape.is_empty())
        && ops.iter().any(|op| has_float(op) || !op.lambda.is_built_in())
        && par.plan.strips().is_none()
        && if has_scan { in_chunks } else { !is_split && !is_short }
}

fn has_float(op: &ParOp) -> bool {
    op.lambda.params.iter().any(|p| p.ty.prim().is_some_and(Prim::is_float))
}

/// Why a loop cannot or should not run in lanes.
fn refused(pat: &[Param], par: &Par) -> Option<&'static str> {
    let ops = reductions(par);
    let commutes = |op: &&ParOp| op.kind == OpKind::Reduce { commutative: true } || op.lambda.is_built_in();
    if !ops.iter().all(commutes) {
        return Some("an operator is not known to commute");
    }
    if ops.iter().any(|op| op.lambda.body.stms.len() > MOST_IN_OPERATOR) {
        return Some("an operator is long");
    }
    let has_scan = par.scans().next().is_some();
    let is_element = |param: &Param| param.ty.rank() == 1;
    let stores = has_scan
        || par.forms.iter().all(|form| matches!(form, Form::Own)) && pat[par.reduced()..].iter().all(is_element);
    if !stores {
        return Some("an iteration does more than to store scalars");
    }
    let mut count = if has_scan { 0 } else { par.forms.len() };
    for body in ops.iter().map(|op| &op.lambda.body).chain([&par.body]) {
        match plain_stms(body) {
            Some(stms) => count += stms,
            None => return Some("an iteration branches, calls a function or changes an array"),
        }
    }
    count += ops.iter().map(|op| op.neutral.len()).sum::<usize>();
    (count > MOST_STATEMENTS).then_some("an iteration is long")
}

/// How many operations a body has, if it is nothing but operations on scalars that take a few instructions each. One
/// that calls a function cannot be in vectors, and takes longer than an operator.
fn plain_stms(body: &Body) -> Option<usize> {
    let of = |stm: &Stm| {
        let is_array = stm.pat.iter().any(|param| param.ty.is_array());
        match &stm.exp {
            Exp::Operand(_) | Exp::Opaque(_) => Some(0),
            exp if exp.is_view() => Some(if is_array { 0 } else { 1 }),
            Exp::Math(f, prim, _) if f.is_instruction(*prim) => Some(1),
            Exp::Bin(BinOp::Pow | BinOp::Mod, ..) => (!is_float(stm)).then_some(1),
            Exp::Un(..) | Exp::Bin(..) | Exp::Cmp(..) | Exp::Conv(..) => Some(1),
            Exp::If(_, yes, no) => selected(stm, yes, no),
            _ => None,
        }
    };
    with_stack(|| body.stms.iter().try_fold(0, |count, stm| Some(count + of(stm)?)))
}

fn is_float(stm: &Stm) -> bool {
    stm.pat.iter().any(|param| param.ty.prim().is_some_and(Prim::is_float))
}

/// How many operations a branch has that becomes a choice between two values.
fn selected(stm: &Stm, yes: &Body, no: &Body) -> Option<usize> {
    let (yes, no) = (cheap_stms(yes)?, cheap_stms(no)?);
    let is_scalar = |param: &Param| matches!(param.ty, Type::Prim(_) | Type::Cert | Type::Array(..));
    let count = stm.pat.iter().filter(|param| matches!(param.ty, Type::Prim(_))).count();
    let fits = stm.pat.iter().all(is_scalar) && (1..=2).contains(&count) && yes.max(no) <= SELECTED;
    fits.then_some(yes + no + count)
}

/// How many operations a body has, if each costs little and can do no harm where it is not needed.
fn cheap_stms(body: &Body) -> Option<usize> {
    let of = |stm: &Stm| match &stm.exp {
        Exp::Operand(_) | Exp::Opaque(_) => Some(0),
        exp if exp.is_view() && stm.pat.iter().all(|param| param.ty.is_array()) => Some(0),
        Exp::Un(..) | Exp::Cmp(..) => Some(1),
        Exp::Conv(to, x) => {
            let is_half = |prim: Prim| prim == Prim::F16;
            let from = if let Operand::Const(c) = x { is_half(c.prim()) } else { false };
            (!is_half(*to) && !from).then_some(1)
        }
        Exp::Bin(op, ..) => match op {
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Min | BinOp::Max => Some(1),
            BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::Shr => Some(1),
            BinOp::Div => is_float(stm).then_some(1),
            BinOp::Mod | BinOp::Quot | BinOp::Rem | BinOp::Pow => None,
        },
        Exp::If(_, yes, no) => selected(stm, yes, no),
        _ => None,
    };
    with_stack(|| body.stms.iter().try_fold(0, |count, stm| Some(count + of(stm)?)))
}
