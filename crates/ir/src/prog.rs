//! Programs, functions, bodies, statements.

use crate::entry::Entry;
use crate::exp::Exp;
use crate::mem::Place;
use crate::name::{Fresh, Name};
use crate::types::Type;
use crate::value::Scalar;
use kenaz_base::{Arena, Attr, Span, Symbol, define_ids, with_stack};

/// A whole program. Functions may call those before them only: there is no recursion.
#[derive(Clone, Debug, Default)]
pub struct Prog {
    pub funs: Vec<Fun>,
    pub locs: Locs,
    pub fresh: Fresh,
}

#[derive(Clone, Debug)]
pub struct Fun {
    pub name: Symbol,
    /// How the outside sees it, if it does.
    pub entry: Option<Entry>,
    /// The sizes of arrays come before the arrays that have them.
    pub params: Vec<Param>,
    /// A result that other results have as a size is named; the types may mention the parameters and such names.
    pub results: Vec<Param>,
    pub body: Body,
    pub attrs: Attrs,
    pub loc: LocId,
}

/// A name with its type: a parameter, a result, an element of a statement's pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    pub name: Name,
    pub ty: Type,
    /// For parameters of functions: whether the function may consume it. For results: whether it has no aliases.
    pub unique: bool,
    /// In the memory stage, for arrays: where they are.
    pub place: Option<Box<Place>>,
}

impl Param {
    pub fn new(name: Name, ty: Type) -> Param {
        Param { name, ty, unique: false, place: None }
    }

    /// Whether the argument for this parameter of a function, lambda or loop is consumed: an accumulator always is.
    pub fn is_consumable(&self) -> bool {
        match self.ty {
            Type::Prim(_) | Type::Cert | Type::Mem(_) => false,
            Type::Array(..) => self.unique,
            Type::Acc { .. } => true,
        }
    }
}

/// A sequence of statements and the values it yields.
#[derive(Debug, Default)]
pub struct Body {
    pub stms: Vec<Stm>,
    pub results: Vec<Operand>,
}

/// Bodies are nested as deeply as the program, so copying and comparing them takes care of the stack.
impl Clone for Body {
    fn clone(&self) -> Body {
        with_stack(|| Body { stms: self.stms.clone(), results: self.results.clone() })
    }
}

impl PartialEq for Body {
    fn eq(&self, other: &Body) -> bool {
        with_stack(|| self.stms == other.stms && self.results == other.results)
    }
}

/// `let pattern = <certificates> exp`
#[derive(Clone, Debug, PartialEq)]
pub struct Stm {
    /// A name may be the size of others in the same pattern: that is how sizes that are not known in advance are bound.
    pub pat: Vec<Param>,
    /// The checks that must have passed before the expression is evaluated.
    pub certs: Vec<Name>,
    pub attrs: Attrs,
    pub exp: Exp,
    pub loc: LocId,
}

/// What an expression is applied to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    Var(Name),
    Const(Scalar),
}

impl Operand {
    pub fn i64(n: i64) -> Operand {
        Operand::Const(Scalar::I64(n))
    }

    pub fn bool(b: bool) -> Operand {
        Operand::Const(Scalar::Bool(b))
    }

    pub fn name(self) -> Option<Name> {
        match self {
            Operand::Var(name) => Some(name),
            Operand::Const(_) => None,
        }
    }
}

impl From<Name> for Operand {
    fn from(name: Name) -> Operand {
        Operand::Var(name)
    }
}

/// Instructions of the user to the compiler, in the order written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Attrs(pub Vec<Attr>);

impl Attrs {
    /// Whether there is this attribute, or a wish for it.
    pub fn has(&self, attr: Attr) -> bool {
        self.0.iter().any(|known| *known == attr || known.is_wish() && known.wanted() == attr)
    }

    /// What is asked for in some respect, or wished: the attribute as it is written. The last one counts.
    pub fn find(&self, is_about: impl Fn(Attr) -> bool) -> Option<Attr> {
        self.0.iter().rev().copied().find(|attr| is_about(attr.wanted()))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether there are none but strategies, see [`Attr::is_strategy`]: rewrites are the same with and without them.
    pub fn is_free(&self) -> bool {
        self.0.iter().all(|attr| attr.is_strategy())
    }
}

define_ids! {
    /// A source position in a [`Locs`].
    LocId "loc";
}

/// A place in the program text, and the place from which its function was called, if it was inlined there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Loc {
    /// `prog.fut:3:14-20`, or empty for code that the user did not write.
    pub place: Symbol,
    pub caller: Option<LocId>,
}

/// The source positions of a program. The first one is nowhere.
///
/// A place is kept as text, since the text form of the IR, the interpreter and generated C show it where no sources are
/// at hand, and with its span, so that nobody has to read the text back.
#[derive(Clone)]
pub struct Locs {
    arena: Arena<LocId, Loc>,
    known: rustc_hash::FxHashMap<Loc, LocId>,
    /// Where places are in the sources; not known of those that come from the text form of the IR.
    spans: rustc_hash::FxHashMap<Symbol, Span>,
    /// Binding attributes on expressions that make nothing for which they could be meant.
    pub unmet: Vec<(Attr, LocId)>,
}

impl Default for Locs {
    fn default() -> Locs {
        let mut locs =
            Locs { arena: Arena::new(), known: Default::default(), spans: Default::default(), unmet: Vec::new() };
        locs.add(Loc { place: Symbol::intern(""), caller: None });
        locs
    }
}

impl std::fmt::Debug for Locs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} positions", self.arena.len())
    }
}

impl Locs {
    pub const NOWHERE: fn() -> LocId = || <LocId as kenaz_base::Id>::from_index(0);

    pub fn add(&mut self, loc: Loc) -> LocId {
        if let Some(id) = self.known.get(&loc) {
            return *id;
        }
        let id = self.arena.push(loc.clone());
        self.known.insert(loc, id);
        id
    }

    /// A place in the sources, and its text.
    pub fn written(&mut self, span: Span, text: &str) -> LocId {
        let place = Symbol::intern(text);
        self.spans.entry(place).or_insert(span);
        self.add(Loc { place, caller: None })
    }

    /// The innermost place of a position, in the sources that the program was made of.
    pub fn span(&self, id: LocId) -> Option<Span> {
        self.chain(id).iter().find_map(|place| self.spans.get(place).copied())
    }

    pub fn get(&self, id: LocId) -> &Loc {
        &self.arena[id]
    }

    /// The places from the innermost to the outermost call.
    pub fn chain(&self, id: LocId) -> Vec<Symbol> {
        let mut out = Vec::new();
        let mut next = Some(id);
        while let Some(id) = next {
            let loc = &self.arena[id];
            if !loc.place.as_str().is_empty() {
                out.push(loc.place);
            }
            next = loc.caller;
        }
        out
    }

    /// The position of a statement that was at `inner` in a function now inlined into a call at `call`.
    pub fn inlined(&mut self, inner: LocId, call: LocId) -> LocId {
        let loc = self.arena[inner].clone();
        let caller = match loc.caller {
            Some(outer) => self.inlined(outer, call),
            None => call,
        };
        self.add(Loc { place: loc.place, caller: Some(caller) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenaz_base::source::first_file;

    #[test]
    fn positions_keep_their_spans() {
        let mut locs = Locs::default();
        let span = Span::new(first_file(), 3, 9);
        let inner = locs.written(span, "a.fut:1:4-9");
        let call = locs.add(Loc { place: Symbol::intern("b.fut:2:1"), caller: None });
        let inlined = locs.inlined(inner, call);
        assert_eq!((locs.span(inner), locs.span(inlined)), (Some(span), Some(span)));
        assert_eq!((locs.span(call), locs.span(Locs::NOWHERE())), (None, None));
        assert_eq!(locs.chain(inlined).len(), 2);
    }
}
