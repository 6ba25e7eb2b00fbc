//! Formulas for people: numbers of elements and bytes as polynomials in the sizes and scalars that a function gets, and
//! conditions as text.

mod cond;
mod size;
mod value;

pub use cond::Cond;
pub use size::{Atom, Legend, Sizes, numbered, single};
pub use value::{Instead, Values};
