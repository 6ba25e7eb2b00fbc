//! Pixels, and palettes of few colours.

use std::collections::BTreeMap;

/// A picture without transparency, row after row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Pixels {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) colours: Vec<[u8; 3]>,
}

impl Pixels {
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.colours.concat()
    }
}

/// The colours of pictures in order, if there are no more than so many.
pub(crate) fn palette<'a>(pictures: impl IntoIterator<Item = &'a Pixels>, most: usize) -> Option<Vec<[u8; 3]>> {
    let mut found: BTreeMap<[u8; 3], ()> = BTreeMap::new();
    for picture in pictures {
        for colour in &picture.colours {
            if found.insert(*colour, ()).is_none() && found.len() > most {
                return None;
            }
        }
    }
    Some(found.into_keys().collect())
}
