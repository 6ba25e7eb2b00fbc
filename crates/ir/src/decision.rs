//! What passes decided, for people: each kind of decision has an id, and is explained in docs/decisions.md.
//!
//! A new kind is one line in the table below; `BLESS=1 cargo test -p kenaz-ir decision` rewrites the page.

use crate::prog::LocId;
use std::fmt;

macro_rules! decisions {
    ($($variant:ident $id:literal $about:literal;)*) => {
        /// What a decision is about. It prints as the words of its id: `fusion refused`.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum DecisionKind { $(#[doc = $about] $variant),* }

        impl DecisionKind {
            pub const ALL: &'static [DecisionKind] = &[$(DecisionKind::$variant),*];

            /// The kebab-case name by which users know it.
            pub fn id(self) -> &'static str {
                match self { $(DecisionKind::$variant => $id),* }
            }

            /// The decision and its causes, in a line for people.
            pub fn about(self) -> &'static str {
                match self { $(DecisionKind::$variant => $about),* }
            }
        }
    };
}

decisions! {
    // Array stage
    CallStays "call-stays" "A function is too large to be inlined everywhere it is called, so the call stays.";
    SizeStaysWithValue "size-stays-with-its-value" "The size of a result cannot be computed without the result itself.";
    SizeCheckStaysInside "check-of-sizes-stays-inside" "A check that two sizes agree stays in the operator or loop, where each iteration makes it.";
    CheckStaysInFunction "check-stays-in-its-function" "A check stays in a function instead of being made once by its callers.";
    CheckStaysInside "check-stays-inside" "A check stays in a loop or operator, where each iteration makes it.";
    FusionRefused "fusion-refused" "Two operators stay apart, so that an array is made in between.";
    SourceRefused "source-refused" "An array marked `#[source]` is made as a whole, instead of element by element where it is read.";
    CopyStays "copy-stays" "A copy of an array cannot be left out, because the array is still needed or belongs to somebody else.";

    // Parallel stage
    AsLoop "loop" "An operator becomes a loop whose iterations run one after the other.";
    OnCores "core" "The iterations of an operator run on the cores of the CPU.";
    OnGrid "grid" "The iterations of an operator run on the threads of a device.";
    Versions "versions" "A nest on a device runs in one of several ways, chosen by its sizes when the program runs.";
    InSequence "sequential" "An operator runs in sequence, on one core.";
    Closed "sequential-inside" "An operator runs in sequence because of what it stands in.";
    DerivativeStays "derivative-stays" "A derivative was not expanded before, so it cannot be compiled further.";

    // Memory stage
    Allocation "allocation" "An array gets a block of memory of its own.";
    Copy "copy" "An array is copied to the place where it is needed.";
    NotExpanded "no-expansion" "What iterations on the cores allocate for themselves is not one block with a part for each thread.";
    NotInPlace "not-built-in-place" "An array is built elsewhere than in the place where it is needed in the end.";

    // Plans: how a `par` becomes loops
    InChunks "chunks" "The iterations of an operator are split among the threads.";
    NotInChunks "no-chunks" "An operator on the cores cannot be split among the threads, so it runs in sequence.";
    Tiled "tile" "Sums inside two maps run in tiles that stay in registers, as far as the sizes allow when the program runs.";
    NotTiled "no-tile" "Sums inside two maps run one after the other, although they nearly have the shape of a tile.";
    InStrips "strips" "Reductions run for a strip of neighbouring iterations at once, since their own operands are far apart.";
    NotInStrips "no-strips" "Reductions whose operands are far apart run one after the other.";
    Collapsed "collapse" "A map of maps becomes one nest of loops, which can then change places.";
    NestStays "nest-stays" "A map of maps whose loops could change places stays as it is.";
    LoopsOrdered "order" "The loops of a nest stand in another order than in the program, so that the innermost goes along neighbours.";
    InSquares "squares" "A nest goes over squares, since some of its accesses are neighbours along one dimension and some along another.";
    LoopSplit "split" "A loop becomes several, one for each dimension of the array it goes along.";
    Guarded "guard" "A test that every iteration would make is made once, in front of the loop.";
    InParts "cuts" "A loop runs in parts, in each of which comparisons with its index have one answer.";
    InLanes "lanes" "A reduction has several accumulators side by side, so that it runs in vectors.";
    NotInLanes "no-lanes" "A reduction has one accumulator, so that each operand waits for the one before.";
    Streamed "stream" "A result that is larger than the caches is written past them.";
    NotStreamed "no-stream" "A result goes through the caches, however large it is.";

    // All stages
    AttributeRefused "attribute-refused" "An attribute asks for something that cannot be done; this is an error as well, or a warning.";
}

impl DecisionKind {
    pub fn from_id(id: &str) -> Option<DecisionKind> {
        DecisionKind::ALL.iter().copied().find(|kind| kind.id() == id)
    }
}

impl fmt::Display for DecisionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.id().replace('-', " "))
    }
}

/// Something that a pass did not do, and why; or did and people would like to know about.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Decision {
    pub kind: DecisionKind,
    pub loc: LocId,
    /// An attribute asks for it.
    pub is_asked: bool,
    /// Goes on after "because". For people only: code that needs to tell reasons apart needs a field or a kind.
    pub reason: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write;
    use std::path::Path;

    #[test]
    fn ids_are_distinct_and_kebab_case() {
        for kind in DecisionKind::ALL {
            assert!(kind.id().bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{kind}");
            assert_eq!(DecisionKind::from_id(kind.id()), Some(*kind), "{kind} occurs twice");
            assert!(kind.about().ends_with('.'), "{kind}");
        }
    }

    #[test]
    fn documentation_is_up_to_date() {
        let mut expected = String::from(HEADER);
        for kind in DecisionKind::ALL {
            let _ = writeln!(expected, "| `{}` | {} |", kind.id(), kind.about());
        }
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/decisions.md");
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, &expected).unwrap();
        }
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(found == expected, "docs/decisions.md is not what the table says; run this test with BLESS=1");
    }

    const HEADER: &str = "\
# Decisions

What the compiler decided about a program: `kenaz ir FILE --optimise --decisions` prints one line for each decision, with
its place, its kind and its reason. `--stage parallel` and `--stage memory` tell of later decisions as well, and
`--target multicore` of those for several cores. `kenaz explain-error ID` prints a line of this table. Of what is in loops,
`--warn copies` tells more: each copy and allocation that is left there, with its source, its reason and what to change. It
works with `kenaz run`, `c`, `multicore`, `check` and `ir`. This page is made
from the table in `crates/ir/src/decision.rs`; a test holds them equal, and `BLESS=1 cargo test -p kenaz-ir decision`
rewrites the page.

| id | what it says |
|---|---|
";
}
