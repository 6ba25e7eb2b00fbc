//! The fused operator as a `par`.
//!
//! ```text
//! let s_1, r_2, b_3 = screma n (a) map \(x) -> {… in u, v, w} scan (0) ⊕ reduce (1) ⊗
//!   ⇒ let r_2, s_1, b_3 = par (i < n) scan (0) ⊕ reduce (1) ⊗ own own {… in u, v} post (s) { in s, w }
//! ```
//!
//! On several cores a scan goes through its operands twice. Those that take long to compute, by functions or loops, are
//! computed before, by a `par` of their own.

use crate::sink::sink;
use crate::walk::{At, Mapped, Walk, is_acc, is_scalar};
use kenaz_ir::effects::{self, Cost};
use kenaz_ir::visit::Subst;
use kenaz_ir::{Body, Exp, Form, Lambda, Name, OpKind, Operand, Par, ParOp, Param, Plan, Post, Reduce, Scan, Type};

impl Walk<'_> {
    pub(crate) fn screma(
        &mut self,
        at: &At,
        pat: Vec<Param>,
        mapped: Mapped,
        scans: Vec<Scan>,
        reduces: Vec<Reduce>,
        post: Option<Lambda>,
    ) {
        let reason = if mapped.map.params.iter().any(|p| is_acc(&p.ty)) {
            "an accumulator goes through this operator"
        } else if !scans.iter().all(|scan| is_scalar(&scan.op)) {
            "this is a scan over arrays"
        } else {
            let mut ops: Vec<ParOp> = Vec::new();
            for reduce in &reduces {
                let kind = OpKind::Reduce { commutative: reduce.commutative };
                if is_scalar(&reduce.op) {
                    let (lambda, neutral) = (reduce.op.clone(), reduce.neutral.clone());
                    ops.push(ParOp { kind, lambda, neutral, shape: Vec::new() });
                } else if let Some(vector) = self.vector(&reduce.op, &reduce.neutral) {
                    ops.push(ParOp { kind, lambda: vector.op, neutral: vector.neutral, shape: vector.shape });
                }
            }
            if ops.len() == reduces.len() {
                return self.par(at, pat, mapped, scans, ops, post);
            }
            if scans.is_empty() && post.is_none() && self.has_parts(at, &mapped, &reduces) {
                return self.reduce_in_parts(at, pat, mapped, reduces);
            }
            "this is a reduction over arrays"
        };
        self.as_loop(at, reason);
        self.screma_loop(at, pat, mapped, scans, reduces, post);
    }

    fn par(
        &mut self,
        at: &At,
        pat: Vec<Param>,
        mapped: Mapped,
        scans: Vec<Scan>,
        reduces: Vec<ParOp>,
        post: Option<Lambda>,
    ) {
        let may_split = self.target.is_parallel() && !at.is_in_sequence() && !at.is_pinned();
        let is_twice = may_split && !scans.is_empty() && takes_long(&mapped.map.body);
        let mapped = if is_twice { self.mapped_before(at, mapped) } else { mapped };
        let scanned: usize = scans.iter().map(|s| s.neutral.len()).sum();
        let reduced: usize = reduces.iter().map(|r| r.neutral.len()).sum();
        let types: Vec<_> = mapped.map.ret[..scanned].to_vec();
        let has_scans = !scans.is_empty();
        let scan = |Scan { op, neutral }| ParOp { kind: OpKind::Scan, lambda: op, neutral, shape: Vec::new() };
        let mut ops: Vec<ParOp> = scans.into_iter().map(scan).chain(reduces).collect();
        for op in &mut ops {
            let lambda =
                std::mem::replace(&mut op.lambda, Lambda { params: vec![], body: Body::default(), ret: vec![] });
            op.lambda = self.lambda(lambda);
        }

        // Without a last function the results of scans come before those of reductions.
        let mut pat = pat;
        if post.is_none() {
            pat[..scanned + reduced].rotate_left(scanned);
        }
        let i = self.index_name();
        self.b.begin();
        self.b.loc = at.loc();
        self.rows(&mapped, i);
        self.inside += 1;
        let mut results = self.splice(mapped.map.body);
        let rest = results.split_off(scanned + reduced);
        let (body, post) = match post {
            Some(mut post) if has_scans => {
                let body = self.b.end(results);
                substitute(&mut post.body, post.params.drain(scanned..), rest);
                self.declare(&post.params);
                (body, Some(Post { params: post.params, body: self.body(post.body) }))
            }
            None if has_scans => {
                let body = self.b.end(results);
                let params: Vec<Param> = types.into_iter().map(|ty| self.b.param("scanned", ty)).collect();
                let scanned = params.iter().map(|p| Operand::Var(p.name));
                let results = scanned.chain(rest).collect();
                (body, Some(Post { params, body: Body { stms: Vec::new(), results } }))
            }
            Some(mut post) => {
                substitute(&mut post.body, post.params.drain(..), rest);
                results.extend(self.splice(post.body));
                (self.b.end(results), None)
            }
            None => {
                results.extend(rest);
                (self.b.end(results), None)
            }
        };
        self.inside -= 1;
        let forms = vec![Form::Own; pat.len() - reduced];
        let mut par = Par {
            level: self.level(at),
            space: vec![(i, mapped.width)],
            plan: Plan::default(),
            ops,
            body,
            post,
            forms,
        };
        sink(&mut par, &mut self.b.fresh);
        self.add(at, pat, Exp::Par(par));
    }

    /// Runs the mapped function by itself first, and goes on with the arrays of its results.
    fn mapped_before(&mut self, at: &At, mapped: Mapped) -> Mapped {
        let (width, ret) = (mapped.width, mapped.map.ret.clone());
        let pat: Vec<Param> = ret.iter().map(|ty| self.b.param("operands", ty.with_outer(&[width]))).collect();
        let arrays: Vec<Name> = pat.iter().map(|param| param.name).collect();
        self.par(at, pat, mapped, Vec::new(), Vec::new(), None);
        Mapped { width, arrays, map: self.identity(ret) }
    }

    /// A function that yields what it is given.
    pub(crate) fn identity(&mut self, ret: Vec<Type>) -> Lambda {
        let params: Vec<Param> = ret.iter().map(|ty| self.b.param("x", ty.clone())).collect();
        let results = params.iter().map(|param| param.name.into()).collect();
        Lambda { params, body: Body { stms: Vec::new(), results }, ret }
    }
}

/// Whether it has functions, loops or operators.
fn takes_long(body: &Body) -> bool {
    effects::any(body, |stm| match effects::of(stm).cost {
        Cost::Function | Cost::Loop | Cost::Call => true,
        Cost::Free | Cost::Instruction | Cost::Division | Cost::Value | Cost::Body | Cost::Elements => false,
    })
}

/// Puts operands in the place of parameters.
fn substitute(body: &mut Body, params: impl Iterator<Item = Param>, operands: Vec<Operand>) {
    params.map(|p| p.name).zip(operands).collect::<Subst>().apply_to_body(body);
}
