//! Rows that a thread of a device reads again and again.
//!
//! ```text
//! par grid (i_1 < n_2) … {
//!   … par (k_3 < m_4) … {
//!     … par (l_5 < d_6) … { let x_8: f32 = index a_7[i_1, l_5] … }
//! ```
//! becomes
//! ```text
//! par grid (i_1 < n_2) … {
//!   let row_9: [d_6]f32 = par (l_10 < d_6) own { index a_7[i_1, l_10] … }
//!   … par (k_3 < m_4) … {
//!     … par (l_5 < d_6) … { let x_8: f32 = index row_9[l_5] … }
//! ```
//!
//! Neighbouring threads have neighbouring rows, and so never read neighbouring elements at the same time. What a thread
//! makes for itself alternates with what others make (Note \[Slots\] in `ir::mem`): read once from its place, a row is
//! then read as fast as if it were a column.
//!
//! The indices that follow those of the thread are those of loops around, each of all its values, and there is another
//! loop around that uses none of them. Every element that is copied is there: the sizes are those of the loops, or a
//! check in front of the thread says so. A row of a size that is known is left alone, since it is short, or its threads
//! share what they read in tiles. So is a nest of maps. One walk over each nest.

use kenaz_base::with_stack;
use kenaz_ir::effects;
use kenaz_ir::visit::{bound_in_body, for_each_body_mut};
use kenaz_ir::{
    Attrs, Body, DecisionKind, Exp, Form, Fresh, Level, LocId, Log, LoopForm, Name, Operand, Par, Param, Pass, PassCx,
    Plan, Prog, Stm, Type, WorkerOrder,
};
use rustc_hash::{FxHashMap, FxHashSet};

pub const ROWS: Pass = Pass {
    name: "own-rows",
    about: "have threads of a device copy the rows that they read again and again",
    stage: Some(kenaz_ir::Stage::Parallel),
    run: own_rows,
};

/// Fewer times are not worth a copy.
const OFTEN: i64 = 4;

fn own_rows(prog: &mut Prog, cx: &mut PassCx) {
    if !cx.target.runs(Level::Grid) || cx.target.worker_order != WorkerOrder::Innermost {
        return;
    }
    let Prog { funs, fresh, .. } = prog;
    for fun in funs {
        let mut dims = FxHashMap::default();
        fun.params.iter().for_each(|param| note(&mut dims, param));
        Walk { fresh, log: &mut cx.log, dims }.body(&mut fun.body);
    }
}

fn note(dims: &mut FxHashMap<Name, Vec<Operand>>, param: &Param) {
    if param.ty.is_array() {
        dims.insert(param.name, param.ty.dims().to_vec());
    }
}

struct Walk<'a> {
    fresh: &'a mut Fresh,
    log: &'a mut Log,
    /// The sizes of arrays.
    dims: FxHashMap<Name, Vec<Operand>>,
}

impl Walk<'_> {
    fn body(&mut self, body: &mut Body) {
        with_stack(|| {
            for stm in &mut body.stms {
                match &mut stm.exp {
                    Exp::Par(par) if par.level == Some(Level::Grid) => self.thread(par, stm.loc),
                    exp => for_each_body_mut(exp, |inner| self.body(inner)),
                }
                stm.pat.iter().for_each(|param| note(&mut self.dims, param));
            }
        });
    }

    fn thread(&mut self, par: &mut Par, loc: LocId) {
        // A nest of maps has a thread for each point, and a row belongs to many of them.
        let is_map = |stm: &Stm| matches!(&stm.exp, Exp::Par(inner) if inner.any_order());
        if par.any_order() && effects::any(&par.body, is_map) {
            return;
        }
        let mut inside: FxHashSet<Name> = bound_in_body(&par.body).into_iter().collect();
        inside.extend(par.space.iter().map(|(var, _)| *var));
        let changed = par.forms.iter().flat_map(Form::dests).copied().collect();
        let mut rows = Rows {
            space: &par.space,
            inside,
            changed,
            dims: &self.dims,
            loops: Vec::new(),
            branches: 0,
            found: vec![],
        };
        rows.body(&mut par.body, self.fresh);
        let mut stms = Vec::new();
        for row in rows.found {
            let reason = format!("a thread reads its row of `{}` again and again", row.of.base);
            self.log.decide(DecisionKind::Copy, loc, reason);
            stms.push(row.stm(&par.space, loc, self.fresh));
        }
        par.body.stms.splice(0..0, stms);
    }
}

/// A row that a thread copies.
struct Row {
    of: Name,
    name: Name,
    ty: Type,
    certs: Vec<Name>,
}

impl Row {
    /// The statement that makes the copy.
    fn stm(self, space: &[(Name, Operand)], loc: LocId, fresh: &mut Fresh) -> Stm {
        let own: Vec<(Name, Operand)> = self.ty.dims().iter().map(|n| (fresh.named("i"), *n)).collect();
        let indices = space.iter().chain(&own).map(|(var, _)| Operand::Var(*var)).collect();
        let x = fresh.named("x");
        let element = Param::new(x, self.ty.row(own.len()));
        let load = Stm {
            pat: vec![element],
            certs: self.certs,
            attrs: Attrs::default(),
            exp: Exp::Index(self.of, indices),
            loc,
        };
        let par = Par {
            level: None,
            space: own,
            plan: Plan::default(),
            ops: Vec::new(),
            body: Body { stms: vec![load], results: vec![x.into()] },
            post: None,
            forms: vec![Form::Own],
        };
        let pat = vec![Param::new(self.name, self.ty)];
        Stm { pat, certs: Vec::new(), attrs: Attrs::default(), exp: Exp::Par(par), loc }
    }
}

struct Rows<'a> {
    space: &'a [(Name, Operand)],
    /// The names of the thread.
    inside: FxHashSet<Name>,
    /// The arrays that the nest changes.
    changed: FxHashSet<Name>,
    dims: &'a FxHashMap<Name, Vec<Operand>>,
    /// The loops around, with their trip counts; nobody knows those of some.
    loops: Vec<Option<(Name, Operand)>>,
    branches: usize,
    found: Vec<Row>,
}

impl Rows<'_> {
    fn body(&mut self, body: &mut Body, fresh: &mut Fresh) {
        with_stack(|| body.stms.iter_mut().for_each(|stm| self.stm(stm, fresh)));
    }

    fn stm(&mut self, stm: &mut Stm, fresh: &mut Fresh) {
        let around = self.loops.len();
        match &mut stm.exp {
            Exp::Index(..) => self.access(stm, fresh),
            Exp::Par(par) => {
                self.loops.extend(par.space.iter().map(|dim| Some(*dim)));
                self.body(&mut par.body, fresh);
            }
            Exp::Loop { form, body, .. } => {
                self.loops.push(match form {
                    LoopForm::For(i, kenaz_base::Prim::I64, n) => Some((*i, *n)),
                    _ => None,
                });
                self.body(body, fresh);
            }
            exp => {
                self.branches += 1;
                for_each_body_mut(exp, |body| self.body(body, fresh));
                self.branches -= 1;
            }
        }
        self.loops.truncate(around);
    }

    fn is_outside(&self, x: &Operand) -> bool {
        x.name().is_none_or(|name| !self.inside.contains(&name))
    }

    fn access(&mut self, stm: &mut Stm, fresh: &mut Fresh) {
        let (Exp::Index(a, indices), [element]) = (&stm.exp, &stm.pat[..]) else { return };
        let (a, count) = (*a, self.space.len());
        if indices.len() <= count || self.inside.contains(&a) || self.changed.contains(&a) {
            return;
        }
        let (before, rest) = indices.split_at(count);
        let is_own = before.iter().zip(self.space).all(|(x, (var, _))| *x == Operand::Var(*var));
        let Some(dims) = self.dims.get(&a).filter(|dims| is_own && dims.len() == indices.len()) else { return };
        let loop_of = |x: &Operand| {
            let at = self.loops.iter().position(|around| around.is_some_and(|(var, _)| *x == Operand::Var(var)))?;
            Some((at, self.loops[at]?.1))
        };
        let Some(loops) = rest.iter().map(loop_of).collect::<Option<Vec<(usize, Operand)>>>() else { return };
        let used: FxHashSet<usize> = loops.iter().map(|(at, _)| *at).collect();
        let is_known = |n: &Operand| matches!(n, Operand::Const(_));
        if used.len() < rest.len() || loops.iter().all(|(_, n)| is_known(n)) {
            return;
        }
        let is_often = |around: &Option<(Name, Operand)>| match around {
            Some((_, Operand::Const(n))) => n.as_i64().is_some_and(|n| n >= OFTEN),
            _ => true,
        };
        if !self.loops.iter().enumerate().any(|(at, around)| !used.contains(&at) && is_often(around)) {
            return;
        }
        let sizes: Vec<Operand> = loops.into_iter().map(|(_, n)| n).collect();
        let wanted = self.space.iter().map(|(_, n)| *n).chain(sizes.iter().copied());
        let is_there = dims.iter().copied().eq(wanted);
        let is_checked = !stm.certs.is_empty() && self.branches == 0;
        let is_in_front =
            sizes.iter().all(|n| self.is_outside(n)) && !stm.certs.iter().any(|c| self.inside.contains(c));
        if !is_in_front || !is_there && !is_checked {
            return;
        }
        let ty = element.ty.with_outer(&sizes);
        let rest = rest.to_vec();
        let known = self.found.iter().find(|row| row.of == a && row.ty == ty && row.certs == stm.certs);
        let row = known.map(|row| row.name).unwrap_or_else(|| {
            let name = fresh.named("row");
            self.found.push(Row { of: a, name, ty, certs: stm.certs.clone() });
            name
        });
        stm.exp = Exp::Index(row, rest);
        stm.certs.clear();
    }
}
