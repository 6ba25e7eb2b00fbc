//! Documentation of programs that the tests make.
