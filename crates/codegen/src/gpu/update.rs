//! Updates of elements that other threads may update at the same time ([`Stm::Update`]). What they are made of is in
//! rts/kernel.h; `KZ_SPACE` below is the space of the block, `KZ_GLOBAL` or `KZ_SHARED`.
//!
//! | | |
//! |---|---|
//! | an operator that the device has | `kz_add_32(KZ_SPACE, &a[i], x);` |
//! | another one | is tried until nobody has come in between, and not at all where it changes nothing |
//! | elements of one or two bytes | the same with the word that they are in |
//! | several elements | as soon as the thread has got their lock |
//!
//! Threads that wait for a lock may run in step with the one that holds it, so that this one gives it back before they
//! try again:
//!
//! ```c
//! for (bool done = false; !done;) {
//!   if (kz_lock(KZ_SPACE, lock)) { …; kz_unlock(KZ_SPACE, lock); done = true; }
//! }
//! ```

use crate::dialect::exp::{self, Idents, plain};
use crate::dialect::writer::Writer;
use crate::parts::Part;
use kenaz_base::Prim;
use kenaz_imp::{Cell, Exp, Lock, Stm};
use kenaz_ir::{BinOp, Name};

impl Writer<'_> {
    pub(crate) fn update(&mut self, cells: &[Cell], lock: Option<&Lock>, body: &[Stm]) {
        match (cells, lock) {
            ([cell], None) => self.update_alone(cell, body),
            (_, Some(lock)) => self.update_locked(cells, lock, body),
            (_, None) => panic!("{} elements are updated without a lock", cells.len()),
        }
    }

    fn update_alone(&mut self, cell: &Cell, body: &[Stm]) {
        let Cell { block, prim, index, old, value } = cell;
        let space = self.space_of(*block).trim_end();
        // What one statement makes is as good as made in its place.
        let whole = match (body, value) {
            ([Stm::Let { name, value, .. }], Exp::Var(made, _)) if name == made => Some(value),
            ([], value) => Some(value),
            _ => None,
        };
        if let Some((word, more)) = whole.and_then(|value| at_once(*prim, *old, value)) {
            let at = format!("&{}[{}]", self.elements(*block, *prim), exp::index(self, index).text);
            let more = plain(self, more);
            return self.lines.line(format!("{word}({space}, {at}, {more});"));
        }
        self.lines.open("{");
        self.scopes.enter();
        let word = self.word(cell, space);
        let Word { place, bits, .. } = &word;
        let [seen, was, now] = ["seen", "was", "now"].map(|base| self.scopes.fresh(base));
        self.lines.line(format!("uint{bits}_t {seen} = kz_look_{bits}({space}, {place}), {was};"));
        self.lines.open("do {");
        self.lines.line(format!("{was} = {seen};"));
        let from = word.element(self, *prim, &was);
        let left = format!("{} {}", self.ty(*prim), self.scopes.declare(*old));
        self.lines.line(format!("{left} = {from};"));
        self.stms(body);
        let value = plain(self, value);
        self.lines.line(format!("uint{bits}_t {now} = {};", word.with(self, *prim, &was, &value)));
        self.lines.line(format!("if ({now} == {was}) break;"));
        self.lines.line(format!("{seen} = kz_swap_if_{bits}({space}, {place}, {was}, {now});"));
        self.lines.close(format!("}} while ({seen} != {was});"));
        self.scopes.leave();
        self.lines.close("}");
    }

    /// Declares the place of the word that an element is in.
    fn word(&mut self, cell: &Cell, space: &str) -> Word {
        let Cell { block, prim, index, .. } = cell;
        let place = self.scopes.fresh("place");
        let bytes = prim.bytes();
        if bytes >= 4 {
            let bits = 8 * bytes;
            let at = format!("&{}[{}]", self.elements(*block, *prim), exp::index(self, index).text);
            self.lines.line(format!("{space} uint{bits}_t *{place} = ({space} uint{bits}_t *){at};"));
            return Word { place, bits, shift: None };
        }
        // Every block begins with a whole word, and ends with one.
        let [at, shift] = ["at", "shift"].map(|base| self.scopes.fresh(base));
        let ident = self.scopes.get(*block).to_string();
        let each = 4 / bytes;
        self.lines.line(format!("int64_t {at} = {};", exp::index(self, index).text));
        self.lines.line(format!("{space} uint32_t *{place} = ({space} uint32_t *){ident} + {at} / {each};"));
        self.lines.line(format!("int32_t {shift} = (int32_t)({at} % {each}) * {};", 8 * bytes));
        Word { place, bits: 32, shift: Some(shift) }
    }

    fn update_locked(&mut self, cells: &[Cell], lock: &Lock, body: &[Stm]) {
        let lock_space = self.space_of(lock.block).trim_end();
        let [place, done] = ["lock", "done"].map(|base| self.scopes.fresh(base));
        let at = format!("&{}[{}]", self.elements(lock.block, Prim::I32), exp::index(self, &lock.index).text);
        self.lines.open("{");
        self.scopes.enter();
        self.lines.line(format!("{lock_space} int32_t *{place} = {at};"));
        self.lines.open(format!("for (bool {done} = false; !{done};) {{"));
        self.lines.open(format!("if (kz_lock({lock_space}, {place})) {{"));
        self.scopes.enter();
        let mut places = Vec::with_capacity(cells.len());
        for Cell { block, prim, index, old, .. } in cells {
            let space = self.space_of(*block).trim_end();
            let at = format!("&{}[{}]", self.elements(*block, *prim), exp::index(self, index).text);
            let (element, place) = (self.element(*prim), self.scopes.fresh("place"));
            self.lines.line(format!("{space} {element} *{place} = {at};"));
            let value = self.looked_at(*prim, space, &place);
            let left = format!("{} {}", self.ty(*prim), self.scopes.declare(*old));
            self.lines.line(format!("{left} = {value};"));
            places.push((space, place));
        }
        let give_back = format!("kz_unlock({lock_space}, {place});");
        let around = self.held.replace(give_back.clone());
        self.stms(body);
        self.held = around;
        for (cell, (space, place)) in cells.iter().zip(&places) {
            let value = plain(self, &cell.value);
            let old = self.scopes.get(cell.old).to_string();
            let line = self.put(cell.prim, space, place, &value, &old);
            self.lines.line(line);
        }
        self.lines.line(give_back);
        self.lines.line(format!("{done} = true;"));
        self.scopes.leave();
        self.lines.close("}");
        self.lines.close("}");
        self.scopes.leave();
        self.lines.close("}");
    }

    /// An element as the last one who held its lock has left it.
    fn looked_at(&self, prim: Prim, space: &str, place: &str) -> String {
        match 8 * prim.bytes() {
            bits @ (32 | 64) => from_bits(self, prim, &format!("kz_look_{bits}({space}, {place})")),
            _ => format!("*({space} volatile {} *){place}", self.element(prim)),
        }
    }

    /// Most values of some operators, such as a maximum, change nothing.
    fn put(&self, prim: Prim, space: &str, place: &str, value: &str, old: &str) -> String {
        match 8 * prim.bytes() {
            bits @ (32 | 64) => {
                let (new, old) = (to_bits(self, prim, value), to_bits(self, prim, old));
                format!("if ({new} != {old}) kz_put_{bits}({space}, {place}, {new});")
            }
            _ => format!("*({space} volatile {} *){place} = {value};", self.element(prim)),
        }
    }
}

/// The word that an element is in: all of it, or so many bits from its lowest on.
struct Word {
    place: String,
    bits: usize,
    shift: Option<String>,
}

impl Word {
    /// The element in the value of the word.
    fn element(&self, w: &Writer, prim: Prim, word: &str) -> String {
        match &self.shift {
            None => from_bits(w, prim, word),
            Some(shift) if prim == Prim::Bool => format!("(uint8_t)({word} >> {shift}) != 0"),
            Some(shift) => format!("({})({word} >> {shift})", w.ty(prim)),
        }
    }

    /// The word with another element.
    fn with(&self, w: &Writer, prim: Prim, word: &str, value: &str) -> String {
        let Some(shift) = &self.shift else { return to_bits(w, prim, value) };
        let bits = 8 * prim.bytes();
        let mask = if bits == 8 { "0xffu" } else { "0xffffu" };
        format!("({word} & ~({mask} << {shift})) | (uint32_t)(uint{bits}_t)({value}) << {shift}")
    }
}

fn from_bits(w: &Writer, prim: Prim, bits: &str) -> String {
    match prim {
        Prim::F32 | Prim::F64 => {
            w.needs.add(Part::Real);
            format!("from_bits_{}({bits})", prim.name())
        }
        _ => format!("({}){bits}", w.ty(prim)),
    }
}

fn to_bits(w: &Writer, prim: Prim, value: &str) -> String {
    match prim {
        Prim::F32 | Prim::F64 => {
            w.needs.add(Part::Real);
            format!("to_bits_{}({value})", prim.name())
        }
        _ => format!("(uint{}_t)({value})", 8 * prim.bytes()),
    }
}

/// The function of rts/kernel.h that replaces an element by a value at once, and what it is given.
fn at_once(prim: Prim, old: Name, value: &Exp) -> Option<(&'static str, &Exp)> {
    let Exp::Bin(op, _, x, y) = value else { return None };
    let word = match (op, prim) {
        (BinOp::Add, Prim::I32 | Prim::U32) => "kz_add_32",
        (BinOp::Add, Prim::I64 | Prim::U64) => "kz_add_64",
        (BinOp::Add, Prim::F32) => "kz_add_f32",
        (BinOp::Add, Prim::F64) => "kz_add_f64",
        (BinOp::Min, Prim::I32) => "kz_min_i32",
        (BinOp::Max, Prim::I32) => "kz_max_i32",
        (BinOp::Min, Prim::U32) => "kz_min_u32",
        (BinOp::Max, Prim::U32) => "kz_max_u32",
        (BinOp::Min, Prim::I64) => "kz_min_i64",
        (BinOp::Max, Prim::I64) => "kz_max_i64",
        (BinOp::Min, Prim::U64) => "kz_min_u64",
        (BinOp::Max, Prim::U64) => "kz_max_u64",
        (BinOp::And, Prim::I32 | Prim::U32) => "kz_and_32",
        (BinOp::Or, Prim::I32 | Prim::U32) => "kz_or_32",
        (BinOp::Xor, Prim::I32 | Prim::U32) => "kz_xor_32",
        (BinOp::And, Prim::I64 | Prim::U64) => "kz_and_64",
        (BinOp::Or, Prim::I64 | Prim::U64) => "kz_or_64",
        (BinOp::Xor, Prim::I64 | Prim::U64) => "kz_xor_64",
        _ => return None,
    };
    let is_old = |exp: &Exp| matches!(exp, Exp::Var(name, _) if *name == old);
    let mentions_old = |exp: &Exp| {
        let mut found = false;
        exp.walk(&mut |part| found |= is_old(part));
        found
    };
    match (is_old(x), is_old(y)) {
        (true, false) if !mentions_old(y) => Some((word, y)),
        (false, true) if !mentions_old(x) => Some((word, x)),
        _ => None,
    }
}
