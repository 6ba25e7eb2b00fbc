//! Scatters, and histograms over scalars or element by element, as `par`s that write and accumulate; other histograms
//! as loops.
//!
//! ```text
//! let b: [k]f32 = scatter n (is, vs) \(i, v) -> {in i, v} into (a rank 1)
//!   ⇒ let b: [k]f32 = par (j < n) write a rank 1 { let i = index is[j]  let v = index vs[j]  in i, v }
//! let b: [k]f32 = hist n (is, vs) \(i, v) -> {in i, v} into (a) rank 1 (0f32) ⊕
//!   ⇒ let b: [k]f32 = par (j < n) acc (a) rank 1 (0f32) ⊕ { let i = index is[j]  let v = index vs[j]  in i, v }
//! ```

use crate::acc::Update;
use crate::serial::Carried;
use crate::walk::{At, Mapped, Walk, is_scalar};
use kenaz_ir::{Exp, Form, HistOp, Name, Operand, Par, Param, Plan, ScatterDest};

impl Walk<'_> {
    pub(crate) fn scatter(&mut self, at: &At, pat: Vec<Param>, mapped: Mapped, dests: &[ScatterDest]) {
        let forms = dests.iter().map(|d| Form::Write { dest: d.array, rank: d.rank }).collect();
        let ranks: Vec<(usize, usize)> = dests.iter().map(|d| (d.rank, 1)).collect();
        self.writing(at, pat, mapped, forms, &ranks);
    }

    pub(crate) fn hist(&mut self, at: &At, pat: Vec<Param>, mapped: Mapped, ops: Vec<HistOp>) {
        let mut forms = Vec::with_capacity(ops.len());
        for HistOp { dests, rank, op, neutral } in &ops {
            let (op, neutral) = if is_scalar(op) {
                (op.clone(), neutral.clone())
            } else if let Some(vector) = self.vector(op, neutral) {
                (vector.op, vector.neutral)
            } else {
                self.as_loop(at, "this is a histogram over arrays");
                return self.hist_loop(at, pat, mapped, ops);
            };
            forms.push(Form::Acc { dests: dests.clone(), rank: *rank, op: self.lambda(op), neutral });
        }
        let ranks: Vec<(usize, usize)> = ops.iter().map(|op| (op.rank, op.dests.len())).collect();
        self.writing(at, pat, mapped, forms, &ranks);
    }

    /// A `par` whose function yields the indices of all forms and then their values; how many each has is in `ranks`.
    fn writing(&mut self, at: &At, pat: Vec<Param>, mapped: Mapped, forms: Vec<Form>, ranks: &[(usize, usize)]) {
        let i = self.index_name();
        self.b.begin();
        self.b.loc = at.loc();
        self.rows(&mapped, i);
        self.inside += 1;
        let yielded = self.splice(mapped.map.body);
        self.inside -= 1;
        let results = grouped(&yielded, ranks).into_iter().flat_map(|(index, values)| [index, values].concat());
        let body = self.b.end(results.collect());
        let space = vec![(i, mapped.width)];
        let par = Par { level: self.level(at), space, plan: Plan::default(), ops: Vec::new(), body, post: None, forms };
        self.add(at, pat, Exp::Par(par));
    }

    fn hist_loop(&mut self, at: &At, pat: Vec<Param>, mapped: Mapped, ops: Vec<HistOp>) {
        let i = self.index_name();
        let mut carried = Carried::default();
        let mut params: Vec<Vec<Name>> = Vec::new();
        let mut results = pat.into_iter();
        for op in &ops {
            let mut names = Vec::new();
            for (dest, result) in op.dests.iter().zip(results.by_ref()) {
                let param = self.b.param(dest.base.as_str(), result.ty.clone());
                names.push(param.name);
                carried.add(param, (*dest).into(), result);
            }
            params.push(names);
        }
        self.b.begin();
        self.b.loc = at.loc();
        self.rows(&mapped, i);
        let yielded = self.splice(mapped.map.body);
        let ranks: Vec<(usize, usize)> = ops.iter().map(|op| (op.rank, op.dests.len())).collect();
        let groups = grouped(&yielded, &ranks);
        for ((op, dests), (index, values)) in ops.iter().zip(params).zip(groups) {
            let with = Some((&op.op, &op.neutral[..]));
            for array in self.update_places(at, &Update { dests: &dests, index, values, op: with }) {
                carried.then(array);
            }
        }
        self.finish_loop(at, carried, i, mapped.width);
    }
}

/// The indices and values of each form, where all indices come before all values.
fn grouped<'x>(mut xs: &'x [Operand], ranks: &[(usize, usize)]) -> Vec<(&'x [Operand], &'x [Operand])> {
    let mut values = xs.split_off(ranks.iter().map(|(rank, _)| *rank).sum::<usize>()..).unwrap_or_default();
    let group = |(rank, count): &(usize, usize)| {
        (xs.split_off(..*rank).unwrap_or_default(), values.split_off(..*count).unwrap_or_default())
    };
    ranks.iter().map(group).collect()
}
