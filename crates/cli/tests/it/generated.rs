//! Random programs are accepted, the checker of the array stage finds nothing wrong with what they become, and running
//! them gives results or fails as programs do. Most succeed, and some fail.

use kenaz_base::MemoryFileSystem;
use kenaz_cli::Outcome;
use kenaz_cli::run::outcome;
use kenaz_driver::{Compiler, function};
use kenaz_generate::{Program, Size, generate};
use kenaz_interp::{Environment, Options, compile};
use kenaz_ir::target;
use kenaz_runtime::Reader;
use std::path::Path;

/// How many runs succeeded and how many failed.
#[derive(Default, Debug)]
struct Runs {
    succeeded: usize,
    failed: usize,
}

#[test]
fn random_programs_are_accepted_and_run() {
    let mut runs = Runs::default();
    for seed in 0..200 {
        let size = if seed % 4 == 0 { Size::Large } else { Size::Medium };
        let generated = generate(seed, size);
        if let Err(problem) = run(&generated, &mut runs) {
            panic!("seed {seed}, {size:?}: {problem}\n{}", generated.with_tests());
        }
    }
    assert!(runs.succeeded > 9 * runs.failed, "{runs:?}");
    assert!(runs.failed > 0, "{runs:?}");
}

fn run(generated: &Program, runs: &mut Runs) -> Result<(), String> {
    let files = MemoryFileSystem::new().with("main.fut", generated.source.clone());
    let elaborated = Compiler::new(&files, &target::C).elaborate(Path::new("main.fut"));
    let elaborated = elaborated.map_err(|rejected| rejected.to_string())?;
    elaborated.check().map_err(|error| error.to_string())?;
    let compiled = compile(&elaborated.prog, Options::default());
    let points = elaborated.entry_points();
    for entry in &generated.entries {
        let point = points.iter().find(|point| point.name == entry.name).ok_or("an entry point is missing")?;
        for input in &entry.inputs {
            let mut reader = Reader::new(input.as_bytes());
            let mut values = Vec::new();
            for part in point.parameters.iter().flat_map(|param| &param.parts) {
                values.push(reader.next_of(*part).map_err(|error| format!("{input}: {error}"))?);
            }
            reader.finish().map_err(|error| format!("{input}: {error}"))?;
            match compiled.run_entry(&function(&entry.name), values, &mut Environment::default()) {
                Ok(_) => runs.succeeded += 1,
                Err(error) if outcome(&error) == Outcome::Failure => runs.failed += 1,
                Err(error) => return Err(format!("{input}: {}", error.message)),
            }
        }
    }
    Ok(())
}
