//! Programs called from Rust: what they take and give, who owns it, and what is refused.

mod calls;
