//! What holds of regions and of what launches them. A region is checked by itself: nothing is in scope but its
//! parameters and ids, none of which it can assign, and so it changes nothing around it but elements of blocks.

use super::{CheckError, Checked, Checker, Kind, Rule, as_fixed, error};
use crate::visit::for_each_stm;
use crate::{Arg, Param, Prog, Region, Stm, Ty};
use kenaz_base::{Prim, Symbol};
use kenaz_ir::{Level, Name, Space};
use rustc_hash::{FxHashMap, FxHashSet};

/// A region that is right.
pub(super) struct Launched<'a> {
    region: &'a Region,
    /// The types of elements in blocks on the stack of whoever launches it.
    on_their_stack: FxHashMap<Name, Prim>,
}

/// The regions of each function.
pub(super) fn by_function(prog: &Prog) -> Result<FxHashMap<Symbol, Vec<&Region>>, CheckError> {
    let funs: FxHashSet<Symbol> = prog.funs.iter().map(|fun| fun.name).collect();
    let mut names: FxHashSet<Symbol> = FxHashSet::default();
    let mut regions: FxHashMap<Symbol, Vec<&Region>> = FxHashMap::default();
    for region in &prog.regions {
        let wrong = |message: String| Err(CheckError { fun: region.name, rule: Rule::Region, message });
        if !funs.contains(&region.fun) {
            return wrong(format!("there is no function {}", region.fun));
        }
        if !names.insert(region.name) {
            return wrong(format!("there are two regions {}", region.name));
        }
        regions.entry(region.fun).or_default().push(region);
    }
    Ok(regions)
}

impl<'a> Checker<'_, 'a> {
    pub(super) fn region(mut self, region: &'a Region) -> Result<Launched<'a>, (Rule, String)> {
        match Region::ids(region.level) {
            Some(ids) if ids.len() == region.ids.len() => {}
            Some(ids) => {
                let (wanted, found) = (ids.len(), region.ids.len());
                return error(Rule::Region, format!("{found} ids, and not the {wanted} of {}", region.level));
            }
            None => return error(Rule::Region, format!("there are no regions for {}", region.level)),
        }
        for Param { name, ty } in &region.params {
            if let Ty::Block(space) = ty {
                self.reached(*name, *space)?;
            }
            self.declare(*name, as_fixed(*ty))?;
        }
        for name in &region.ids {
            self.declare(*name, Kind::Fixed(Prim::I64))?;
        }
        let is_take = |stm: &Stm| matches!(stm, Stm::Take { .. });
        let mut taken = 0;
        for_each_stm(&region.body, &mut |stm| taken += usize::from(is_take(stm)));
        if taken != region.body.iter().filter(|stm| is_take(stm)).count() {
            return error(Rule::Board, "a number is taken only sometimes");
        }
        self.stms(&region.body)?;
        Ok(Launched { region, on_their_stack: self.on_their_stack.into_inner() })
    }

    pub(super) fn launch(&mut self, name: Symbol, args: &[Arg], has_lanes: bool) -> Checked {
        let known = self.known;
        let Some(Launched { region, on_their_stack }) = known.regions.get(&name) else {
            return error(Rule::Launch, format!("there is no region {name} of this function before"));
        };
        self.nests(region.level)?;
        if has_lanes != (region.level == Level::Block) {
            return error(Rule::Lanes, format!("{name} is for {}", region.level));
        }
        if region.params.len() != args.len() {
            return error(Rule::Launch, format!("{name} has {} parameters", region.params.len()));
        }
        for (param, arg) in region.params.iter().zip(args) {
            match (param.ty, arg) {
                (Ty::Scalar(prim), Arg::Scalar(x)) => self.exp(x, prim)?,
                (Ty::Block(wanted), Arg::Block(block)) => {
                    let (kind, space) = self.block(*block)?;
                    if let Kind::Table(_) = kind {
                        return error(Rule::Constant, format!("{block} is a table"));
                    }
                    if space != wanted {
                        return error(Rule::Space, format!("{block} is in {space} memory, not in {wanted}"));
                    }
                    // The stack of a thread is out of reach of other machines.
                    if space == Space::Private && region.level != Level::Core {
                        return error(Rule::OnStack, format!("{block} is on the stack"));
                    }
                    if let Some(prim) = on_their_stack.get(&param.name) {
                        self.elements(*block, *prim)?;
                    }
                }
                _ => return error(Rule::Launch, format!("{} of {name} is a {}", param.name, param.ty)),
            }
        }
        Ok(())
    }

    /// Something at a level is launched here.
    pub(super) fn nests(&mut self, level: Level) -> Checked {
        if !level.may_stand_in(self.level) {
            let around = self.level.map_or("host code".to_string(), |level| level.to_string());
            return error(Rule::Nesting, format!("{level} stands in {around}"));
        }
        if !self.launches.contains(&level) {
            self.launches.push(level);
        }
        Ok(())
    }
}
