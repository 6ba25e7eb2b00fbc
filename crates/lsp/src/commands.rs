//! Commands that lenses and actions name. Those that run something are `kenaz` itself in a process of its own, whose
//! answer is shown when it ends.

use crate::queue::Queue;
use crate::state::{Answer, Failure, State};
use gen_lsp_types::{ExecuteCommandParams, Uri};
use lsp_server::{Notification, Request, RequestId};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

pub(crate) const ALL: &[&str] = &["kenaz.test", "kenaz.bench", "kenaz.explain", "kenaz.explainError"];

/// The longest message that is shown, in lines; all is in the log.
const MOST_LINES: usize = 12;

pub(crate) fn execute(state: &mut State, queue: &Queue, params: &ExecuteCommandParams) -> Answer<Value> {
    let argument = params.arguments.iter().flatten().next().and_then(Value::as_str);
    let Some(argument) = argument else {
        return Err(Failure::Invalid(format!("`{}` needs an argument", params.command)));
    };
    match params.command.as_str() {
        "kenaz.test" => run(state, queue, "test", argument),
        "kenaz.bench" => run(state, queue, "bench", argument),
        "kenaz.explain" => run(state, queue, "explain", argument),
        "kenaz.explainError" => {
            let Some(uri) = state.library.page(argument) else {
                return Err(Failure::Refused(format!("there is no page about `{argument}`")));
            };
            static NUMBER: AtomicU32 = AtomicU32::new(0);
            let id = format!("show-{}", NUMBER.fetch_add(1, Ordering::Relaxed));
            let params = json!({ "uri": uri, "takeFocus": true });
            queue.send(Request::new(RequestId::from(id), "window/showDocument".to_string(), params));
            Ok(json!(uri))
        }
        other => Err(Failure::Invalid(format!("there is no command `{other}`"))),
    }
}

/// Runs a subcommand on a file as it is saved.
fn run(state: &State, queue: &Queue, subcommand: &'static str, uri: &str) -> Answer<Value> {
    let path = crate::uri::path(&Uri(uri.to_string()));
    let saved = std::fs::read_to_string(&path);
    let Ok(saved) = saved else {
        return Err(Failure::Refused("the text must be saved first".to_string()));
    };
    let is_saved = state.documents.get(&path).is_none_or(|document| document.text.as_str() == saved);
    if !is_saved {
        message(queue, 2, "The file has changes that are not saved; what is saved runs.");
    }
    let program = std::env::current_exe().map_err(|error| Failure::Refused(error.to_string()))?;
    let notify = queue.sender();
    let work = move || {
        let (kind, text) = outcome(&program, subcommand, &path);
        let lines: Vec<&str> = text.lines().collect();
        let shown = lines[lines.len().saturating_sub(MOST_LINES)..].join("\n");
        notify(Notification::new("window/logMessage".to_string(), json!({ "type": 3, "message": text })).into());
        notify(Notification::new("window/showMessage".to_string(), json!({ "type": kind, "message": shown })).into());
    };
    match std::thread::Builder::new().name(subcommand.to_string()).spawn(work) {
        Ok(_) => Ok(Value::Null),
        Err(error) => Err(Failure::Refused(error.to_string())),
    }
}

/// What a command says, and whether it is an error (1) or not (3).
fn outcome(program: &Path, subcommand: &str, path: &Path) -> (u8, String) {
    let folder = path.parent().unwrap_or(Path::new("."));
    let file = path.file_name().unwrap_or(path.as_os_str());
    let ran = Command::new(program).arg(subcommand).arg(file).current_dir(folder).stdin(Stdio::null()).output();
    match ran {
        Err(error) => (1, format!("`{}` cannot be started: {error}", program.display())),
        Ok(ran) => {
            let text = [String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr)].concat();
            (
                if ran.status.success() { 3 } else { 1 },
                format!("kenaz {subcommand} {}\n{}", file.display(), text.trim()),
            )
        }
    }
}

fn message(queue: &Queue, kind: u8, text: &str) {
    queue.send(Notification::new("window/showMessage".to_string(), json!({ "type": kind, "message": text })));
}
