//! Accumulators in parts, where sums would need more memory than all that is there.
//!
//! ```text
//! let b = with_acc ([m][m] (b0) (0) \+) \(token, acc) -> { in map n (acc, xs) \(acc, x) -> { … } }
//! ⇒ let b = loop (b = b0) for p < ⌈n / ROWS⌉ {
//!     with_acc ([m][m] (b) (0) \+) \(token, acc) -> {
//!       in map rows (acc, slice xs[p · ROWS :+ rows]) \(acc, x) -> { … } } }
//! ```
//!
//! What the iterations of the map compute for the sums then lies in arrays for [`rows`] of them at a time.

use super::Walk;
use kenaz_ir::visit::instantiate;
use kenaz_ir::{
    AccInput, BinOp, Body, DimSlice, Exp, Lambda, LoopForm, Name, Operand, Param, Reduce, Soac, Space, Stm, Target,
    Type,
};

/// How many iterations there are in a part: on one core enough that nobody notices the additions between parts, on
/// several and on a device enough for all of them.
fn rows(target: &Target) -> i64 {
    match target.host_space {
        Space::Device => 1 << 16,
        _ if target.is_parallel() => 1 << 10,
        _ => 1 << 8,
    }
}

impl Walk<'_> {
    /// The statements that take the place of accumulators around one map.
    pub(super) fn in_parts(&mut self, stm: &Stm) -> Option<Vec<Stm>> {
        let Exp::Soac(Soac::WithAcc { inputs, body }) = &stm.exp else { return None };
        let [around] = &body.body.stms[..] else { return None };
        let Exp::Soac(Soac::Screma { width, arrays, map, scans, reduces, post: None }) = &around.exp else {
            return None;
        };
        let accs = &body.params[inputs.len()..];
        let count: usize = inputs.iter().map(|input| input.dests.len()).sum();
        let reduced: Vec<&Operand> = reduces.iter().flat_map(|reduce| &reduce.neutral).collect();
        let is_simple = scans.is_empty()
            && inputs.iter().all(|input| input.dests.len() == 1)
            && around.pat.len() == reduced.len() + accs.len()
            && body.body.results.len() == count + reduced.len();
        // Sums as results of the map come first, and of its surroundings last.
        let sums_first = around.pat.iter().map(|p| Operand::Var(p.name)).take(reduced.len());
        if !is_simple || !sums_first.eq(body.body.results[count..].iter().copied()) {
            return None;
        }
        let loc = std::mem::replace(&mut self.b.loc, stm.loc);
        let certs = std::mem::replace(&mut self.b.certs, stm.certs.clone());
        self.b.begin();
        let n = Operand::i64(rows(self.target));
        let more = self.b.bin(BinOp::Add, *width, Operand::i64(rows(self.target) - 1));
        let parts = self.b.bin(BinOp::Div, more, n);
        let dests: Vec<Name> = inputs.iter().flat_map(|input| input.dests.iter().copied()).collect();
        let mut params: Vec<(Param, Operand)> = Vec::new();
        for dest in &dests {
            let ty = self.b.type_of(*dest);
            params.push((Param { unique: true, ..self.b.param("total", ty) }, (*dest).into()));
        }
        for x in &reduced {
            let ty = self.b.type_of(**x);
            params.push((Param { unique: ty.is_array(), ..self.b.param("total", ty) }, **x));
        }
        let p = self.b.name("p", Type::I64);
        self.b.begin();
        let start = self.b.bin(BinOp::Mul, p, n);
        let rest = self.b.bin(BinOp::Sub, *width, start);
        let len = self.b.bin(BinOp::Min, n, rest);
        let mut own = Vec::new();
        for array in arrays {
            if accs.iter().any(|acc| acc.name == *array) {
                own.push(*array);
                continue;
            }
            let all = |n: &Operand| DimSlice::Range { start: Operand::i64(0), len: *n, stride: Operand::i64(1) };
            let mut dims: Vec<DimSlice> = self.b.type_of(*array).dims().iter().map(all).collect();
            dims[0] = DimSlice::Range { start, len, stride: Operand::i64(1) };
            own.push(self.b.slice(*array, dims));
        }
        let soac = Soac::Screma {
            width: len,
            arrays: own,
            map: map.clone(),
            scans: Vec::new(),
            reduces: reduces.clone(),
            post: None,
        };
        let inner = Stm { exp: Exp::Soac(soac), ..around.clone() };
        let dest = |(input, (p, _)): (&AccInput, &(Param, Operand))| AccInput { dests: vec![p.name], ..input.clone() };
        let inputs = inputs.iter().zip(&params).map(dest).collect();
        let pat: Vec<Param> = stm.pat.iter().map(|p| self.b.param("part", p.ty.clone())).collect();
        let parts_of: Vec<Operand> = pat.iter().map(|p| p.name.into()).collect();
        let lambda = Lambda { body: Body { stms: vec![inner], ..body.body.clone() }, ..body.clone() };
        let stms = self.sums(Stm { pat, exp: Exp::Soac(Soac::WithAcc { inputs, body: lambda }), ..stm.clone() });
        stms.into_iter().for_each(|stm| self.b.push(stm));
        let (totals, mut parts_of) = parts_of.split_at(count);
        let mut results = totals.to_vec();
        let mut before = &params[count..];
        for Reduce { op, neutral, .. } in reduces {
            let (own, others) = before.split_at(neutral.len());
            let (part, other_parts) = parts_of.split_at(neutral.len());
            (before, parts_of) = (others, other_parts);
            let args: Vec<Operand> = own.iter().map(|(p, _)| p.name.into()).chain(part.iter().copied()).collect();
            let body = instantiate(&op.params, &op.body, &args, &mut self.b.fresh);
            results.extend(self.b.splice(body));
        }
        let inside = self.b.end(results);
        let exp = Exp::Loop { params, form: LoopForm::For(p, kenaz_base::Prim::I64, parts), body: inside };
        self.b.let_pat(stm.pat.clone(), exp);
        (self.b.loc, self.b.certs) = (loc, certs);
        Some(self.b.end(Vec::new()).stms)
    }
}
