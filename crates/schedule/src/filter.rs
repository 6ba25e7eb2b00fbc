//! Filters as loops that count what they keep.
//!
//! ```text
//! let k: i64, b: [k]f32 = filter n (a) \(x) -> {… in c}
//!   ⇒ let b' = scratch [n] f32
//!     let k: i64, all: [n]f32 = loop (k_1: i64 = 0, b_1: *[n]f32 = b') for i < n {
//!       let x = index a[i]
//!       …
//!       let k_2, b_2 = if c then { let b_3 = update b_1[k_1] = x  let k_3 = add k_1 1 in k_3, b_3 } else { in k_1, b_1 }
//!       in k_2, b_2
//!     }
//!     let b: [k]f32 = slice all[0 :+ k * 1]
//! ```
//!
//! Scalars are written whether they are kept or not, which costs less than a branch that nobody can predict: what is
//! not kept is overwritten by what is, or is not part of the slice.

use crate::serial::Carried;
use crate::sink::sink;
use crate::walk::{At, Mapped, Walk};
use kenaz_base::Prim;
use kenaz_ir::{BinOp, DimSlice, Exp, Form, Lambda, Name, OpKind, Operand, Par, ParOp, Param, Plan, Post, Type};

impl Walk<'_> {
    pub(crate) fn filter(&mut self, at: &At, pat: Vec<Param>, mapped: Mapped) {
        if self.target.is_parallel() && self.inside == 0 {
            return self.filter_par(at, pat, mapped);
        }
        self.as_loop(at, "this is a filter");
        // Where the function yields no values, the rows are kept.
        let keeps_rows = mapped.map.body.results.len() == 1;
        let i = self.index_name();
        let mut pat = pat.into_iter();
        let Some(count) = pat.next() else { return };
        let results: Vec<Param> = pat.collect();
        let mut carried = Carried::default();
        let counter = self.b.param(count.name.base.as_str(), Type::I64);
        carried.add(counter.clone(), Operand::i64(0), count.clone());
        let (mut outputs, mut puts) = (Vec::new(), Vec::new());
        let mut wholes = Vec::new();
        for result in &results {
            let ty = result.ty.row(1).array_of(mapped.width);
            let whole = self.b.param(result.name.base.as_str(), ty.clone());
            wholes.push(whole.name);
            outputs.push(self.output(at, &mut carried, whole, ty));
        }
        self.b.begin();
        self.b.loc = at.loc();
        let mut kept: Vec<Operand> = Vec::new();
        if keeps_rows {
            let rows = mapped.map.params.iter().zip(&mapped.arrays);
            kept.extend(rows.map(|(param, array)| Operand::Var(self.row(param, *array, i))));
        } else {
            self.rows(&mapped, i);
        }
        let mut yielded = self.splice(mapped.map.body).into_iter();
        let Some(flag) = yielded.next() else { return };
        kept.extend(yielded);
        self.b.loc = at.loc();
        if results.iter().all(|result| result.ty.rank() == 1) {
            for (out, x) in outputs.iter().zip(kept) {
                let updated = self.put(out, counter.name.into(), x);
                puts.push(updated);
            }
            let more = self.b.conv(Prim::I64, flag);
            let next = self.b.bin(BinOp::Add, counter.name, more);
            carried.then(next);
            puts.into_iter().for_each(|name| carried.then(name));
        } else {
            self.keep_if(at, flag, &counter, &outputs, kept, &mut carried);
        }
        self.finish_loop(at, carried, i, mapped.width);
        self.first_of(at, results, wholes);
    }

    /// A filter as a `par`: what is kept is counted by a scan and written to where the count says.
    ///
    /// ```text
    /// let k: i64, all: [n]f32 = par (i < n) scan (0) + reduce (0) + write b' rank 1 {
    ///   let x = index a[i]
    ///   …
    ///   let f = conv i64 c
    ///   in f, f
    /// } post (s) {
    ///   let p = mul s f
    ///   let at = sub p 1
    ///   in at, x
    /// }
    /// ```
    fn filter_par(&mut self, at: &At, pat: Vec<Param>, mapped: Mapped) {
        let keeps_rows = mapped.map.body.results.len() == 1;
        let i = self.index_name();
        let mut pat = pat.into_iter();
        let Some(count) = pat.next() else { return };
        let results: Vec<Param> = pat.collect();
        let (mut forms, mut wholes) = (Vec::new(), Vec::new());
        for result in &results {
            let ty = result.ty.row(1).array_of(mapped.width);
            let Type::Array(dims, prim) = &ty else { continue };
            let base = result.name.base.as_str();
            let scratch = self.b.param(base, ty.clone());
            forms.push(Form::Write { dest: scratch.name, rank: 1 });
            self.add(&at.plain(), vec![scratch], Exp::Scratch(dims.clone(), *prim));
            wholes.push(self.b.param(base, ty));
        }
        let sum = |walk: &mut Self, kind: OpKind| {
            let params: Vec<Param> = ["x", "y"].iter().map(|base| walk.b.param(base, Type::I64)).collect();
            walk.b.begin();
            let sum = walk.b.bin(BinOp::Add, params[0].name, params[1].name);
            let body = walk.b.end(vec![sum]);
            let lambda = Lambda { params, body, ret: vec![Type::I64] };
            ParOp { kind, lambda, neutral: vec![Operand::i64(0)], shape: Vec::new() }
        };
        let ops = vec![sum(self, OpKind::Scan), sum(self, OpKind::Reduce { commutative: true })];
        self.b.begin();
        self.b.loc = at.loc();
        self.inside += 1;
        let mut kept: Vec<Operand> = Vec::new();
        if keeps_rows {
            let rows = mapped.map.params.iter().zip(&mapped.arrays);
            kept.extend(rows.map(|(param, array)| Operand::Var(self.row(param, *array, i))));
        } else {
            self.rows(&mapped, i);
        }
        let mut yielded = self.splice(mapped.map.body).into_iter();
        self.inside -= 1;
        let Some(flag) = yielded.next() else { return };
        kept.extend(yielded);
        self.b.loc = at.loc();
        let flag = self.b.conv(Prim::I64, flag);
        let body = self.b.end(vec![flag, flag]);
        let counted = self.b.param("count", Type::I64);
        self.b.begin();
        let place = self.b.bin(BinOp::Mul, counted.name, flag);
        let place = self.b.bin(BinOp::Sub, place, Operand::i64(1));
        let post = self.b.end(kept.into_iter().flat_map(|x| [place, x]).collect());
        let post = Some(Post { params: vec![counted], body: post });
        let mut par = Par {
            level: self.level(at),
            space: vec![(i, mapped.width)],
            plan: Plan::default(),
            ops,
            body,
            post,
            forms,
        };
        let names: Vec<Name> = wholes.iter().map(|whole| whole.name).collect();
        let pat = [count].into_iter().chain(wholes).collect();
        sink(&mut par, &mut self.b.fresh);
        self.add(at, pat, Exp::Par(par));
        self.first_of(at, results, names);
    }

    /// The results are the first parts of arrays, as far as their sizes say.
    fn first_of(&mut self, at: &At, results: Vec<Param>, wholes: Vec<Name>) {
        for (result, whole) in results.into_iter().zip(wholes) {
            let all = |len: &Operand| DimSlice::Range { start: Operand::i64(0), len: *len, stride: Operand::i64(1) };
            let dims = result.ty.dims().iter().map(all).collect();
            self.add(&at.plain(), vec![result], Exp::Slice(whole, dims));
        }
    }

    /// Counts and writes what is kept, in a branch.
    fn keep_if(
        &mut self,
        at: &At,
        flag: Operand,
        counter: &Param,
        outputs: &[Param],
        kept: Vec<Operand>,
        carried: &mut Carried,
    ) {
        self.b.begin();
        let updated: Vec<Operand> =
            outputs.iter().zip(kept).map(|(out, x)| self.put(out, counter.name.into(), x).into()).collect();
        let more = self.b.bin(BinOp::Add, counter.name, Operand::i64(1));
        let yes = self.b.end([vec![more], updated].concat());
        self.b.begin();
        let same = [counter].into_iter().chain(outputs).map(|p| p.name.into()).collect();
        let no = self.b.end(same);
        let next: Vec<Param> =
            [counter].into_iter().chain(outputs).map(|p| Param::new(self.b.fresh.like(p.name), p.ty.clone())).collect();
        next.iter().for_each(|p| carried.then(p.name));
        self.add(&at.plain(), next, Exp::If(flag, yes, no));
    }
}
