//! What a value may share its memory with.
//!
//! A [`Root`](super::Root) stands for memory that somebody may own. The aliases of a value are the roots that each of
//! its parts may lie in; a part without roots is new memory that nothing else refers to.

use crate::types::{Ty, TyKind};
use kenaz_base::{Symbol, define_ids, with_stack};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

define_ids! {
    /// Memory that values may share.
    RootId "r";
}

/// A sorted set of roots.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Roots(SmallVec<[RootId; 4]>);

impl Roots {
    pub(super) fn one(root: RootId) -> Roots {
        Roots(SmallVec::from_slice(&[root]))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = RootId> + '_ {
        self.0.iter().copied()
    }

    pub(super) fn contains(&self, root: RootId) -> bool {
        self.0.binary_search(&root).is_ok()
    }

    pub(super) fn insert(&mut self, root: RootId) {
        if let Err(place) = self.0.binary_search(&root) {
            self.0.insert(place, root);
        }
    }

    pub(super) fn add(&mut self, other: &Roots) {
        if self.is_empty() {
            self.0.clone_from(&other.0);
        } else if self != other {
            other.iter().for_each(|root| self.insert(root));
        }
    }

    /// A root that both sets have.
    pub(super) fn common(&self, other: &Roots) -> Option<RootId> {
        let (few, many) = if self.0.len() <= other.0.len() { (self, other) } else { (other, self) };
        few.iter().find(|root| many.contains(*root))
    }

    /// Replaces roots by others.
    pub(super) fn rename(&mut self, names: &FxHashMap<RootId, RootId>) {
        if self.iter().any(|root| names.contains_key(&root)) {
            let old = std::mem::take(self);
            old.iter().for_each(|root| self.insert(names.get(&root).copied().unwrap_or(root)));
        }
    }

    pub(super) fn retain(&mut self, mut f: impl FnMut(RootId) -> bool) {
        self.0.retain(|root| f(*root));
    }
}

/// The aliases of a value, following the structure of its type as far as records go.
#[derive(Clone, Debug)]
pub(super) enum Aliases {
    /// Nothing in the value is an array.
    Scalar,
    Memory(Memory),
    Function(Closure),
    /// In the order of the type's fields.
    Record(Vec<(Symbol, Aliases)>),
}

/// An array, a sum, or a value of a type that is not known.
#[derive(Clone, Default, Debug)]
pub(super) struct Memory {
    pub roots: Roots,
    /// Whether two parts of the value share memory: `#c xs xs`.
    pub tangled: bool,
}

/// A function, with what it refers to.
#[derive(Clone, Default, Debug)]
pub(super) struct Closure {
    pub roots: Roots,
    /// Its type with a `*` on every part of the result that is new memory, where the function's body is known.
    pub ty: Option<Ty>,
    /// Whether calling it consumes what it holds, so that it can be called only once.
    pub once: bool,
}

impl Aliases {
    pub(super) fn memory(roots: Roots) -> Aliases {
        Aliases::Memory(Memory { roots, tangled: false })
    }

    /// The aliases of a value of this type that lies in `roots`, with all its parts.
    pub(super) fn of(ty: &Ty, roots: &Roots) -> Aliases {
        with_stack(|| match ty.kind() {
            TyKind::Error | TyKind::Prim(_) => Aliases::Scalar,
            TyKind::Record(fields) => {
                if holds_memory(ty) {
                    Aliases::Record(fields.iter().map(|(name, t)| (*name, Aliases::of(t, roots))).collect())
                } else {
                    Aliases::Scalar
                }
            }
            TyKind::Arrow(_) => Aliases::Function(Closure { roots: roots.clone(), ..Closure::default() }),
            TyKind::Unique(t) | TyKind::Exists(_, t) => Aliases::of(t, roots),
            TyKind::Sum(_) if !holds_memory(ty) => Aliases::Scalar,
            TyKind::Array(..) | TyKind::Sum(_) | TyKind::Con(..) | TyKind::Meta(_) => Aliases::memory(roots.clone()),
        })
    }

    /// New memory.
    pub(super) fn fresh(ty: &Ty) -> Aliases {
        Aliases::of(ty, &Roots::default())
    }

    pub(super) fn field(&self, name: Symbol) -> Aliases {
        match self {
            Aliases::Record(fields) => {
                fields.iter().find(|(n, _)| *n == name).map_or(Aliases::Scalar, |(_, aliases)| aliases.clone())
            }
            Aliases::Scalar | Aliases::Memory(_) | Aliases::Function(_) => self.clone(),
        }
    }

    pub(super) fn fields(&self, path: &[Symbol]) -> Aliases {
        match path {
            [] => self.clone(),
            [name] => self.field(*name),
            [name, rest @ ..] => self.field(*name).fields(rest),
        }
    }

    /// The value with another part at this path.
    #[must_use]
    pub(super) fn with_field(&self, path: &[Symbol], value: &Aliases) -> Aliases {
        match (path, self) {
            ([], _) => value.clone(),
            ([name, rest @ ..], Aliases::Record(fields)) => Aliases::Record(
                fields
                    .iter()
                    .map(|(n, old)| (*n, if n == name { old.with_field(rest, value) } else { old.clone() }))
                    .collect(),
            ),
            (_, Aliases::Scalar | Aliases::Memory(_) | Aliases::Function(_)) => self.clone(),
        }
    }

    /// Calls `f` on the roots of every part that has memory.
    pub(super) fn for_each(&self, f: &mut dyn FnMut(&Roots)) {
        with_stack(|| match self {
            Aliases::Scalar => {}
            Aliases::Memory(memory) => f(&memory.roots),
            Aliases::Function(closure) => f(&closure.roots),
            Aliases::Record(fields) => fields.iter().for_each(|(_, aliases)| aliases.for_each(f)),
        });
    }

    pub(super) fn for_each_mut(&mut self, f: &mut dyn FnMut(&mut Roots)) {
        with_stack(|| match self {
            Aliases::Scalar => {}
            Aliases::Memory(memory) => f(&mut memory.roots),
            Aliases::Function(closure) => f(&mut closure.roots),
            Aliases::Record(fields) => fields.iter_mut().for_each(|(_, aliases)| aliases.for_each_mut(f)),
        });
    }

    /// The roots of all parts.
    pub(super) fn roots(&self) -> Roots {
        match self {
            Aliases::Scalar => Roots::default(),
            Aliases::Memory(memory) => memory.roots.clone(),
            Aliases::Function(closure) => closure.roots.clone(),
            Aliases::Record(_) => {
                let mut all = Roots::default();
                self.for_each(&mut |roots| all.add(roots));
                all
            }
        }
    }

    /// Either of two values.
    #[must_use]
    pub(super) fn join(self, other: Aliases) -> Aliases {
        with_stack(|| match (self, other) {
            (Aliases::Scalar, other) => other,
            (this, Aliases::Scalar) => this,
            (Aliases::Memory(mut a), Aliases::Memory(b)) => {
                a.roots.add(&b.roots);
                a.tangled |= b.tangled;
                Aliases::Memory(a)
            }
            (Aliases::Function(mut a), Aliases::Function(b)) => {
                a.roots.add(&b.roots);
                a.once |= b.once;
                // Only what both promise holds; the type that is declared says that.
                a.ty = a.ty.filter(|ty| Some(ty) == b.ty.as_ref());
                Aliases::Function(a)
            }
            (Aliases::Record(a), Aliases::Record(b)) => {
                Aliases::Record(a.into_iter().zip(b).map(|((name, x), (_, y))| (name, x.join(y))).collect())
            }
            (mut a, b) => {
                let roots = b.roots();
                a.for_each_mut(&mut |r| r.add(&roots));
                a
            }
        })
    }

    /// A root that two parts of the value share, or `Some(None)` if they do but it is not known which.
    pub(super) fn shared(&self) -> Option<Option<RootId>> {
        let mut seen = Roots::default();
        let mut found = None;
        self.for_each(&mut |roots| {
            if found.is_none() {
                found = seen.common(roots).map(Some);
            }
            seen.add(roots);
        });
        found.or_else(|| self.is_tangled().then_some(None))
    }

    fn is_tangled(&self) -> bool {
        with_stack(|| match self {
            Aliases::Scalar | Aliases::Function(_) => false,
            Aliases::Memory(memory) => memory.tangled,
            Aliases::Record(fields) => fields.iter().any(|(_, aliases)| aliases.is_tangled()),
        })
    }

    /// Whether the value is or contains a function that can be called only once.
    pub(super) fn is_once(&self) -> bool {
        with_stack(|| match self {
            Aliases::Scalar | Aliases::Memory(_) => false,
            Aliases::Function(closure) => closure.once,
            Aliases::Record(fields) => fields.iter().any(|(_, aliases)| aliases.is_once()),
        })
    }
}

/// Whether values of a type can share memory with others: they contain arrays, functions, or what is not known.
pub(super) fn holds_memory(ty: &Ty) -> bool {
    memory_parts(ty, 1) > 0
}

/// How many parts of a value may share memory with one another, counted up to `enough`.
pub(super) fn memory_parts(ty: &Ty, enough: usize) -> usize {
    with_stack(|| match ty.kind() {
        TyKind::Error | TyKind::Prim(_) => 0,
        TyKind::Array(..) | TyKind::Con(..) | TyKind::Meta(_) | TyKind::Arrow(_) => 1,
        TyKind::Unique(t) | TyKind::Exists(_, t) => memory_parts(t, enough),
        TyKind::Record(fields) => sum_up_to(fields.iter().map(|(_, t)| t), enough),
        TyKind::Sum(constrs) => constrs.iter().map(|(_, ts)| sum_up_to(ts.iter(), enough)).max().unwrap_or(0),
    })
}

fn sum_up_to<'a>(tys: impl Iterator<Item = &'a Ty>, enough: usize) -> usize {
    let mut sum = 0;
    for ty in tys {
        sum += memory_parts(ty, enough);
        if sum >= enough {
            break;
        }
    }
    sum
}

/// Whether a type is or contains a function.
pub(super) fn holds_function(ty: &Ty) -> bool {
    with_stack(|| match ty.kind() {
        TyKind::Arrow(_) => true,
        TyKind::Error | TyKind::Prim(_) | TyKind::Array(..) | TyKind::Con(..) | TyKind::Meta(_) => false,
        TyKind::Unique(t) | TyKind::Exists(_, t) => holds_function(t),
        TyKind::Record(fields) => fields.iter().any(|(_, t)| holds_function(t)),
        TyKind::Sum(constrs) => constrs.iter().flat_map(|(_, ts)| ts).any(holds_function),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenaz_base::Id;

    fn roots(ids: &[usize]) -> Roots {
        let mut set = Roots::default();
        ids.iter().for_each(|i| set.insert(RootId::from_index(*i)));
        set
    }

    #[test]
    fn sets_are_sorted_and_without_repetition() {
        let mut a = roots(&[3, 1, 3]);
        assert_eq!(a, roots(&[1, 3]));
        a.add(&roots(&[2, 3]));
        assert_eq!(a, roots(&[1, 2, 3]));
        assert_eq!(a.common(&roots(&[0, 2])), Some(RootId::from_index(2)));
        assert_eq!(a.common(&roots(&[0, 4])), None);
    }

    #[test]
    fn parts_that_share_memory_are_found() {
        let field = |i: usize, ids: &[usize]| (Symbol::field(i), Aliases::memory(roots(ids)));
        assert!(Aliases::Record(vec![field(0, &[1]), field(1, &[2])]).shared().is_none());
        let both = Aliases::Record(vec![field(0, &[1, 2]), field(1, &[2])]);
        assert_eq!(both.shared(), Some(Some(RootId::from_index(2))));
        let tangled = Aliases::Memory(Memory { roots: roots(&[]), tangled: true });
        assert_eq!(tangled.shared(), Some(None));
    }
}
