//! Reports about what differs.

use crate::{Difference, shrink};
use kenaz_driver::Pipeline;
use kenaz_driver::bisect::Culprit;
use kenaz_driver::compare::{Wrong, explain};
use kenaz_generate::Program;
use kenaz_ir::Rewrite;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// A program that differs.
pub struct Finding {
    /// Its path or seed.
    pub name: String,
    pub difference: Difference,
    /// What it was made from, if it is a random one.
    pub program: Option<Program>,
}

/// Writes reports, at length only about the first finding of a kind.
pub struct Reporter {
    pub pipeline: Pipeline,
    /// The folder for reports.
    pub out: Option<PathBuf>,
    /// The programs with the same wrong rewrite.
    seen: BTreeMap<(Wrong, &'static str, &'static str), Vec<String>>,
}

impl Reporter {
    pub fn new(pipeline: Pipeline, out: Option<PathBuf>) -> Reporter {
        Reporter { pipeline, out, seen: BTreeMap::new() }
    }

    /// What there is to say about a finding, in some lines.
    pub fn report(&mut self, finding: Finding) -> io::Result<String> {
        let Finding { name, difference, program } = finding;
        let culprit = self.explain(&difference);
        let rewrite = culprit.as_ref().and_then(|culprit| culprit.rewrite);
        let Rewrite { pass, rule } =
            rewrite.unwrap_or(Rewrite { pass: difference.pass(&self.pipeline), rule: "no rewrite" });
        let known = self.seen.entry((difference.discrepancy.wrong, pass, rule)).or_default();
        known.push(name.clone());
        if known.len() > 1 {
            return Ok(format!("{name}: {}, by `{rule}` as for {}\n", difference.discrepancy.wrong, known[0]));
        }
        let mut text = self.text(&name, &difference, culprit.as_ref());
        let Some(out) = &self.out else { return Ok(text) };
        let folder = out.join(name.replace(['/', ' '], "-"));
        fs::create_dir_all(&folder)?;
        let mut shown = (difference, culprit);
        if let Some(program) = program {
            fs::write(folder.join("original.fut"), program.with_tests())?;
            let (small, difference) = shrink(program, &shown.0, &self.pipeline);
            fs::write(folder.join("small.fut"), small.with_tests())?;
            let culprit = self.explain(&difference);
            shown = (difference, culprit);
            text.push_str(&self.text("made smaller", &shown.0, shown.1.as_ref()));
            text.push_str(&small.with_tests());
        }
        self.write(&folder, &text, &shown.0, shown.1.as_ref())?;
        Ok(text)
    }

    fn explain(&self, difference: &Difference) -> Option<Culprit> {
        explain(&difference.prog, &self.pipeline, &difference.discrepancy, difference.input.as_ref())
    }

    fn text(&self, name: &str, difference: &Difference, culprit: Option<&Culprit>) -> String {
        let discrepancy = &difference.discrepancy;
        let place = format!("pass {} (`{}`)", discrepancy.passes, difference.pass(&self.pipeline));
        let mut text = format!("{name}: after {place} there is {}\n  {}\n", discrepancy.wrong, discrepancy.message);
        if let Some(input) = &difference.input {
            let arguments: Vec<String> = input.arguments.iter().map(ToString::to_string).collect();
            let _ = writeln!(text, "  {} {}", input.function, arguments.join(" "));
        }
        match culprit.map(|culprit| (culprit.fuel, culprit.rewrite)) {
            Some((fuel, Some(Rewrite { pass, rule }))) => {
                let _ = writeln!(text, "  by rewrite {}, the rule `{rule}` of `{pass}`", fuel + 1);
            }
            Some((_, None)) => text.push_str("  by no rewrite: a pass did not ask\n"),
            None => text.push_str("  and not again when all was repeated\n"),
        }
        text
    }

    fn write(&self, folder: &Path, text: &str, difference: &Difference, culprit: Option<&Culprit>) -> io::Result<()> {
        fs::write(folder.join("report.txt"), text)?;
        fs::write(folder.join("elaborated.ir"), difference.prog.to_string())?;
        if let Some(culprit) = culprit {
            fs::write(folder.join("before.ir"), culprit.before.to_string())?;
            fs::write(folder.join("after.ir"), culprit.after.to_string())?;
        }
        Ok(())
    }
}
