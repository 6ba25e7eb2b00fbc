//! Imperative IR → C.
