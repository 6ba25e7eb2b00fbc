//! Nothing yet.

use kenaz_ir::{Log, Pass, Prog};

pub const PASS: Pass = Pass { name: "fuse", about: "", run };

fn run(_prog: &mut Prog, _log: &mut Log) {}
