//! Plans: how a `par` of the memory stage becomes loops.
//!
//! ```text
//! par core (i_1 < n_2, j_3 < m_4) plan [chunks 2*m_4 + 1, order (1, 0), squares (0, 1) by 16] own {…}
//! ```
//!
//! A plan means nothing: a `par` computes the same with any plan that the checker accepts, and with none, when it is a
//! nest of loops in the order of its dimensions. The passes of `plan` set pieces one by one, and `imp` writes out what
//! they say. From the outermost:
//!
//! | piece | |
//! |---|---|
//! | `chunks` | the first dimension is split among those who run the level; each chunk is the rest of the plan |
//! | `tile` | two maps around a reduction run in register tiles where sizes allow; otherwise the rest of the plan |
//! | `strips` | reductions at the beginning of the body run for a strip of iterations at once; nothing below applies |
//! | `order`, `squares`, `split` | which loops there are, and in which order |
//! | `guard` | one test in front of the loops instead of one in each iteration |
//! | `cuts` | the innermost loop runs in parts, in each of which some comparisons have one answer |
//! | `lanes` | the loop of a reduction has several accumulators side by side |
//! | `stream` | the loop writes its result past the caches |
//!
//! A chunk has a part of the first dimension, so there `split` of that dimension and `guard` do not apply. Squares need
//! whole loops: they are not made where a dimension is split.

mod cut;
mod nest;

pub use cut::Cut;
pub use nest::{BlockNest, StripNest, StripReduction, TileNest, is_simple, needed};

use crate::exp::Exp;
use crate::name::Name;
use crate::par::Par;
use crate::poly::Poly;
use crate::prog::Body;
use crate::types::Type;
use crate::visit::for_each_body;
use kenaz_base::with_stack;
use std::fmt;

/// The pieces in the order of [`Piece`], each at most once; a `split` once for each dimension.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    Chunks(Chunks),
    Tile(Tile),
    Strips(Strips),
    /// `order (d, …)`: a permutation of the dimensions, the outermost loop first.
    Order(Vec<usize>),
    Squares(Squares),
    Split(Split),
    /// `guard`: every iteration combines its value with an element of the same row, so that whether that row is there
    /// is tested once.
    Guard,
    /// `cuts (c, …)`: comparisons in the body of a map with the index of its innermost loop, see [`Cut`].
    Cuts(Vec<Name>),
    Lanes(Lanes),
    Stream(Stream),
}

/// `chunks W uneven inside`: iterations cost about `W` operations each.
#[derive(Clone, Debug, PartialEq)]
pub struct Chunks {
    pub work: Poly,
    /// Iterations may differ much in what they cost.
    pub uneven: bool,
    /// Where there are fewer iterations than threads, they run one after the other and what is inside runs in chunks.
    pub inside: bool,
}

/// `tile r by c columns (x, …) rows (y, …) block b from l`: `r` rows and `c` columns of sums are kept in registers. On
/// a device they are those of a block of lanes, whose operands go through shared memory; with one column, all rows have
/// the same operands.
#[derive(Clone, Debug, PartialEq)]
pub struct Tile {
    pub rows: u64,
    pub columns: u64,
    /// Loads that depend on the column alone, and are copied first for a block of columns. On a device these are only
    /// loads of which neighbouring columns have neighbours.
    pub of_columns: Vec<Name>,
    /// Loads that depend on the row alone, and are copied first for the rows of a tile; on a device likewise.
    pub of_rows: Vec<Name>,
    /// How many bytes of columns are copied at a time.
    pub block: u64,
    /// Shorter reductions do not pay for the copies.
    pub fewest: u64,
}

/// `strips d by n over s keep (x, …) at_once (k, …)`: strips of `n` iterations along the dimension, which is innermost.
#[derive(Clone, Debug, PartialEq)]
pub struct Strips {
    pub dim: usize,
    pub len: u64,
    /// How many statements of the body run strip by strip: scalars, views and reductions, of which the last is one. The
    /// rest follows for each iteration of the strip.
    pub stms: usize,
    /// Scalars that are kept for a whole strip; others are computed again where they are needed.
    pub kept: Vec<Name>,
    /// For each reduction how many of its operands are combined at once.
    pub at_once: Vec<u64>,
}

/// `squares (a, b) by n`: blocks of `n` by `n` indices of two dimensions, of which the second is innermost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Squares {
    pub across: usize,
    pub along: usize,
    pub side: u64,
}

/// `split d (m, n, …)`: a loop for each of these sizes, the outermost first, whose product is the bound.
#[derive(Clone, Debug, PartialEq)]
pub struct Split {
    pub dim: usize,
    pub sizes: Vec<Poly>,
}

/// `lanes w n from f`: `w` accumulators side by side, then `n`, then one; only one for fewer than `f` operands. For a
/// `par` with scans this is about the sums of its chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lanes {
    pub wide: u64,
    pub narrow: u64,
    pub fewest: u64,
}

/// `stream b from n`: `b` bytes are written at once if there are at least `n` times as many, and the results of the
/// chunks in which this runs are large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    pub bytes: u64,
    pub fewest: u64,
}

/// The piece of a kind, if there is one.
macro_rules! get {
    ($self:expr, $variant:ident) => {
        $self.pieces.iter().find_map(|piece| match piece {
            Piece::$variant(it) => Some(it),
            _ => None,
        })
    };
}

impl Plan {
    pub fn new(pieces: Vec<Piece>) -> Plan {
        Plan { pieces }
    }

    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    pub fn pieces_mut(&mut self) -> &mut [Piece] {
        &mut self.pieces
    }

    /// Adds a piece at its place, instead of the one of its kind.
    pub fn set(&mut self, piece: Piece) {
        self.pieces.retain(|old| old.kind() != piece.kind());
        let at = self.pieces.partition_point(|old| old.kind() < piece.kind());
        self.pieces.insert(at, piece);
    }

    pub fn chunks(&self) -> Option<&Chunks> {
        get!(self, Chunks)
    }

    pub fn tile(&self) -> Option<&Tile> {
        get!(self, Tile)
    }

    pub fn strips(&self) -> Option<&Strips> {
        get!(self, Strips)
    }

    pub fn squares(&self) -> Option<Squares> {
        get!(self, Squares).copied()
    }

    /// The sizes of the loops over a dimension that is split.
    pub fn split(&self, dim: usize) -> Option<&[Poly]> {
        self.pieces.iter().find_map(|piece| match piece {
            Piece::Split(split) if split.dim == dim => Some(&split.sizes[..]),
            _ => None,
        })
    }

    pub fn guard(&self) -> bool {
        self.pieces.contains(&Piece::Guard)
    }

    pub fn cuts(&self) -> &[Name] {
        get!(self, Cuts).map_or(&[], |names| &names[..])
    }

    pub fn lanes(&self) -> Option<Lanes> {
        get!(self, Lanes).copied()
    }

    pub fn stream(&self) -> Option<Stream> {
        get!(self, Stream).copied()
    }

    /// The order of the loops over `dims` dimensions, the outermost first.
    pub fn order(&self, dims: usize) -> Vec<usize> {
        get!(self, Order).cloned().unwrap_or_else(|| (0..dims).collect())
    }

    /// The names in it, some perhaps more than once.
    pub fn names(&self) -> impl Iterator<Item = Name> {
        self.pieces.iter().flat_map(|piece| piece.names().into_iter())
    }
}

impl Piece {
    /// Where it stands in a plan: the kind, and the dimension of what there may be several of.
    pub fn kind(&self) -> (usize, usize) {
        match self {
            Piece::Chunks(_) => (0, 0),
            Piece::Tile(_) => (1, 0),
            Piece::Strips(_) => (2, 0),
            Piece::Order(_) => (3, 0),
            Piece::Squares(_) => (4, 0),
            Piece::Split(split) => (5, split.dim),
            Piece::Guard => (6, 0),
            Piece::Cuts(_) => (7, 0),
            Piece::Lanes(_) => (8, 0),
            Piece::Stream(_) => (9, 0),
        }
    }

    fn names(&self) -> Vec<Name> {
        match self {
            Piece::Chunks(chunks) => chunks.work.names().collect(),
            Piece::Tile(tile) => tile.of_columns.iter().chain(&tile.of_rows).copied().collect(),
            Piece::Strips(strips) => strips.kept.clone(),
            Piece::Cuts(names) => names.clone(),
            Piece::Split(split) => split.sizes.iter().flat_map(Poly::names).collect(),
            Piece::Order(_) | Piece::Squares(_) | Piece::Guard | Piece::Lanes(_) | Piece::Stream(_) => Vec::new(),
        }
    }
}

/// Whether something is printed in a body, which has an order.
pub fn traces(body: &Body) -> bool {
    with_stack(|| {
        body.stms.iter().any(|stm| {
            let mut found = matches!(stm.exp, Exp::Trace(..));
            for_each_body(&stm.exp, |body| found |= traces(body));
            found
        })
    })
}

/// Whether a body writes to no array, so that it can run more than once.
pub fn is_repeatable(body: &Body) -> bool {
    with_stack(|| {
        body.stms.iter().all(|stm| {
            let makes_array = stm.pat.iter().any(|param| matches!(param.ty, Type::Array(..)));
            let mut inner = true;
            for_each_body(&stm.exp, |body| inner &= is_repeatable(body));
            inner
                && (!makes_array || stm.exp.is_view())
                && !matches!(stm.exp, Exp::Call(..) | Exp::Mem(_) | Exp::Trace(..))
        })
    })
}

/// Whether there is such a `par` in a body, however deep.
pub fn has_par(body: &Body, is_such: &dyn Fn(&Par) -> bool) -> bool {
    with_stack(|| {
        body.stms.iter().any(|stm| {
            let mut found = matches!(&stm.exp, Exp::Par(par) if is_such(par));
            for_each_body(&stm.exp, |body| found |= has_par(body, is_such));
            found
        })
    })
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "plan [{}]", commas(&self.pieces))
    }
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Piece::Chunks(Chunks { work, uneven, inside }) => {
                let word = |there: bool, word: &'static str| if there { word } else { "" };
                write!(f, "chunks {work}{}{}", word(*uneven, " uneven"), word(*inside, " inside"))
            }
            Piece::Tile(Tile { rows, columns, of_columns, of_rows, block, fewest }) => {
                let (of_columns, of_rows) = (commas(of_columns), commas(of_rows));
                write!(
                    f,
                    "tile {rows} by {columns} columns ({of_columns}) rows ({of_rows}) block {block} from {fewest}"
                )
            }
            Piece::Strips(Strips { dim, len, stms, kept, at_once }) => {
                write!(f, "strips {dim} by {len} over {stms} keep ({}) at_once ({})", commas(kept), commas(at_once))
            }
            Piece::Order(dims) => write!(f, "order ({})", commas(dims)),
            Piece::Squares(Squares { across, along, side }) => write!(f, "squares ({across}, {along}) by {side}"),
            Piece::Split(Split { dim, sizes }) => write!(f, "split {dim} ({})", commas(sizes)),
            Piece::Guard => f.write_str("guard"),
            Piece::Cuts(names) => write!(f, "cuts ({})", commas(names)),
            Piece::Lanes(Lanes { wide, narrow, fewest }) => write!(f, "lanes {wide} {narrow} from {fewest}"),
            Piece::Stream(Stream { bytes, fewest }) => write!(f, "stream {bytes} from {fewest}"),
        }
    }
}

fn commas<T: ToString>(items: &[T]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
