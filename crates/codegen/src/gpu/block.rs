//! Kernels for blocks of lanes. Every lane runs the code of its block, each for itself, and has the same values in all
//! variables. What changes memory is done by one lane alone, and [`Stm::Lanes`] by each with its number:
//!
//! ```c
//! for (int64_t i = 0; i < n; i++) {                  for i < n {
//!   float x = sums[0];                                 let x = sums[0]
//!   kz_barrier();
//!   { int64_t lane = kz_lane(); sums[lane] = x; }      lanes lane < w { sums[lane] = x }
//!   kz_barrier();
//!   if (kz_lane() == 0) out[i] = sums[1];              out[i] = sums[1]
//!   kz_barrier();
//! }                                                  }
//! ```
//!
//! There is a barrier behind each change of memory, so that all lanes see it, and one before it where code of the block
//! may still be reading. Since all lanes have the same values, all of them come to it.
//!
//! A lane whose check has failed says so in shared memory and goes to the end of its [`Stm::Lanes`]. There all lanes
//! look, and leave together.

use crate::dialect::exp::{Idents, Prec, exp, plain};
use crate::dialect::writer::Writer;
use crate::parts::Part;
use crate::uses::loads;
use kenaz_base::Prim;
use kenaz_imp::visit::for_each_stm;
use kenaz_imp::{Exp, Region, Side, Stm, Ty};
use kenaz_ir::{Level, Name, Space, Tunable, TunableClass};
use rustc_hash::FxHashSet;

/// So many elements on the stack of a lane are for registers, and leave few of them.
const MANY: u64 = 16;

/// What is known while the code of a block is written.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockCode {
    /// No lane has read memory since the last barrier.
    is_synced: bool,
    /// In the code of single lanes: where those go that have failed.
    pub(super) of_lane: Option<String>,
    /// Whether a lane has gone there.
    pub(super) has_failed: bool,
    /// How many labels there are.
    labels: usize,
    is_crowded: bool,
    /// Those that would keep too much from one time to the next.
    forgetful: FxHashSet<Name>,
}

impl BlockCode {
    /// A label, which no other place of the kernel has.
    pub(super) fn label(&mut self) -> String {
        self.labels += 1;
        format!("kz_end_{}", self.labels)
    }
}

/// Whether lanes have so much in registers that there are few for anything else.
pub(super) fn is_crowded(body: &[Stm]) -> bool {
    let mut is_crowded = false;
    for_each_stm(body, &mut |stm| is_crowded |= matches!(stm, Stm::PerLane { len, .. } if *len >= MANY));
    is_crowded
}

/// Lanes in a loop of their block that have something written out several times. Compilers would compute before the
/// loop what each of these needs of the number of the lane, and keep all of it in registers: 234 of them instead of 36
/// in a reduction of triples.
fn forgetful(body: &[Stm]) -> FxHashSet<Name> {
    let mut found = FxHashSet::default();
    for_each_stm(body, &mut |stm| {
        let Stm::For { body, .. } = stm else { return };
        for_each_stm(body, &mut |stm| {
            let Stm::Lanes { lane, body, .. } = stm else { return };
            for_each_stm(body, &mut |stm| {
                if matches!(stm, Stm::For { hint, .. } if hint.unroll) {
                    found.insert(*lane);
                }
            });
        });
    });
    found
}

/// How many lanes each of the blocks of a region has, if these know nothing of each other and have registers to spare.
/// Then they may be warps that stand side by side.
pub(super) fn width_of_rows(region: &Region) -> Option<Name> {
    let (mut is_alone, mut width) = (region.level == Level::Block && !is_crowded(&region.body), None);
    for_each_stm(&region.body, &mut |stm| match stm {
        Stm::Take { .. } => is_alone = false,
        Stm::Lanes { count: Exp::Var(name, _), .. } => width = width.or(Some(*name)),
        _ => {}
    });
    width.filter(|width| is_alone && region.params.iter().any(|param| param.name == *width))
}

/// How the first of statements changes memory that lanes share.
fn stores(w: &Writer<'_>, stm: &Stm) -> bool {
    match stm {
        Stm::Store { block, .. } | Stm::Race { block, .. } => !w.private.contains(block),
        Stm::Copy { to, .. } => !w.private.contains(&to.block),
        _ => false,
    }
}

impl Writer<'_> {
    /// Whether code for single lanes of a block is being written.
    pub(crate) fn is_of_lane(&self) -> bool {
        self.block.as_ref().is_some_and(|code| code.of_lane.is_some())
    }

    /// Whether code for all lanes of a block is being written.
    fn is_uniform(&self) -> bool {
        self.block.as_ref().is_some_and(|code| code.of_lane.is_none())
    }

    pub(super) fn set_synced(&mut self, is_synced: bool) {
        if let Some(code) = &mut self.block {
            code.is_synced = is_synced;
        }
    }

    /// Statements that may run or not, or again.
    pub(crate) fn apart(&mut self, f: impl FnOnce(&mut Self)) {
        self.set_synced(false);
        f(self);
        self.set_synced(false);
    }

    /// The body of a loop, which may run or not.
    pub(crate) fn again(&mut self, body: &[Stm]) {
        // There is a barrier behind what lanes do.
        let ends_synced = matches!(body.last(), Some(Stm::Lanes { .. }));
        let is_synced = ends_synced && self.block.as_ref().is_some_and(|code| code.is_synced);
        self.set_synced(is_synced);
        self.stms(body);
        self.set_synced(is_synced);
    }

    /// Notes that all lanes read memory.
    pub(crate) fn note_loads(&mut self, stm: &Stm) {
        if self.is_uniform() {
            let mut has_loads = false;
            stm.for_each_exp(|exp| has_loads |= loads(exp));
            if has_loads {
                self.set_synced(false);
            }
        }
    }

    pub(super) fn barrier(&mut self) {
        self.lines.line("kz_barrier();");
        self.set_synced(true);
    }

    pub(super) fn barrier_if_needed(&mut self) {
        if self.block.as_ref().is_some_and(|code| !code.is_synced) {
            self.barrier();
        }
    }

    /// How many of these statements one lane does alone, without looking up in between.
    pub(crate) fn stores_together(&self, stms: &[Stm]) -> usize {
        if !self.is_uniform() {
            return 0;
        }
        let is_simple = |stm: &Stm| {
            let mut has_loads = false;
            stm.for_each_exp(|exp| has_loads |= loads(exp));
            matches!(stm, Stm::Store { .. }) && !has_loads
        };
        let Some(first) = stms.first().filter(|stm| stores(self, stm)) else { return 0 };
        let more = stms[1..].iter().take_while(|stm| stores(self, stm) && is_simple(stm)).count();
        if matches!(first, Stm::Copy { .. }) { 1 } else { 1 + more }
    }

    pub(crate) fn by_first_lane(&mut self, stms: &[Stm]) {
        self.barrier_if_needed();
        if let [Stm::Copy { prim, sizes, to, from }] = stms {
            self.copy_by_lanes(*prim, sizes, to, from);
            return self.barrier();
        }
        self.lines.open("if (kz_lane() == 0) {");
        stms.iter().for_each(|stm| self.stm(stm));
        self.lines.close("}");
        self.barrier();
    }

    /// A copy of which each lane does every so many elements.
    fn copy_by_lanes(&mut self, prim: Prim, sizes: &[Exp], to: &Side, from: &Side) {
        let [at, rest, total] = ["at", "rest", "total"].map(|base| self.scopes.fresh(base));
        let count = sizes.iter().cloned().reduce(Exp::mul).unwrap_or(Exp::i64(1));
        self.lines.open("{");
        self.lines.line(format!("int64_t {total} = {};", plain(self, &count)));
        self.lines.open(format!("for (int64_t {at} = kz_lane(); {at} < {total}; {at} += kz_group_size()) {{"));
        self.lines.line(format!("int64_t {rest} = {at};"));
        let mut indices = Vec::with_capacity(sizes.len());
        for (dim, size) in sizes.iter().enumerate().rev() {
            if dim == 0 {
                indices.push(rest.clone());
                break;
            }
            let index = self.scopes.fresh("i");
            let size = exp(self, size).at(Prec::Unary);
            self.lines.line(format!("int64_t {index} = {rest} % {size};"));
            self.lines.line(format!("{rest} /= {size};"));
            indices.push(index);
        }
        indices.reverse();
        let side = |w: &Self, side: &Side| {
            let strides = indices.iter().zip(&side.strides);
            let terms = strides.map(|(i, stride)| format!(" + {i} * {}", exp(w, stride).at(Prec::Unary)));
            let terms: String = terms.collect();
            format!("{}[{}{terms}]", w.elements(side.block, prim), exp(w, &side.offset).at(Prec::Sum))
        };
        let (left, right) = (side(self, to), side(self, from));
        self.lines.line(format!("{left} = {right};"));
        self.lines.close("}");
        self.lines.close("}");
    }

    /// What comes before the code of a block.
    pub(super) fn begin_block(&mut self, body: &[Stm]) {
        let mut takes_number = false;
        for_each_stm(body, &mut |stm| takes_number |= matches!(stm, Stm::Take { .. }));
        let code = self.block.get_or_insert_default();
        (code.is_crowded, code.forgetful) = (is_crowded(body), forgetful(body));
        // All blocks take a number, and leave only then.
        if !takes_number {
            self.lines.line("KZ_BLOCK_BEGIN");
        }
    }

    pub(crate) fn lanes(&mut self, lane: Name, body: &[Stm]) {
        self.barrier_if_needed();
        let code = self.block.get_or_insert_default();
        let end = code.label();
        let number = if code.is_crowded || code.forgetful.contains(&lane) { "kz_lane_again" } else { "kz_lane" };
        (code.of_lane, code.has_failed) = (Some(end.clone()), false);
        self.scopes.enter();
        self.lines.open("{");
        let ident = self.scopes.declare(lane);
        self.lines.line(format!("int64_t {ident} = {number}();"));
        if !self.uses.is_live(lane) {
            self.lines.line(format!("(void){ident};"));
        }
        self.stms(body);
        self.lines.close("}");
        self.scopes.leave();
        let Some(code) = &mut self.block else { return };
        code.of_lane = None;
        if !code.has_failed {
            return self.barrier();
        }
        self.lines.line(format!("{end}:;"));
        self.leave_together();
    }

    /// All lanes leave if one of them has failed.
    pub(super) fn leave_together(&mut self) {
        // Nobody goes on, and perhaps fails, before all have looked.
        let failed = self.scopes.fresh("failed");
        self.barrier();
        self.lines.line(format!("int32_t {failed} = *KZ_FAILED;"));
        self.barrier();
        self.lines.line(format!("if ({failed} != 0) return;"));
    }

    /// How a thread leaves whose check has failed.
    pub(super) fn leave_kernel(&mut self) -> String {
        match &mut self.block {
            Some(BlockCode { of_lane: Some(end), has_failed, .. }) => {
                *has_failed = true;
                format!("*KZ_FAILED = 1; goto {end};")
            }
            _ => "return;".to_string(),
        }
    }

    pub(crate) fn shared_block(&mut self, name: Name, offset: &Exp) {
        if !self.uses.is_live(name) {
            return;
        }
        let offset = exp(self, offset).at(Prec::Sum);
        let left = self.declare(name, Ty::Block(Space::Shared));
        let cast = match self.pointers.get(&name).copied().flatten() {
            Some(prim) => format!("(KZ_SHARED {} *)", self.element(prim)),
            None => String::new(),
        };
        self.lines.line(format!("{left} = {cast}((KZ_SHARED char *)kz_shared + {offset});"));
    }

    // On the host

    pub(crate) fn width(&mut self, name: Name, shares: &Exp) {
        let shares = plain(self, shares);
        let function = self.rts(Part::Device, "kz_lanes_for");
        let left = self.declare(name, Ty::Scalar(Prim::I64));
        self.lines.line(format!("{left} = {function}(ctx, {shares});"));
    }

    pub(crate) fn tunable(&mut self, name: Name, of: &Tunable) {
        let value = format!("ctx->config->params[{}]", self.tunables.index(of));
        let left = self.declare(name, Ty::Scalar(Prim::I64));
        let value = match of.class {
            TunableClass::Threshold => value,
            TunableClass::Shared => format!("{}(ctx, {value})", self.rts(Part::Device, "kz_shared_limit")),
        };
        self.lines.line(format!("{left} = {value};"));
        if !self.uses.is_live(name) {
            let ident = self.scalar(name).text;
            self.lines.line(format!("(void){ident};"));
        }
    }

    pub(crate) fn block_count(&mut self, name: Name, iterations: &Exp, combined: bool) {
        let iterations = plain(self, iterations);
        let function = self.rts(Part::Device, "kz_blocks");
        let left = self.declare(name, Ty::Scalar(Prim::I64));
        self.lines.line(format!("{left} = {function}(ctx, {iterations}, {combined});"));
        if !self.uses.is_live(name) {
            let ident = self.scalar(name).text;
            self.lines.line(format!("(void){ident};"));
        }
    }
}
