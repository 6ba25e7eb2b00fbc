//! How long compiled programs take on the data of their test blocks, and whether one is faster than another.
//!
//! [`bench`] runs programs, which it knows as `Executor`s only, until [`rule`] is content with what is known about the
//! mean, or two of them in turns. [`results`] has the format of the files, [`compare`] tells differences from chance,
//! and [`report`] draws all of it as one page. What other tools that measure need as well is in [`statistics`],
//! [`chart`] and [`page`].

pub mod bench;
pub mod chart;
pub mod compare;
pub mod machine;
pub mod page;
pub mod report;
pub mod results;
pub mod rule;
pub mod statistics;
pub mod table;
pub mod turns;
