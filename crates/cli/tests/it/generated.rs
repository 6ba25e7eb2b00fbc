//! Random programs are accepted, the checker of the array stage finds nothing wrong with what they become, and running
//! them gives results or fails as programs do. Most succeed, and some fail.

use kenaz_base::MemoryFileSystem;
use kenaz_cli::Outcome;
use kenaz_cli::run::outcome;
use kenaz_driver::{Compiler, function};
use kenaz_generate::{ModuleProgram, Program, Size, generate, generate_modules};
use kenaz_interp::{Environment, Options, compile};
use kenaz_ir::target;
use kenaz_runtime::{Reader, Tolerance, compare};
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
    for entry in generated.entries.iter().filter(|entry| entry.takes.is_none()) {
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

#[test]
fn random_modules_compute_what_they_should() {
    for seed in 0..150 {
        let generated = generate_modules(seed);
        if let Err(problem) = run_modules(&generated) {
            panic!("seed {seed}: {problem}\n{}", generated.with_tests());
        }
    }
}

fn run_modules(generated: &ModuleProgram) -> Result<(), String> {
    let files = MemoryFileSystem::new().with("main.fut", generated.with_tests());
    let elaborated = Compiler::new(&files, &target::C).elaborate(Path::new("main.fut"));
    let elaborated = elaborated.map_err(|rejected| rejected.to_string())?;
    elaborated.check().map_err(|error| error.to_string())?;
    let compiled = compile(&elaborated.prog, Options::default());
    let points = elaborated.entry_points();
    let [point] = &points[..] else { return Err("there is more than one entry point".to_string()) };
    for case in &generated.cases {
        let read = |text: String, parts: &[_]| {
            let mut reader = Reader::new(text.as_bytes());
            reader.next_of(parts[0]).map_err(|error| format!("{text}: {error}"))
        };
        let input = read(case.input(), &point.parameters[0].parts)?;
        let expected = read(case.output(), &point.results[0].parts)?;
        let result = compiled.run_entry(&function("main"), vec![input], &mut Environment::default());
        let result = result.map_err(|error| format!("{}: {}", case.input(), error.message))?;
        compare(&expected, &result[0], &Tolerance::EXACT).map_err(|error| format!("{}: {error:?}", case.input()))?;
    }
    Ok(())
}
