//! `kenaz devices`: is there a device that programs can run on?

use crate::{Outcome, output};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use kenaz_driver::native::device;
use kenaz_ir::Target;

/// Say by way of what programs can run on a device, and what is missing otherwise
///
/// A small program is compiled and run for each back end. The exit code is 2 if none works.
#[derive(clap::Args)]
pub struct Args {
    /// The back ends to try; all for devices if not given
    #[arg(value_name = "BACKEND", value_parser = target())]
    targets: Vec<&'static Target>,
}

fn target() -> impl TypedValueParser<Value = &'static Target> {
    PossibleValuesParser::new(device::TARGETS.iter().map(|target| target.name))
        .try_map(|name| Target::from_name(&name).ok_or("there is no such target"))
}

pub fn run(args: &Args) -> Outcome {
    let targets = if args.targets.is_empty() { &device::TARGETS[..] } else { &args.targets };
    let mut outcome = Outcome::Mistake;
    let mut text = String::new();
    for target in targets {
        let said = match device::probe(target) {
            Ok(()) => {
                outcome = Outcome::Right;
                "programs run".to_string()
            }
            Err(error) => error.to_string(),
        };
        text.push_str(&format!("{}: {said}\n", target.name));
    }
    output::to_stdout(&text).map_or_else(|failure| failure, |()| outcome)
}
