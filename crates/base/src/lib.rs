//! What every crate of the compiler shares: ids and arenas, interned names, source files and spans, random numbers,
//! diagnostics and their rendering, access to files, and protection against deep recursion.
//!
//! Nothing here knows about the language but its primitive types and attributes, which all stages share.

pub mod attr;
pub mod diagnostic;
pub mod fs;
pub mod html;
pub mod ids;
pub mod memory;
pub mod pass;
pub mod prim;
pub mod registry;
pub mod render;
pub mod rng;
pub mod similar;
pub mod source;
pub mod stack;
pub mod symbol;
pub mod temporary;

pub use attr::Attr;
pub use diagnostic::{Diagnostic, Diagnostics, Fix, Label, Severity};
pub use fs::{FileSystem, MemoryFileSystem, RealFileSystem};
pub use ids::{Arena, Id, SideTable};
pub use pass::{current_pass, in_pass};
pub use prim::Prim;
pub use registry::Code;
pub use rng::Rng;
pub use similar::similar;
pub use source::{FileId, SourceFile, SourceMap, Span};
pub use stack::with_stack;
pub use symbol::Symbol;
pub use temporary::{TemporaryFolder, UnfinishedFile};
