//! The machine on which something is measured, and how fast it copies memory.

use kenaz_base::TemporaryFolder;
use kenaz_runtime::Value;
use kenaz_testing::{CompileError, Executor, RunError};
use std::fs;
use std::time::Duration;

/// The processor, as far as the system tells.
pub fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| text.lines().find_map(|line| field_of(line, name)).unwrap_or("unknown");
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (family, model) = (field("cpu family"), field("model"));
    format!("{}, family {family}, model {model}; {cores} cores; {}", field("model name"), std::env::consts::ARCH)
}

pub fn memory() -> String {
    let text = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kilobytes: Option<f64> =
        text.lines().find_map(|line| field_of(line, "MemTotal")?.strip_suffix(" kB")?.parse().ok());
    kilobytes.map_or("unknown".to_string(), |kilobytes| format!("{:.0} GiB", kilobytes / f64::from(1 << 20)))
}

/// The value of `name : value`.
fn field_of<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let (key, value) = line.split_once(':')?;
    (key.trim() == name).then(|| value.trim())
}

/// How many bytes a copy reads and writes in a second, together: a program that copies an array, which is larger than the
/// caches, is compiled and run as all others are.
pub fn copy_rate(executor: &dyn Executor) -> Result<f64, String> {
    const PROGRAM: &str = "entry main [n] (xs: [n]u64): [n]u64 = copy xs\n";
    const ELEMENTS: usize = 1 << 24;
    const RUNS: usize = 10;
    let folder = TemporaryFolder::new().map_err(|(path, error)| format!("{}: {error}", path.display()))?;
    let path = folder.path.join("copy.fut");
    fs::write(&path, PROGRAM).map_err(|error| format!("{}: {error}", path.display()))?;
    let compiled = executor.compile(&path).map_err(|error| match error {
        CompileError::Rejected(message) | CompileError::Failed(message) => message,
    })?;
    let run = || -> Result<Vec<Duration>, RunError> {
        let mut session = compiled.program.session("main", &[Value::from(vec![1u64; ELEMENTS])])?;
        session.run()?;
        (0..RUNS).map(|_| session.run()).collect()
    };
    let times = run().map_err(|(RunError::Failed(message) | RunError::Broken(message))| message)?;
    let fastest = times.into_iter().min().unwrap_or_default().as_secs_f64().max(1e-6);
    Ok((2 * ELEMENTS * size_of::<u64>()) as f64 / fastest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenaz_testing::executors::Interpreter;

    #[test]
    fn fields_are_found_by_their_whole_name() {
        assert_eq!(field_of("model name\t: A 3000", "model name"), Some("A 3000"));
        assert_eq!(field_of("model name\t: A 3000", "model"), None);
        assert_eq!(field_of("MemTotal:   16 kB", "MemTotal"), Some("16 kB"));
    }

    #[test]
    fn copies_are_measured() {
        assert!(copy_rate(&Interpreter::default()).unwrap() > 0.0);
    }
}
