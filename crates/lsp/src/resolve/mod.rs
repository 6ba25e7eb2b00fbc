//! What every name of a program means, found from the tree alone: where names are bound, where they are used, and what
//! is in scope at a place.
//!
//! The checker resolves names too, but keeps only what later passes need: it forgets modules and scopes, and knows
//! nothing of a program with errors in its syntax. A test compares both on all programs of tests/run.
//!
//! A definition that a module type describes is one with its description: whoever renames one of them means all. Such
//! definitions form a class ([`Names::class`]).

mod decs;
mod exprs;
mod scope;
#[cfg(test)]
mod tests;

pub(crate) use scope::{Env, Module, Seen, Term, Wanted};

use kenaz_base::{Arena, FileId, Span, Symbol, define_ids, fs, in_pass};
use kenaz_sema::Checked;
use kenaz_syntax::ast::{Ast, DecId, ExprId, Ident, SpecId};
use rustc_hash::FxHashMap;
use scope::Scope;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;

define_ids! {
    /// A place where a name is bound.
    DefId "def";
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Kind {
    /// A value or function defined by a declaration or described by a module type.
    Value,
    /// A function of a `let`.
    Function,
    Parameter,
    Local,
    /// `[n]`
    Size,
    Type,
    /// `'t`
    TypeParameter,
    Module,
    ModuleType,
}

/// What the tree says about a definition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Node {
    Dec(DecId),
    Spec(SpecId),
    LocalFun(ExprId),
    /// The name of a pattern or the like; the definition is nothing but its name.
    Name,
}

#[derive(Clone, Debug)]
pub(crate) struct Def {
    pub(crate) name: Symbol,
    pub(crate) span: Span,
    pub(crate) kind: Kind,
    pub(crate) node: Node,
}

/// How a name stands where it is bound or used, which matters to those who write another name there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    Plain,
    /// `{x}` for `{x = x}`: the name is that of a field as well.
    Field,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Occurrence {
    pub(crate) span: Span,
    pub(crate) def: DefId,
    /// The description in a module type through which the name is known here.
    pub(crate) described: Option<DefId>,
    pub(crate) form: Form,
    pub(crate) binds: bool,
}

/// All names of a program.
#[derive(Default)]
pub(crate) struct Names {
    pub(crate) defs: Arena<DefId, Def>,
    /// Those of the user's files, by where they start.
    occurrences: BTreeMap<(FileId, u32), Occurrence>,
    /// Names that have to be renamed together.
    classes: Classes,
    /// Names that are one and the same: those that are bound to the value of the same name outside.
    same: Classes,
    /// What is in scope at the place that was asked about.
    pub(crate) seen: Option<Seen>,
}

impl Names {
    /// Resolves all names; `asked` is a place of which the scope is wanted.
    pub(crate) fn of(checked: &Checked, asked: Option<(FileId, u32)>) -> Names {
        in_pass("resolve names", || {
            let mut resolver = Resolver::new(checked, asked);
            resolver.program();
            resolver.names
        })
    }

    /// The name at an offset; behind its last character counts, unless another one starts there.
    pub(crate) fn at(&self, file: FileId, offset: u32) -> Option<&Occurrence> {
        let mut before = self.occurrences.range((file, 0)..=(file, offset)).rev().map(|(_, found)| found);
        before.next().filter(|found| offset <= found.span.hi)
    }

    pub(crate) fn in_file(&self, file: FileId) -> impl Iterator<Item = &Occurrence> {
        self.occurrences.range((file, 0)..=(file, u32::MAX)).map(|(_, found)| found)
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Occurrence> {
        self.occurrences.values()
    }

    /// The one definition that stands for all that have to be renamed with one.
    pub(crate) fn class(&self, def: DefId) -> DefId {
        self.classes.root(def)
    }

    /// All definitions that have to be renamed with one.
    pub(crate) fn members(&self, def: DefId) -> Vec<DefId> {
        let class = self.class(def);
        self.defs.ids().filter(|other| self.class(*other) == class).collect()
    }

    /// Whether a name where it occurs is what a definition defines or describes.
    pub(crate) fn means(&self, occurrence: &Occurrence, def: DefId) -> bool {
        let root = self.same.root(def);
        let is_it = |other: DefId| self.same.root(other) == root;
        is_it(occurrence.def) || occurrence.described.is_some_and(is_it)
    }
}

/// Sets of definitions, as trees: the definition above each one that is not the root of its set.
#[derive(Default)]
struct Classes {
    above: RefCell<FxHashMap<DefId, DefId>>,
}

impl Classes {
    fn root(&self, def: DefId) -> DefId {
        let mut above = self.above.borrow_mut();
        let mut root = def;
        while let Some(next) = above.get(&root) {
            root = *next;
        }
        let mut at = def;
        while at != root {
            at = above.insert(at, root).unwrap_or(root);
        }
        root
    }

    fn unite(&mut self, a: DefId, b: DefId) {
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            self.above.get_mut().insert(b.max(a), a.min(b));
        }
    }
}

struct Resolver<'a> {
    checked: &'a Checked,
    ast: &'a Ast,
    names: Names,
    scope: Scope,
    /// The contents of the files that are done.
    files: FxHashMap<FileId, Module>,
    by_path: FxHashMap<PathBuf, FileId>,
    file: FileId,
    /// Whether the file at hand is the user's.
    is_own: bool,
    asked: Option<(FileId, u32)>,
}

impl<'a> Resolver<'a> {
    fn new(checked: &'a Checked, asked: Option<(FileId, u32)>) -> Resolver<'a> {
        let sources = &checked.sources;
        let by_path = sources.ids().map(|id| (fs::normalise(sources.file(id).path()), id)).collect();
        Resolver {
            checked,
            ast: &checked.ast,
            names: Names::default(),
            scope: Scope::default(),
            files: FxHashMap::default(),
            by_path,
            file: checked.main,
            is_own: false,
            asked,
        }
    }

    fn define(&mut self, name: Ident, kind: Kind, node: Node) -> DefId {
        self.define_as(name, kind, node, Form::Plain)
    }

    fn define_as(&mut self, name: Ident, kind: Kind, node: Node, form: Form) -> DefId {
        let def = self.names.defs.push(Def { name: name.name, span: name.span, kind, node });
        self.note(name, def, None, form, true);
        def
    }

    fn note(&mut self, name: Ident, def: DefId, described: Option<DefId>, form: Form, binds: bool) {
        if self.is_own && name.span.hi > name.span.lo {
            let occurrence = Occurrence { span: name.span, def, described, form, binds };
            self.names.occurrences.insert((name.span.file, name.span.lo), occurrence);
        }
    }

    /// Whether the place that was asked about is in the name, or right behind it.
    fn is_asked(&self, name: Ident) -> bool {
        self.asked.is_some_and(|(file, at)| file == name.span.file && (name.span.lo..=name.span.hi).contains(&at))
    }

    fn see(&mut self, wanted: Wanted) {
        self.names.seen = Some(self.scope.seen(wanted));
    }
}
