//! Who reads and writes what in the iterations of a `par` ([mem] eq. 4): no iteration may write what another one reads
//! or writes.
//!
//! Instead of sets for each iteration, each byte remembers which iteration has written it, and which one has read it or
//! that several have; that is enough to see a conflict with any earlier iteration. Iterations are numbered over the
//! whole run, so that what an earlier `par` has left behind is known to be old.

use super::blocks::report;
use crate::error::{Rule, Stop};
use kenaz_ir::Name;

#[derive(Default)]
pub(super) struct Races {
    /// The number of the latest iteration.
    last: u32,
    /// The iterations that are going on, the outermost first.
    frames: Vec<Frame>,
    /// Larger blocks are not watched.
    pub limit: usize,
}

struct Frame {
    /// The numbers of the first and the last iteration of this `par`.
    first: u32,
    last: u32,
    current: u32,
    /// Which point each iteration has, in the order in which they run.
    points: Vec<usize>,
}

/// What happens to a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
    /// A write that several iterations may make: that of a form `write`, or an atomic one.
    Shared,
}

/// For each byte of a block who was there.
pub(super) type Seen = Vec<Visitors>;

#[derive(Clone, Copy, Default)]
pub(super) struct Visitors {
    /// The iteration that has written it last; with [`MARK`] if others might have, too.
    writer: u32,
    /// An iteration that has read it; with [`MARK`] if it is not the only one.
    reader: u32,
}

const MARK: u32 = 1 << 31;

impl Races {
    /// The time, in iterations.
    pub(super) fn now(&self) -> u32 {
        self.last
    }

    #[inline]
    pub(super) fn is_watching(&self) -> bool {
        !self.frames.is_empty()
    }

    /// Begins to watch the iterations of a `par`, which come in this order; false if there have been too many already.
    pub(super) fn enter(&mut self, points: Vec<usize>) -> bool {
        let room = u32::try_from(points.len()).is_ok_and(|n| n < (MARK - 1) - self.last);
        if room {
            let (first, current) = (self.last + 1, self.last);
            // Those of `par`s inside come behind these.
            self.last += points.len() as u32;
            self.frames.push(Frame { first, last: self.last, current, points });
        }
        room
    }

    /// The next iteration begins.
    pub(super) fn step(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.current += 1;
        }
    }

    pub(super) fn leave(&mut self) {
        self.frames.pop();
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of a block")]
    pub(super) fn access(
        &self,
        seen: &mut Vec<Seen>,
        born: u32,
        size: usize,
        from: usize,
        len: usize,
        access: Access,
        block: Name,
    ) -> Result<(), Stop> {
        if size > self.limit {
            return Ok(());
        }
        for (depth, frame) in self.frames.iter().enumerate() {
            // Only the iteration that has made a block knows it.
            if born >= frame.last {
                continue;
            }
            if seen.len() <= depth {
                seen.resize_with(depth + 1, Vec::new);
            }
            let seen = &mut seen[depth];
            if seen.is_empty() {
                seen.resize(size, Visitors::default());
            }
            let me = frame.current;
            for (i, byte) in seen[from..from + len].iter_mut().enumerate() {
                let writer = byte.writer & !MARK;
                let was_written = writer >= frame.first;
                let is_shared = byte.writer & MARK != 0 && access == Access::Shared;
                if was_written && writer != me && !is_shared {
                    return Err(conflict(frame, Some(writer), "writes", access, block, from + i));
                }
                let reader = byte.reader & !MARK;
                let was_read = reader >= frame.first;
                if access == Access::Read {
                    byte.reader = match was_read {
                        false => me,
                        true if reader == me => byte.reader,
                        true => reader | MARK,
                    };
                } else {
                    if was_read && (reader != me || byte.reader & MARK != 0) {
                        let other = Some(reader).filter(|reader| *reader != me);
                        return Err(conflict(frame, other, "reads", access, block, from + i));
                    }
                    byte.writer = if access == Access::Shared { me | MARK } else { me };
                }
            }
        }
        Ok(())
    }
}

#[cold]
fn conflict(frame: &Frame, other: Option<u32>, did: &str, access: Access, block: Name, byte: usize) -> Stop {
    let point = |iteration: u32| frame.points.get((iteration - frame.first) as usize).copied().unwrap_or(0);
    let other = other.map_or_else(|| "another iteration".to_string(), |other| format!("iteration {}", point(other)));
    let does = if access == Access::Read { "reads" } else { "writes" };
    let mine = point(frame.current);
    report(Rule::Race, format!("{other} {did} byte {byte} of the block `{block}`, iteration {mine} {does} it"))
}
