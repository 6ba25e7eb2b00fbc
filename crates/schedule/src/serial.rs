//! The fused operator as a loop, for operators over arrays and for accumulators.
//!
//! ```text
//! let s: [n][m]f32, b: [n]f32 = screma n (a) map \(r) -> {… in r, v} scan (zeros) \(x, y) -> {… in z}
//!   ⇒ let x' = copy zeros
//!     let s' = scratch [n, m] f32
//!     let b' = scratch [n] f32
//!     let _, s, b = loop (x: *[m]f32 = x', s_1: *[n][m]f32 = s', b_1: *[n]f32 = b') for i < n {
//!       let r = index a[i]
//!       …
//!       let s_2 = update s_1[i, 0 :+ m * 1] = z
//!       let b_2 = update b_1[i] = v
//!       in z, s_2, b_2
//!     }
//! ```

use crate::walk::{At, Mapped, Walk, is_acc};
use kenaz_base::Prim;
use kenaz_ir::visit::Subst;
use kenaz_ir::{DimSlice, Exp, Lambda, LoopForm, Name, Operand, Param, Reduce, Scan, Type};

/// The parts of a loop under construction, one of each for every parameter.
#[derive(Default)]
pub(crate) struct Carried {
    params: Vec<(Param, Operand)>,
    next: Vec<Operand>,
    results: Vec<Param>,
}

impl Carried {
    /// A parameter, which consumes its initial value if it is an array, and the name for the result.
    pub(crate) fn add(&mut self, param: Param, init: Operand, result: Param) {
        let unique = param.ty.is_array();
        self.params.push((Param { unique, ..param }, init));
        self.results.push(result);
    }

    /// The next value of the next parameter.
    pub(crate) fn then(&mut self, x: impl Into<Operand>) {
        self.next.push(x.into());
    }
}

/// An operator of a fused operator.
struct Op {
    lambda: Lambda,
    neutral: Vec<Operand>,
    is_scan: bool,
}

impl Walk<'_> {
    pub(crate) fn screma_loop(
        &mut self,
        at: &At,
        pat: Vec<Param>,
        mapped: Mapped,
        scans: Vec<Scan>,
        reduces: Vec<Reduce>,
        post: Option<Lambda>,
    ) {
        let i = self.index_name();
        let scanned: usize = scans.iter().map(|s| s.neutral.len()).sum();
        let reduced: usize = reduces.iter().map(|r| r.neutral.len()).sum();
        let ops: Vec<Op> = (scans.into_iter().map(|s| Op { lambda: s.op, neutral: s.neutral, is_scan: true }))
            .chain(reduces.into_iter().map(|r| Op { lambda: r.op, neutral: r.neutral, is_scan: false }))
            .collect();
        let folded = if post.is_some() { 0..reduced } else { scanned..scanned + reduced };
        let mut carried = Carried::default();

        // The operators.
        let mut at_result = folded.start;
        for op in &ops {
            for (k, x) in op.neutral.iter().enumerate() {
                let param = Param { unique: false, ..op.lambda.params[k].clone() };
                let init = match x {
                    Operand::Var(name) if param.ty.is_array() => self.b.copy(*name).into(),
                    Operand::Var(_) | Operand::Const(_) => *x,
                };
                let result = if op.is_scan {
                    self.b.param("last", param.ty.clone())
                } else {
                    at_result += 1;
                    pat[at_result - 1].clone()
                };
                carried.add(param, init, result);
            }
        }

        // The accumulators: which result an input becomes is said by its token.
        let mut accs: Vec<usize> = Vec::new();
        let results_of = |walk: &mut Self, ty: &Type| -> Vec<Param> {
            let param = pat.iter().find(|p| token(&p.ty).is_some() && token(&p.ty) == token(ty));
            param.map(|p| walk.arrays_of(p)).unwrap_or_default()
        };
        for (param, array) in mapped.map.params.iter().zip(&mapped.arrays).filter(|(p, _)| is_acc(&p.ty)) {
            let inits = self.expand(&[(*array).into()]);
            let results = results_of(self, &param.ty);
            for ((param, init), result) in self.arrays_of(param).into_iter().zip(inits).zip(results) {
                carried.add(param, init, result);
            }
            accs.extend(mapped.map.ret.iter().position(|ty| token(ty).is_some() && token(ty) == token(&param.ty)));
        }

        // The results that are collected from all iterations.
        let collected = |(k, p): &(usize, &Param)| !folded.contains(k) && p.ty.is_array();
        let mut outputs: Vec<Param> = Vec::new();
        for (_, result) in pat.iter().enumerate().filter(collected) {
            outputs.push(self.output(at, &mut carried, result.clone(), result.ty.clone()));
        }

        self.declare(carried.params.iter().map(|(p, _)| p));
        self.b.begin();
        self.rows(&mapped, i);
        let yielded = self.splice(mapped.map.body);
        let mut values: Vec<Operand> = Vec::new();
        let mut taken: Vec<Name> = Vec::new();
        let mut first = 0;
        for op in ops {
            let count = op.neutral.len();
            let mut body = op.lambda.body;
            let new = op.lambda.params[count..].iter().map(|p| p.name);
            new.zip(yielded[first..].iter().copied()).collect::<Subst>().apply_to_body(&mut body);
            first += count;
            let combined = self.splice(body);
            self.b.loc = at.loc();
            for (x, ty) in combined.iter().zip(&op.lambda.ret) {
                let x = self.own(*x, ty, &mut taken);
                carried.then(x);
                values.extend(op.is_scan.then_some(x));
            }
        }
        for k in accs {
            for x in self.expand(&[yielded[k]]) {
                carried.then(x);
            }
        }
        values.extend(&yielded[scanned + reduced..]);
        if let Some(mut post) = post {
            post.params.iter().map(|p| p.name).zip(values).collect::<Subst>().apply_to_body(&mut post.body);
            values = self.splice(post.body);
        }
        // Accumulators among the values have no array to go to.
        let is_collected = |x: &Operand| x.name().is_none_or(|name| !self.accs.contains_key(&name));
        let values: Vec<Operand> = values.into_iter().filter(is_collected).collect();
        self.b.loc = at.loc();
        for (output, x) in outputs.iter().zip(values) {
            let updated = self.put(output, i.into(), x);
            carried.then(updated);
        }
        self.finish_loop(at, carried, i, mapped.width);
    }

    /// An array that a loop fills: a parameter that begins as scratch.
    pub(crate) fn output(&mut self, at: &At, carried: &mut Carried, result: Param, ty: Type) -> Param {
        let Type::Array(dims, prim) = &ty else { panic!("`{result}` is not an array") };
        let base = result.name.base.as_str();
        let scratch = self.b.param(base, ty.clone());
        let init = scratch.name;
        self.add(&at.plain(), vec![scratch], Exp::Scratch(dims.clone(), *prim));
        let param = self.b.param(base, ty);
        carried.add(param.clone(), init.into(), result);
        param
    }

    /// `update out[i] = x`, for a value or a row.
    pub(crate) fn put(&mut self, out: &Param, i: Operand, x: Operand) -> Name {
        let slices = row_slices(&out.ty, &[i]);
        self.b.let_exp(out.name.base.as_str(), Exp::Update(out.name, slices, x), out.ty.clone())
    }

    /// Ends the body of a loop, and adds the loop.
    pub(crate) fn finish_loop(&mut self, at: &At, carried: Carried, i: Name, width: Operand) {
        let Carried { params, next, results } = carried;
        let body = self.b.end(next);
        let form = LoopForm::For(i, Prim::I64, width);
        self.add(at, results, Exp::Loop { params, form, body });
    }
}

/// The slice that is an element or a row of an array of this type.
pub(crate) fn row_slices(ty: &Type, index: &[Operand]) -> Vec<DimSlice> {
    let all = |len: &Operand| DimSlice::Range { start: Operand::i64(0), len: *len, stride: Operand::i64(1) };
    index.iter().map(|i| DimSlice::Fix(*i)).chain(ty.dims()[index.len()..].iter().map(all)).collect()
}

fn token(ty: &Type) -> Option<Name> {
    match ty {
        Type::Acc { token, .. } => Some(*token),
        Type::Prim(_) | Type::Array(..) | Type::Mem(_) | Type::Cert => None,
    }
}
