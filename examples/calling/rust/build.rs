//! Builds the program of the folder above into this crate.

use kenaz_build::{Backend, Program};

fn main() {
    let backend = if cfg!(feature = "opencl") { Backend::OpenCl } else { Backend::Multicore };
    Program::new("../../dotprod.fut").backend(backend).build();
}
