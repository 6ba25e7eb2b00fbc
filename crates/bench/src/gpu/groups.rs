//! Programs that are about the same, each group with a chapter and a chart of its own.

use super::Part;

pub(super) struct Group {
    /// The name of its files.
    pub name: &'static str,
    pub title: &'static str,
    part: Part,
    /// Those of the folder that belong to it, or all.
    programs: &'static [&'static str],
}

pub(super) static GROUPS: [Group; 10] = [
    of_gpu("gpu-vectors", "Maps and sums", &["map", "scal", "asum", "dot", "moments", "argmax"]),
    of_gpu("gpu-prefixes", "Prefixes", &["scan", "premin", "segscan", "rowscans"]),
    of_gpu("gpu-places", "Elements that change places", &["filter", "partition", "permute", "radix1", "radix4"]),
    of_gpu("gpu-bins", "Histograms", &["histogram", "histmax", "rowhist"]),
    of_gpu(
        "gpu-matrices",
        "Matrices and vectors",
        &["gemv", "gemv_transposed", "rowsums", "colsums", "transpose", "spmv"],
    ),
    of_gpu(
        "gpu-products",
        "Products of matrices",
        &["matmul", "matmul_transposed", "matmul_epilogue", "matmul_f64", "batched", "smallmm", "shortest"],
    ),
    of_gpu("gpu-stencils", "Stencils", &["stencil2d", "stencil3d", "jacobi2d", "jacobi3d", "heat", "convolution"]),
    of_gpu(
        "gpu-applications",
        "Small applications",
        &["softmax", "layernorm", "kmeans", "tridiagonal", "cholesky", "blackscholes", "nbody", "mandelbrot"],
    ),
    Group { name: "gpu-c", title: "Programs of the sequential benchmark", part: Part::C, programs: &[] },
    Group { name: "gpu-multicore", title: "Programs of the multicore benchmark", part: Part::Multicore, programs: &[] },
];

const fn of_gpu(name: &'static str, title: &'static str, programs: &'static [&'static str]) -> Group {
    Group { name, title, part: Part::Gpu, programs }
}

impl Group {
    pub(super) fn has(&self, part: Part, program: &str) -> bool {
        self.part == part && (self.programs.is_empty() || self.programs.contains(&program))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program;
    use std::path::Path;

    #[test]
    fn every_program_is_in_one_group() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/gpu");
        let programs = program::list(&folder, &[]).unwrap();
        for program in &programs {
            let groups = GROUPS.iter().filter(|group| group.has(Part::Gpu, &program.name)).count();
            assert_eq!(groups, 1, "{}", program.name);
        }
        let named = GROUPS.iter().flat_map(|group| group.programs);
        assert_eq!(named.count(), programs.len(), "a group has a program that is not there");
    }
}
