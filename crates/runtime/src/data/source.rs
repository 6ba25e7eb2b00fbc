//! The bytes of a data file, decompressed and counted.

use super::{Fault, Place, Problem};
use flate2::read::MultiGzDecoder;
use std::io::{self, Cursor, ErrorKind, Read};

pub(super) struct Source<'a> {
    /// Nothing while it is being replaced by its decompressed self.
    input: Option<Box<dyn Read + 'a>>,
    buffer: Box<[u8]>,
    /// What of the buffer is filled and not yet consumed.
    at: usize,
    end: usize,
    /// The offset of the buffer's begin in the data.
    base: u64,
    line: u64,
    line_start: u64,
    /// Once there was data without lines, they mean nothing any more.
    has_lines: bool,
    started: bool,
    /// Nothing more will come. A terminal that has said so once would wait for more if it were asked again.
    ended: bool,
}

const BUFFER: usize = 1 << 16;
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
/// What some programs put before a text, in UTF-8.
const BYTE_ORDER_MARK: [u8; 3] = [0xef, 0xbb, 0xbf];

impl<'a> Source<'a> {
    pub(super) fn new(input: Box<dyn Read + 'a>) -> Source<'a> {
        Source {
            input: Some(input),
            buffer: vec![0; BUFFER].into_boxed_slice(),
            at: 0,
            end: 0,
            base: 0,
            line: 1,
            line_start: 0,
            has_lines: true,
            started: false,
            ended: false,
        }
    }

    pub(super) fn offset(&self) -> u64 {
        self.base + self.at as u64
    }

    pub(super) fn place(&self) -> Place {
        let byte = self.offset();
        Place { byte, line: self.has_lines.then(|| (self.line, byte - self.line_start + 1)) }
    }

    /// What comes has no lines.
    pub(super) fn forget_lines(&mut self) {
        self.has_lines = false;
    }

    #[inline]
    pub(super) fn peek(&mut self) -> Result<Option<u8>, Fault> {
        if self.at == self.end {
            self.fill()?;
        }
        Ok((self.at < self.end).then(|| self.buffer[self.at]))
    }

    /// The byte after the next one.
    pub(super) fn peek_second(&mut self) -> Result<Option<u8>, Fault> {
        while self.end - self.at < 2 && self.more()? {}
        Ok((self.end - self.at >= 2).then(|| self.buffer[self.at + 1]))
    }

    /// Goes past the byte that was peeked at.
    #[inline]
    pub(super) fn advance(&mut self) {
        debug_assert!(self.at < self.end);
        if self.buffer[self.at] == b'\n' {
            self.line += 1;
            self.line_start = self.offset() + 1;
        }
        self.at += 1;
    }

    /// The next bytes, without consuming them; none only at the end of the data.
    pub(super) fn chunk(&mut self, at_least: usize) -> Result<&[u8], Fault> {
        while self.end - self.at < at_least && self.more()? {}
        Ok(&self.buffer[self.at..self.end])
    }

    /// Goes past bytes that have no lines.
    pub(super) fn skip(&mut self, n: usize) {
        self.at = (self.at + n).min(self.end);
    }

    pub(super) fn exactly<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let bytes = self.chunk(N)?.first_chunk().copied().ok_or(Problem::Truncated)?;
        self.skip(N);
        Ok(bytes)
    }

    fn fill(&mut self) -> Result<(), Fault> {
        self.more().map(|_| ())
    }

    /// Reads on, keeping what is not consumed yet; false at the end of the data.
    fn more(&mut self) -> Result<bool, Fault> {
        if !self.started {
            self.start()?;
            if self.at < self.end {
                return Ok(true);
            }
        }
        if self.at > 0 {
            self.buffer.copy_within(self.at..self.end, 0);
            self.base += self.at as u64;
            self.end -= self.at;
            self.at = 0;
        }
        self.append()
    }

    fn append(&mut self) -> Result<bool, Fault> {
        let Some(input) = self.input.as_mut().filter(|_| !self.ended) else { return Ok(false) };
        let n = read(input, &mut self.buffer[self.end..])?;
        self.end += n;
        self.ended = n == 0;
        Ok(n > 0)
    }

    /// Finds out whether the data is compressed, and goes past what is no data.
    fn start(&mut self) -> Result<(), Fault> {
        self.started = true;
        while self.end < GZIP_MAGIC.len() && self.append()? {}
        if self.buffer[..self.end].starts_with(&GZIP_MAGIC)
            && let Some(input) = self.input.take()
        {
            let begin = Cursor::new(self.buffer[..self.end].to_vec());
            self.input = Some(Box::new(MultiGzDecoder::new(begin.chain(input))));
            self.end = 0;
            self.ended = false;
        }
        while self.end < BYTE_ORDER_MARK.len()
            && BYTE_ORDER_MARK.starts_with(&self.buffer[..self.end])
            && self.append()?
        {}
        if self.buffer[..self.end].starts_with(&BYTE_ORDER_MARK) {
            self.at = BYTE_ORDER_MARK.len();
            self.line_start = self.offset();
        }
        Ok(())
    }
}

fn read(input: &mut impl Read, buffer: &mut [u8]) -> Result<usize, Fault> {
    loop {
        match input.read(buffer) {
            Ok(n) => return Ok(n),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(Problem::Read(explained(error)).into()),
        }
    }
}

/// The decompressor's errors do not say what they are about.
fn explained(error: io::Error) -> io::Error {
    match error.kind() {
        ErrorKind::UnexpectedEof => io::Error::new(error.kind(), "the compressed data ends too early"),
        ErrorKind::InvalidInput | ErrorKind::InvalidData => {
            io::Error::new(error.kind(), format!("the compressed data is damaged: {error}"))
        }
        _ => error,
    }
}
