//! Reads plans, see [`crate::plan`].

use super::{Parsed, Parser};
use crate::plan::{Chunks, Lanes, Piece, Plan, Split, Squares, Stream, Strips, Tile};

impl Parser<'_> {
    /// `plan [order (1, 0), …]`, if there is one.
    pub(super) fn plan(&mut self) -> Parsed<Plan> {
        if !self.eat_word("plan")? {
            return Ok(Plan::default());
        }
        Ok(Plan::new(self.in_brackets(Self::piece)?))
    }

    fn piece(&mut self) -> Parsed<Piece> {
        if self.eat_word("chunks")? {
            let work = self.poly()?;
            let (uneven, inside) = (self.eat_word("uneven")?, self.eat_word("inside")?);
            return Ok(Piece::Chunks(Chunks { work, uneven, inside }));
        }
        if self.eat_word("tile")? {
            let rows = self.number()?;
            let columns = self.after_word("by", Self::number)?;
            let of_columns = self.after_word("columns", Self::names)?;
            let of_rows = self.after_word("rows", Self::names)?;
            let block = self.after_word("block", Self::number)?;
            let fewest = self.after_word("from", Self::number)?;
            return Ok(Piece::Tile(Tile { rows, columns, of_columns, of_rows, block, fewest }));
        }
        if self.eat_word("strips")? {
            let dim = self.number()?;
            let len = self.after_word("by", Self::number)?;
            let stms = self.after_word("over", Self::number)?;
            let kept = self.after_word("keep", Self::names)?;
            let at_once = self.after_word("at_once", |p| p.in_parens(Self::number))?;
            return Ok(Piece::Strips(Strips { dim, len, stms, kept, at_once }));
        }
        if self.eat_word("order")? {
            return Ok(Piece::Order(self.in_parens(Self::number)?));
        }
        if self.eat_word("squares")? {
            self.punct("(")?;
            let across = self.number()?;
            self.punct(",")?;
            let along = self.number()?;
            self.punct(")")?;
            let side = self.after_word("by", Self::number)?;
            return Ok(Piece::Squares(Squares { across, along, side }));
        }
        if self.eat_word("split")? {
            let dim = self.number()?;
            return Ok(Piece::Split(Split { dim, sizes: self.in_parens(Self::poly)? }));
        }
        if self.eat_word("guard")? {
            return Ok(Piece::Guard);
        }
        if self.eat_word("cuts")? {
            return Ok(Piece::Cuts(self.names()?));
        }
        if self.eat_word("lanes")? {
            let (wide, narrow) = (self.number()?, self.number()?);
            let fewest = self.after_word("from", Self::number)?;
            return Ok(Piece::Lanes(Lanes { wide, narrow, fewest }));
        }
        if self.eat_word("stream")? {
            let bytes = self.number()?;
            let fewest = self.after_word("from", Self::number)?;
            return Ok(Piece::Stream(Stream { bytes, fewest }));
        }
        self.expected("a piece of a plan")
    }

    fn after_word<T>(&mut self, word: &str, item: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.word(word)?;
        item(self)
    }
}
