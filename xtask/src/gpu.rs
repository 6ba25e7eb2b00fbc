//! `cargo xtask gpu`: everything that can be tested on a device, as one command; or the commands themselves, for
//! machines that have a device and no Rust.

use crate::step::{cargo, run, step};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is run, with the name of the step.
struct Job {
    name: String,
    words: Vec<String>,
    /// Where a tool says what it has found.
    log: Option<PathBuf>,
}

const FOLDER: &str = "target/gpu";
const TOOLS: [&str; 3] = ["memcheck", "racecheck", "synccheck"];
const USAGE: &str = "usage: cargo xtask gpu [--backend cuda|opencl] [--ours PATH] [--print] [PATH…]";

/// Whether all went well.
pub(crate) fn gpu(args: &[&str]) -> Result<bool> {
    let (mut backend, mut ours, mut prints, mut paths) = ("cuda", None, false, Vec::new());
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match *arg {
            "--backend" => backend = args.next().filter(|it| ["cuda", "opencl"].contains(it)).context(USAGE)?,
            "--ours" => ours = Some(args.next().context(USAGE)?.to_string()),
            "--print" => prints = true,
            option if option.starts_with('-') => bail!(USAGE),
            path => paths.push(path),
        }
    }
    let folders = fs::read_to_string("tests/run/kernels.txt").context("tests/run/kernels.txt")?;
    let folders: Vec<&str> = folders.lines().collect();
    if prints {
        let jobs = jobs(ours.as_deref().unwrap_or("./kenaz"), backend, &folders, &paths);
        jobs.iter().for_each(|job| println!("# {}\n{}", job.name, job.words.join(" ")));
        return Ok(true);
    }
    let kenaz = match ours {
        Some(path) => PathBuf::from(path),
        None => {
            step("build", || run(&mut cargo("build --quiet --release --package kenaz")))?;
            let target = std::env::var_os("CARGO_TARGET_DIR").map_or(PathBuf::from("target"), PathBuf::from);
            target.join("release/kenaz")
        }
    };
    let kenaz = fs::canonicalize(&kenaz).with_context(|| kenaz.display().to_string())?;
    fs::create_dir_all(FOLDER)?;
    let mut failed = Vec::new();
    for job in jobs(&kenaz.display().to_string(), backend, &folders, &paths) {
        if step(&job.name, || job.run()).inspect_err(|error| println!("{error:#}")).is_err() {
            failed.push(job.name);
            // Without a device nothing else can work.
            if failed == ["devices"] {
                break;
            }
        }
    }
    println!(
        "{}",
        if failed.is_empty() { "all is right".to_string() } else { format!("failed: {}", failed.join(", ")) }
    );
    Ok(failed.is_empty())
}

/// All that is done, in order.
fn jobs(kenaz: &str, backend: &str, folders: &[&str], paths: &[&str]) -> Vec<Job> {
    let words = |text: &str| text.split_whitespace().map(str::to_string).collect::<Vec<_>>();
    let job = |name: &str, text: &str| Job { name: name.to_string(), words: words(text), log: None };
    let test = format!("{kenaz} test --backend {backend} --exclude no_{backend}");
    let mut jobs = vec![
        job("devices", &format!("{kenaz} devices {backend}")),
        job("tests/run", &format!("{test} tests/run")),
        job("bench", &format!("{test} --exclude compiled bench/gpu bench/c bench/multicore bench/apps")),
    ];
    jobs.extend(paths.iter().map(|path| {
        let mut job = job(path, &test);
        job.words.push(path.to_string());
        job
    }));
    let sample: Vec<String> = folders.iter().map(|folder| format!("tests/run/{folder}")).collect();
    for tool in TOOLS.iter().filter(|_| backend == "cuda") {
        let log = Path::new(FOLDER).join(format!("{tool}.log"));
        let text = format!(
            "compute-sanitizer --tool {tool} --target-processes all --log-file {} {test} -j 4 --timeout 600 {}",
            log.display(),
            sample.join(" ")
        );
        jobs.push(Job { log: Some(log), ..job(tool, &text) });
    }
    jobs
}

impl Job {
    fn run(&self) -> Result<()> {
        let mut command = Command::new(&self.words[0]);
        run(command.args(&self.words[1..]))?;
        let Some(log) = &self.log else { return Ok(()) };
        findings(&fs::read_to_string(log).with_context(|| log.display().to_string())?)
            .with_context(|| format!("{} says more", log.display()))
    }
}

/// Whether a tool of compute-sanitizer has found nothing, in any process.
fn findings(log: &str) -> Result<()> {
    let mut summaries = log.lines().filter(|line| line.contains(" SUMMARY: ")).peekable();
    if summaries.peek().is_none() {
        bail!("no process was watched");
    }
    let is_clean =
        |line: &str| ["ERROR SUMMARY: 0 errors", "RACECHECK SUMMARY: 0 hazards"].iter().any(|it| line.contains(it));
    match summaries.find(|line| !is_clean(line)) {
        Some(line) => bail!("{}", line.trim_start_matches(['=', ' '])),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_those_of_the_back_end() {
        let all = |backend: &str| {
            let jobs = jobs("./kenaz", backend, &["hist", "scan"], &["../a suite"]);
            jobs.into_iter().map(|job| job.words).collect::<Vec<_>>()
        };
        let opencl = all("opencl");
        assert_eq!(opencl[0], ["./kenaz", "devices", "opencl"]);
        assert_eq!(opencl[1].join(" "), "./kenaz test --backend opencl --exclude no_opencl tests/run");
        assert_eq!(opencl[3].last().unwrap(), "../a suite");
        assert_eq!((opencl.len(), all("cuda").len()), (4, 7));
        let racecheck = all("cuda")[5].join(" ");
        assert!(racecheck.starts_with("compute-sanitizer --tool racecheck --target-processes all "), "{racecheck}");
        assert!(racecheck.ends_with(" tests/run/hist tests/run/scan"), "{racecheck}");
    }

    #[test]
    fn what_tools_find_is_found() {
        let clean = "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n";
        assert!(findings(&clean.repeat(2)).is_ok());
        assert!(findings("========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n").is_ok());
        assert!(findings("========= COMPUTE-SANITIZER\n").is_err());
        let found = findings(&format!("{clean}========= ERROR SUMMARY: 3 errors\n{clean}"));
        assert_eq!(found.unwrap_err().to_string(), "ERROR SUMMARY: 3 errors");
        assert!(findings("========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n").is_err());
    }
}
