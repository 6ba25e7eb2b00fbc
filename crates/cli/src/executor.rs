//! What compiles and runs programs, as the options of subcommands choose it.

use crate::backend::{Backend, ThreadArgs};
use crate::program::mistake;
use crate::{Outcome, c};
use kenaz_base::Symbol;
use kenaz_driver::Settings;
use kenaz_driver::native::{DeviceError, device};
use kenaz_ir::Space;
use kenaz_testing::Executor;
use kenaz_testing::executors::{CompiledByC, Foreign, Interpreter};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What makes executables of programs.
#[derive(Clone, Copy)]
pub enum Compiler<'a> {
    Own,
    /// A command with the arguments of `kenaz` or `futhark`.
    Command(&'a Path),
    /// They are there already.
    None,
}

impl Compiler<'_> {
    pub fn of(command: Option<&PathBuf>) -> Compiler<'_> {
        command.map_or(Compiler::Own, |command| Compiler::Command(command))
    }
}

/// How programs are compiled and run.
#[derive(Clone, Copy)]
pub struct Choice<'a> {
    pub compiler: Compiler<'a>,
    pub threads: ThreadArgs,
    /// How long an answer of a program may take.
    pub limit: Duration,
    /// What programs are started with.
    pub options: &'a [String],
    pub compiler_options: &'a [String],
    /// The extension of tuning files, if they are looked for.
    pub tuning: Option<&'a String>,
    /// Definitions that are entry points although programs do not say so.
    pub entry_points: &'a [String],
}

impl Choice<'_> {
    /// What does that for a back end; or how the command ends if nothing can.
    pub fn executor(&self, backend: Backend) -> Result<Box<dyn Executor>, Outcome> {
        let target = backend.target()?;
        // Of two sides, one may have no threads.
        let threads = self.threads.num_threads.filter(|_| self.threads.must_suit(target).is_ok());
        // Commands that are no runs may take as long, however short runs must be.
        let limit = self.limit.max(Duration::from_secs(60));
        let settings = || {
            let mut reading = c::reading(self.compiler_options).map_err(|message| mistake(&message))?;
            reading.entry_points.extend(self.entry_points.iter().map(|name| Symbol::intern(name)));
            Ok(Settings { reading, ..Settings::default() })
        };
        let Some(target) = target else {
            if !matches!(self.compiler, Compiler::Own) {
                return Err(mistake("the interpreter is part of this compiler"));
            }
            return Ok(Box::new(Interpreter { settings: settings()?, ..Interpreter::default() }));
        };
        if backend != Backend::Gpu
            && target.host_space == Space::Device
            && let Err(DeviceError::Missing(what)) = device::probe(target)
        {
            return Err(mistake(&what));
        }
        let compiler = match self.compiler {
            Compiler::Own => {
                let mut executor = CompiledByC::new(target, limit).map_err(|error| mistake(&error.to_string()))?;
                executor.settings = settings()?;
                executor.threads = threads;
                executor.options = self.options.to_vec();
                executor.tuning = self.tuning.cloned();
                return Ok(Box::new(executor));
            }
            Compiler::Command(command) => Some(command.to_path_buf()),
            Compiler::None => None,
        };
        let mut compiler_options = self.compiler_options.to_vec();
        compiler_options.extend(self.entry_points.iter().map(|name| format!("--entry-point={name}")));
        // Options of other compilers may be none of ours.
        let mut reading = c::reading(self.compiler_options).unwrap_or_default();
        reading.entry_points.extend(self.entry_points.iter().map(|name| Symbol::intern(name)));
        Ok(Box::new(Foreign {
            compiler,
            target,
            compiler_options,
            settings: Settings { reading, ..Settings::default() },
            limit,
            threads,
            options: self.options.to_vec(),
            tuning: self.tuning.cloned(),
        }))
    }
}
