//! Every allocation and copy in the C is accounted for.

use super::{of_file, programs};
use kenaz_driver::Artefact;
use kenaz_explain::{Block, Copy};
use kenaz_ir::target;

/// The text of the functions of a program and of the parts of its loops, without what is around them.
fn functions(c: &str) -> &str {
    let heads = ["\n// a loop of ", "\n// entry_", "\nstatic int fun_"];
    let start = heads.iter().filter_map(|head| c.find(head)).min().unwrap_or(c.len());
    let end = c[start..].find("\nstatic const struct kz_part ").unwrap_or(c.len() - start);
    let end = end.min(c[start..].find("\nstatic int entry_").unwrap_or(end));
    &c[start..start + end]
}

/// How often functions whose names begin like this are called.
fn calls(c: &str, names: &[&str]) -> usize {
    names.iter().map(|name| c.matches(name).count()).sum()
}

fn whole_folder(folder: &str) {
    let mut seen = [0, 0];
    for path in programs(folder) {
        for target in [&target::C, &target::MULTICORE] {
            let (compilation, explanation) = of_file(&path, target);
            let c = compilation.emit(Artefact::Module).text;
            let blocks = explanation.functions.iter().flat_map(|function| &function.blocks);
            let allocated: Vec<&Block> = blocks.filter(|block| block.is_allocated).collect();
            let copies: Vec<&Copy> = explanation.functions.iter().flat_map(|function| &function.copies).collect();
            let in_c = [
                calls(functions(&c), &["= kz_alloc(ctx, "]),
                calls(
                    functions(&c),
                    &["kz_copy(", "kz_copy_on_threads(", "kz_memcpy(", "kz_memcpy_on_threads(", " memcpy("],
                ),
            ];
            let name = format!("{} for {}", path.display(), target.name);
            assert_eq!(allocated.len(), in_c[0], "allocations of {name}: {allocated:#?}");
            // Short copies are loops in C.
            let lowered = compilation.lower();
            let mut lowered_copies = 0;
            let bodies =
                lowered.funs.iter().map(|fun| &fun.body).chain(lowered.regions.iter().map(|region| &region.body));
            bodies.for_each(|body| {
                kenaz_imp::visit::for_each_stm(body, &mut |stm| {
                    lowered_copies += usize::from(matches!(stm, kenaz_imp::Stm::Copy { .. }));
                });
            });
            assert_eq!(copies.len(), lowered_copies, "copies of {name}: {copies:#?}");
            assert!(copies.len() >= in_c[1], "copies of {name}: {} in C, {copies:#?}", in_c[1]);
            // Each is at a place of the source.
            assert!(allocated.iter().all(|block| block.place.is_some()), "{name}: {allocated:#?}");
            assert!(copies.iter().all(|copy| copy.place.is_some()), "{name}: {copies:#?}");
            seen[0] += in_c[0];
            seen[1] += in_c[1];
        }
    }
    assert!(seen[0] > 0, "{folder} allocates nothing, or the C is not read as it should be");
}

#[test]
fn of_whole_programs() {
    whole_folder("bench/apps");
}

#[test]
fn of_kernels() {
    whole_folder("bench/c");
}

#[test]
fn of_examples() {
    whole_folder("examples");
}
