//! Imperative IR → C.
//!
//! [`c`] makes one C file of a program: the parts of the run-time system that it needs, its functions, the tables that
//! describe its entry points, and a `main`, a server or the functions of the documented C API.

pub mod c;
