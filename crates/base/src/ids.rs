//! Small integer ids, the arenas they index, and side tables keyed by them.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A `u32` newtype that names an element of an [`Arena`].
pub trait Id: Copy + Eq + Ord + fmt::Debug {
    fn from_index(index: usize) -> Self;
    fn index(self) -> usize;
}

/// Defines id types: `define_ids! { /// doc  ExprId "e"; }`. An id prints as its prefix and number.
#[macro_export]
macro_rules! define_ids {
    ($($(#[$meta:meta])* $name:ident $prefix:literal;)*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $crate::Id for $name {
            fn from_index(index: usize) -> Self {
                $name(u32::try_from(index).expect("more than 2^32 ids of one kind"))
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    )*};
}

/// A growable vector addressed by ids of one kind. Elements are never removed.
#[derive(Clone)]
pub struct Arena<I, T> {
    items: Vec<T>,
    id: PhantomData<fn(I)>,
}

impl<I: Id, T> Arena<I, T> {
    pub fn new() -> Self {
        Arena { items: Vec::new(), id: PhantomData }
    }

    pub fn push(&mut self, item: T) -> I {
        let id = I::from_index(self.items.len());
        self.items.push(item);
        id
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub fn ids(&self) -> impl Iterator<Item = I> + use<I, T> {
        (0..self.items.len()).map(I::from_index)
    }

    pub fn iter(&self) -> impl Iterator<Item = (I, &T)> {
        self.items.iter().enumerate().map(|(i, x)| (I::from_index(i), x))
    }
}

impl<I: Id, T> Default for Arena<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Id, T> Index<I> for Arena<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for Arena<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

/// What a pass learnt about some of the elements of an arena.
#[derive(Clone)]
pub struct SideTable<I, T> {
    items: Vec<Option<T>>,
    id: PhantomData<fn(I)>,
}

impl<I: Id, T> SideTable<I, T> {
    pub fn new() -> Self {
        SideTable { items: Vec::new(), id: PhantomData }
    }

    pub fn insert(&mut self, id: I, value: T) {
        if self.items.len() <= id.index() {
            self.items.resize_with(id.index() + 1, || None);
        }
        self.items[id.index()] = Some(value);
    }

    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index()).and_then(Option::as_ref)
    }

    pub fn get_mut(&mut self, id: I) -> Option<&mut T> {
        self.items.get_mut(id.index()).and_then(Option::as_mut)
    }

    pub fn iter(&self) -> impl Iterator<Item = (I, &T)> {
        self.items.iter().enumerate().filter_map(|(i, x)| x.as_ref().map(|x| (I::from_index(i), x)))
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = (I, &mut T)> {
        self.items.iter_mut().enumerate().filter_map(|(i, x)| x.as_mut().map(|x| (I::from_index(i), x)))
    }
}

impl<I: Id, T> Default for SideTable<I, T> {
    fn default() -> Self {
        Self::new()
    }
}
