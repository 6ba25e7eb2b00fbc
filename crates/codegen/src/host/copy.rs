//! Copies of arrays: as loops, as bytes, or by the run-time system.

use crate::dialect::exp::{self, Idents, Prec, plain};
use crate::dialect::writer::{Place, Writer};
use crate::parts::Part;
use kenaz_base::Prim;
use kenaz_imp::{Exp, Side};
use kenaz_ir::Scalar;

/// Larger arrays of a known size are not copied element by element.
const SMALL_COPY: i64 = 16;

/// How a copy is written.
pub(crate) enum Copying<'a> {
    /// There is nothing to copy.
    Nothing,
    /// As loops.
    Elements,
    /// So many elements that are contiguous on both sides.
    Bytes(&'a Exp),
    Any,
}

pub(crate) fn copying<'a>(sizes: &'a [Exp], to: &Side, from: &Side) -> Copying<'a> {
    let count = sizes.iter().try_fold(1i64, |product, size| match size {
        Exp::Const(Scalar::I64(n)) => product.checked_mul((*n).max(0)),
        _ => None,
    });
    let is_contiguous = |side: &Side| side.strides == [Exp::i64(1)];
    match (count, sizes) {
        (Some(0), _) => Copying::Nothing,
        (Some(1..=SMALL_COPY), _) => Copying::Elements,
        (_, [size]) if is_contiguous(to) && is_contiguous(from) => Copying::Bytes(size),
        (_, [_]) => Copying::Elements,
        _ => Copying::Any,
    }
}

impl Writer<'_> {
    pub(crate) fn copy(&mut self, prim: Prim, sizes: &[Exp], to: &Side, from: &Side) {
        let shares_copies = match self.place {
            Place::Cpu { shares_copies } => shares_copies,
            Place::Host => return self.copy_far(prim, sizes, to, from),
            // There is nothing to call.
            Place::Kernel { .. } => return self.copy_elements(prim, sizes, to, from),
        };
        self.rank = self.rank.max(sizes.len());
        match copying(sizes, to, from) {
            Copying::Nothing => {}
            Copying::Elements => self.copy_elements(prim, sizes, to, from),
            Copying::Bytes(size) => {
                let (left, right) = (self.address(to, prim), self.address(from, prim));
                let bytes = format!("{} * sizeof({})", exp::exp(self, size).at(Prec::Unary), self.ty(prim));
                let function = match shares_copies {
                    true => format!("{}(ctx, ", self.rts(Part::Copies, "kz_memcpy_on_threads")),
                    false => "memcpy(".to_string(),
                };
                self.lines.line(format!("{function}{left}, {right}, (size_t){bytes});"));
            }
            Copying::Any => {
                let (left, right) = (self.address(to, prim), self.address(from, prim));
                let [shape, to, from] = [sizes, &to.strides, &from.strides].map(|list| self.numbers(list));
                let function = match shares_copies {
                    true => format!("{}(ctx, ", self.rts(Part::Copies, "kz_copy_on_threads")),
                    false => format!("{}(", self.rts(Part::Copy, "kz_copy")),
                };
                self.lines.line(format!(
                    "{function}sizeof({}), {}, {shape}, {left}, {to}, {right}, {from});",
                    self.ty(prim),
                    sizes.len()
                ));
            }
        }
    }

    /// A copy as loops, of few elements that the C compiler unrolls or along one dimension.
    fn copy_elements(&mut self, prim: Prim, sizes: &[Exp], to: &Side, from: &Side) {
        let mut indices = Vec::new();
        for size in sizes {
            self.scopes.enter();
            indices.push(match size {
                Exp::Const(Scalar::I64(1)) => None,
                _ => {
                    let i = self.scopes.fresh("i");
                    let bound = plain(self, size);
                    self.lines.open(format!("for (int64_t {i} = 0; {i} < {bound}; {i}++) {{"));
                    Some(i)
                }
            });
        }
        let at = |writer: &Self, side: &Side| {
            let mut terms = Vec::new();
            let offset = exp::index(writer, &side.offset);
            if offset.text != "0" {
                terms.push(offset.text);
            }
            for (i, stride) in indices.iter().zip(&side.strides) {
                match (i, stride) {
                    (None, _) => {}
                    (Some(i), Exp::Const(Scalar::I64(1))) => terms.push(i.clone()),
                    (Some(i), stride) => terms.push(format!("{i} * {}", exp::index(writer, stride).at(Prec::Unary))),
                }
            }
            let index = if terms.is_empty() { "0".to_string() } else { terms.join(" + ") };
            format!("{}[{index}]", writer.elements(side.block, prim))
        };
        let line = format!("{} = {};", at(self, to), at(self, from));
        self.lines.line(line);
        for i in indices.iter().rev() {
            self.scopes.leave();
            if i.is_some() {
                self.lines.close("}");
            }
        }
    }

    /// A pointer to where a side begins.
    pub(crate) fn address(&self, side: &Side, prim: Prim) -> String {
        let elements = self.elements(side.block, prim);
        match &side.offset {
            Exp::Const(Scalar::I64(0)) => elements,
            offset => format!("{elements} + {}", exp::exp(self, offset).at(Prec::Sum)),
        }
    }

    /// A list of numbers as an array without a name.
    pub(crate) fn numbers(&self, list: &[Exp]) -> String {
        let list: Vec<String> = list.iter().map(|e| plain(self, e)).collect();
        format!("(const int64_t[]){{{}}}", list.join(", "))
    }
}
