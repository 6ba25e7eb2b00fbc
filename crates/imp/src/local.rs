//! Small blocks of known size go on the stack.
//!
//! ```text
//! alloc m_1: host 12          local m_1: f32[3]
//! m_1.f32[0] = x_2        →   m_1.f32[0] = x_2
//! free m_1
//! ```
//!
//! Only blocks that stay in the function: they are read, written and copied with one type of element, and neither
//! shared, assigned to a variable nor passed to a call.

use crate::visit::for_each_stm;
use crate::{Arg, Exp, Fun, Stm, Traced};
use kenaz_base::{Prim, with_stack};
use kenaz_ir::{Name, Space, Target};
use rustc_hash::{FxHashMap, FxHashSet};

/// The blocks of a function on the stack have together at most so many bytes.
const LARGEST_SUM: u64 = 16 * 1024;

/// How a block is used.
#[derive(Clone, Copy, PartialEq)]
enum Use {
    /// Allocated with so many bytes, and not used yet.
    Unused(u64),
    As(Prim, u64),
    Otherwise,
}

pub(crate) fn stack_blocks(fun: &mut Fun, target: &Target) {
    let mut uses: FxHashMap<Name, Use> = FxHashMap::default();
    let mut left = LARGEST_SUM;
    // Host code has no stack in the memory of a device.
    let inside = inside(&fun.body);
    for_each_stm(&fun.body, &mut |stm| match stm {
        Stm::Alloc { name, space, bytes: Exp::Const(bytes) }
            if *space != Space::Shared && (*space != Space::Device || inside.contains(name)) =>
        {
            let bytes = bytes.as_i64().and_then(|n| u64::try_from(n).ok());
            if let Some(bytes) = bytes.filter(|n| *n <= target.stack_bytes.min(left)) {
                left -= bytes;
                uses.insert(*name, Use::Unused(bytes));
            }
        }
        _ => note(stm, &mut uses),
    });
    uses.retain(|_, how| matches!(how, Use::As(prim, bytes) if *bytes % (prim.bytes() as u64) == 0));
    if !uses.is_empty() {
        rewrite(&mut fun.body, &uses);
    }
}

/// The blocks that parallel loops allocate.
fn inside(stms: &[Stm]) -> FxHashSet<Name> {
    let mut found = FxHashSet::default();
    for_each_stm(stms, &mut |stm| {
        if let Stm::Parallel { body, .. } = stm {
            for_each_stm(body, &mut |stm| {
                if let Stm::Alloc { name, .. } = stm {
                    found.insert(*name);
                }
            });
        }
    });
    found
}

fn note(stm: &Stm, uses: &mut FxHashMap<Name, Use>) {
    let mut element = |block: Name, prim: Prim| {
        if let Some(how) = uses.get_mut(&block) {
            *how = match *how {
                Use::Unused(bytes) => Use::As(prim, bytes),
                Use::As(other, bytes) if other == prim => Use::As(prim, bytes),
                Use::As(..) | Use::Otherwise => Use::Otherwise,
            };
        }
    };
    stm.for_each_exp(|x| {
        x.walk(&mut |x| {
            if let Exp::Load { block, prim, .. } = x {
                element(*block, *prim);
            }
        });
    });
    match stm {
        Stm::Update { cells, .. } => cells.iter().for_each(|cell| element(cell.block, cell.prim)),
        Stm::Store { block, prim, .. }
        | Stm::Race { block, prim, .. }
        | Stm::Trace { value: Traced::Array { block, prim, .. }, .. } => {
            element(*block, *prim);
        }
        Stm::Stream { block, prim, from, .. } => {
            element(*block, *prim);
            element(*from, *prim);
        }
        Stm::Copy { prim, to, from, .. } => {
            element(to.block, *prim);
            element(from.block, *prim);
        }
        Stm::SetBlock { from, .. } | Stm::Share { from, .. } | Stm::Slot { from, .. } => {
            uses.insert(*from, Use::Otherwise);
        }
        Stm::Call { args, .. } | Stm::Launch { args, .. } => {
            for arg in args {
                match arg {
                    Arg::Block(block) => drop(uses.insert(*block, Use::Otherwise)),
                    Arg::Scalar(_) => {}
                }
            }
        }
        _ => {}
    }
}

fn rewrite(stms: &mut Vec<Stm>, uses: &FxHashMap<Name, Use>) {
    with_stack(|| {
        stms.retain(|stm| !matches!(stm, Stm::Free { name } if uses.contains_key(name)));
        for stm in stms {
            if let Stm::Alloc { name, .. } = stm
                && let Some(Use::As(prim, bytes)) = uses.get(name)
            {
                *stm = Stm::Local { name: *name, prim: *prim, len: (bytes / (prim.bytes() as u64)).max(1) };
            }
            stm.for_each_body_mut(|body| rewrite(body, uses));
        }
    });
}
