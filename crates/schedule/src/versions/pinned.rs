//! Operators whose level an attribute says: they have one version.
//!
//! ```text
//! let b_1 = #[block] par block (i_2 < n_3) own {        let c_7 = assert (needed_8 <= shared_9) "…"
//!   let s_4 = #[lane] par lane (j_5 < m_6) reduce … {…}  ⇒  let b_1 = <c_7> par block (i_2 < n_3) own {… par lane …}
//!   in s_4
//! }
//! ```
//!
//! A map on blocks is what the version for blocks would be, with the lanes that were asked for. Operators inside that
//! have no level run on lanes, too. The arrays that a block makes must fit: that is checked when the program runs.

use super::front::Front;
use super::{Walk, blocks};
use kenaz_base::{Code, with_stack};
use kenaz_ir::visit::{bound_in_body, for_each_body_mut};
use kenaz_ir::{Attr, Body, CheckKind, CmpOp, Exp, Level, Message, MessagePart, Name, Operand, Par, Param, Refusal};
use kenaz_ir::{Stm, Tunable, Type};
use rustc_hash::FxHashSet;

impl Walk<'_> {
    pub(super) fn pinned(&mut self, mut stm: Stm, out: &mut Vec<Stm>) {
        let Exp::Par(par) = &stm.exp else { return out.push(stm) };
        if par.level != Some(Level::Block) {
            return out.push(stm);
        }
        let reason = match on_blocks(par) {
            Ok(made) => {
                let mut front = Front { fresh: self.fresh, out, loc: stm.loc };
                let needed = front.bytes(&made);
                if needed != Operand::i64(0) {
                    let most = front.tunable(Tunable::shared_memory());
                    let fits = front.cmp(CmpOp::Le, needed, most);
                    let cert = self.fresh.named("fits");
                    let text = |text: &str| MessagePart::Text(text.to_string());
                    let parts = vec![
                        text("The arrays of a block need "),
                        MessagePart::Value(needed),
                        text(" bytes of on-chip memory, but there are "),
                        MessagePart::Value(most),
                        text("."),
                    ];
                    let check = Exp::Assert(fits, Message { kind: CheckKind::Program, parts });
                    out.push(super::spread::plain(vec![Param::new(cert, Type::Cert)], check, stm.loc));
                    stm.certs.push(cert);
                }
                stm.exp = Exp::Par(made.par);
                return out.push(stm);
            }
            Err(reason) => reason,
        };
        if let Some(attr) = stm.attrs.find(Attr::is_level) {
            let message = format!("this operator cannot run at `{}`", attr.wanted());
            let hint = "use `#[grid]` instead, or take out of it what a block cannot do";
            let refusal = Refusal::new(Code::LevelRefused, attr, stm.loc, message);
            self.log.refuse(refusal.label(reason).hint(hint));
            if attr.is_wish() {
                return self.without_wish(stm, out);
            }
        }
        out.push(stm);
    }

    /// An operator whose wish for blocks is refused, as if it had none: there are no lanes inside of it, either.
    fn without_wish(&mut self, mut stm: Stm, out: &mut Vec<Stm>) {
        stm.attrs.0.retain(|attr| !attr.is_level());
        if let Exp::Par(par) = &mut stm.exp {
            par.level = Some(Level::Grid);
            self.without_lanes(&mut par.body);
        }
        self.stm(stm, out);
    }

    fn without_lanes(&mut self, body: &mut Body) {
        for stm in &mut body.stms {
            if let Exp::Par(par) = &mut stm.exp
                && par.level == Some(Level::Lane)
            {
                par.level = None;
                if let Some(attr) = stm.attrs.find(Attr::is_level) {
                    let message = "there are no lanes here, since there is no block";
                    self.log.refuse(Refusal::new(Code::LaneWithoutBlock, attr, stm.loc, message));
                }
                stm.attrs.0.retain(|attr| !attr.is_level());
            }
            with_stack(|| for_each_body_mut(&mut stm.exp, |body| self.without_lanes(body)));
        }
    }
}

/// A map as one on blocks, or why that cannot be.
fn on_blocks(par: &Par) -> Result<super::Blocks, &'static str> {
    if !par.any_order() {
        return Err("only a map can run on blocks");
    }
    let bound: FxHashSet<Name> =
        bound_in_body(&par.body).into_iter().chain(par.space.iter().map(|(var, _)| *var)).collect();
    blocks(par, &bound).ok_or("a block cannot do all of this: it makes arrays of one size, by maps and reductions")
}
