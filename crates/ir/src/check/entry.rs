//! Entry points: that what the outside is told about a function is so.

use super::scope::Checker;
use super::{Checked, Rule};
use crate::entry::{self, EntryArray, EntryField, EntryKind, EntrySum, EntryType, Part};
use crate::prog::Fun;
use kenaz_base::{Prim, Symbol, with_stack};
use rustc_hash::FxHashSet;
use std::sync::Arc;

impl Checker<'_> {
    /// Checks how the outside sees a function, if it does.
    pub(super) fn entry(&mut self, fun: &Fun) -> Checked {
        let Some(described) = &fun.entry else { return Ok(()) };
        // Entry points are described without blocks, so they are checked after erasing those.
        if matches!(self.stage, super::Stage::Memory(_)) {
            return Ok(());
        }
        for param in described.params.iter().chain(&described.results) {
            self.entry_type(&param.ty)?;
        }
        match entry::signature(fun) {
            Ok(_) => Ok(()),
            Err(mismatch) => self.fail(Rule::Entry, mismatch.to_string()),
        }
    }

    fn entry_type(&mut self, ty: &Arc<EntryType>) -> Checked {
        let name = ty.name;
        let part = Part::named(name.as_str());
        match (&ty.kind, part) {
            (EntryKind::Plain(found), _) => {
                self.ensure(part == Some(*found), Rule::EntryType, || format!("the type `{found}` is called `{name}`"))?
            }
            (_, Some(_)) => return self.fail(Rule::EntryType, format!("`{name}` is not what its name says")),
            (_, None) => {}
        }
        if let Some(known) = self.entry_types.get(&name) {
            return self.ensure(known == ty, Rule::EntryTypeOnce, || format!("there are two types `{name}`"));
        }
        with_stack(|| ty.mentions().into_iter().try_for_each(|inner| self.entry_type(inner)))?;
        match &ty.kind {
            EntryKind::Plain(_) | EntryKind::Opaque(_) => {}
            EntryKind::Record(fields) => {
                let mut names = FxHashSet::default();
                for field in fields {
                    self.ensure(names.insert(field.name), Rule::EntryType, || {
                        format!("the type `{name}` has two fields `{}`", field.name)
                    })?;
                }
            }
            EntryKind::Sum(sum) => self.entry_sum(name, sum)?,
            EntryKind::Array(array) => self.entry_array(name, array)?,
        }
        self.entry_types.insert(name, ty.clone());
        Ok(())
    }

    fn entry_sum(&self, name: Symbol, sum: &EntrySum) -> Checked {
        let rule = Rule::EntrySum;
        self.ensure(sum.parts.first() == Some(&Part::scalar(Prim::U8)), rule, || {
            format!("the first part of `{name}` is not a `u8`")
        })?;
        let mut names = FxHashSet::default();
        for variant in &sum.variants {
            self.ensure(names.insert(variant.name), rule, || {
                format!("the type `{name}` has two variants `{}`", variant.name)
            })?;
            let mut used = FxHashSet::default();
            for (ty, at) in &variant.payload {
                let found: Option<Vec<Part>> = at.iter().map(|i| sum.parts.get(*i).copied()).collect();
                self.ensure(found == Some(ty.parts()), rule, || {
                    format!("the payload `{}` of `{}` is not in parts {at:?} of `{name}`", ty.name, variant.name)
                })?;
                self.ensure(at.iter().all(|i| *i > 0 && used.insert(*i)), rule, || {
                    format!("the variant `{}` of `{name}` has two values in the same part", variant.name)
                })?;
            }
        }
        Ok(())
    }

    fn entry_array(&self, name: Symbol, array: &EntryArray) -> Checked {
        let EntryArray { rank, elem, fields } = array;
        let rule = Rule::EntryArray;
        self.ensure(*rank > 0, rule, || format!("the array type `{name}` has no dimension"))?;
        let elem_fields: &[EntryField] = match &elem.kind {
            EntryKind::Plain(_) | EntryKind::Array(_) => {
                return self.fail(rule, format!("the elements of `{name}` are of type `{}`", elem.name));
            }
            EntryKind::Record(fields) => fields,
            EntryKind::Sum(_) | EntryKind::Opaque(_) => &[],
        };
        let fits = |(field, of): (&EntryField, &EntryField)| {
            let mut parts = of.ty.parts();
            if parts.is_empty() {
                parts.push(Part::scalar(Prim::Bool));
            }
            field.name == of.name && field.ty.parts().into_iter().eq(parts.into_iter().map(|p| p.in_array(*rank)))
        };
        self.ensure(fields.len() == elem_fields.len() && fields.iter().zip(elem_fields).all(fits), rule, || {
            format!("the fields of `{name}` are not arrays of those of `{}`", elem.name)
        })
    }
}
