//! Reductions on a device whose iterations have parallelism inside.
//!
//! ```text
//! let r_1: [m_6]f32 = par grid (i_2 < n_3) reduce [m_6] (0.0f32) ⊕ { let row_4 = index a_5[i_2] in row_4 }
//!   ⇒ let r_1: [m_6]f32 = par grid (j_7 < m_6) own {
//!       let s_8: f32 = par (i_2 < n_3) reduce (0.0f32) ⊕ { let x_9 = index a_5[i_2, j_7] in x_9 }
//!       in s_8
//!     }
//! ```
//!
//! An operator that goes through arrays element by element is turned inside out: each element is a reduction of its
//! own. Rows that are computed at some cost are made by a map before.
//!
//! Another reduction is cut in two, where its iterations are too few for all threads: a map, which is a nest with
//! versions, and the reduction of what that has made.

use super::spread::{is_wide, plain};
use super::{is_cheap, results};
use crate::cores::is_closed;
use kenaz_ir::effects;
use kenaz_ir::visit::{Subst, copy_body, free_in_body};
use kenaz_ir::{Attr, Attrs, Body, Exp, Form, Fresh, Level, Name, OpKind, Operand, Par, ParOp, Param, Plan, Stm, Type};
use std::collections::BTreeSet;

/// The statements in the place of a reduction with operators over arrays; their results are those of the statement.
pub(super) fn inside_out(stm: &Stm, par: &Par, fresh: &mut Fresh) -> Option<Vec<Stm>> {
    let has_vectors = par.ops.iter().any(|op| !op.shape.is_empty());
    let is_reduction = par.ops.iter().all(|op| op.kind != OpKind::Scan) && par.post.is_none();
    if !has_vectors || !is_reduction || !par.forms.iter().all(|form| matches!(form, Form::Own)) {
        return None;
    }
    let mut out = Vec::new();
    let is_by_element = par.forms.is_empty() && Rows::of(par).is_some();
    let par = if is_by_element { par.clone() } else { mapped_before(stm, par, fresh, &mut out) };
    let rows = Rows::of(&par)?;
    let mut pat = stm.pat.iter();
    let mut at = 0;
    for op in &par.ops {
        let these = at..at + op.neutral.len();
        at = these.end;
        let pat: Vec<Param> = pat.by_ref().take(op.neutral.len()).cloned().collect();
        out.push(rows.reduction(stm, &par, op, pat, &par.body.results[these], fresh));
    }
    Some(out)
}

/// The same reductions over arrays with the values of each iteration, which a map makes. It makes the results of the
/// forms as well.
fn mapped_before(stm: &Stm, par: &Par, fresh: &mut Fresh, out: &mut Vec<Stm>) -> Par {
    let sizes: Vec<Operand> = par.space.iter().map(|(_, n)| *n).collect();
    let types = par
        .ops
        .iter()
        .flat_map(|op| op.lambda.params[..op.neutral.len()].iter().map(|param| param.ty.with_outer(&op.shape)));
    let types: Vec<Type> = types.collect();
    let kept: Vec<Param> = types.iter().map(|ty| Param::new(fresh.named("operands"), ty.with_outer(&sizes))).collect();
    let pat: Vec<Param> = kept.iter().chain(&stm.pat[par.reduced()..]).cloned().collect();
    let forms = vec![Form::Own; pat.len()];
    let map = Par { ops: Vec::new(), forms, ..par.clone() };
    out.push(Stm { pat, exp: Exp::Par(map), ..stm.clone() });
    let space: Vec<(Name, Operand)> = par.space.iter().map(|(var, n)| (fresh.like(*var), *n)).collect();
    let indices: Vec<Operand> = space.iter().map(|(var, _)| Operand::Var(*var)).collect();
    let (mut stms, mut values) = (Vec::new(), Vec::new());
    for (kept, ty) in kept.iter().zip(types) {
        let row = Param::new(fresh.named("row"), ty);
        values.push(Operand::Var(row.name));
        stms.push(plain(vec![row], Exp::Index(kept.name, indices.clone()), stm.loc));
    }
    let body = Body { stms, results: values };
    Par { space, body, forms: Vec::new(), ..par.clone() }
}

/// The body of a reduction whose rows can be had element by element.
struct Rows<'a> {
    /// Views and a few instructions.
    before: Vec<&'a Stm>,
    /// The maps that make rows.
    maps: Vec<(&'a Stm, &'a Par)>,
}

impl Rows<'_> {
    fn of(par: &Par) -> Option<Rows<'_>> {
        let mut rows = Rows { before: Vec::new(), maps: Vec::new() };
        let mut made: BTreeSet<Name> = BTreeSet::new();
        for stm in &par.body.stms {
            match &stm.exp {
                Exp::Par(map) if map.level.is_none() && map.any_order() && !is_closed(stm) => {
                    made.extend(stm.pat.iter().map(|param| param.name));
                    rows.maps.push((stm, map));
                }
                _ if is_cheap(stm) => rows.before.push(stm),
                _ => return None,
            }
        }
        // A row that others look into is made as a whole, and so is one of other dimensions than the operator's.
        let others = rows.before.iter().map(|stm| kenaz_ir::visit::free_in_stm(stm));
        let inside = rows.maps.iter().map(|(_, map)| free_in_body(&map.body));
        let is_apart = others.chain(inside).all(|free| free.is_disjoint(&made));
        let mut at = 0;
        for op in &par.ops {
            for x in &par.body.results[at..at + op.neutral.len()] {
                let map = rows.maps.iter().find(|(stm, _)| stm.pat.iter().any(|p| Operand::Var(p.name) == *x));
                let fits = |map: &Par| {
                    let is_plain = map.body.stms.iter().all(is_cheap) || map.space.len() == op.shape.len();
                    is_plain && map.space.iter().map(|(_, n)| *n).eq(op.shape.iter().copied())
                };
                if map.is_some_and(|(_, map)| !fits(map)) {
                    return None;
                }
            }
            at += op.neutral.len();
        }
        is_apart.then_some(rows)
    }

    /// The reduction for each element.
    fn reduction(
        &self,
        stm: &Stm,
        par: &Par,
        op: &ParOp,
        pat: Vec<Param>,
        operands: &[Operand],
        fresh: &mut Fresh,
    ) -> Stm {
        let vars: Vec<Name> = op.shape.iter().map(|_| fresh.named("j")).collect();
        let mut stms: Vec<Stm> = self.before.iter().map(|stm| (*stm).clone()).collect();
        let mut values = Vec::new();
        let types = op.lambda.params[..op.neutral.len()].iter().map(|param| param.ty.clone());
        for (x, ty) in operands.iter().zip(types) {
            let map = self.maps.iter().find_map(|(stm, map)| {
                let at = stm.pat.iter().position(|param| Operand::Var(param.name) == *x)?;
                Some((*map, at))
            });
            if let Some((map, at)) = map {
                let mut body = copy_body(&map.body, fresh);
                let subst: Subst = map.space.iter().map(|(var, _)| *var).zip(vars.iter().copied()).collect();
                subst.apply_to_body(&mut body);
                stms.append(&mut body.stms);
                values.push(body.results[at]);
                continue;
            }
            match x {
                Operand::Var(row) if !vars.is_empty() => {
                    let value = Param::new(fresh.named("x"), ty);
                    values.push(Operand::Var(value.name));
                    stms.push(plain(vec![value], element(*row, &vars, &self.before), stm.loc));
                }
                x => values.push(*x),
            }
        }
        let inner = Par {
            level: None,
            space: par.space.clone(),
            plan: Plan::default(),
            ops: vec![ParOp { shape: Vec::new(), ..op.clone() }],
            body: Body { stms, results: values },
            post: None,
            forms: Vec::new(),
        };
        if vars.is_empty() {
            let exp = Exp::Par(Par { level: Some(Level::Grid), ..inner });
            return renamed(Stm { pat, exp, ..stm.clone() }, fresh);
        }
        let sums: Vec<Param> =
            pat.iter().map(|param| Param::new(fresh.named("sum"), param.ty.row(vars.len()))).collect();
        let reduction = Stm { pat: sums.clone(), attrs: Attrs::default(), exp: Exp::Par(inner), ..stm.clone() };
        let outer = Par {
            level: Some(Level::Grid),
            space: vars.into_iter().zip(op.shape.iter().copied()).collect(),
            plan: Plan::default(),
            ops: Vec::new(),
            body: Body { stms: vec![reduction], results: results(&sums) },
            post: None,
            forms: vec![Form::Own; pat.len()],
        };
        // What an attribute says of the inside of iterations was about what is before, and not about the reduction.
        let attrs = Attrs(stm.attrs.0.iter().filter(|attr| **attr != Attr::SequentialInner).cloned().collect());
        renamed(Stm { pat, exp: Exp::Par(outer), certs: Vec::new(), attrs, ..stm.clone() }, fresh)
    }
}

/// The element of a row, of the array that the row is of where that is known.
fn element(row: Name, vars: &[Name], before: &[&Stm]) -> Exp {
    let own = vars.iter().map(|var| Operand::Var(*var));
    let def = before.iter().find(|stm| matches!(&stm.pat[..], [param] if param.name == row));
    match def.map(|stm| (&stm.exp, &stm.certs[..])) {
        Some((Exp::Index(array, indices), [])) => Exp::Index(*array, indices.iter().copied().chain(own).collect()),
        _ => Exp::Index(row, own.collect()),
    }
}

/// The statement with other names for everything bound inside of it.
fn renamed(stm: Stm, fresh: &mut Fresh) -> Stm {
    let pat = stm.pat.clone();
    let copy = copy_body(&Body { stms: vec![stm], results: Vec::new() }, fresh).stms.into_iter().next();
    let Some(copy) = copy else { unreachable!("a copy has as many statements") };
    // The results keep their names, but sizes among them have no second one.
    Stm { pat, ..copy }
}

/// A map and a reduction in the place of a reduction with parallelism inside its iterations.
pub(super) fn apart(stm: &Stm, par: &Par, fresh: &mut Fresh) -> Option<Body> {
    let is_plain = par.ops.iter().all(|op| op.shape.is_empty() && op.kind != OpKind::Scan)
        && par.forms.iter().all(|form| matches!(form, Form::Own))
        && par.post.is_none();
    if par.ops.is_empty() || !is_plain || !effects::any(&par.body, is_wide) {
        return None;
    }
    let mut out = Vec::new();
    let reduction = mapped_before(stm, par, fresh, &mut out);
    out.push(Stm { pat: stm.pat[..par.reduced()].to_vec(), exp: Exp::Par(reduction), ..stm.clone() });
    Some(copy_body(&Body { stms: out, results: results(&stm.pat) }, fresh))
}
