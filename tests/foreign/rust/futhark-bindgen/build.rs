//! Bindings by `futhark-bindgen`, as its README has it.

use futhark_bindgen::{Backend, build};

fn main() {
    let backend = if cfg!(feature = "opencl") {
        Backend::OpenCL
    } else if cfg!(feature = "multicore") {
        Backend::Multicore
    } else {
        Backend::C
    };
    build(backend, "../../clients.fut", "clients.rs");
}
