//! What expressions are in terms of the sizes and scalars that a function gets, for people: numbers of elements and
//! bytes as polynomials, conditions as text.

mod cond;
mod size;
mod value;

pub use cond::Cond;
pub use size::{Atom, Legend, Sizes, numbered, single};
pub use value::{Instead, Values};
