//! Blocks that only ever hold constants are tables of the program.
//!
//! ```text
//! table t_2: i32 [1, 5, 3, …]
//! alloc m_1: host 4000                  table m_1: i32 [1, 5, 3, …]
//! copy i32 [1000] m_1 <- t_2        →   x_4 = m_1.i32[i_3]
//! x_4 = m_1.i32[i_3]
//! free m_1
//! ```
//!
//! Only blocks that stay in the function and that nothing else writes to.

use crate::visit::for_each_stm;
use crate::{Arg, Exp, Fun, Side, Stm, Traced};
use kenaz_base::{Prim, with_stack};
use kenaz_ir::{Name, Scalar};
use rustc_hash::FxHashMap;
use std::sync::Arc;

type Values = (Prim, Arc<[Scalar]>);

/// What is known about a block of so many bytes.
enum Block {
    Empty(i64),
    /// All of it was copied from this table.
    Filled(Name, Prim),
}

pub(crate) fn constant_blocks(fun: &mut Fun) {
    let mut tables: FxHashMap<Name, Values> = FxHashMap::default();
    for_each_stm(&fun.body, &mut |stm| {
        if let Stm::Table { name, prim, values } = stm {
            tables.insert(*name, (*prim, values.clone()));
        }
    });
    if tables.is_empty() {
        return;
    }
    let mut blocks: FxHashMap<Name, Block> = FxHashMap::default();
    for_each_stm(&fun.body, &mut |stm| note(stm, &tables, &mut blocks));
    let filled: FxHashMap<Name, Values> = blocks
        .into_iter()
        .filter_map(|(block, how)| match how {
            Block::Filled(table, _) => Some((block, tables.get(&table)?.clone())),
            Block::Empty(_) => None,
        })
        .collect();
    if !filled.is_empty() {
        rewrite(&mut fun.body, &filled);
    }
}

fn note(stm: &Stm, tables: &FxHashMap<Name, Values>, blocks: &mut FxHashMap<Name, Block>) {
    // What is read has the type of the table; before it is filled, nothing is.
    let mut read = |block: Name, prim: Prim| {
        let fits = match blocks.get(&block) {
            Some(Block::Filled(_, own)) => *own == prim,
            Some(Block::Empty(_)) => false,
            None => true,
        };
        if !fits {
            blocks.remove(&block);
        }
    };
    stm.for_each_exp(|x| {
        x.walk(&mut |x| {
            if let Exp::Load { block, prim, .. } = x {
                read(*block, *prim);
            }
        });
    });
    match stm {
        Stm::Alloc { name, bytes: Exp::Const(Scalar::I64(bytes)), .. } => {
            blocks.insert(*name, Block::Empty(*bytes));
        }
        Stm::Copy { prim, sizes, to, from } => {
            read(from.block, *prim);
            let fills = |bytes: i64, (own, values): &Values| {
                let whole = Side { block: to.block, offset: Exp::i64(0), strides: vec![Exp::i64(1)] };
                let len = i64::try_from(values.len()).unwrap_or(i64::MAX);
                *to == whole && own == prim && sizes[..] == [Exp::i64(len)] && bytes == len * prim.bytes() as i64
            };
            let whole = match (blocks.get(&to.block), tables.get(&from.block)) {
                (Some(Block::Empty(bytes)), Some(values)) => fills(*bytes, values),
                _ => false,
            };
            match whole {
                true => {
                    blocks.insert(to.block, Block::Filled(from.block, *prim));
                }
                false => {
                    blocks.remove(&to.block);
                }
            }
        }
        Stm::Store { block, .. } | Stm::Race { block, .. } => {
            blocks.remove(block);
        }
        Stm::Stream { block, from, .. } => {
            blocks.remove(block);
            blocks.remove(from);
        }
        Stm::Trace { value: Traced::Array { block, .. }, .. } => {
            blocks.remove(block);
        }
        Stm::SetBlock { from, .. } | Stm::Share { from, .. } => {
            blocks.remove(from);
        }
        Stm::Call { args, .. } | Stm::Launch { args, .. } => {
            for arg in args {
                match arg {
                    Arg::Block(block) => {
                        blocks.remove(block);
                    }
                    Arg::Scalar(_) => {}
                }
            }
        }
        _ => {}
    }
}

fn rewrite(stms: &mut Vec<Stm>, filled: &FxHashMap<Name, Values>) {
    with_stack(|| {
        stms.retain(|stm| match stm {
            Stm::Free { name } => !filled.contains_key(name),
            Stm::Copy { to, .. } => !filled.contains_key(&to.block),
            _ => true,
        });
        for stm in stms {
            if let Stm::Alloc { name, .. } = stm
                && let Some((prim, values)) = filled.get(name)
            {
                *stm = Stm::Table { name: *name, prim: *prim, values: values.clone() };
            }
            stm.for_each_body_mut(|body| rewrite(body, filled));
        }
    });
}

/// Whether a constant can stand in a table: C has no constants that are not numbers.
pub(crate) fn is_plain(value: Scalar) -> bool {
    match value {
        Scalar::F32(x) => !x.is_nan(),
        Scalar::F64(x) => !x.is_nan(),
        _ => true,
    }
}
