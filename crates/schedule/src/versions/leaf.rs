//! The flat version of a reduction or scan inside maps, with nothing else in them: a segmented operator.
//!
//! ```text
//! let b_1 = par grid (i_2 < n_3) own {               let parts_7 = par block (c_8 < k_9, i_2 < n_3) own {… par lane (j_5 < len_10) reduce …}
//!   let s_4 = par (j_5 < m_6) reduce … {…}        ⇒    let b_1 = par block (i_2 < n_3) own {
//!   in s_4                                               let s_4 = par lane (c_8 < k_9) reduce … { index parts_7[c_8, i_2] }
//! }                                                      in s_4
//!                                                      }
//! ```
//!
//! Each segment is cut into parts, so many that there are enough blocks or threads, and the results of the parts are
//! combined in their order. Where neighbouring segments are neighbours in memory, each part has a thread, and blocks
//! otherwise.
//!
//! A scan goes through the elements of all segments, with a flag that says where one begins:
//!
//! ```text
//! let b_1 = par grid (i_2 < n_3) own {               let all_7 = par grid (t_8 < n_3*m_6) scan (false, 0) \(f, x, g, y) -> {… if g then y else x ⊕ y}
//!   let s_4 = par (j_5 < m_6) scan … own {…}      ⇒      own { let i_2 = quot t_8 m_6, j_5 = rem t_8 m_6 …}
//!   in s_4                                           let b_1 = reshape [n_3, m_6] all_7
//! }
//! ```

use super::front::Front;
use super::makes_nothing;
use super::spread::plain;
use kenaz_ir::visit::{copy_body, copy_lambda};
use kenaz_ir::{
    BinOp, Body, CmpOp, Exp, Form, Fresh, Lambda, Level, LocId, Name, OpKind, Operand, Par, ParOp, Param, Plan, Post,
    Scalar, Stm, Type,
};

/// So many blocks keep a device busy, and so many threads.
const BLOCKS: i64 = 2048;
const THREADS: i64 = 1 << 17;

/// The least elements of a part, for a block and for a thread.
const PART_OF_BLOCK: i64 = 1024;
const PART_OF_THREAD: i64 = 16;

/// A nest of maps with one operator inside, and what it is made from.
pub(super) struct Leaf<'a> {
    space: &'a [(Name, Operand)],
    /// Views and a few instructions.
    before: &'a [Stm],
    op: &'a Stm,
    par: &'a Par,
    pat: &'a [Param],
}

impl Leaf<'_> {
    pub(super) fn of<'a>(nest: &'a Par, pat: &'a [Param]) -> Option<Leaf<'a>> {
        let (op, before) = nest.body.stms.split_last()?;
        let Exp::Par(par) = &op.exp else { return None };
        let is_whole = nest.body.results == super::results(&op.pat) && before.iter().all(super::is_cheap);
        let is_simple = par.level.is_none()
            && par.ops.iter().all(|op| op.shape.is_empty())
            && par.forms.iter().all(|form| matches!(form, Form::Own));
        let is_reduction = !par.ops.is_empty() && par.forms.is_empty();
        let is_scan = par.scans().next().is_some() && par.reduced() == 0;
        (is_whole && is_simple && (is_reduction || is_scan)).then_some(Leaf {
            space: &nest.space,
            before,
            op,
            par,
            pat,
        })
    }

    /// Whether its operator is a reduction, and not a scan.
    pub(super) fn is_reduction(&self) -> bool {
        self.par.forms.is_empty()
    }

    /// Whether blocks can do a part.
    fn fits_blocks(&self) -> bool {
        makes_nothing(&self.par.body)
    }

    /// The flat version; its names are new.
    pub(super) fn flat(&self, by_threads: bool, loc: LocId, fresh: &mut Fresh) -> Option<Body> {
        let mut out = Vec::new();
        let mut front = Front { fresh, out: &mut out, loc };
        let results = if self.is_reduction() {
            if !by_threads && !self.fits_blocks() {
                return None;
            }
            self.split(by_threads, &mut front)
        } else {
            self.flagged(&mut front)?
        };
        Some(copy_body(&Body { stms: out, results }, fresh))
    }

    fn sizes(&self) -> Vec<Operand> {
        self.space.iter().map(|(_, n)| *n).collect()
    }

    /// A reduction in parts.
    fn split(&self, by_threads: bool, front: &mut Front) -> Vec<Operand> {
        let (first, n) = self.par.space[0];
        let (wanted, least) = if by_threads { (THREADS, PART_OF_THREAD) } else { (BLOCKS, PART_OF_BLOCK) };
        let outer = front.product(self.space.iter().map(|(_, n)| *n));
        let outer = front.bin(BinOp::Max, outer, Operand::i64(1));
        let outer = front.bin(BinOp::Min, outer, Operand::i64(wanted));
        let wanted = front.parts(Operand::i64(wanted), outer);
        let most = match self.par.space.len() {
            1 => front.parts(n, Operand::i64(least)),
            _ => n,
        };
        let parts = front.bin(BinOp::Min, wanted, most);
        let parts = front.bin(BinOp::Max, parts, Operand::i64(1));
        let size = front.parts(n, parts);
        let size = front.bin(BinOp::Max, size, Operand::i64(1));
        // None is empty, so that there are none of no elements.
        let parts = front.parts(n, size);

        let c = front.fresh.named("part");
        let mut stms = Vec::new();
        let len = {
            let mut inside = Front { fresh: front.fresh, out: &mut stms, loc: front.loc };
            let start = inside.bin(BinOp::Mul, Operand::Var(c), size);
            let left = inside.bin(BinOp::Sub, n, start);
            let len = inside.bin(BinOp::Min, size, left);
            (start, len)
        };
        stms.extend(self.before.iter().cloned());
        let at = front.fresh.like(first);
        let mut part = self.par.clone();
        part.space[0] = (at, len.1);
        part.level = (!by_threads).then_some(Level::Lane);
        let exp = Exp::Bin(BinOp::Add, len.0, Operand::Var(at));
        part.body.stms.insert(0, plain(vec![Param::new(first, Type::I64)], exp, front.loc));
        stms.push(Stm { exp: Exp::Par(part), ..self.op.clone() });
        let body = Body { stms, results: super::results(&self.op.pat) };
        let space: Vec<(Name, Operand)> = [(c, parts)].iter().chain(self.space).copied().collect();
        let sizes: Vec<Operand> = space.iter().map(|(_, n)| *n).collect();
        let level = Some(if by_threads { Level::Grid } else { Level::Block });
        let kept: Vec<Param> = self
            .op
            .pat
            .iter()
            .map(|param| Param::new(front.fresh.named("parts"), param.ty.with_outer(&sizes)))
            .collect();
        let forms = vec![Form::Own; kept.len()];
        let par = Par { level, space, plan: Plan::default(), ops: Vec::new(), body, post: None, forms };
        let stm = copied(plain(kept.clone(), Exp::Par(par), front.loc), front.fresh);
        let kept = stm.pat.clone();
        front.out.push(stm);
        self.combine(&kept, parts, front)
    }

    /// What the parts of each segment come to.
    fn combine(&self, kept: &[Param], parts: Operand, front: &mut Front) -> Vec<Operand> {
        let c = front.fresh.named("part");
        let indices: Vec<Operand> =
            [c].iter().chain(self.space.iter().map(|(var, _)| var)).map(|v| (*v).into()).collect();
        let mut stms = Vec::new();
        let values = kept.iter().zip(&self.op.pat).map(|(parts, param)| {
            let name = front.fresh.named("x");
            stms.push(plain(
                vec![Param::new(name, param.ty.clone())],
                Exp::Index(parts.name, indices.clone()),
                front.loc,
            ));
            Operand::Var(name)
        });
        let results = values.collect();
        let ops = self.par.ops.iter().map(|op| ParOp { lambda: copy_lambda(&op.lambda, front.fresh), ..op.clone() });
        let inner = Par {
            level: Some(Level::Lane),
            space: vec![(c, parts)],
            plan: Plan::default(),
            ops: ops.collect(),
            body: Body { stms, results },
            post: None,
            forms: Vec::new(),
        };
        let stm = Stm { certs: Vec::new(), exp: Exp::Par(inner), ..self.op.clone() };
        let body = Body { stms: vec![stm], results: super::results(&self.op.pat) };
        let forms = vec![Form::Own; self.pat.len()];
        let (level, space) = (Some(Level::Block), self.space.to_vec());
        let par = Par { level, space, plan: Plan::default(), ops: Vec::new(), body, post: None, forms };
        let stm = copied(plain(self.pat.to_vec(), Exp::Par(par), front.loc), front.fresh);
        let results = super::results(&stm.pat);
        front.out.push(stm);
        results
    }

    /// A scan over the elements of all segments.
    fn flagged(&self, front: &mut Front) -> Option<Vec<Operand>> {
        let [(j, m)] = self.par.space[..] else { return None };
        let all = front.product(self.space.iter().map(|(_, n)| *n).chain([m]));
        let t = front.fresh.named("t");
        let mut stms = Vec::new();
        let mut inside = Front { fresh: front.fresh, out: &mut stms, loc: front.loc };
        let index = |inside: &mut Front, name: Name, exp: Exp| {
            inside.out.push(plain(vec![Param::new(name, Type::I64)], exp, inside.loc));
        };
        index(&mut inside, j, Exp::Bin(BinOp::Rem, t.into(), m));
        let mut rest = inside.bin(BinOp::Quot, t.into(), m);
        for (at, (var, n)) in self.space.iter().enumerate().rev() {
            if at == 0 {
                index(&mut inside, *var, Exp::Operand(rest));
            } else {
                index(&mut inside, *var, Exp::Bin(BinOp::Rem, rest, *n));
                rest = inside.bin(BinOp::Quot, rest, *n);
            }
        }
        let begins = inside.cmp(CmpOp::Eq, j.into(), Operand::i64(0));
        stms.extend(self.before.iter().cloned());
        stms.extend(self.par.body.stms.iter().cloned());
        let mut values = self.par.body.results.iter().copied();
        let (mut ops, mut results) = (Vec::new(), Vec::new());
        let mut params = Vec::new();
        let mut post_params = self.par.post.as_ref()?.params.iter().cloned();
        for op in &self.par.ops {
            results.push(begins);
            results.extend(values.by_ref().take(op.neutral.len()));
            params.push(Param::new(front.fresh.named("flag"), Type::BOOL));
            params.extend(post_params.by_ref().take(op.neutral.len()));
            ops.push(with_flag(op, front));
        }
        let body = self.par.post.as_ref()?.body.clone();
        let kept: Vec<Param> = self
            .pat
            .iter()
            .map(|param| Param::new(front.fresh.named("all"), param.ty.row(self.space.len() + 1).with_outer(&[all])))
            .collect();
        let par = Par {
            level: Some(Level::Grid),
            space: vec![(t, all)],
            plan: Plan::default(),
            ops,
            body: Body { stms, results },
            post: Some(Post { params, body }),
            forms: self.par.forms.clone(),
        };
        let stm = copied(Stm { certs: self.op.certs.clone(), ..plain(kept, Exp::Par(par), front.loc) }, front.fresh);
        let kept = stm.pat.clone();
        front.out.push(stm);
        let shape: Vec<Operand> = self.sizes().into_iter().chain([m]).collect();
        let mut results = Vec::new();
        for (kept, param) in kept.iter().zip(self.pat) {
            let dims = shape.iter().chain(kept.ty.row(1).dims()).copied().collect();
            results.push(front.bind(param.name.base.as_str(), param.ty.clone(), Exp::Reshape(dims, kept.name)));
        }
        Some(results)
    }
}

/// An operator that begins again where the flag of its second operand says.
fn with_flag(op: &ParOp, front: &mut Front) -> ParOp {
    let lambda = copy_lambda(&op.lambda, front.fresh);
    let count = op.neutral.len();
    let [before, after, either] = ["before", "begins", "flag"].map(|base| front.fresh.named(base));
    let (left, right) = lambda.params.split_at(count);
    let mut params = vec![Param::new(before, Type::BOOL)];
    params.extend(left.iter().cloned());
    params.push(Param::new(after, Type::BOOL));
    params.extend(right.iter().cloned());
    let pat: Vec<Param> = lambda.ret.iter().map(|ty| Param::new(front.fresh.named("x"), ty.clone())).collect();
    let begin = Body { stms: Vec::new(), results: super::results(right) };
    let results = [Operand::Var(either)].into_iter().chain(super::results(&pat)).collect();
    let stms = vec![
        plain(vec![Param::new(either, Type::BOOL)], Exp::Bin(BinOp::Or, before.into(), after.into()), front.loc),
        plain(pat, Exp::If(after.into(), begin, lambda.body), front.loc),
    ];
    let ret = [Type::BOOL].into_iter().chain(lambda.ret).collect();
    let neutral = [Operand::Const(Scalar::Bool(false))].into_iter().chain(op.neutral.iter().copied()).collect();
    let lambda = Lambda { params, body: Body { stms, results }, ret };
    ParOp { kind: OpKind::Scan, lambda, neutral, shape: Vec::new() }
}

/// The statement with other names for everything that it binds.
fn copied(stm: Stm, fresh: &mut Fresh) -> Stm {
    let mut copy = copy_body(&Body { stms: vec![stm.clone()], results: Vec::new() }, fresh);
    copy.stms.pop().unwrap_or(stm)
}
