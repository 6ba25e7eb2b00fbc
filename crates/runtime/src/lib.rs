//! Values at run time: flat typed arrays, the files that hold them, random ones, and when two of them agree.

mod compare;
mod data;
mod entry;
mod fingerprint;
mod random;
mod types;
mod value;

pub use compare::{Difference, Tolerance, compare};
pub use data::{DataError, Format, Place, Problem, Reader, WriteError, write, write_binary, write_text};
pub use entry::{EntryPoint, EntryType, from_stored, to_stored};
pub use fingerprint::Fingerprint;
pub use random::{Bounds, Generator};
pub use types::{BadType, ParamType, ValueType, element_count};
pub use value::{Data, Element, Value};
