//! What plans need to be true of sizes and places.

use super::super::{Checked, Rule};
use super::Walk;
use super::overlap::Region;
use crate::par::{Form, Level, Par};
use crate::plan::{BlockNest, Piece, TileNest};
use crate::poly::Poly;
use crate::prog::{Operand, Param, Stm};
use crate::visit::for_each_use;

impl Walk<'_> {
    /// Checks the plan of a `par` whose body has not been looked at.
    pub(super) fn plan(&mut self, par: &Par, pat: &[Param]) -> Checked {
        par.plan.pieces().iter().try_for_each(|piece| match piece {
            Piece::Chunks(_) => self.parts(par, pat, piece),
            Piece::Tile(_) => self.not_read(par, pat, piece),
            Piece::Split(split) => {
                let product = split.sizes.iter().try_fold(Poly::constant(1), |product, n| product.times(n));
                let bound = Poly::operand(par.space[split.dim].1);
                let is_bound = match (product, bound) {
                    (Some(product), Some(bound)) => self.facts.proves_poly_eq(&product, &bound),
                    _ => false,
                };
                self.ensure(is_bound, Rule::PlanSplit, || {
                    format!("the sizes of `{piece}` are not proved to make up `{}`", par.space[split.dim].1)
                })
            }
            Piece::Guard => {
                let dims = pat.first().map(|param| param.ty.dims()).unwrap_or_default();
                let row = dims.len().saturating_sub(par.space.len());
                let bounds = par.space.iter().map(|(_, n)| *n);
                let is_whole = |(n, size): (Operand, &Operand)| self.facts.prove_eq(n, *size).is_proved();
                let is_row = dims.len() > par.space.len() && bounds.zip(&dims[row..]).all(is_whole);
                self.ensure(is_row, Rule::PlanGuard, || {
                    format!("`{piece}`, but iterations are not as many as a row has")
                })
            }
            Piece::Stream(_) => {
                let stride = pat.first().and_then(|param| param.place.as_ref()?.layout.dims.first()?.stride());
                let is_row = stride.is_some_and(|stride| self.facts.normal(stride).as_constant() == Some(1));
                self.ensure(is_row, Rule::PlanStream, || format!("`{piece}`, but elements are not side by side"))
            }
            Piece::Strips(_) | Piece::Order(_) | Piece::Squares(_) | Piece::Cuts(_) | Piece::Lanes(_) => Ok(()),
        })
    }

    /// Results can be split along the first dimension.
    fn parts(&self, par: &Par, pat: &[Param], piece: &Piece) -> Checked {
        let mut results = pat.iter().skip(par.reduced());
        for form in &par.forms {
            for param in results.by_ref().take(form.results()) {
                let has_parts = match form {
                    // A nest of pairs that is one dimension for all who look at it is none.
                    Form::Own | Form::Tile(_) => param
                        .place
                        .as_ref()
                        .is_some_and(|place| place.layout.dims.first().is_some_and(|dim| dim.is_one(&self.facts))),
                    Form::Write { .. } | Form::Acc { .. } => true,
                };
                self.ensure(has_parts, Rule::PlanChunks, || {
                    format!("`{piece}`, but `{}` has no parts along the first dimension", param.name)
                })?;
            }
        }
        Ok(())
    }

    /// A tile computes some elements twice: what it reads is not written.
    fn not_read(&mut self, par: &Par, pat: &[Param], piece: &Piece) -> Checked {
        let mut read = Vec::new();
        let mut note = |stm: &Stm| for_each_use(&stm.exp, |name| read.push(name));
        match (par.level, piece) {
            (Some(Level::Grid), Piece::Tile(tile)) => {
                let Some(nest) = BlockNest::of(par, tile.columns > 1) else { return Ok(()) };
                nest.operand().stms.iter().chain(nest.before).chain(nest.after).for_each(&mut note);
            }
            _ => {
                let Some(nest) = TileNest::of(par) else { return Ok(()) };
                let operands = nest.operand(&[]);
                operands.stms.iter().chain(nest.outer).chain(nest.before).chain(nest.after).for_each(&mut note);
            }
        }
        for param in pat {
            let Some(whole) = self.new_region(param) else { continue };
            let region = |name| self.array(name).map(Region::of);
            let mut read = read.iter().copied();
            let overlapping = read.find(|name| region(*name).is_some_and(|region| !self.apart(&whole, &region)));
            self.ensure(overlapping.is_none(), Rule::PlanTile, || {
                let name = overlapping.map(|name| name.to_string()).unwrap_or_default();
                format!("`{piece}`, but `{name}` may be where the result is")
            })?;
        }
        Ok(())
    }
}
