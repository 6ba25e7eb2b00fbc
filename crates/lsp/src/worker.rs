//! The thread that has the state and answers requests, one after the other.
//!
//! Diagnostics wait until nobody has typed for a moment, and until there is no request to answer. They are found anew
//! for every open document that depends on something that has changed.

use crate::queue::Queue;
use crate::state::{Answer, Failure, State};
use crate::text::Text;
use crate::{
    actions, commands, complete, diagnostics, hints, hover, layout, lenses, navigate, outline, rename, server,
    signature, tokens, uri,
};
use gen_lsp_types::{
    DidChangeTextDocumentParams, DidChangeWorkspaceFoldersParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, TextDocumentContentChangeEvent,
};
use kenaz_driver::fault::{self, Fault};
use lsp_server::{ErrorCode, Message, Notification, Request, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::io::Write;
use std::time::{Duration, Instant};

/// How long nobody has typed before diagnostics are looked for.
const PAUSE: Duration = Duration::from_millis(120);
/// The longest that they wait for somebody who never pauses.
const PATIENCE: Duration = Duration::from_millis(1000);

pub(crate) fn run(mut state: State, queue: &Queue) {
    let mut published = diagnostics::Published::default();
    // When diagnostics are due, and since when they are wanted.
    let mut due: Option<(Instant, Instant)> = None;
    loop {
        match queue.next(due.map(|(at, _)| at)) {
            Some(Message::Request(request)) => answer(&mut state, queue, request),
            Some(Message::Notification(note)) => {
                let told = fault::guard(|| notice(&mut state, &mut published, queue, &note));
                let is_changed = told.unwrap_or_else(|fault| {
                    log(queue, &fault);
                    true
                });
                if is_changed {
                    let now = Instant::now();
                    let since = due.map_or(now, |(_, since)| since);
                    due = Some(((now + PAUSE).min(since + PATIENCE), since));
                }
            }
            Some(Message::Response(_)) => {}
            None => {
                let next = fault::guard(|| published.publish_one(&mut state, queue));
                let is_done = next.unwrap_or_else(|fault| {
                    log(queue, &fault);
                    false
                });
                // One document at a time: requests come first.
                due = if is_done { None } else { due.map(|(_, since)| (Instant::now(), since)) };
            }
        }
    }
}

/// Says on standard error, and in the log of the editor, what went wrong in us.
fn log(queue: &Queue, fault: &Fault) {
    let text = fault.text();
    let _ = writeln!(std::io::stderr().lock(), "{text}");
    queue.send(Notification::new("window/logMessage".to_string(), json!({ "type": 1, "message": text })));
}

/// Takes note of something; whether diagnostics may have changed.
fn notice(state: &mut State, published: &mut diagnostics::Published, queue: &Queue, note: &Notification) -> bool {
    fn params<T: DeserializeOwned>(note: &Notification) -> Option<T> {
        serde_json::from_value(note.params.clone()).ok()
    }
    match note.method.as_str() {
        "textDocument/didOpen" => {
            let Some(opened) = params::<DidOpenTextDocumentParams>(note) else { return false };
            let document = opened.text_document;
            let path = state.documents.open(document.uri, document.version, document.text);
            published.touch(path);
            true
        }
        "textDocument/didChange" => {
            let Some(changed) = params::<DidChangeTextDocumentParams>(note) else { return false };
            let path = uri::path(&changed.text_document.text_document_identifier.uri);
            let Some(document) = state.documents.get(&path) else { return false };
            let mut text: Option<Text> = None;
            for change in &changed.content_changes {
                text = Some(match change {
                    TextDocumentContentChangeEvent::TextDocumentContentChangePartial(part) => {
                        let before = text.as_ref().unwrap_or(&document.text);
                        before.changed(part.range, &part.text, state.encoding)
                    }
                    TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(whole) => {
                        Text::new(whole.text.clone())
                    }
                });
            }
            if let Some(text) = text {
                state.documents.change(&path, changed.text_document.version, text);
                published.touch(path);
            }
            true
        }
        "textDocument/didClose" => {
            let Some(closed) = params::<DidCloseTextDocumentParams>(note) else { return false };
            let path = uri::path(&closed.text_document.uri);
            published.close(state, queue, &path);
            state.documents.close(&path);
            state.forget(&path);
            true
        }
        "workspace/didChangeWorkspaceFolders" => {
            let Some(changed) = params::<DidChangeWorkspaceFoldersParams>(note) else { return false };
            let removed: Vec<_> = changed.event.removed.iter().map(|folder| uri::path(&folder.uri)).collect();
            let added = changed.event.added.iter().map(|folder| uri::path(&folder.uri)).collect();
            state.workspace.change(added, &removed);
            false
        }
        "textDocument/didSave" | "workspace/didChangeWatchedFiles" => true,
        _ => false,
    }
}

fn answer(state: &mut State, queue: &Queue, request: Request) {
    let Request { id, method, params } = request;
    let answered = fault::guard(|| dispatch(state, queue, &method, params));
    queue.answer(match answered {
        Ok(Ok(value)) => Response::new_ok(id, value),
        Ok(Err(Failure::Refused(why))) => server::error(id, ErrorCode::RequestFailed as i32, why),
        Ok(Err(Failure::Invalid(why))) => server::error(id, ErrorCode::InvalidParams as i32, why),
        Ok(Err(Failure::UnknownMethod)) => {
            server::error(id, ErrorCode::MethodNotFound as i32, format!("there is no method `{method}`"))
        }
        Err(fault) => {
            log(queue, &fault);
            server::error(id, ErrorCode::InternalError as i32, fault.to_string())
        }
    });
}

fn dispatch(state: &mut State, queue: &Queue, method: &str, params: Value) -> Answer<Value> {
    fn call<P: DeserializeOwned, R: Serialize>(params: Value, f: impl FnOnce(P) -> Answer<R>) -> Answer<Value> {
        let params = serde_json::from_value(params).map_err(|error| Failure::Invalid(error.to_string()))?;
        serde_json::to_value(f(params)?).map_err(|error| Failure::Invalid(error.to_string()))
    }
    match method {
        "textDocument/hover" => call(params, |p| hover::hover(state, &p)),
        "textDocument/definition" => call(params, |p| navigate::definition(state, &p)),
        "textDocument/references" => call(params, |p| navigate::references(state, &p)),
        "textDocument/documentHighlight" => call(params, |p| navigate::highlight(state, &p)),
        "textDocument/prepareRename" => call(params, |p| rename::prepare(state, &p)),
        "textDocument/rename" => call(params, |p| rename::rename(state, &p)),
        "textDocument/completion" => call(params, |p| complete::complete(state, &p)),
        "completionItem/resolve" => call(params, |p| complete::resolve(state, p)),
        "textDocument/signatureHelp" => call(params, |p| signature::signature(state, &p)),
        "textDocument/inlayHint" => call(params, |p| hints::hints(state, &p)),
        "textDocument/documentSymbol" => call(params, |p| outline::symbols(state, &p)),
        "workspace/symbol" => call(params, |p| outline::search(state, &p)),
        "textDocument/foldingRange" => call(params, |p| outline::folds(state, &p)),
        "textDocument/formatting" => call(params, |p| layout::document(state, &p)),
        "textDocument/rangeFormatting" => call(params, |p| layout::range(state, &p)),
        "textDocument/codeAction" => call(params, |p| actions::actions(state, &p)),
        "textDocument/codeLens" => call(params, |p| lenses::lenses(state, &p)),
        "codeLens/resolve" => call(params, |p| lenses::resolve(state, p)),
        "textDocument/semanticTokens/full" => call(params, |p| tokens::full(state, &p)),
        "textDocument/semanticTokens/range" => call(params, |p| tokens::range(state, &p)),
        "workspace/executeCommand" => call(params, |p| commands::execute(state, queue, &p)),
        _ => Err(Failure::UnknownMethod),
    }
}
