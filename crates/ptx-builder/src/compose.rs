//! Builds the objective of an expression from pieces, when a program runs.
//!
//! A piece is a module like an objective's: an entry that reads and writes registers of agreed names, `%we_...`. There
//! is one piece for each operation, one that reads a coordinate, one that reads a number of the data, and one for each
//! reduction. A reduction has the comment `// warpswarm.term` where it needs the term of number `%we_k` in `%we_t`. The
//! instructions of the pieces are joined in sequence, with moves of registers between. The result is an objective's
//! module, to be [linked](crate::link()) with kernels. All arithmetic is in the pieces, which rustc has compiled.

mod model;
mod solution;

use std::collections::HashMap;
use std::fmt::Write;

use crate::link::{LinkError, inlined, parameter};
use crate::ptx::{Kind, parse};

/// The comment that a term replaces.
const TERM: &str = "// warpswarm.term";
/// The parameter of the objective that is built.
const PARAMETER: &str = "objective_param_0";

/// An operand of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A result, by its number.
    Result(u32),
    /// A constant, by its bits in the objective's precision.
    Constant(u64),
    /// A coordinate.
    Coordinate(u32),
    /// The coordinate with this number plus that of the term.
    Coordinates(u32),
    /// The number of the data with this index plus that of the term.
    Data(u32),
    /// A number of the run's own data.
    Own(u32),
    /// The number of the run's own data with this index plus that of the term.
    Owns(u32),
    /// The number of the term, from 0.
    Index,
    /// A number of a differential equation's solution.
    Solution(u32),
    /// The number of the solution with this index plus that of the term.
    Solutions(u32),
}

impl Operand {
    /// Whether it differs from term to term.
    fn varies(self) -> bool {
        matches!(
            self,
            Operand::Coordinates(_)
                | Operand::Data(_)
                | Operand::Owns(_)
                | Operand::Index
                | Operand::Solutions(_)
        )
    }
}

/// An objective that is being built.
pub struct Composer<'a> {
    /// Returns the module of a name.
    module: &'a dyn Fn(&str) -> Option<String>,
    real: &'a str,
    form: &'a str,
    /// Tables that the pieces need, by their names.
    items: Vec<(String, String)>,
    /// The objective's parameter, as pieces declare it.
    parameter: Option<String>,
    body: String,
    /// The number of pieces so far, which makes their labels unique.
    pieces: usize,
    /// The operands that have been read, and their registers.
    read: HashMap<Operand, u32>,
    registers: u32,
    /// The numbers of a solution, for which each thread has memory.
    solution: u32,
    /// The additional data of a model.
    model: Option<model::Model>,
}

impl std::fmt::Debug for Composer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Composer").field("real", &self.real).field("form", &self.form).finish()
    }
}

impl<'a> Composer<'a> {
    /// Begins an objective of `f32` or `f64`, for points of a form, from pieces that `module` returns.
    ///
    /// # Errors
    ///
    /// If a piece does not exist.
    pub fn new(
        module: &'a dyn Fn(&str) -> Option<String>,
        real: &'a str,
        form: &'a str,
    ) -> Result<Self, LinkError> {
        let mut composer = Composer::empty(module, real, form);
        composer.piece(&format!("show_{real}_{form}"), &mut |_| Ok(()))?;
        Ok(composer)
    }

    /// An empty objective.
    fn empty(module: &'a dyn Fn(&str) -> Option<String>, real: &'a str, form: &'a str) -> Self {
        Composer {
            module,
            real,
            form,
            items: Vec::new(),
            parameter: None,
            body: String::new(),
            pieces: 0,
            read: HashMap::new(),
            registers: 0,
            solution: 0,
            model: None,
        }
    }

    /// `b32` or `b64`
    fn bits(&self) -> &'static str {
        if self.real == "f32" { "b32" } else { "b64" }
    }

    fn bytes(&self) -> u32 {
        if self.real == "f32" { 4 } else { 8 }
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = self.body.write_fmt(line);
        self.body.push('\n');
    }

    /// Inserts a piece; `term` writes the term at each of its marks.
    fn piece(
        &mut self,
        name: &str,
        term: &mut dyn FnMut(&mut Self) -> Result<(), LinkError>,
    ) -> Result<(), LinkError> {
        let name = format!("piece_{name}");
        let text =
            (self.module)(&name).ok_or_else(|| LinkError::NoPiece { piece: name.clone() })?;
        let ptx = parse(&text)?;
        let entry = ptx.items.iter().find(|item| item.kind == Kind::Entry);
        let entry = entry.ok_or(LinkError::NoEntry { part: "piece" })?;
        for item in ptx.items.iter().filter(|item| item.kind != Kind::Entry) {
            match self.items.iter().find(|(known, _)| known == item.name) {
                None => self.items.push((item.name.into(), item.text.into())),
                Some((_, known)) if known == item.text => {}
                Some(_) => return Err(LinkError::Clash { name: item.name.into() }),
            }
        }
        let place = parameter(entry)?.map(|own| {
            let declared = format!(".param .align {} .b8 {PARAMETER}[{}]", own.align, own.bytes);
            self.parameter = Some(declared);
            (own.name, PARAMETER, 0)
        });
        let body = entry.body.map_or("", |body| &entry.text[body..]);
        self.pieces += 1;
        let text = inlined(body, self.pieces, place);
        for (number, part) in text.split(TERM).enumerate() {
            if number > 0 {
                self.body.push('\n');
                term(self)?;
            }
            self.body.push_str(part);
        }
        self.body.push('\n');
        Ok(())
    }

    /// The register that holds an operand, or the operand as a number. Reads the operand if it has not been read yet.
    fn operand(&mut self, operand: Operand) -> Result<String, LinkError> {
        let register = match operand {
            Operand::Result(number) => return Ok(format!("%we_v{number}")),
            Operand::Constant(bits) => return Ok(format!("{bits:#x}")),
            Operand::Coordinate(at) if self.model.is_some() => return Ok(format!("%wm_x{at}")),
            _ => self.read.get(&operand).copied(),
        };
        if let Some(register) = register {
            return Ok(format!("%we_x{register}"));
        }
        if let Operand::Solution(at) | Operand::Solutions(at) = operand {
            let moves = matches!(operand, Operand::Solutions(_));
            let place = self.place(at, moves);
            let bits = self.bits();
            let register = self.registers;
            self.registers += 1;
            self.line(format_args!("ld.local.{bits} %we_x{register}, [{place}];"));
            self.read.insert(operand, register);
            return Ok(format!("%we_x{register}"));
        }
        let (real, form) = (self.real, self.form);
        let piece = match operand {
            Operand::Data(_) => format!("datum_{real}"),
            Operand::Own(_) | Operand::Owns(_) if self.model.is_some() => {
                format!("own_of_fit_{real}")
            }
            Operand::Own(_) | Operand::Owns(_) => format!("own_{real}"),
            Operand::Index => format!("number_{real}"),
            _ => format!("coordinate_{real}_{form}"),
        };
        match operand {
            Operand::Coordinates(at) | Operand::Data(at) | Operand::Owns(at) => {
                self.line(format_args!("add.u32 %we_i, %we_k, {at};"));
            }
            Operand::Coordinate(at) | Operand::Own(at) => {
                self.line(format_args!("mov.u32 %we_i, {at};"));
            }
            _ => self.line(format_args!("mov.u32 %we_i, %we_k;")),
        }
        if self.model.is_some() && matches!(operand, Operand::Coordinates(_)) {
            self.coordinate();
        } else {
            self.piece(&piece, &mut |_| Ok(()))?;
        }
        let register = self.registers;
        self.registers += 1;
        let bits = self.bits();
        self.line(format_args!("mov.{bits} %we_x{register}, %we_r;"));
        self.read.insert(operand, register);
        Ok(format!("%we_x{register}"))
    }

    /// An operation by its name; `into` is the number of its result.
    ///
    /// # Errors
    ///
    /// If there is no such piece.
    pub fn apply(&mut self, operation: &str, from: &[Operand], into: u32) -> Result<(), LinkError> {
        let bits = self.bits();
        let from = from.iter().map(|&from| self.operand(from));
        let from = from.collect::<Result<Vec<_>, _>>()?;
        for (argument, from) in ["a", "b", "c"].iter().zip(from) {
            self.line(format_args!("mov.{bits} %we_{argument}, {from};"));
        }
        self.piece(&format!("{operation}_{}", self.real), &mut |_| Ok(()))?;
        self.line(format_args!("mov.{bits} %we_v{into}, %we_r;"));
        Ok(())
    }

    /// A reduction by its name over a number of terms; `into` is the number of its result.
    ///
    /// `term` writes the code of a term and returns the operand that then holds it. `from` lists everything that the
    /// code reads, except for results.
    ///
    /// # Errors
    ///
    /// If there is no such piece.
    pub fn fold(
        &mut self,
        (reduction, terms): (&str, u32),
        from: impl IntoIterator<Item = Operand>,
        into: u32,
        term: &mut dyn FnMut(&mut Self) -> Result<Operand, LinkError>,
    ) -> Result<(), LinkError> {
        // Operands that are the same in all terms are read once.
        for operand in from.into_iter().filter(|operand| !operand.varies()) {
            self.operand(operand)?;
        }
        self.line(format_args!("mov.u32 %we_n, {terms};"));
        let bits = self.bits();
        let outside = self.read.clone();
        self.piece(&format!("fold_{reduction}_{}_{}", self.real, self.form), &mut |composer| {
            composer.read.clone_from(&outside);
            let term = term(composer)?;
            let term = composer.operand(term)?;
            composer.line(format_args!("mov.{bits} %we_t, {term};"));
            Ok(())
        })?;
        self.read = outside;
        self.line(format_args!("mov.{bits} %we_v{into}, %we_r;"));
        Ok(())
    }

    /// The objective's module, with these results; `results` is above every number of a result.
    ///
    /// # Errors
    ///
    /// If a piece does not exist.
    pub fn finish(
        mut self,
        value: Operand,
        violation: Operand,
        results: u32,
    ) -> Result<String, LinkError> {
        let (value, violation) = (self.operand(value)?, self.operand(violation)?);
        let bits = self.bits();
        self.line(format_args!("mov.{bits} %ws_value, {value};"));
        self.line(format_args!("mov.{bits} %ws_violation, {violation};"));
        let declared = self.declared(results);
        Ok(self.module(&format!("{declared}{}{}", self.memory(), self.body)))
    }

    /// The declarations of the registers of pieces and results.
    fn declared(&self, results: u32) -> String {
        let (bits, results, registers) = (self.bits(), results.max(1), self.registers.max(1));
        format!(
            ".reg .b32 %we_i, %we_k, %we_n;\n\
             .reg .{bits} %we_a, %we_b, %we_c, %we_r, %we_t;\n\
             .reg .{bits} %we_v<{results}>, %we_x<{registers}>;\n"
        )
    }

    /// A module of an entry with this body, and the tables that the pieces need.
    fn module(&self, body: &str) -> String {
        // Declarations that a kernel has itself are in its own text.
        let mut text = String::from(".version 7.8\n.target sm_80\n.address_size 64\n\n");
        for (_, item) in &self.items {
            text.push_str(item);
            text.push_str("\n\n");
        }
        let parameter = self.parameter.as_deref().unwrap_or_default();
        let _ =
            write!(text, ".visible .entry objective(\n\t{parameter}\n)\n{{\n{body}\tret;\n}}\n");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link;

    const HEADER: &str = ".version 7.8\n.target sm_80\n.address_size 64\n";

    /// Pieces that contain their name, and a table.
    fn module(name: &str) -> Option<String> {
        let inside = match name {
            "piece_fold_Sum_f32_warp" | "piece_fold_Sum_f32_thread" => "\t$L:\n\t{\n\tmov.b32 %we_k, %r1;\n// warpswarm.term\n\t}\n\t// again\n// warpswarm.term\n".to_string(),
            "piece_Missing_f32" => return None,
            name => format!("\t// {name}\n"),
        };
        let parameter = match name {
            "piece_datum_f32" => "\n\t.param .align 8 .b8 piece_datum_f32_param_0[40]\n",
            _ => "",
        };
        let inside = match name {
            "piece_datum_f32" => "\tld.param.b64 %rd1, [piece_datum_f32_param_0+16];\n".into(),
            _ => inside,
        };
        let table = ".global .align 4 .b8 table[4] = {1, 2, 3, 4};";
        Some(format!(
            "{HEADER}\n{table}\n\n.visible .entry {name}({parameter})\n{{\n{inside}\tret;\n}}\n"
        ))
    }

    #[test]
    fn a_sum_over_data_becomes_an_objective() {
        let mut composer = Composer::new(&module, "f32", "warp").unwrap();
        let from = [Operand::Coordinate(3), Operand::Data(7)];
        composer
            .fold(("Sum", 10), from, 1, &mut |composer| {
                composer.apply("Multiply", &from, 0)?;
                Ok(Operand::Result(0))
            })
            .unwrap();
        let text = composer.finish(Operand::Result(1), Operand::Constant(0), 2).unwrap();
        assert_eq!(text.matches("piece_coordinate_f32_warp").count(), 1, "{text}");
        assert_eq!(text.matches("[objective_param_0+16]").count(), 2, "{text}");
        assert_eq!(text.matches("// piece_Multiply_f32").count(), 2, "{text}");
        assert_eq!(text.matches(".global").count(), 1, "{text}");
        assert!(text.contains("mov.u32 %we_i, 3;") && text.contains("add.u32 %we_i, %we_k, 7;"));
        assert!(text.contains("%we_v<2>, %we_x<3>"), "{text}");
        assert!(text.contains("mov.b32 %ws_value, %we_v1;\nmov.b32 %ws_violation, 0x0;"));

        let kernel = format!(
            "{HEADER}\n.visible .entry k(\n\t.param .align 8 .b8 k_param_0[20]\n)\n{{\n\t// warpswarm.objective\n\tret;\n}}\n"
        );
        let linked = link(&kernel, &text).unwrap();
        assert!(linked.contains("k_param_0[64]") && linked.contains("[k_param_0+40]"), "{linked}");
        let labels: Vec<_> = linked.lines().filter(|line| line.ends_with(':')).collect();
        let mut distinct = labels.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), labels.len(), "{linked}");
    }

    /// Intervals with rounds in them, one of which may be the last; the kept numbers are in the thread's own memory.
    #[test]
    fn a_differential_equation_becomes_two_loops() {
        let mut composer = Composer::new(&module, "f64", "thread").unwrap();
        composer.solution(12);
        composer.keep(Operand::Constant(0), 0, false).unwrap();
        composer.copy(Operand::Coordinate(2), 0).unwrap();
        let read = [Operand::Data(5), Operand::Coordinate(2)];
        composer
            .intervals(11, read, &mut |composer| {
                composer.rounds(7, &mut |composer| {
                    composer.apply("Add", &[Operand::Result(0), Operand::Data(5)], 1)?;
                    composer.copy(Operand::Result(1), 0)?;
                    Ok(Some(Operand::Result(0)))
                })?;
                composer.keep(Operand::Result(0), 1, true)
            })
            .unwrap();
        composer.apply("Add", &[Operand::Solution(3), Operand::Solution(3)], 1).unwrap();
        let text = composer.finish(Operand::Result(1), Operand::Constant(0), 2).unwrap();
        // Operands that are the same in all intervals are read before the first interval, and those of an interval
        // before its rounds.
        assert_eq!(text.matches("piece_coordinate_f64_thread").count(), 1, "{text}");
        let place = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part} in {text}"));
        let order = [
            "[we_solution+0], %we_r",
            "$we_interval:",
            "add.u32 %we_i, %we_k, 5;",
            "$we_round:",
            "// piece_Add_f64",
            "setp.eq.f64 %we_again, %we_v0, 0d0000000000000000;",
            "setp.lt.u32 %we_again, %we_n, 7;",
            "$we_rounds:",
            "[%we_p+8], %we_r",
            "setp.lt.u32 %we_again, %we_k, 11;",
            "bra $we_interval;",
            "ld.local.b64 %we_x2, [we_solution+24];",
        ];
        assert!(order.windows(2).all(|pair| place(pair[0]) < place(pair[1])), "{text}");
        assert!(text.contains(".local .align 8 .b8 we_solution[96];"), "{text}");
    }

    /// Two kinds of rows: a factor and a number of the fit's own data are computed once; a sum over parameters reads
    /// registers.
    #[test]
    fn a_model_is_what_rows_share_and_rows() {
        let mut composer = Composer::model(&module, "f32", 3);
        let [a, all] = [Operand::Coordinate(0), Operand::Coordinates(0)];
        composer.apply("Exp", &[a], 0).unwrap();
        composer.fold(("Sum", 2), [all], 1, &mut |_| Ok(all)).unwrap();
        let (t, own) = (Operand::Data(4), Operand::Own(1));
        composer
            .rows(&[10, 5], [t, own], &mut |composer, number| {
                let result = Operand::Result(number as u32);
                composer.apply("Multiply", &[result, if number == 0 { t } else { own }], 2)?;
                Ok(vec![Operand::Result(2), t])
            })
            .unwrap();
        let model = composer.finish_model(3);
        let (registers, rest) = model.split_once("// warpswarm.model").unwrap();
        let (shared, row) = rest.split_once("// warpswarm.row").unwrap();
        assert!(registers.contains("%wm_x<3>, %wm_d<3>, %wm_y;"), "{registers}");
        assert!(shared.contains("mov.b32 %we_a, %wm_x0;"), "{shared}");
        assert_eq!(shared.matches("@%wm_is mov.b32 %we_r, %wm_x2;").count(), 2, "{shared}");
        assert_eq!(shared.matches("// piece_own_of_fit_f32").count(), 1, "{shared}");
        assert!(row.contains("setp.ge.u32 %wm_is, %we_k, 10;"), "{row}");
        assert!(row.contains("$wm_part1:\nsub.u32 %we_k, %we_k, 10;"), "{row}");
        assert_eq!(row.matches("piece_datum_f32").count(), 0, "{row}");
        assert_eq!(row.matches("[objective_param_0+16]").count(), 2, "each kind reads its datum");
        assert_eq!(row.matches("mov.b32 %wm_d2, 0x0;").count(), 2, "{row}");

        let kernel = format!(
            "{HEADER}\n.visible .entry k(\n\t.param .align 8 .b8 k_param_0[20]\n)\n{{\n\t// before\n\t{{ // warpswarm.model\n}}\n\
             \t{{ // warpswarm.row\n}}\n\t{{ // warpswarm.row\n}}\n\tret;\n}}\n"
        );
        let linked = link(&kernel, &model).unwrap();
        assert!(linked.contains("k_param_0[64]") && linked.contains("[k_param_0+40]"), "{linked}");
        let place = |part: &str| linked.find(part).unwrap_or_else(|| panic!("{part} in {linked}"));
        assert!(place("%wm_x<3>") < place("// before"), "{linked}");
        assert_eq!(linked.matches("// piece_Exp_f32").count(), 1, "{linked}");
        assert_eq!(linked.matches("// piece_Multiply_f32").count(), 4, "{linked}");
        assert!(!linked.contains("warpswarm.model") && !linked.contains("warpswarm.row"));
        let labels: Vec<_> = linked.lines().filter(|line| line.ends_with(':')).collect();
        let distinct: std::collections::BTreeSet<_> = labels.iter().collect();
        assert_eq!(distinct.len(), labels.len(), "{linked}");
    }

    #[test]
    fn a_piece_that_is_not_there_is_an_error() {
        let mut composer = Composer::new(&module, "f32", "warp").unwrap();
        let error = composer.apply("Missing", &[Operand::Index], 0).unwrap_err();
        assert_eq!(error, LinkError::NoPiece { piece: "piece_Missing_f32".into() });
    }
}
