//! The heap: blocks of bytes, of which it is known who has a reference, what was written, and who was there.

use super::lmad::Elements;
use super::race::{Access, Races, Seen};
use crate::array::{self, Cell};
use crate::error::{Kind, Rule, Stop};
use kenaz_ir::Name;

/// Which block. Labels are not used twice.
pub(super) type Label = u32;

#[derive(Default)]
pub(super) struct Heap {
    blocks: Vec<Block>,
    pub races: Races,
}

struct Block {
    /// What it was called where it was allocated.
    name: Name,
    bytes: Vec<u8>,
    /// A bit for each byte.
    written: Bits,
    references: u32,
    role: Role,
    /// Who has been there, for each `par` around whose iterations are watched.
    seen: Vec<Seen>,
    /// Of iterations that began later the block is not their own.
    born: u32,
    /// The bytes of each of its slots, and how many there are.
    slots: Option<(i64, usize)>,
}

/// Why a block exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// For the program to write and free.
    Allocated,
    /// It belongs to the caller, who has one reference.
    Argument { writable: bool },
    /// Made for an array without a place, by an interpreter that knows no better than to keep it.
    Automatic,
}

/// Bytes that were read, and which of them had been written, unless all had.
pub(super) struct Contents {
    bytes: Vec<u8>,
    written: Option<Bits>,
}

impl Heap {
    pub(super) fn allocate(&mut self, name: Name, bytes: i64, role: Role) -> Result<Label, Stop> {
        let Ok(size) = usize::try_from(bytes) else {
            return Err(report(Rule::Size, format!("`{name}` is allocated with {bytes} bytes")));
        };
        let block = Block {
            name,
            bytes: array::allocate(size, 1)?,
            written: Bits::new(size)?,
            references: 1,
            role,
            seen: Vec::new(),
            born: self.races.now(),
            slots: None,
        };
        self.blocks.push(block);
        Label::try_from(self.blocks.len() - 1)
            .map_err(|_| Stop::new(Kind::OutOfMemory, "out of memory: there are too many blocks.".to_string()))
    }

    /// A block with so many bytes for each worker. What is in its slots is kept apart: see [`Heap::slot`].
    pub(super) fn allocate_each(&mut self, name: Name, bytes: i64, workers: usize) -> Result<Label, Stop> {
        if bytes < 0 {
            return Err(report(Rule::Size, format!("`{name}` is allocated with {bytes} bytes for each worker")));
        }
        let label = self.allocate(name, 0, Role::Allocated)?;
        self.blocks[label as usize].slots = Some((bytes, workers));
        Ok(label)
    }

    /// The slot of a worker, for an iteration to free at its end. It is a block by itself, so that whatever is outside
    /// the slot, or was left there by another iteration, is out of reach.
    pub(super) fn slot(&mut self, name: Name, of: Label, worker: usize) -> Result<Label, Stop> {
        let block = self.block(of)?;
        let (bytes, workers) = block.slots.ok_or_else(|| Stop::fault("a slot of a block that has none"))?;
        if worker >= workers {
            let message = format!("slot {worker} of the block `{}`, which has {workers}", block.name);
            return Err(report(Rule::OutOfBlock, message));
        }
        self.allocate(name, bytes, Role::Allocated)
    }

    /// A block with an argument in it.
    pub(super) fn argument(&mut self, name: Name, bytes: Vec<u8>, writable: bool) -> Result<Label, Stop> {
        let label = self.allocate(name, 0, Role::Argument { writable })?;
        let block = &mut self.blocks[label as usize];
        block.written = Bits::new(bytes.len())?;
        block.written.set(0, bytes.len());
        block.bytes = bytes;
        Ok(label)
    }

    pub(super) fn share(&mut self, label: Label) -> Result<(), Stop> {
        let block = self.block(label)?;
        block.references += 1;
        Ok(())
    }

    pub(super) fn free(&mut self, label: Label) -> Result<(), Stop> {
        let block = &mut self.blocks[label as usize];
        if block.references == 0 {
            return Err(report(
                Rule::DoubleFree,
                format!("the block `{}` is freed, but it is gone already", block.name),
            ));
        }
        block.references -= 1;
        if block.references == 0 {
            block.bytes = Vec::new();
            block.written = Bits::default();
            block.seen = Vec::new();
        }
        Ok(())
    }

    /// A block that is still there.
    fn block(&mut self, label: Label) -> Result<&mut Block, Stop> {
        let block = &mut self.blocks[label as usize];
        if block.references == 0 { Err(gone(block)) } else { Ok(block) }
    }

    /// Whether everything but these results, and what the caller has, is gone.
    pub(super) fn check_end(&self, results: &[Label]) -> Result<(), Stop> {
        for (label, block) in self.blocks.iter().enumerate() {
            let expected = match block.role {
                Role::Allocated => 0,
                Role::Argument { .. } => 1,
                Role::Automatic => continue,
            };
            let expected = expected + results.iter().filter(|result| **result as usize == label).count();
            let (found, name) = (block.references as usize, block.name);
            if found > expected {
                let message = format!("the block `{name}` has {found} references at the end instead of {expected}");
                return Err(report(Rule::Leak, message));
            }
            if found < expected {
                let message = format!("the block `{name}` was freed, but it belongs to the caller");
                return Err(report(Rule::DoubleFree, message));
            }
        }
        Ok(())
    }

    #[inline]
    pub(super) fn load_unwatched(&self, label: Label, cell: Cell, at: i64) -> Result<u64, Stop> {
        let block = &self.blocks[label as usize];
        let from = block.byte(cell, at).ok_or_else(|| outside(block, cell.width(), at, 1))?;
        if !block.written.all(from, cell.width()) {
            return Err(unwritten(block, at));
        }
        cell.load(&block.bytes, at).ok_or_else(|| outside(block, cell.width(), at, 1))
    }

    #[inline]
    pub(super) fn load(&mut self, label: Label, cell: Cell, at: i64) -> Result<u64, Stop> {
        let x = self.load_unwatched(label, cell, at)?;
        if self.races.is_watching() {
            let block = &mut self.blocks[label as usize];
            let (from, width) = (at as usize * cell.width(), cell.width());
            self.races.access(&mut block.seen, block.born, block.bytes.len(), from, width, Access::Read, block.name)?;
        }
        Ok(x)
    }

    #[inline]
    pub(super) fn store(&mut self, label: Label, cell: Cell, at: i64, x: u64, access: Access) -> Result<(), Stop> {
        let block = &mut self.blocks[label as usize];
        if block.role == (Role::Argument { writable: false }) {
            return Err(constant(block));
        }
        let width = cell.width();
        let from = block.byte(cell, at).ok_or_else(|| outside(block, width, at, 1))?;
        cell.store(&mut block.bytes, at, x);
        block.written.set(from, width);
        if self.races.is_watching() {
            self.races.access(&mut block.seen, block.born, block.bytes.len(), from, width, access, block.name)?;
        }
        Ok(())
    }

    /// Reads elements in their order. Nothing is said about unwritten ones yet: to move them is no harm.
    pub(super) fn gather(&mut self, label: Label, width: usize, elements: &Elements) -> Result<Contents, Stop> {
        let mut out = Contents { bytes: Vec::new(), written: None };
        let total = elements.len().saturating_mul(width);
        out.bytes.try_reserve_exact(total).map_err(|_| array::no_memory(elements.len(), width))?;
        let Heap { blocks, races } = self;
        let block = &mut blocks[label as usize];
        elements.runs(|at, n, stride| {
            for (from, len) in pieces(block, width, at, n, stride)? {
                let done = out.bytes.len();
                out.bytes.extend_from_slice(&block.bytes[from..from + len]);
                if !block.written.all(from, len) && out.written.is_none() {
                    let mut written = Bits::new(total)?;
                    written.set(0, done);
                    out.written = Some(written);
                }
                if let Some(written) = &mut out.written {
                    (0..len).filter(|i| block.written.all(from + i, 1)).for_each(|i| written.set(done + i, 1));
                }
                if races.is_watching() {
                    races.access(
                        &mut block.seen,
                        block.born,
                        block.bytes.len(),
                        from,
                        len,
                        Access::Read,
                        block.name,
                    )?;
                }
            }
            Ok(())
        })?;
        Ok(out)
    }

    /// Writes elements in their order.
    pub(super) fn scatter(
        &mut self,
        label: Label,
        width: usize,
        elements: &Elements,
        contents: &Contents,
        access: Access,
    ) -> Result<(), Stop> {
        let mut done = 0;
        let Heap { blocks, races } = self;
        let block = &mut blocks[label as usize];
        elements.runs(|at, n, stride| {
            if block.role == (Role::Argument { writable: false }) {
                return Err(constant(block));
            }
            for (from, len) in pieces(block, width, at, n, stride)? {
                let Some(bytes) = contents.bytes.get(done..done + len) else {
                    return Err(Stop::fault("a copy between arrays of different shapes"));
                };
                block.bytes[from..from + len].copy_from_slice(bytes);
                match &contents.written {
                    None => block.written.set(from, len),
                    Some(written) => (0..len).for_each(|i| block.written.put(from + i, written.all(done + i, 1))),
                }
                if races.is_watching() {
                    races.access(&mut block.seen, block.born, block.bytes.len(), from, len, access, block.name)?;
                }
                done += len;
            }
            Ok(())
        })?;
        if done == contents.bytes.len() {
            Ok(())
        } else {
            Err(Stop::fault("a copy between arrays of different shapes"))
        }
    }

    /// Makes elements what they were when the block was new.
    pub(super) fn forget(&mut self, label: Label, width: usize, elements: &Elements) -> Result<(), Stop> {
        let block = &mut self.blocks[label as usize];
        elements.runs(|at, n, stride| {
            for (from, len) in pieces(block, width, at, n, stride)? {
                block.written.clear(from, len);
            }
            Ok(())
        })
    }

    /// The name of a block, for messages.
    pub(super) fn name(&self, label: Label) -> Name {
        self.blocks[label as usize].name
    }
}

impl Block {
    /// Where in the bytes an element is, if it is there.
    #[inline]
    fn byte(&self, cell: Cell, at: i64) -> Option<usize> {
        let from = usize::try_from(at).ok()?.checked_mul(cell.width())?;
        (from.checked_add(cell.width())? <= self.bytes.len()).then_some(from)
    }
}

impl Contents {
    /// Those of an array with all elements the same.
    pub(super) fn filled(cell: Cell, x: u64, elements: usize) -> Result<Contents, Stop> {
        let mut bytes = array::allocate(elements, cell.width())?;
        if elements != 0 {
            cell.store(&mut bytes, 0, x);
            array::repeat(&mut bytes, cell.width());
        }
        Ok(Contents { bytes, written: None })
    }

    pub(super) fn of(bytes: Vec<u8>) -> Contents {
        Contents { bytes, written: None }
    }

    /// The bytes, if all were written.
    pub(super) fn bytes(self) -> Result<Vec<u8>, Stop> {
        match self.written {
            None => Ok(self.bytes),
            Some(_) => {
                Err(report(Rule::Unwritten, "an array is used of which not all elements were written".to_string()))
            }
        }
    }
}

/// The pieces of the block in which some elements are: where in bytes, and how many.
fn pieces(
    block: &Block,
    width: usize,
    at: i64,
    n: usize,
    stride: i64,
) -> Result<impl Iterator<Item = (usize, usize)> + use<>, Stop> {
    let last = (n as i64 - 1).checked_mul(stride).and_then(|span| span.checked_add(at));
    let end = |at: i64| usize::try_from(at).ok()?.checked_add(1)?.checked_mul(width);
    let inside = |at: i64| end(at).is_some_and(|end| end <= block.bytes.len());
    if !inside(at) || !last.is_some_and(inside) {
        return Err(outside(block, width, at, n));
    }
    let (count, len) = if stride == 1 { (1, n * width) } else { (n, width) };
    Ok((0..count as i64).map(move |i| ((at + i * stride) as usize * width, len)))
}

pub(super) fn report(rule: Rule, message: String) -> Stop {
    Stop::new(Kind::Memory(rule), format!("{}: {message}.", rule.name()))
}

#[cold]
fn gone(block: &Block) -> Stop {
    report(Rule::UseAfterFree, format!("the block `{}` is used after it was freed", block.name))
}

#[cold]
fn outside(block: &Block, width: usize, at: i64, n: usize) -> Stop {
    if block.references == 0 {
        return gone(block);
    }
    let (name, size) = (block.name, block.bytes.len());
    let what = if n == 1 { "an element".to_string() } else { format!("{n} elements") };
    report(Rule::OutOfBlock, format!("{what} of {width} bytes at {at} in the block `{name}` of {size} bytes"))
}

#[cold]
fn unwritten(block: &Block, at: i64) -> Stop {
    report(Rule::Unwritten, format!("the element at {at} in the block `{}` is read but was never written", block.name))
}

#[cold]
fn constant(block: &Block) -> Stop {
    report(Rule::Argument, format!("the block `{}` is overwritten, but its array is not consumed", block.name))
}

/// A list of bits.
#[derive(Clone, Default)]
struct Bits(Vec<u64>);

impl Bits {
    fn new(n: usize) -> Result<Bits, Stop> {
        let words = n.div_ceil(64);
        let mut bits = Vec::new();
        bits.try_reserve_exact(words).map_err(|_| array::no_memory(words, 8))?;
        bits.resize(words, 0);
        Ok(Bits(bits))
    }

    /// Each word with those of its bits that are in the range.
    #[inline]
    fn words(from: usize, n: usize) -> impl Iterator<Item = (usize, u64)> {
        let end = from + n;
        (from / 64..end.div_ceil(64)).map(move |word| {
            let (low, high) = (from.max(word * 64) % 64, end.min(word * 64 + 64) - word * 64);
            (word, (u64::MAX >> (64 - (high - low))) << low)
        })
    }

    #[inline]
    fn set(&mut self, from: usize, n: usize) {
        if n != 0 {
            Bits::words(from, n).for_each(|(word, mask)| self.0[word] |= mask);
        }
    }

    fn clear(&mut self, from: usize, n: usize) {
        if n != 0 {
            Bits::words(from, n).for_each(|(word, mask)| self.0[word] &= !mask);
        }
    }

    fn put(&mut self, at: usize, value: bool) {
        self.0[at / 64] = self.0[at / 64] & !(1 << (at % 64)) | u64::from(value) << (at % 64);
    }

    #[inline]
    fn all(&self, from: usize, n: usize) -> bool {
        n == 0 || Bits::words(from, n).all(|(word, mask)| self.0[word] & mask == mask)
    }
}
