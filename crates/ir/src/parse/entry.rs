//! How the outside sees entry points, and the declarations of their types.

use super::lexer::Token;
use super::{Parsed, Parser};
use crate::entry::{Entry, EntryArray, EntryField, EntryKind, EntryParam, EntrySum, EntryType, EntryVariant, Part};
use crate::prog::Param;
use crate::types::Type;
use kenaz_base::Symbol;
use std::sync::Arc;

impl Parser<'_> {
    /// When nothing is said about parameters or results, each that is not the size of another is seen as what it is.
    pub(super) fn entry(&mut self, params: &[Param], results: &[Param]) -> Parsed<Entry> {
        let params = if self.eat_word("takes")? { self.entry_params()? } else { as_they_are(params) };
        let results = if self.eat_word("yields")? { self.entry_params()? } else { as_they_are(results) };
        let doc = if self.eat_word("doc")? { Some(self.text()?) } else { None };
        Ok(Entry { params, results, doc })
    }

    fn entry_params(&mut self) -> Parsed<Vec<EntryParam>> {
        let mut params = Vec::new();
        while self.eat("(")? {
            let mut name = Symbol::intern("");
            if matches!(self.peek()?, Token::Word(_) | Token::Quote(..)) {
                name = self.symbol()?;
                self.punct(":")?;
            }
            let unique = self.eat("*")?;
            let ty = self.entry_type_name()?;
            if self.eat_word("of")? {
                self.peek()?;
                let (at, parts) = (self.here(), ty.parts().len());
                let said: usize = self.number()?;
                if said != parts {
                    let message = format!("a value of type `{}` has {parts} parts, not {said}", ty.name);
                    return Err(self.lexer.error(at, message));
                }
            }
            self.punct(")")?;
            params.push(EntryParam { name, unique, ty });
        }
        Ok(params)
    }

    /// `type "name" = …`
    pub(super) fn entry_type(&mut self) -> Parsed<()> {
        self.word("type")?;
        self.peek()?;
        let at = self.here();
        let name = Symbol::intern(&self.text()?);
        if Part::named(name.as_str()).is_some() || self.entry_types.contains_key(&name) {
            return Err(self.lexer.error(at, format!("there is a type `{name}` already")));
        }
        self.punct("=")?;
        let kind = if self.is_punct("{")? {
            EntryKind::Record(self.entry_fields()?)
        } else if self.is_punct("(")? {
            let field = |(i, ty)| EntryField { name: Symbol::field(i), ty };
            EntryKind::Record(self.in_parens(Self::entry_type_name)?.into_iter().enumerate().map(field).collect())
        } else if self.eat_word("sum")? {
            EntryKind::Sum(self.entry_sum()?)
        } else if self.eat_word("array")? {
            let rank = self.number()?;
            let elem = self.entry_type_name()?;
            let fields = if self.is_punct("{")? { self.entry_fields()? } else { Vec::new() };
            EntryKind::Array(EntryArray { rank, elem, fields })
        } else if self.eat_word("opaque")? {
            EntryKind::Opaque(self.in_parens(Self::part)?)
        } else {
            return self.expected("`{`, `(`, `sum`, `array` or `opaque`");
        };
        self.entry_types.insert(name, Arc::new(EntryType { name, kind }));
        Ok(())
    }

    fn entry_fields(&mut self) -> Parsed<Vec<EntryField>> {
        self.punct("{")?;
        self.list("}", |p| {
            let name = p.symbol()?;
            p.punct(":")?;
            Ok(EntryField { name, ty: p.entry_type_name()? })
        })
    }

    fn entry_sum(&mut self) -> Parsed<EntrySum> {
        let parts = self.in_parens(Self::part)?;
        let mut variants = Vec::new();
        while self.eat("<")? {
            let name = self.symbol()?;
            let mut payload = Vec::new();
            while self.eat("(")? {
                let ty = self.entry_type_name()?;
                self.eat(":")?;
                payload.push((ty, self.list(")", Self::number)?));
            }
            variants.push(EntryVariant { name, payload });
        }
        Ok(EntrySum { parts, variants })
    }

    /// `[][]f32`
    fn part(&mut self) -> Parsed<Part> {
        let mut rank = 0;
        while self.eat("[")? {
            self.punct("]")?;
            rank += 1;
        }
        Ok(Part { prim: self.prim()?, rank })
    }

    /// The type of a scalar or an array of scalars, or one that was declared.
    fn entry_type_name(&mut self) -> Parsed<Arc<EntryType>> {
        self.peek()?;
        let at = self.here();
        let name = self.text()?;
        if let Some(part) = Part::named(&name) {
            return Ok(EntryType::plain(part));
        }
        let declared = self.entry_types.get(&Symbol::intern(&name)).cloned();
        declared.ok_or_else(|| self.lexer.error(at, format!("no type `{name}` was declared before")))
    }
}

fn as_they_are(params: &[Param]) -> Vec<EntryParam> {
    let is_size = |p: &&Param| {
        matches!(p.ty, Type::Mem(_)) || params.iter().any(|other| crate::infer::mentions(&other.ty, &[p.name]))
    };
    let seen = |p: &Param| {
        // A type that cannot leave the program becomes an opaque one without parts, which the checker refuses.
        let opaque = || EntryType { name: Symbol::intern(&p.ty.to_string()), kind: EntryKind::Opaque(Vec::new()) };
        let ty = Part::of(&p.ty).map_or_else(|| Arc::new(opaque()), EntryType::plain);
        EntryParam { name: p.name.base, unique: p.unique, ty }
    };
    params.iter().filter(|p| !is_size(p)).map(seen).collect()
}
