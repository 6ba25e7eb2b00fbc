//! The conversation with the editor.
//!
//! The thread that reads messages answers nothing but cancellations: it puts all else into a queue, from which the
//! worker takes it (see [`worker`](crate::worker)). So what is cancelled, or made useless by an edit, leaves the queue
//! at once, and a request that waits for too long gets an answer although the worker is busy.

use crate::library::{Library, Pages};
use crate::queue::Queue;
use crate::state::State;
use crate::text::Encoding;
use crate::{uri, worker};
use gen_lsp_types::Uri;
use lsp_server::{Connection, ErrorCode, Message, Request, RequestId, Response};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// What the server needs of the command that starts it.
pub struct Options {
    /// The folder for files that editors are to show.
    pub cache: Option<PathBuf>,
    /// The pages about errors.
    pub pages: Pages,
}

/// How often the reader looks for requests that wait for too long.
const TICK: Duration = Duration::from_secs(1);

/// Serves the editor at standard input and output until it says goodbye; whether it did.
pub fn serve(options: Options) -> bool {
    let (connection, threads) = Connection::stdio();
    let is_right = serve_connection(&connection, options);
    // What is still to be written is written when all senders are gone; the worker has one, and may be busy.
    if !is_right {
        return false;
    }
    drop(connection);
    drop(threads);
    true
}

fn serve_connection(connection: &Connection, options: Options) -> bool {
    let Ok((id, params)) = connection.initialize_start() else { return false };
    let encoding = encoding(&params);
    let client_runs = params.pointer("/initializationOptions/runsCommands") == Some(&Value::Bool(true));
    let answer = json!({
        "capabilities": capabilities(encoding, client_runs),
        "serverInfo": { "name": "kenaz", "version": env!("CARGO_PKG_VERSION") },
    });
    if connection.initialize_finish(id, answer).is_err() {
        return false;
    }
    if params.pointer("/capabilities/workspace/didChangeWatchedFiles/dynamicRegistration") == Some(&Value::Bool(true)) {
        let _ = connection.sender.send(watch_files().into());
    }
    let sender = connection.sender.clone();
    // A client that has gone needs no answers.
    let queue = Arc::new(Queue::new(Arc::new(move |message| drop(sender.send(message)))));
    let library = Library::new(options.cache, options.pages);
    let folders = folders(&params);
    let worker = {
        let queue = queue.clone();
        let work = move || worker::run(State::new(encoding, folders, library), &queue);
        std::thread::Builder::new().name("worker".to_string()).spawn(work)
    };
    if worker.is_err() {
        return false;
    }
    // The worker may be in the middle of something long, for which nobody waits any more.
    read(connection, &queue)
}

fn read(connection: &Connection, queue: &Queue) -> bool {
    loop {
        queue.answer_late();
        let message = match connection.receiver.recv_timeout(TICK) {
            Ok(message) => message,
            Err(error) if error.is_timeout() => continue,
            Err(_) => return false,
        };
        match message {
            Message::Request(request) => match connection.handle_shutdown(&request) {
                Ok(true) => return true,
                Ok(false) => queue.request(request),
                Err(_) => return false,
            },
            Message::Notification(note) if note.method == "$/cancelRequest" => {
                if let Some(id) = note.params.get("id").and_then(request_id) {
                    queue.fail(&id, ErrorCode::RequestCanceled as i32, "cancelled");
                }
            }
            Message::Notification(note) if note.method == "exit" => return false,
            Message::Notification(note) => queue.notification(note),
            // Answers to our requests, of which nothing depends.
            Message::Response(_) => {}
        }
    }
}

fn request_id(id: &Value) -> Option<RequestId> {
    let number = id.as_i64().and_then(|id| i32::try_from(id).ok()).map(RequestId::from);
    number.or_else(|| id.as_str().map(|id| RequestId::from(id.to_string())))
}

/// Columns are bytes where the client can count them.
fn encoding(params: &Value) -> Encoding {
    let offered = params.pointer("/capabilities/general/positionEncodings").and_then(Value::as_array);
    let has = |name: &str| offered.is_some_and(|all| all.iter().any(|one| one == name));
    if has("utf-8") { Encoding::Utf8 } else { Encoding::Utf16 }
}

fn folders(params: &Value) -> Vec<PathBuf> {
    let path = |uri: &Value| Some(uri::path(&Uri(uri.as_str()?.to_string())));
    match params.pointer("/workspaceFolders").and_then(Value::as_array) {
        Some(folders) => folders.iter().filter_map(|folder| path(folder.get("uri")?)).collect(),
        None => params.get("rootUri").and_then(path).into_iter().collect(),
    }
}

/// Files may change without the editor.
fn watch_files() -> Request {
    let watchers = json!({ "watchers": [{ "globPattern": "**/*.fut" }] });
    let registration =
        json!({ "id": "files", "method": "workspace/didChangeWatchedFiles", "registerOptions": watchers });
    Request::new(
        RequestId::from("watch".to_string()),
        "client/registerCapability".to_string(),
        json!({ "registrations": [registration] }),
    )
}

/// What the server can do.
fn capabilities(encoding: Encoding, client_runs: bool) -> Value {
    let encoding = match encoding {
        Encoding::Utf8 => "utf-8",
        Encoding::Utf16 => "utf-16",
    };
    let commands = if client_runs { vec!["kenaz.explainError"] } else { crate::commands::ALL.to_vec() };
    json!({
        "positionEncoding": encoding,
        "textDocumentSync": { "openClose": true, "change": 2, "save": true },
        "hoverProvider": true,
        "definitionProvider": true,
        "referencesProvider": true,
        "documentHighlightProvider": true,
        "renameProvider": { "prepareProvider": true },
        "completionProvider": { "triggerCharacters": [".", "[", "\"", "/"], "resolveProvider": true },
        "signatureHelpProvider": { "triggerCharacters": [" ", "("] },
        "inlayHintProvider": true,
        "documentSymbolProvider": true,
        "workspaceSymbolProvider": true,
        "documentFormattingProvider": true,
        "documentRangeFormattingProvider": true,
        "codeActionProvider": { "codeActionKinds": ["quickfix"] },
        "codeLensProvider": { "resolveProvider": true },
        "foldingRangeProvider": true,
        "semanticTokensProvider": { "legend": crate::tokens::legend(), "full": true, "range": true },
        "executeCommandProvider": { "commands": commands },
        "workspace": { "workspaceFolders": { "supported": true, "changeNotifications": true } },
    })
}

/// An error as the protocol has it.
pub(crate) fn error(id: RequestId, code: i32, message: impl Into<String>) -> Response {
    Response::new_err(id, code, message.into())
}
