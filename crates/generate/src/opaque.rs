//! Entry points that make values of types of the program, and others that take them.

use crate::gen_state::Gen;
use crate::program::Entry;
use crate::types::{Dim, Ty};

impl Gen {
    /// An entry point `maker` whose result only the program knows, and `taker`, which takes it: their text with the
    /// definition of the type.
    pub(crate) fn maker_and_taker(&mut self, depth: usize) -> (String, Vec<Entry>) {
        let start = self.choices.open();
        let scope = self.scope();
        self.deepest = 0;
        let fuel = self.fuel;
        self.bind_dim("n", 8);
        let of = Ty::array(Dim::Name("n".to_string()), Ty::Prim(self.prim()));
        let params = vec![(self.fresh("x"), of), (self.fresh("x"), Ty::i64())];
        let made = self.compound();
        for (name, ty) in &params {
            self.bind(name, ty);
        }
        self.kept.clear();
        let (body, _) = self.body(depth, |g, depth| (g.value(&made, depth), made.clone()));
        self.leave(scope);
        let mut sizes = Vec::new();
        made.names(&mut sizes);
        let sizes: String = sizes.iter().map(|size| format!(" [{size}]")).collect();
        let header: String = params.iter().map(|(name, ty)| format!(" ({name}: {ty})")).collect();
        let mut text = format!("\ntype made{sizes} = {made}\n\nentry maker [n]{header}: made{sizes} =\n{body}\n");
        let maker = (0..3).map(|_| self.input(&["n".to_string()], false, &params)).collect();

        self.fuel = fuel;
        self.deepest = 0;
        if !sizes.is_empty() {
            self.bind_dim("n", 8);
        }
        let (value, number) = (self.fresh("x"), self.fresh("x"));
        self.bind(&number, &Ty::i64());
        self.bind(&value, &made);
        self.kept.clear();
        let (body, result) = self.body(depth, Gen::printable);
        self.leave(scope);
        let shown = result.shown(&|name| !sizes.is_empty() && name == "n");
        text.push_str(&format!("\nentry taker{sizes} ({value}: made{sizes}) ({number}: i64): {shown} =\n{body}\n"));
        let more = [(number, Ty::i64())];
        let taker = (0..3).map(|_| self.input(&[], false, &more)).collect();
        self.choices.close(start, "entry");
        let entries = vec![
            Entry { name: "maker".to_string(), inputs: maker, takes: None },
            Entry { name: "taker".to_string(), inputs: taker, takes: Some("maker".to_string()) },
        ];
        (text, entries)
    }
}
