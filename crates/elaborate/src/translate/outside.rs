//! Types as other languages see them: their names, and what they are made of.
//!
//! A type that is no scalar and no array of scalars has the name under which the program mentions it: `point`, `m.t`,
//! `(i32, []point)`, without the sizes of arrays and the last size arguments. What such a name stands for is known from
//! the type itself; the names of its fields' types are known where the name is defined at the top of a file and has no
//! type parameters. Everything else is called by its structure: `{x: f32, y: f32}`. Strange as some of it looks, these
//! are the names that programs in other languages already use.

use super::Translate;
use crate::core::Ty;
use crate::lower::flat::{LeafKind, SumLayout, leaves};
use kenaz_base::{Span, Symbol, with_stack};
use kenaz_ir::{EntryArray, EntryField, EntryKind, EntrySum, EntryType, EntryVariant, Part};
use kenaz_syntax::ast::{DecId, DecKind, TypeArg, TypeExpId, TypeExpKind};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The types of entry points found so far.
#[derive(Default)]
pub(crate) struct Outside {
    known: FxHashMap<Symbol, Arc<EntryType>>,
    /// The types that the names defined at the top of files stand for, by the place of the name.
    synonyms: Option<FxHashMap<Span, TypeExpId>>,
}

impl Translate<'_> {
    /// A type as written, if it is, and as it is.
    pub fn outside_type(&mut self, exp: Option<TypeExpId>, ty: &Ty) -> Arc<EntryType> {
        with_stack(|| {
            if let Some(part) = plain(ty) {
                return EntryType::plain(part);
            }
            let exp = exp.map(|exp| self.bare(exp));
            let kind = self.outside_kind(exp, ty);
            let name = exp.map_or_else(|| by_structure(ty), |exp| self.as_mentioned(exp));
            self.outside_named(Symbol::intern(&name), kind, ty)
        })
    }

    /// The type of a name, or by its structure if the name is that of another type already.
    fn outside_named(&mut self, name: Symbol, kind: EntryKind, ty: &Ty) -> Arc<EntryType> {
        let found = EntryType { name, kind };
        if Part::named(name.as_str()).is_none() {
            let known = self.outside.known.entry(name).or_insert_with(|| Arc::new(found.clone()));
            if **known == found {
                return known.clone();
            }
        }
        let mut name = by_structure(ty);
        if name == found.name.as_str() {
            name.push('\'');
            return self.outside_named(Symbol::intern(&name), found.kind, ty);
        }
        let kind = self.outside_kind(None, ty);
        self.outside_named(Symbol::intern(&name), kind, ty)
    }

    fn outside_kind(&mut self, exp: Option<TypeExpId>, ty: &Ty) -> EntryKind {
        if ty.is_function() {
            return EntryKind::Opaque(parts(ty));
        }
        match ty {
            Ty::Prim(_) | Ty::Arrow(..) | Ty::Acc(_) => EntryKind::Opaque(parts(ty)),
            Ty::Record(fields) => {
                let exp = self.definition(exp);
                let fields = fields.iter().enumerate().map(|(i, (name, ty))| {
                    let exp = exp.and_then(|exp| match &self.ast()[exp].kind {
                        TypeExpKind::Tuple(elems) => elems.get(i).copied(),
                        TypeExpKind::Record(fields) => fields.iter().find(|(n, _)| n.name == *name).map(|(_, t)| *t),
                        _ => None,
                    });
                    EntryField { name: *name, ty: self.outside_type(exp, ty) }
                });
                EntryKind::Record(fields.collect())
            }
            Ty::Sum(constrs) => {
                let exp = self.definition(exp);
                let layout = SumLayout::of(constrs);
                let variants = constrs.iter().zip(&layout.slots_of).map(|((name, payload), slots)| {
                    let exps = exp.and_then(|exp| match &self.ast()[exp].kind {
                        TypeExpKind::Sum(constrs) => constrs.iter().find(|(n, _)| n.name == *name).map(|(_, ts)| ts),
                        _ => None,
                    });
                    let mut slots = slots.iter().copied();
                    let payload = payload.iter().enumerate().map(|(i, ty)| {
                        let exp = exps.and_then(|exps| exps.get(i).copied());
                        let slots = slots.by_ref().take(leaves(ty).len()).collect();
                        (self.outside_type(exp, ty), slots)
                    });
                    EntryVariant { name: *name, payload: payload.collect() }
                });
                EntryKind::Sum(EntrySum { variants: variants.collect(), parts: parts(ty) })
            }
            Ty::Array(..) => {
                let (mut exp, mut elem, mut rank) = (exp, ty, 0);
                while let Ty::Array(_, inner) = elem {
                    exp = exp.and_then(|exp| match &self.ast()[exp].kind {
                        TypeExpKind::Array(_, inner) => Some(self.bare(*inner)),
                        _ => None,
                    });
                    (elem, rank) = (inner, rank + 1);
                }
                let fields: &[(Symbol, Ty)] = if let Ty::Record(fields) = elem { fields } else { &[] };
                let field = |(name, field): &(Symbol, Ty)| EntryField {
                    name: *name,
                    ty: self.outside_type(None, &in_array(field, ty)),
                };
                let fields = fields.iter().map(field).collect();
                EntryKind::Array(EntryArray { rank, elem: self.outside_type(exp, elem), fields })
            }
        }
    }

    /// Without what does not matter to the outside.
    fn bare(&self, mut exp: TypeExpId) -> TypeExpId {
        while let TypeExpKind::Paren(t) | TypeExpKind::Unique(t) | TypeExpKind::Exists(_, t) = &self.ast()[exp].kind {
            exp = *t;
        }
        exp
    }

    /// What the name of a type stands for, if it is defined at the top of a file.
    fn definition(&mut self, exp: Option<TypeExpId>) -> Option<TypeExpId> {
        let mut exp = exp?;
        loop {
            match &self.ast()[exp].kind {
                TypeExpKind::Name(_) => {}
                TypeExpKind::Apply(_, args) if args.iter().all(|arg| matches!(arg, TypeArg::Size(_))) => {}
                _ => return Some(exp),
            }
            let defined = self.checked.info.type_names.get(&exp)?;
            exp = *self.synonyms().get(defined)?;
        }
    }

    fn synonyms(&mut self) -> &FxHashMap<Span, TypeExpId> {
        let checked = self.checked;
        self.outside.synonyms.get_or_insert_with(|| {
            let decs = checked.files.iter().flat_map(|file| &file.decs);
            let synonym = |dec: &DecId| {
                let mut dec = *dec;
                while let DecKind::Local(inner) = &checked.ast[dec].kind {
                    dec = *inner;
                }
                match &checked.ast[dec].kind {
                    DecKind::Type(bind) => Some((bind.name.span, bind.body)),
                    _ => None,
                }
            };
            decs.filter_map(synonym).collect()
        })
    }

    /// The name of a type as the program mentions it.
    fn as_mentioned(&self, exp: TypeExpId) -> String {
        with_stack(|| {
            let exp = self.bare(exp);
            match &self.ast()[exp].kind {
                TypeExpKind::Array(_, elem) => format!("[]{}", self.as_mentioned(*elem)),
                TypeExpKind::Tuple(elems) => format!("({})", list(elems.iter().map(|t| self.as_mentioned(*t)), ", ")),
                TypeExpKind::Record(fields) => {
                    let mut fields: Vec<_> = fields.iter().map(|(n, t)| (n.name, *t)).collect();
                    kenaz_sema::types::sort_fields(&mut fields);
                    let fields = fields.iter().map(|(name, t)| format!("{name}:{}", self.as_mentioned(*t)));
                    format!("{{{}}}", list(fields, ", "))
                }
                TypeExpKind::Sum(constrs) => {
                    let mut constrs: Vec<_> = constrs.iter().map(|(n, ts)| (n.name.as_str(), ts)).collect();
                    constrs.sort_by_key(|(name, _)| *name);
                    let variant = |(name, ts): (&str, &Vec<TypeExpId>)| {
                        format!("{name}:{}", list(ts.iter().map(|t| self.as_mentioned(*t)), " "))
                    };
                    list(constrs.into_iter().map(variant), " | ")
                }
                TypeExpKind::Apply(head, args) => {
                    let is_size = |arg: &TypeArg| matches!(arg, TypeArg::Size(_));
                    let kept = args.iter().rposition(|arg| !is_size(arg)).map_or(0, |last| last + 1);
                    self.applied(*head, &args[..kept])
                }
                _ => self.as_written(exp),
            }
        })
    }

    /// A type as the program writes it, but for white space.
    fn as_written(&self, exp: TypeExpId) -> String {
        let size = |span: Span| self.checked.sources.text(span).split_whitespace().collect::<Vec<_>>().join(" ");
        with_stack(|| match &self.ast()[exp].kind {
            TypeExpKind::Error => String::new(),
            TypeExpKind::Name(path) => path.to_string(),
            TypeExpKind::Paren(t) => format!("({})", self.as_written(*t)),
            TypeExpKind::Unique(t) => format!("*{}", self.as_written(*t)),
            TypeExpKind::Tuple(elems) => format!("({})", list(elems.iter().map(|t| self.as_written(*t)), ", ")),
            TypeExpKind::Record(fields) => {
                let fields = fields.iter().map(|(name, t)| format!("{}: {}", name.name, self.as_written(*t)));
                format!("{{{}}}", list(fields, ", "))
            }
            TypeExpKind::Array(n, elem) => format!("{}{}", size(n.span), self.as_written(*elem)),
            TypeExpKind::Sum(constrs) => {
                let variant = |(name, ts): &(kenaz_syntax::ast::Ident, Vec<TypeExpId>)| {
                    let payload = ts.iter().map(|t| format!(" {}", self.as_written(*t)));
                    format!("#{}{}", name.name, list(payload, ""))
                };
                list(constrs.iter().map(variant), " | ")
            }
            TypeExpKind::Arrow { param: Some(param), arg, ret } => {
                format!("({}: {}) -> {}", param.name, self.as_written(*arg), self.as_written(*ret))
            }
            TypeExpKind::Arrow { param: None, arg, ret } => {
                format!("{} -> {}", self.as_written(*arg), self.as_written(*ret))
            }
            TypeExpKind::Apply(head, args) => self.applied(*head, args),
            TypeExpKind::Exists(sizes, t) => {
                format!("?{}.{}", list(sizes.iter().map(|n| format!("[{}]", n.name)), ""), self.as_written(*t))
            }
        })
    }

    fn applied(&self, head: TypeExpId, args: &[TypeArg]) -> String {
        let arg = |arg: &TypeArg| match arg {
            TypeArg::Size(n) => self.checked.sources.text(n.span).split_whitespace().collect::<Vec<_>>().join(" "),
            TypeArg::Type(t) => self.as_written(*t),
        };
        let parts = std::iter::once(self.as_written(self.bare(head))).chain(args.iter().map(arg));
        list(parts, " ")
    }
}

/// The scalar or array of scalars that values of a type are.
fn plain(ty: &Ty) -> Option<Part> {
    let (mut ty, mut rank) = (ty, 0);
    while let Ty::Array(_, elem) = ty {
        (ty, rank) = (elem, rank + 1);
    }
    ty.prim().map(|prim| Part { prim, rank })
}

pub(crate) fn parts(ty: &Ty) -> Vec<Part> {
    let part = |leaf: crate::lower::flat::Leaf| match leaf.kind {
        LeafKind::Prim(prim) => Some(Part { prim, rank: leaf.dims.len() }),
        LeafKind::Acc => None,
    };
    leaves(ty).into_iter().filter_map(part).collect()
}

/// A type with the dimensions of an array around it.
fn in_array(ty: &Ty, array: &Ty) -> Ty {
    match array {
        Ty::Array(dim, elem) => Ty::array(*dim, in_array(ty, elem)),
        _ => ty.clone(),
    }
}

/// The name of a type that the program does not mention.
fn by_structure(ty: &Ty) -> String {
    let atom = |ty: &Ty| match ty {
        Ty::Sum(_) | Ty::Arrow(..) => format!("({})", by_structure(ty)),
        _ => by_structure(ty),
    };
    with_stack(|| match ty {
        Ty::Prim(p) => p.name().to_string(),
        Ty::Array(_, elem) => format!("[]{}", atom(elem)),
        Ty::Record(fields) if kenaz_sema::types::is_tuple(fields) => {
            format!("({})", list(fields.iter().map(|(_, t)| by_structure(t)), ", "))
        }
        Ty::Record(fields) => {
            format!("{{{}}}", list(fields.iter().map(|(name, t)| format!("{name}: {}", by_structure(t))), ", "))
        }
        Ty::Sum(constrs) => {
            let variant = |(name, ts): &(Symbol, Vec<Ty>)| {
                format!("#{name}{}", list(ts.iter().map(|t| format!(" {}", atom(t))), ""))
            };
            list(constrs.iter().map(variant), " | ")
        }
        Ty::Arrow(a, b) => format!("{} -> {}", atom(a), by_structure(b)),
        Ty::Acc(t) => format!("acc {}", atom(t)),
    })
}

fn list(parts: impl Iterator<Item = String>, between: &str) -> String {
    parts.collect::<Vec<_>>().join(between)
}
