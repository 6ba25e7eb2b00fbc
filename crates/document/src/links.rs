//! Where names lead: from each place where one is used to where it is defined.

use crate::items::Item;
use kenaz_base::{FileId, Span, Symbol};
use kenaz_sema::Checked;
use kenaz_sema::names::{Names, Origin};
use kenaz_sema::types::VarId;
use kenaz_syntax::ast::{DecKind, ExprKind, ModExpKind, ModTypeExpKind, QualName, TypeExpKind};
use std::collections::{BTreeMap, HashMap};

/// A name where it is used.
pub(crate) struct Use {
    pub(crate) end: u32,
    /// Where it is bound.
    pub(crate) defined: Span,
    /// The type, if it is a value.
    pub(crate) ty: Option<VarId>,
}

#[derive(Default)]
pub(crate) struct Links {
    /// By file and position.
    uses: BTreeMap<(FileId, u32), Use>,
    /// The items that are told about, by where their names are bound: the file of the page, and the id.
    told: HashMap<(FileId, u32), (FileId, String)>,
    /// Modules and module types by their names.
    modules: HashMap<(bool, Symbol), Vec<Span>>,
}

impl Links {
    pub(crate) fn new(checked: &Checked) -> Links {
        let mut links = Links::default();
        links.find_modules(checked);
        links.find_values(checked);
        links.find_types(checked);
        links.find_module_names(checked);
        links
    }

    /// Says that an item has a place on the page of a file.
    pub(crate) fn tell(&mut self, page: FileId, items: &[Item]) {
        for item in items {
            if let Some(defined) = item.defined {
                self.told.insert((defined.file, defined.lo), (page, item.id.clone()));
            }
            self.tell(page, &item.items);
        }
    }

    /// The page and id of what is bound at a place, if it is told about.
    pub(crate) fn told(&self, defined: Span) -> Option<&(FileId, String)> {
        self.told.get(&(defined.file, defined.lo))
    }

    /// The uses in a part of a file.
    pub(crate) fn within(&self, span: Span) -> impl Iterator<Item = (u32, &Use)> {
        self.uses.range((span.file, span.lo)..(span.file, span.hi.max(span.lo))).map(|((_, lo), used)| (*lo, used))
    }

    /// What a comment in a file means by a name: a definition of that file, or the only one there is.
    pub(crate) fn named(&self, page: FileId, name: &str) -> Option<&(FileId, String)> {
        let is_it =
            |id: &str| id == name || id.strip_prefix("type:") == Some(name) || id.strip_prefix("mtype:") == Some(name);
        let mut found: Vec<&(FileId, String)> = self.told.values().filter(|(_, id)| is_it(id)).collect();
        found.sort();
        let own: Vec<_> = found.iter().filter(|(file, _)| *file == page).copied().collect();
        match (own.first(), &found[..]) {
            (Some(own), _) => Some(own),
            (None, [one]) => Some(one),
            _ => None,
        }
    }

    fn add(&mut self, at: Span, defined: Span, ty: Option<VarId>) {
        if at.hi > at.lo {
            self.uses.insert((at.file, at.lo), Use { end: at.hi, defined, ty });
        }
    }

    fn find_values(&mut self, checked: &Checked) {
        for id in checked.ast.exprs.ids() {
            let Some(resolved) = checked.info.resolved.get(id) else { continue };
            let name = match &checked.ast[id].kind {
                ExprKind::Var(name) => name,
                ExprKind::OpSection(op)
                | ExprKind::BinOp(op, ..)
                | ExprKind::LeftSection(_, op)
                | ExprKind::RightSection(op, _) => &op.name,
                ExprKind::LetWith { dest, .. } => {
                    self.add(dest.span, definition(&checked.names, resolved.var), Some(resolved.var));
                    continue;
                }
                _ => continue,
            };
            // The last names of a path may be fields.
            let parts: Vec<_> = name.quals.iter().chain([&name.name]).collect();
            let Some(own) = parts.len().checked_sub(resolved.fields + 1) else { continue };
            self.add(parts[own].span, definition(&checked.names, resolved.var), Some(resolved.var));
            for part in &parts[..own] {
                self.add_module(part.span, part.name, false);
            }
        }
    }

    fn find_types(&mut self, checked: &Checked) {
        for id in checked.ast.types.ids() {
            let Some(defined) = checked.info.type_names.get(&id) else { continue };
            let mut exp = id;
            while let TypeExpKind::Apply(head, _) | TypeExpKind::Paren(head) = &checked.ast[exp].kind {
                exp = *head;
            }
            if let TypeExpKind::Name(name) = &checked.ast[exp].kind {
                self.add(name.name.span, *defined, None);
                for part in &name.quals {
                    self.add_module(part.span, part.name, false);
                }
            }
        }
    }

    fn find_modules(&mut self, checked: &Checked) {
        for id in checked.ast.decs.ids() {
            let (is_type, name) = match &checked.ast[id].kind {
                DecKind::Module(bind) => (false, bind.name),
                DecKind::ModType(bind) => (true, bind.name),
                _ => continue,
            };
            self.modules.entry((is_type, name.name)).or_default().push(name.span);
        }
    }

    fn find_module_names(&mut self, checked: &Checked) {
        for id in checked.ast.mod_exps.ids() {
            if let ModExpKind::Name(name) = &checked.ast[id].kind {
                self.add_path(name, false);
            }
        }
        for id in checked.ast.mod_types.ids() {
            if let ModTypeExpKind::Name(name) = &checked.ast[id].kind {
                self.add_path(name, true);
            }
        }
    }

    fn add_path(&mut self, name: &QualName, is_type: bool) {
        self.add_module(name.name.span, name.name.name, is_type);
        for part in &name.quals {
            self.add_module(part.span, part.name, false);
        }
    }

    /// Modules are known by their names: the last one before it in the file, or the only one elsewhere.
    fn add_module(&mut self, at: Span, name: Symbol, is_type: bool) {
        let Some(all) = self.modules.get(&(is_type, name)) else { return };
        let before = all.iter().filter(|span| span.file == at.file && span.lo <= at.lo).max_by_key(|span| span.lo);
        let only = if let [one] = &all[..] { Some(one) } else { None };
        if let Some(defined) = before.or(only).copied() {
            self.add(at, defined, None);
        }
    }
}

/// Where a value is written, behind module types and applications of parametric modules.
fn definition(names: &Names, mut var: VarId) -> Span {
    while let Some(Origin::Ascribed(origin) | Origin::Instance(origin, _)) = names.vars[var].origin {
        var = origin;
    }
    names.vars[var].span
}
