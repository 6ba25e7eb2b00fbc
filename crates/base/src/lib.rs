//! What every crate of the compiler shares: ids and arenas, interned names, source files and spans,
//! diagnostics, and protection against deep recursion.
//!
//! Nothing here knows about the language.

pub mod diagnostic;
pub mod ids;
pub mod registry;
pub mod source;
pub mod stack;
pub mod symbol;

pub use diagnostic::{Diagnostic, Diagnostics, Label, Severity};
pub use ids::{Arena, Id, SideTable};
pub use registry::Code;
pub use source::{FileId, SourceFile, SourceMap, Span};
pub use stack::with_stack;
pub use symbol::Symbol;
