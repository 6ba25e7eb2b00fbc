//! What the lanes of a block and the blocks of a launch tell each other.
//!
//! Lanes combine values by teams, which are the warps of CUDA: inside of one, values go from lane to lane without a
//! barrier. Where there is no such thing, the first lane of a team does the work of all. Then every lane goes over what
//! the teams come to, of which there are few.

use crate::dialect::exp::{Idents, Prec, exp, plain};
use crate::dialect::writer::Writer;
use crate::parts::Part;
use kenaz_base::Prim;
use kenaz_imp::{Board, Combined, Exp, Stm, Ty};
use kenaz_ir::{Name, Space};

impl Writer<'_> {
    /// The lanes of a block combine what they have, in their order.
    pub(crate) fn combine(&mut self, values: &[Combined], busy: &Exp, prefixes: bool, body: &[Stm]) {
        let busy = exp(self, busy).at(Prec::Unary);
        // Others may still be reading what is in the room.
        self.barrier_if_needed();
        let mut all = Vec::with_capacity(values.len());
        for value in values {
            let ident = self.scopes.declare(value.all);
            self.lines.line(format!("{} {ident} = 0;", self.ty(value.prim)));
            all.push(ident);
        }
        self.lines.open("{");
        self.scopes.enter();
        let [lane, busy_lanes, team, step] = ["lane", "busy", "team", "step"].map(|base| self.scopes.fresh(base));
        self.lines.line(format!("const int32_t {lane} = kz_lane(), {busy_lanes} = (int32_t){busy};"));
        let fresh = |w: &mut Self, base: &str| -> Vec<String> {
            values
                .iter()
                .map(|value| {
                    let ident = w.scopes.fresh(base);
                    w.lines.line(format!("{} {ident} = 0;", w.ty(value.prim)));
                    ident
                })
                .collect()
        };
        // What is so far, what another has, and what the lanes and teams before come to.
        let (sum, other) = (fresh(self, "sum"), fresh(self, "other"));
        let before = if prefixes { fresh(self, "before") } else { Vec::new() };
        let above = if prefixes { fresh(self, "above") } else { Vec::new() };
        let own: Vec<String> =
            values.iter().map(|value| format!("{}[0]", self.elements(value.own, value.prim))).collect();
        let room: Vec<String> = values.iter().map(|value| self.elements(value.room, value.prim)).collect();
        self.lines.open(format!("if ({lane} < {busy_lanes}) {{"));
        self.moves(&sum, &own);
        self.lines.close("}");
        let at = |index: &str| -> Vec<String> { room.iter().map(|room| format!("{room}[{index}]")).collect() };

        self.lines.line("#ifdef KZ_FROM_BELOW");
        self.lines.open(format!("for (int32_t {step} = 1; {step} < KZ_TEAM; {step} *= 2) {{"));
        for (other, sum) in other.iter().zip(&sum) {
            self.lines.line(format!("{other} = KZ_FROM_BELOW({sum}, {step});"));
        }
        self.lines.open(format!("if ({lane} % KZ_TEAM >= {step} && {lane} < {busy_lanes}) {{"));
        self.applied(values, body, &other, &sum, &sum);
        self.lines.close("}");
        self.lines.close("}");
        for (above, sum) in above.iter().zip(&sum) {
            self.lines.line(format!("{above} = KZ_FROM_BELOW({sum}, 1);"));
        }
        self.lines.line("#ifdef KZ_WARPS");
        for (all, sum) in all.iter().zip(&sum) {
            self.lines.line(format!("{all} = KZ_FROM_LANE({sum}, {busy_lanes} - 1);"));
        }
        if prefixes {
            self.lines.open(format!("if ({lane} > 0 && {lane} < {busy_lanes}) {{"));
            self.moves(&own, &above);
            self.lines.close("}");
        }
        self.lines.line("#else");
        self.lines.open(format!(
            "if ({lane} < {busy_lanes} && ({lane} % KZ_TEAM == KZ_TEAM - 1 || {lane} + 1 == {busy_lanes})) {{"
        ));
        self.moves(&at(&format!("{lane} / KZ_TEAM")), &sum);
        self.lines.close("}");
        self.lines.line("kz_barrier();");
        self.lines.line("#endif");
        self.lines.line("#else");
        self.moves(&at(&lane), &sum);
        self.lines.line("kz_barrier();");
        self.lines.open(format!("if ({lane} % KZ_TEAM == 0) {{"));
        self.lines.open(format!(
            "for (int32_t {step} = {lane} + 1; {step} < {lane} + KZ_TEAM && {step} < {busy_lanes}; {step}++) {{"
        ));
        self.moves(&other, &at(&step));
        self.applied(values, body, &sum, &other, &sum);
        self.moves(&at(&step), &sum);
        self.lines.close("}");
        self.lines.close("}");
        self.lines.line("kz_barrier();");
        if prefixes {
            self.lines.open(format!("if ({lane} % KZ_TEAM > 0) {{"));
            self.moves(&above, &at(&format!("{lane} - 1")));
            self.lines.close("}");
        }
        self.lines.line("#endif");

        self.lines.line("#ifndef KZ_WARPS");
        self.lines.open(format!("for (int32_t {team} = 0; {team} * KZ_TEAM < {busy_lanes}; {team}++) {{"));
        self.moves(&other, &at(&format!("KZ_OF_TEAM({team}, {busy_lanes})")));
        if prefixes {
            self.lines.open(format!("if ({team} == {lane} / KZ_TEAM) {{"));
            self.moves(&before, &all);
            self.lines.close("}");
        }
        self.lines.open(format!("if ({team} == 0) {{"));
        self.moves(&all, &other);
        self.lines.between("} else {");
        self.applied(values, body, &all, &other, &all);
        self.lines.close("}");
        self.lines.close("}");
        if prefixes {
            self.lines.open(format!("if ({lane} > 0 && {lane} < {busy_lanes}) {{"));
            self.lines.open(format!("if ({lane} < KZ_TEAM) {{"));
            self.moves(&own, &above);
            self.lines.between(format!("}} else if ({lane} % KZ_TEAM == 0) {{"));
            self.moves(&own, &before);
            self.lines.between("} else {");
            self.applied(values, body, &before, &above, &own);
            self.lines.close("}");
            self.lines.close("}");
        }
        self.lines.line("#endif");
        self.scopes.leave();
        self.lines.close("}");
        self.set_synced(false);
        if self.can_fail(body) {
            self.leave_together();
        }
    }

    fn moves(&mut self, to: &[String], from: &[String]) {
        for (to, from) in to.iter().zip(from) {
            self.lines.line(format!("{to} = {from};"));
        }
    }

    /// What an operator makes of two lists of values.
    fn applied(&mut self, values: &[Combined], body: &[Stm], left: &[String], right: &[String], to: &[String]) {
        self.lines.open("{");
        self.scopes.enter();
        for ((value, left), right) in values.iter().zip(left).zip(right) {
            for (name, from) in [(value.left, left), (value.right, right)] {
                if self.uses.is_live(name) {
                    let ident = self.scopes.declare(name);
                    self.lines.line(format!("{} {ident} = {from};", self.ty(value.prim)));
                }
            }
        }
        // Each lane does this by itself, and goes on with the others if a check fails.
        let code = self.block.get_or_insert_default();
        let end = code.label();
        (code.of_lane, code.has_failed) = (Some(end.clone()), false);
        self.stms(body);
        let results: Vec<String> = values.iter().map(|value| plain(self, &value.result)).collect();
        let code = self.block.get_or_insert_default();
        let can_fail = code.has_failed;
        (code.of_lane, code.has_failed) = (None, false);
        self.moves(to, &results);
        self.scopes.leave();
        self.lines.close("}");
        if can_fail {
            self.lines.line(format!("{end}:;"));
        }
    }

    // Boards

    pub(crate) fn board(&mut self, name: Name, words: &Exp) {
        let words = plain(self, words);
        let left = self.declare(name, Ty::Block(Space::Device));
        self.lines.line(format!("{left} = {}(ctx, {words});", self.rts(Part::Device, "kz_board")));
        self.lines.line(format!("if (KZ_UNLIKELY({} == NULL)) return FUTHARK_OUT_OF_MEMORY;", self.scopes.get(name)));
    }

    /// The number of a block, which its first lane asks for.
    pub(crate) fn take(&mut self, number: Name, turn: Name, board: Name) {
        let board = self.elements(board, Prim::U64);
        self.barrier_if_needed();
        self.lines.line(format!("if (kz_lane() == 0) *KZ_TAKEN = kz_take({board});"));
        self.lines.line("KZ_BLOCK_BEGIN");
        self.barrier();
        for (name, prim, value) in [(number, Prim::I64, "KZ_NUMBER"), (turn, Prim::U32, "KZ_TURN")] {
            if self.uses.is_live(name) {
                let ident = self.scopes.declare(name);
                self.lines.line(format!("{} {ident} = {value};", self.ty(prim)));
            }
        }
    }

    /// One lane tells; nobody here has to wait for that.
    pub(crate) fn publish(&mut self, board: Name, turn: &Exp, at: &Exp, values: &[Exp]) {
        let (board, turn, at) = (self.elements(board, Prim::U64), plain(self, turn), exp(self, at).at(Prec::Sum));
        self.lines.open("if (kz_lane() == 0) {");
        let mut word = 0;
        for value in values {
            let bits = self.bits(value);
            for piece in 0..Board::words(value.prim()) {
                let shifted = if piece == 0 { bits.clone() } else { format!("{bits} >> 32") };
                self.lines.line(format!("kz_publish({board} + {at} + {word}, {turn}, (uint32_t)({shifted}));"));
                word += 1;
            }
        }
        self.lines.close("}");
    }

    /// A lane waits for what another block tells, or for the failure of a check anywhere.
    pub(crate) fn wait(&mut self, names: &[(Name, Prim)], board: Name, turn: &Exp, at: &Exp) {
        let (board, turn, at) = (self.elements(board, Prim::U64), plain(self, turn), exp(self, at).at(Prec::Sum));
        let count: i64 = names.iter().map(|(_, prim)| Board::words(*prim)).sum();
        let words: Vec<String> = (0..count).map(|_| self.scopes.fresh("word")).collect();
        self.lines.line(format!("uint64_t {};", words.join(", ")));
        self.lines.open("for (;;) {");
        for (at_word, word) in words.iter().enumerate() {
            self.lines.line(format!("{word} = kz_published({board} + {at} + {at_word});"));
        }
        let is_there: Vec<String> = words.iter().map(|word| format!("(uint32_t)({word} >> 32) == {turn}")).collect();
        self.lines.line(format!("if ({}) break;", is_there.join(" && ")));
        if self.uses.fails {
            let leave = self.leave_kernel();
            self.lines.line(format!("if (kz_has_failed(kz_error)) {{ {leave} }}"));
        }
        self.lines.close("}");
        let mut words = words.into_iter();
        for (name, prim) in names {
            let pieces: Vec<String> = words.by_ref().take(usize::try_from(Board::words(*prim)).unwrap_or(1)).collect();
            if !self.uses.is_live(*name) {
                continue;
            }
            let bits = match &pieces[..] {
                [low, high] => format!("(uint32_t){low} | {high} << 32"),
                _ => format!("(uint32_t){}", pieces.join("")),
            };
            let value = match prim {
                Prim::F32 | Prim::F64 => {
                    self.needs.add(Part::Real);
                    format!("from_bits_{}({bits})", prim.name())
                }
                _ => format!("({})({bits})", self.ty(*prim)),
            };
            let ident = self.scopes.declare(*name);
            self.lines.line(format!("{} {ident} = {value};", self.ty(*prim)));
        }
    }

    /// The bits of a value as an unsigned integer, of at least 32 bits.
    fn bits(&self, value: &Exp) -> String {
        let text = plain(self, value);
        match value.prim() {
            prim @ (Prim::F32 | Prim::F64) => {
                self.needs.add(Part::Real);
                format!("to_bits_{}({text})", prim.name())
            }
            prim if prim.bytes() == 8 => format!("(uint64_t)({text})"),
            _ => format!("(uint32_t)({text})"),
        }
    }
}
