//! What a file has to tell about: its definitions with their comments.

use kenaz_base::{SourceMap, Span, Symbol};
use kenaz_sema::Checked;
use kenaz_syntax::ast::{
    Ast, DecId, DecKind, File, Ident, ModBind, ModExpId, ModExpKind, ModTypeExpId, ModTypeExpKind, SpecId, SpecKind,
    ValBind, ValKeyword,
};
use kenaz_syntax::token::Tok;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Value,
    Entry,
    Type,
    Module,
    ModuleType,
    /// `open` and `include`, which bring names of others.
    Open,
}

impl Kind {
    pub(crate) fn words(self) -> &'static str {
        match self {
            Kind::Value => "value",
            Kind::Entry => "entry point",
            Kind::Type => "type",
            Kind::Module => "module",
            Kind::ModuleType => "module type",
            Kind::Open => "open",
        }
    }
}

/// A definition, or a member of a module type.
pub(crate) struct Item {
    pub(crate) kind: Kind,
    /// With the names of the modules that it is in.
    pub(crate) name: String,
    /// What it is called in an address: terms, types and module types have names of their own.
    pub(crate) id: String,
    pub(crate) doc: Option<String>,
    /// The text that says what it is, without its body.
    pub(crate) signature: Span,
    /// Where its name is bound.
    pub(crate) defined: Option<Span>,
    /// The type, where the signature does not say it.
    pub(crate) inferred: Option<String>,
    pub(crate) items: Vec<Item>,
}

/// The items of a file. Those that are local are nobody's business.
pub(crate) fn of_file(checked: &Checked, file: &File) -> Vec<Item> {
    Finder { checked, ast: &checked.ast, sources: &checked.sources }.decs(&file.decs, "")
}

struct Finder<'a> {
    checked: &'a Checked,
    ast: &'a Ast,
    sources: &'a SourceMap,
}

impl Finder<'_> {
    fn decs(&self, decs: &[DecId], inside: &str) -> Vec<Item> {
        decs.iter().filter_map(|dec| kenaz_base::with_stack(|| self.dec(*dec, inside))).collect()
    }

    fn dec(&self, id: DecId, inside: &str) -> Option<Item> {
        let dec = &self.ast[id];
        let doc = dec.doc.as_ref().map(|doc| doc.text.clone());
        match &dec.kind {
            DecKind::Error | DecKind::Local(_) | DecKind::Import(_) => None,
            DecKind::Val(bind) => Some(self.val(id, bind, doc, inside)),
            DecKind::Type(bind) => {
                let signature = self.since_word(dec.span, bind.name.span);
                Some(item(Kind::Type, inside, bind.name, doc, signature))
            }
            DecKind::Module(bind) => Some(self.module(bind, dec.span, doc, inside)),
            DecKind::ModType(bind) => {
                let items = self.mod_type(bind.body, &within(inside, bind.name.name));
                let end = if items.is_empty() {
                    dec.span
                } else {
                    self.before_equals(bind.name.span, self.ast[bind.body].span)
                };
                let signature = self.since_word(dec.span, bind.name.span).start().to(end);
                Some(Item { items, ..item(Kind::ModuleType, inside, bind.name, doc, signature) })
            }
            DecKind::Open(_) => Some(Item {
                kind: Kind::Open,
                name: String::new(),
                id: String::new(),
                doc,
                signature: dec.span,
                defined: None,
                inferred: None,
                items: Vec::new(),
            }),
        }
    }

    fn val(&self, id: DecId, bind: &ValBind, doc: Option<String>, inside: &str) -> Item {
        let kind = if bind.keyword == ValKeyword::Entry { Kind::Entry } else { Kind::Value };
        let end = self.before_equals(bind.name.span, self.ast[bind.body].span);
        let signature = self.since_word(self.ast[id].span, bind.name.span).start().to(end);
        let var = self.checked.info.val_var.get(id);
        let scheme = var.and_then(|var| self.checked.names.vars[*var].scheme.as_ref());
        let inferred =
            if bind.ret.is_some() { None } else { scheme.map(|scheme| self.checked.names.show_scheme(scheme)) };
        Item { inferred, ..item(kind, inside, bind.name, doc, signature) }
    }

    fn module(&self, bind: &ModBind, span: Span, doc: Option<String>, inside: &str) -> Item {
        // What a module type says is told there.
        let items =
            if bind.mod_type.is_none() { self.members(bind.body, &within(inside, bind.name.name)) } else { Vec::new() };
        let is_long =
            !matches!(self.ast[bind.body].kind, ModExpKind::Name(_) | ModExpKind::Import(_) | ModExpKind::Apply(..));
        let end = if is_long { self.before_equals(bind.name.span, self.ast[bind.body].span) } else { span };
        let signature = self.since_word(span, bind.name.span).start().to(end);
        Item { items, ..item(Kind::Module, inside, bind.name, doc, signature) }
    }

    /// What is written between the braces of a module, if it has some.
    fn members(&self, body: ModExpId, inside: &str) -> Vec<Item> {
        match &self.ast[body].kind {
            ModExpKind::Decs(decs) => self.decs(decs, inside),
            ModExpKind::Paren(body) | ModExpKind::Lambda { body, .. } => {
                kenaz_base::with_stack(|| self.members(*body, inside))
            }
            _ => Vec::new(),
        }
    }

    fn mod_type(&self, body: ModTypeExpId, inside: &str) -> Vec<Item> {
        match &self.ast[body].kind {
            ModTypeExpKind::Specs(specs) => specs.iter().filter_map(|spec| self.spec(*spec, inside)).collect(),
            ModTypeExpKind::Paren(body) | ModTypeExpKind::With { base: body, .. } => {
                kenaz_base::with_stack(|| self.mod_type(*body, inside))
            }
            _ => Vec::new(),
        }
    }

    fn spec(&self, id: SpecId, inside: &str) -> Option<Item> {
        let spec = &self.ast[id];
        let doc = spec.doc.as_ref().map(|doc| doc.text.clone());
        let whole = |name: Ident| self.since_word(spec.span, name.span);
        match &spec.kind {
            SpecKind::Error => None,
            SpecKind::Val { name, .. } => Some(item(Kind::Value, inside, *name, doc, whole(*name))),
            SpecKind::Type { name, .. } => Some(item(Kind::Type, inside, *name, doc, whole(*name))),
            SpecKind::TypeAbbr(bind) => Some(item(Kind::Type, inside, bind.name, doc, whole(bind.name))),
            SpecKind::Module { name, mod_type } => {
                let items = self.mod_type(*mod_type, &within(inside, name.name));
                Some(Item { items, ..item(Kind::Module, inside, *name, doc, whole(*name)) })
            }
            SpecKind::Include(_) => Some(Item {
                kind: Kind::Open,
                name: String::new(),
                id: String::new(),
                doc,
                signature: spec.span,
                defined: None,
                inferred: None,
                items: Vec::new(),
            }),
        }
    }

    /// A definition from its first word on: attributes before it are left out.
    fn since_word(&self, span: Span, name: Span) -> Span {
        let tokens = tokens(self.sources, span);
        let is_word = |tok: Tok| matches!(tok, Tok::Def | Tok::Let | Tok::Entry | Tok::Type | Tok::Module | Tok::Val);
        let first = tokens.iter().rev().filter(|(_, lo, _)| *lo <= name.lo).find(|(tok, _, _)| is_word(*tok));
        // `module type` has two words.
        let first = first.map(|(_, lo, _)| *lo).map(|lo| {
            let before = tokens.iter().rev().find(|(_, other, _)| *other < lo);
            before.filter(|(tok, _, _)| *tok == Tok::Module).map_or(lo, |(_, lo, _)| *lo)
        });
        Span::new(span.file, first.unwrap_or(span.lo), span.hi)
    }

    /// The end of what stands before the `=` in front of a body.
    fn before_equals(&self, name: Span, body: Span) -> Span {
        let between = Span::new(name.file, name.hi, body.lo.max(name.hi));
        let tokens = tokens(self.sources, between);
        // The last word before the `=`.
        let end = tokens
            .iter()
            .rev()
            .skip_while(|(_, lo, hi)| self.sources.text(Span::new(name.file, *lo, *hi)) != "=")
            .nth(1);
        let end = end.map_or(name.hi, |(_, _, hi)| *hi);
        Span::new(name.file, end, end)
    }
}

fn item(kind: Kind, inside: &str, name: Ident, doc: Option<String>, signature: Span) -> Item {
    let full = within(inside, name.name);
    let id = match kind {
        Kind::Type => format!("type:{full}"),
        Kind::ModuleType => format!("mtype:{full}"),
        _ => full.clone(),
    };
    Item { kind, name: full, id, doc, signature, defined: Some(name.span), inferred: None, items: Vec::new() }
}

fn within(inside: &str, name: Symbol) -> String {
    if inside.is_empty() { name.to_string() } else { format!("{inside}.{name}") }
}

/// The tokens of a part of a file, with their places in the file.
pub(crate) fn tokens(sources: &SourceMap, span: Span) -> Vec<(Tok, u32, u32)> {
    // What is wrong in it was said when the file was checked.
    let mut ignored = kenaz_base::Diagnostics::new();
    let lexed = kenaz_syntax::lexer::lex(span.file, sources.text(span), &mut ignored);
    lexed
        .tokens
        .into_iter()
        .filter(|token| token.kind != Tok::Eof)
        .map(|token| (token.kind, token.lo + span.lo, token.hi + span.lo))
        .collect()
}
