//! Messages that wait for the worker, and requests that wait for an answer.

use crate::server;
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A request without an answer for so long is answered with an error.
const LONGEST: Duration = Duration::from_secs(20);

/// Requests that a client makes again after an edit: nobody needs the answer for the text before.
const STALE_AFTER_EDIT: &[&str] = &[
    "textDocument/hover",
    "textDocument/completion",
    "textDocument/signatureHelp",
    "textDocument/inlayHint",
    "textDocument/semanticTokens/full",
    "textDocument/semanticTokens/range",
    "textDocument/documentHighlight",
    "textDocument/foldingRange",
    "textDocument/codeLens",
    "textDocument/documentSymbol",
    "textDocument/codeAction",
];

/// Sends a message to the client.
pub(crate) type Send = Arc<dyn Fn(Message) + std::marker::Send + Sync>;

pub(crate) struct Queue {
    inside: Mutex<Inside>,
    arrived: Condvar,
    send: Send,
}

#[derive(Default)]
struct Inside {
    messages: VecDeque<Message>,
    /// The requests without an answer: the document they are about, their method, and when they came.
    waiting: HashMap<RequestId, (Option<String>, String, Instant)>,
}

fn document(params: &Value) -> Option<String> {
    params.pointer("/textDocument/uri").and_then(Value::as_str).map(str::to_string)
}

impl Queue {
    pub(crate) fn new(send: Send) -> Queue {
        Queue { inside: Mutex::default(), arrived: Condvar::new(), send }
    }

    /// What is in there is whole even if somebody panicked who had it.
    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn request(&self, request: Request) {
        let mut inside = self.lock();
        let waiting = (document(&request.params), request.method.clone(), Instant::now());
        inside.waiting.insert(request.id.clone(), waiting);
        inside.messages.push_back(request.into());
        self.arrived.notify_one();
    }

    /// An edit makes some of the requests before it useless.
    pub(crate) fn notification(&self, note: Notification) {
        if note.method == "textDocument/didChange" {
            let changed = document(&note.params);
            let is_stale = |(uri, method, _): &(Option<String>, String, Instant)| {
                *uri == changed && STALE_AFTER_EDIT.contains(&method.as_str())
            };
            let stale: Vec<RequestId> =
                self.lock().waiting.iter().filter(|(_, waiting)| is_stale(waiting)).map(|(id, _)| id.clone()).collect();
            for id in stale {
                self.fail(&id, ErrorCode::ContentModified as i32, "the text has changed");
            }
        }
        self.lock().messages.push_back(note.into());
        self.arrived.notify_one();
    }

    /// The next message; none if it takes until `due`.
    pub(crate) fn next(&self, due: Option<Instant>) -> Option<Message> {
        let mut inside = self.lock();
        loop {
            while let Some(message) = inside.messages.pop_front() {
                // What was answered already needs no work.
                let is_done =
                    matches!(&message, Message::Request(request) if !inside.waiting.contains_key(&request.id));
                if !is_done {
                    return Some(message);
                }
            }
            inside = match due {
                None => self.arrived.wait(inside).unwrap_or_else(PoisonError::into_inner),
                Some(due) => {
                    let left = due.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())?;
                    self.arrived.wait_timeout(inside, left).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lock().messages.is_empty()
    }

    pub(crate) fn send(&self, message: impl Into<Message>) {
        (self.send)(message.into());
    }

    /// What sends messages from other threads.
    pub(crate) fn sender(&self) -> Send {
        self.send.clone()
    }

    /// Answers a request, unless it has an answer.
    pub(crate) fn answer(&self, response: Response) {
        let is_waiting = self.lock().waiting.remove(&response.id).is_some();
        if is_waiting {
            self.send(response);
        }
    }

    pub(crate) fn fail(&self, id: &RequestId, code: i32, message: &str) {
        self.answer(server::error(id.clone(), code, message));
    }

    /// Answers the requests that have waited for too long.
    pub(crate) fn answer_late(&self) {
        let is_late = |since: &Instant| since.elapsed() > LONGEST;
        let late: Vec<RequestId> = {
            let inside = self.lock();
            inside.waiting.iter().filter(|(_, (_, _, since))| is_late(since)).map(|(id, _)| id.clone()).collect()
        };
        for id in late {
            self.fail(&id, ErrorCode::RequestFailed as i32, "the compiler is still busy with an earlier question");
        }
    }
}
