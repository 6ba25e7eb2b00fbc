//! Lowering: for each program in `lower/` what it becomes. `BLESS=1` rewrites the expectations.

use std::fs;
use std::path::Path;

#[test]
fn programs_become_what_is_expected() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lower");
    let mut paths: Vec<_> = fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut differences = String::new();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|ext| ext == "ir")) {
        let text = fs::read_to_string(path).unwrap();
        let mut prog = kenaz_ir::parse::prog(&text).unwrap_or_else(|e| panic!("{}:{e}", path.display()));
        kenaz_plan::plan(&mut prog, &kenaz_ir::target::C);
        let lowered = kenaz_imp::lower(&prog, &kenaz_ir::target::C);
        let printed = kenaz_imp::print::prog(&lowered);
        kenaz_imp::check(&lowered).unwrap_or_else(|e| panic!("{}: {e}\n{printed}", path.display()));
        let expectation = path.with_extension("imp");
        if std::env::var_os("BLESS").is_some() {
            fs::write(&expectation, &printed).unwrap();
        } else if fs::read_to_string(&expectation).unwrap_or_default() != printed {
            differences.push_str(&format!("{} becomes\n{printed}\n", path.display()));
        }
    }
    assert!(differences.is_empty(), "{differences}");
}
