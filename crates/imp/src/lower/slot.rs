//! Blocks with a slot for each worker, see Note \[Slots\] in [`kenaz_ir::mem`].
//!
//! ```text
//! let m_1: mem = alloc_each core outermost host b_2 most n_3        workers k
//! par core (i_4 < n_3) … {                                          let stride = (b_2/64 + 65)*64
//!   let s_5: mem = slot m_1                                  →      alloc m_1: host min(k, n_3)*stride
//!   …                                                               parallel … by w {
//! }                                                                   slot s_5 of m_1 at w*stride
//!                                                                     …
//!                                                                   }
//! ```
//!
//! Slots begin on cache lines, with a page in between. In a chunk there is one worker, and so the block of an
//! `alloc_each` that stands there is the slot; and where no chunks are made, the first slot is as good as any.
//!
//! Where workers are innermost, there is no part of the block to point to: an array in the slot has the strides of its
//! layout times the number of workers, and begins at the number of its own.

use super::chunks::product_of;
use super::{Array, Lower, as_poly};
use crate::{Exp, Stm};
use kenaz_base::Prim;
use kenaz_ir::layout::{Dim, Pair};
use kenaz_ir::{Layout, Name, Param, Place, Poly, Slots, WorkerOrder};

/// How the slots of a block follow each other.
#[derive(Clone)]
pub(super) enum Apart {
    /// By so many bytes.
    Bytes(Exp),
    /// Elements of so many workers alternate.
    Elements(Poly),
}

impl Lower<'_> {
    pub(super) fn alloc_each(&mut self, block: Name, slots: &Slots) {
        let mut bytes = self.operand(slots.bytes);
        if !self.in_chunk {
            let workers = self.fresh("workers");
            self.push(Stm::Workers { name: workers });
            self.variable(workers, Prim::I64);
            let mut workers = Exp::var(workers);
            if let Some(most) = slots.most {
                let most = Exp::max(self.operand(most), Exp::i64(1));
                workers = Exp::min(workers, most);
            }
            let workers = self.let_i64("workers", workers);
            // A saturated size stays too large; it does not wrap around.
            let line = Exp::i64(self.target.line_bytes.cast_signed());
            let gap = Exp::i64((self.target.gap_bytes / self.target.line_bytes + 1).cast_signed());
            let lines = Exp::add(Exp::quot(bytes, line.clone()), gap);
            let stride = self.let_i64("stride", product_of(vec![lines, line]));
            bytes = self.let_i64("bytes", product_of(vec![workers.clone(), stride.clone()]));
            let apart = match slots.order {
                WorkerOrder::Outermost => Apart::Bytes(stride),
                WorkerOrder::Innermost => Apart::Elements(as_poly(&workers).unwrap_or_default()),
            };
            self.slots.insert(block, apart);
        }
        self.scope.bind_block(block, block);
        self.push(Stm::Alloc { name: block, space: slots.space, bytes });
    }

    pub(super) fn slot(&mut self, name: Name, of: Name) {
        let block = self.scope.block(of);
        match (self.worker, self.slots.get(&block).cloned()) {
            (Some(worker), Some(Apart::Bytes(stride))) => {
                let offset = Exp::mul(Exp::var(worker), stride);
                self.scope.bind_block(name, name);
                self.push(Stm::Slot { name, from: block, offset });
            }
            (Some(worker), Some(Apart::Elements(count))) => {
                self.scope.bind_block(name, block);
                self.interleaved.insert(name, (Poly::name(worker), count));
            }
            // It is alone.
            (None, _) | (_, None) => self.scope.bind_block(name, block),
        }
    }

    /// Moves arrays that have been bound in slots whose workers are innermost to where they are in the block.
    pub(super) fn interleave<'p>(&mut self, params: impl IntoIterator<Item = &'p Param>) {
        for param in params {
            let Some(place) = &param.place else { continue };
            let Some((worker, count)) = self.interleaved.get(&place.block).cloned() else { continue };
            let Array { prim, sizes, place: Place { block, layout } } = self.array(param.name);
            let from = self.times(&layout.offset, &count);
            let offset = self.plus(&from, &worker);
            let dims = layout.dims.iter().map(|Dim(pairs)| {
                Dim(pairs
                    .iter()
                    .map(|p| Pair { size: p.size.clone(), stride: self.times(&p.stride, &count) })
                    .collect())
            });
            let layout = Layout { dims: dims.collect(), offset };
            self.scope.bind_array(param.name, Array { prim, sizes, place: Place { block, layout } });
        }
    }
}
