//! Bindings for several back ends in one program by `cargo-futhark`, as its template has it.

use cargo_futhark::{Generator, Result, Target};

fn main() -> Result<()> {
    Generator::new("../../arrays.fut")
        .with_target(Target::C)
        .with_target(Target::MultiCore)
        .with_target_if(Target::OpenCL, cfg!(feature = "opencl"))
        .run()
}
