//! Servers that take turns in processes which keep the device set up.
//!
//! A process needs some tenths of a second until its first kernel can run, and drivers let only one process at a time
//! do that, however many processors there are. So servers for a device are compiled as shared libraries, and a process
//! (rts/host.c) that has run one runs another. It is still one of its own: a server that crashes or hangs ends it, and
//! the next one gets a fresh one.

use super::Toolchain;
use super::server::{End, Server, ServerError};
use kenaz_ir::{Space, Target};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

const TEXT: &str = include_str!("../../../../rts/host.c");

/// Processes without a server, with the targets that they are for. They end with this process, when nobody is left to
/// ask them for anything.
static IDLE: Mutex<Vec<(&'static str, Server)>> = Mutex::new(Vec::new());

/// Whether servers for a target take turns.
pub fn is_for(target: &Target) -> bool {
    target.host_space == Space::Device
}

/// Starts the server in a library, which may take so long to answer anything. What it says on standard error goes to
/// that file.
pub fn start(
    tools: &Toolchain,
    library: &Path,
    options: &[String],
    errors: &Path,
    limit: Duration,
) -> Result<Server, ServerError> {
    let target = tools.compiler.target.name;
    let idle = {
        let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        let at = idle.iter().rposition(|(name, _)| *name == target);
        at.map(|at| idle.swap_remove(at).1)
    };
    let mut server = idle.map_or_else(|| fresh(tools, limit), Ok)?;
    server.set_limit(limit);
    let mut words = vec![errors.to_string_lossy().into_owned(), library.to_string_lossy().into_owned()];
    words.extend_from_slice(options);
    server.say(&format!("{}\n{}\n", words.len(), words.join("\n")))?;
    Ok(server)
}

/// Ends a server, and keeps its process for others. One that has failed is of no use.
pub fn end(target: &Target, mut server: Server) {
    if is_for(target) && server.say("\u{4}\n").is_ok() {
        IDLE.lock().unwrap_or_else(PoisonError::into_inner).push((target.name, server));
    }
}

fn fresh(tools: &Toolchain, limit: Duration) -> Result<Server, ServerError> {
    let built =
        tools.executable("host", TEXT).map_err(|error| ServerError::Ended(End::NotStarted(error.to_string())))?;
    let mut command = Command::new(&built.path);
    Server::start_as(command.arg(tools.compiler.target.name), Stdio::null(), limit)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::native::cache::{Cache, TemporaryFolder};
    use kenaz_ir::target::OPENCL;
    use std::fs;

    /// A server that says its process, first what it is given and then what it is asked; `die` ends it.
    const SERVER: &str = r#"
        #include <stdio.h>
        #include <string.h>
        #include <unistd.h>
        int main(int argc, char **argv) {
          char line[100];
          static int runs = 0;
          fprintf(stderr, "hello\n");
          if (argc > 1) printf("%s of %d\n", argv[1], ++runs);
          for (;;) {
            puts("%%% OK");
            fflush(stdout);
            if (fgets(line, sizeof line, stdin) == NULL || strcmp(line, "\4\n") == 0) return 0;
            if (strcmp(line, "die \n") == 0) return 9;
            printf("%ld %s", (long)getpid(), line);
          }
        }"#;

    #[test]
    fn servers_take_turns() {
        let folder = TemporaryFolder::new().unwrap();
        let mut tools = Toolchain::from_env(&OPENCL).unwrap();
        tools.compiler.flags = vec!["-O0".to_string()];
        tools.cache = Cache::new(Some(folder.path.join("cache")));
        let library = tools.library("test", SERVER).unwrap();
        let errors = folder.path.join("errors");
        let start =
            || start(&tools, &library.path, &["first 1".to_string()], &errors, Duration::from_secs(60)).unwrap();
        let mut server = start();
        let process = server.id();
        assert_eq!(server.ask(&["x"]), Ok(format!("{process} x \n")));
        assert_eq!(fs::read_to_string(&errors).unwrap(), "hello\n");
        end(&OPENCL, server);
        // The same process, and nothing left of what the first has done.
        let mut server = start();
        assert_eq!((server.id(), server.ask(&["y"])), (process, Ok(format!("{process} y \n"))));
        assert_eq!(server.ask(&["die"]), Err(ServerError::Ended(End::Exited(9))));
        end(&OPENCL, server);
        let mut server = start();
        assert_ne!(server.id(), process);
        assert!(server.ask(&["z"]).is_ok());
        let nothing = Path::new("/no/such/library");
        end(&OPENCL, server);
        let failed = super::start(&tools, nothing, &[], &errors, Duration::from_secs(60));
        assert!(matches!(failed.map(drop), Err(ServerError::Ended(End::Exited(70)))));
        assert!(fs::read_to_string(&errors).unwrap().contains("/no/such/library"));
    }
}
