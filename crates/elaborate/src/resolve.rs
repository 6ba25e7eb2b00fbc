//! Modules: which definition a name means, given the applications of parametric modules that lead to it.
//!
//! The checker sees the body of a parametric module once. Each application of it has values and types of its own, which
//! remember where they come from. A definition in such a body is therefore known only together with a context: for
//! each parametric module around it, the application that is meant. Nothing is copied: the next step makes an instance
//! of a definition for each context in which it is used.

use kenaz_sema::Checked;
use kenaz_sema::names::{Origin, TypeOrigin};
use kenaz_sema::types::{AppId, FunctorId, TypeAbbr, TypeId, VarId};
use rustc_hash::FxHashMap;

/// For the parametric modules around something, the application that is meant; sorted.
pub type Ctx = Vec<(FunctorId, FrameId)>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameId(u32);

/// An application, with the context in which its argument is to be understood.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Frame {
    app: AppId,
    ctx: Ctx,
}

#[derive(Default)]
pub struct Modules {
    frames: Vec<Frame>,
    known: FxHashMap<Frame, FrameId>,
}

/// What a type constructor stands for.
pub enum TypeDef {
    /// An abbreviation, in a context.
    Abbr(TypeAbbr, Ctx),
    /// A parameter of a definition, or a built-in type.
    Itself,
}

impl Modules {
    /// The definition behind a value, and its context.
    pub fn value(&mut self, checked: &Checked, v: VarId, ctx: &Ctx) -> (VarId, Ctx) {
        let functors = &checked.info.functors;
        let (mut v, mut ctx) = (v, ctx.clone());
        loop {
            if let Some(functor) = functors.param_values.get(&v)
                && let Some(frame) = self.frame(&ctx, *functor)
                && let Some(arg) = functors.apps[frame.app].values.get(&v)
            {
                ctx = overlay(&ctx, &frame.ctx);
                v = *arg;
                continue;
            }
            match checked.names.vars[v].origin {
                Some(Origin::Ascribed(w)) => v = w,
                Some(Origin::Instance(w, app)) => {
                    ctx = self.enter(checked, app, &ctx);
                    v = w;
                }
                None => break,
            }
        }
        let around: &[FunctorId] = functors.definitions.get(&v).map_or(&[], |(_, around)| around);
        ctx.retain(|(functor, _)| around.contains(functor));
        (v, ctx)
    }

    /// What a type constructor stands for in a context.
    pub fn ty(&mut self, checked: &Checked, id: TypeId, ctx: &Ctx) -> TypeDef {
        let functors = &checked.info.functors;
        let (mut id, mut ctx) = (id, ctx.clone());
        loop {
            if let Some(functor) = functors.param_types.get(&id)
                && let Some(frame) = self.frame(&ctx, *functor)
                && let Some(abbr) = functors.apps[frame.app].types.get(&id)
            {
                return TypeDef::Abbr(abbr.clone(), overlay(&ctx, &frame.ctx));
            }
            match &checked.names.types[id].origin {
                Some(TypeOrigin::Sealed(abbr)) => return TypeDef::Abbr((**abbr).clone(), ctx),
                Some(TypeOrigin::Instance(old, app)) => {
                    ctx = self.enter(checked, *app, &ctx);
                    id = *old;
                }
                None => return TypeDef::Itself,
            }
        }
    }

    fn frame(&self, ctx: &Ctx, functor: FunctorId) -> Option<Frame> {
        let (_, id) = ctx.iter().find(|(f, _)| *f == functor)?;
        Some(self.frames[id.0 as usize].clone())
    }

    /// The context inside an application.
    fn enter(&mut self, checked: &Checked, app: AppId, ctx: &Ctx) -> Ctx {
        let this = &checked.info.functors.apps[app];
        let Some(functor) = this.functor else { return ctx.clone() };
        // The argument is understood where the application stands.
        let around = ctx.iter().filter(|(f, _)| this.inside.contains(f)).copied().collect();
        let frame = Frame { app, ctx: around };
        let next = FrameId(u32::try_from(self.frames.len()).unwrap_or(u32::MAX));
        let id = *self.known.entry(frame.clone()).or_insert(next);
        if id == next {
            self.frames.push(frame);
        }
        overlay(ctx, &vec![(functor, id)])
    }
}

/// Both contexts; the second one counts where they differ.
fn overlay(ctx: &Ctx, over: &Ctx) -> Ctx {
    let mut out: Ctx = ctx.iter().filter(|(f, _)| over.iter().all(|(g, _)| g != f)).copied().collect();
    out.extend(over);
    out.sort_unstable();
    out
}
