//! Operators over arrays that go element by element.
//!
//! ```text
//! \(x: [m]f32, y: [m]f32) -> { let z: [m]f32 = map m (x, y) \(a: f32, b: f32) -> {…} in z }   ⇒   [m]  \(a: f32, b: f32) -> {…}
//! ```

use crate::walk::{Walk, is_scalar};
use kenaz_ir::visit::free_in_body;
use kenaz_ir::{Exp, Lambda, Operand, Param, Soac};

/// An operator over arrays of this shape: what happens to each element, and its neutral element.
pub(crate) struct Vector {
    pub shape: Vec<Operand>,
    pub op: Lambda,
    pub neutral: Vec<Operand>,
}

impl Walk<'_> {
    /// The operator on elements, for an operator over arrays that is made of one and whose neutral elements are the
    /// same everywhere.
    pub(crate) fn vector(&mut self, op: &Lambda, neutral: &[Operand]) -> Option<Vector> {
        let neutral = neutral.iter().map(|x| self.filled(*x)).collect::<Option<Vec<Operand>>>()?;
        let mut shape = Vec::new();
        let mut op = op.clone();
        while !is_scalar(&op) {
            let (n, inner) = self.peel(&op)?;
            shape.push(n);
            op = inner;
        }
        (!shape.is_empty()).then_some(Vector { shape, op, neutral })
    }

    /// The width and the function of a map that is all of a lambda, with a parameter for each of the lambda's.
    fn peel(&mut self, lambda: &Lambda) -> Option<(Operand, Lambda)> {
        let [stm] = &lambda.body.stms[..] else { return None };
        let Exp::Soac(Soac::Screma { width, arrays, map, scans, reduces, post: None }) = &stm.exp else { return None };
        let is_whole = lambda.body.results.iter().copied().eq(stm.pat.iter().map(|p| Operand::Var(p.name)));
        if !is_whole || !scans.is_empty() || !reduces.is_empty() || !stm.certs.is_empty() || !stm.attrs.is_free() {
            return None;
        }
        let used = free_in_body(&map.body);
        let mut params: Vec<Param> = Vec::new();
        for param in &lambda.params {
            let mut rows = arrays.iter().zip(&map.params).filter(|(a, _)| **a == param.name).map(|(_, row)| row);
            let row = rows.next().cloned();
            if rows.next().is_some() || used.contains(&param.name) || param.ty.rank() == 0 {
                return None;
            }
            params.push(row.unwrap_or_else(|| self.b.param("unused", param.ty.row(1))));
        }
        let are_own = arrays.iter().all(|a| lambda.params.iter().any(|p| p.name == *a));
        are_own.then(|| (*width, Lambda { params, body: map.body.clone(), ret: map.ret.clone() }))
    }
}
