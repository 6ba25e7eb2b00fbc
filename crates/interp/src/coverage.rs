//! The names under which executions are counted.

use kenaz_ir::{Exp, LoopForm, MessagePart, Operand, Soac};

/// What an expression is: its kind, its operation and its type, or the text of its check.
pub(crate) fn label(exp: &Exp, prim: &dyn Fn(Operand) -> &'static str) -> String {
    match exp {
        Exp::Operand(_) => "operand".to_string(),
        Exp::Un(op, x) => format!("un {} {}", op.text(), prim(*x)),
        Exp::Bin(op, x, _) => format!("bin {} {}", op.text(), prim(*x)),
        Exp::Cmp(op, x, _) => format!("cmp {} {}", op.text(), prim(*x)),
        Exp::Conv(to, x) => format!("conv {} {}", prim(*x), to.name()),
        Exp::Math(f, p, _) => format!("math {} {}", f.text(), p.name()),
        Exp::Assert(_, message) => {
            let part = |part: &MessagePart| match part {
                MessagePart::Text(text) => text.clone(),
                MessagePart::Value(_) => "{}".to_string(),
            };
            format!("assert {}", message.parts.iter().map(part).collect::<String>())
        }
        Exp::Index(..) => "index".to_string(),
        Exp::Slice(..) => "slice".to_string(),
        Exp::Update(..) => "update".to_string(),
        Exp::Array(..) => "array".to_string(),
        Exp::Iota { prim, .. } => format!("iota {}", prim.name()),
        Exp::Replicate(..) => "replicate".to_string(),
        Exp::Scratch(..) => "scratch".to_string(),
        Exp::Concat(..) => "concat".to_string(),
        Exp::Rearrange(..) => "rearrange".to_string(),
        Exp::Reshape(..) => "reshape".to_string(),
        Exp::Resize(..) => "resize".to_string(),
        Exp::Copy(_) => "copy".to_string(),
        Exp::FlatIndex(..) => "flat index".to_string(),
        Exp::FlatUpdate(..) => "flat update".to_string(),
        Exp::If(..) => "if".to_string(),
        Exp::Match(..) => "match".to_string(),
        Exp::Loop { form: LoopForm::For(..), .. } => "loop for".to_string(),
        Exp::Loop { form: LoopForm::While(_), .. } => "loop while".to_string(),
        Exp::Call(..) => "call".to_string(),
        Exp::Soac(soac) => soac_label(soac),
        Exp::Par(_) | Exp::Mem(_) => kenaz_ir::print::operator(exp).to_string(),
        Exp::Jvp(..) => "jvp".to_string(),
        Exp::Vjp(..) => "vjp".to_string(),
        Exp::Trace(..) => "trace".to_string(),
        Exp::Opaque(_) => "opaque".to_string(),
        Exp::Tunable(_) => "tunable".to_string(),
    }
}

fn soac_label(soac: &Soac) -> String {
    match soac {
        Soac::Screma { map, scans, reduces, post, .. } => {
            let consumed: usize = scans.iter().map(|s| s.neutral.len()).sum::<usize>()
                + reduces.iter().map(|r| r.neutral.len()).sum::<usize>();
            let mut label = "screma".to_string();
            if map.ret.len() > consumed {
                label += " map";
            }
            if !scans.is_empty() {
                label += " scan";
            }
            if !reduces.is_empty() {
                label += " reduce";
            }
            if post.is_some() {
                label += " post";
            }
            label
        }
        Soac::Filter { pred, .. } if pred.ret.len() > 1 => "filter map".to_string(),
        Soac::Filter { .. } => "filter".to_string(),
        Soac::Scatter { .. } => "scatter".to_string(),
        Soac::Hist { .. } => "hist".to_string(),
        Soac::WithAcc { .. } => "with_acc".to_string(),
        Soac::UpdateAcc { .. } => "update_acc".to_string(),
    }
}
