//! Checked meaning of syntax trees.
