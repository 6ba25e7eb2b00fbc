//! Every operation on scalars, at every type, with values computed by hand.

use crate::common::{check_values, value};
use kenaz_ir::{BinOp, CmpOp, MathFn, UnOp};

const INTS: [(&str, i128, i128); 8] = [
    ("i8", i8::MIN as i128, i8::MAX as i128),
    ("i16", i16::MIN as i128, i16::MAX as i128),
    ("i32", i32::MIN as i128, i32::MAX as i128),
    ("i64", i64::MIN as i128, i64::MAX as i128),
    ("u8", 0, u8::MAX as i128),
    ("u16", 0, u16::MAX as i128),
    ("u32", 0, u32::MAX as i128),
    ("u64", 0, u64::MAX as i128),
];

/// A constant of a type, in the text form of programs.
fn constant(x: i128, ty: &str) -> String {
    if ty == "i64" { x.to_string() } else { format!("{x}{ty}") }
}

fn wrap(x: i128, (_, min, max): (&str, i128, i128)) -> i128 {
    x.wrapping_sub(min).rem_euclid(max - min + 1) + min
}

#[test]
fn integers_agree_with_unbounded_arithmetic() {
    for int @ (ty, min, max) in INTS {
        let interesting = [min, min + 1, -7, -2, -1, 0, 1, 2, 3, 7, max - 1, max];
        let interesting: Vec<i128> = interesting.into_iter().filter(|x| (min..=max).contains(x)).collect();
        // One program for all pairs, since a program each takes longer.
        let (mut stms, mut names, mut expected) = (String::new(), Vec::new(), Vec::new());
        for x in &interesting {
            for y in &interesting {
                for op in BinOp::ALL {
                    let Some(result) = binary(*op, *x, *y, int) else { continue };
                    let name = format!("r_{}", names.len());
                    let (x, y) = (constant(*x, ty), constant(*y, ty));
                    stms += &format!("let {name}: {ty} = {} {x} {y}\n", op.text());
                    expected.push((format!("{} {x} {y}", op.text()), format!("{result}{ty}")));
                    names.push(name);
                }
                for op in CmpOp::ALL {
                    let holds = match op {
                        CmpOp::Eq => x == y,
                        CmpOp::Ne => x != y,
                        CmpOp::Lt => x < y,
                        CmpOp::Le => x <= y,
                        CmpOp::Gt => x > y,
                        CmpOp::Ge => x >= y,
                    };
                    let name = format!("r_{}", names.len());
                    let (x, y) = (constant(*x, ty), constant(*y, ty));
                    stms += &format!("let {name}: bool = {} {x} {y}\n", op.text());
                    expected.push((format!("{} {x} {y}", op.text()), holds.to_string()));
                    names.push(name);
                }
            }
            for op in UnOp::ALL {
                let result = match op {
                    UnOp::Neg => wrap(-x, int),
                    UnOp::Not => wrap(-x - 1, int),
                    UnOp::Abs => wrap(x.abs(), int),
                    UnOp::Sgn => x.signum(),
                };
                let name = format!("r_{}", names.len());
                stms += &format!("let {name}: {ty} = {} {}\n", op.text(), constant(*x, ty));
                expected.push((format!("{} {x}", op.text()), format!("{result}{ty}")));
                names.push(name);
            }
        }
        let types: String =
            stms.lines().map(|l| format!("({}) ", l.split([':', '=']).nth(1).unwrap().trim())).collect();
        let text = format!("fun main : {types} = {{\n{stms}in {}\n}}", names.join(", "));
        let results = crate::common::run(&text, vec![]).unwrap();
        for (result, (what, expected)) in results.iter().zip(expected) {
            assert_eq!(result.to_string(), expected, "{what} at {ty}");
        }
    }
}

/// The result of an operation where it is defined.
fn binary(op: BinOp, x: i128, y: i128, int: (&str, i128, i128)) -> Option<i128> {
    let (_, min, max) = int;
    let bits = i128::from((max - min + 1).ilog2());
    let shifted_out = !(0..bits).contains(&y);
    Some(match op {
        BinOp::Add => wrap(x + y, int),
        BinOp::Sub => wrap(x - y, int),
        BinOp::Mul => wrap(x.wrapping_mul(y), int),
        BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem if y == 0 => return None,
        BinOp::Div => wrap((x - x.rem_euclid(y.abs()) - if y < 0 && x.rem_euclid(y) != 0 { y } else { 0 }) / y, int),
        BinOp::Mod => {
            let r = x.rem_euclid(y.abs());
            if y < 0 && r != 0 { r + y } else { r }
        }
        BinOp::Quot => wrap(x / y, int),
        BinOp::Rem => x % y,
        BinOp::Pow if !(0..=64).contains(&y) => return None,
        BinOp::Pow => (0..y).fold(wrap(1, int), |p, _| wrap(p.wrapping_mul(x), int)),
        BinOp::Min => x.min(y),
        BinOp::Max => x.max(y),
        BinOp::And => wrap(x & y, int),
        BinOp::Or => wrap(x | y, int),
        BinOp::Xor => wrap(x ^ y, int),
        BinOp::Shl if shifted_out => 0,
        BinOp::Shl => wrap(x << y, int),
        BinOp::Shr if shifted_out => {
            if x < 0 {
                -1
            } else {
                0
            }
        }
        BinOp::Shr => x >> y,
    })
}

#[test]
fn floats() {
    for ty in ["f16", "f32", "f64"] {
        let table = "
            F: add 1.5F 2.25F = 3.75F
            F: sub 1.5F 2.25F = -0.75F
            F: mul 1.5F 2.5F = 3.75F
            F: div 1.0F 0.0F = F.inf
            F: div -1.0F 0.0F = -F.inf
            F: div 0.0F 0.0F = F.nan
            F: mod 5.5F 2.0F = 1.5F
            F: mod -5.5F 2.0F = -1.5F
            F: mod 5.5F -2.0F = 1.5F
            F: rem -5.5F 2.0F = -1.5F
            F: quot 5.0F 2.0F = 2.5F
            F: pow 2.0F 0.5F = ROOT
            F: pow 2.0F -1.0F = 0.5F
            F: min 1.0F F.nan = 1.0F
            F: min F.nan 1.0F = 1.0F
            F: max F.nan -1.0F = -1.0F
            F: max 1.0F F.nan = 1.0F
            F: max F.nan F.nan = F.nan
            F: min 1.0F 2.0F = 1.0F
            F: max 1.0F 2.0F = 2.0F
            F: neg 0.0F = -0.0F
            F: neg -F.inf = F.inf
            F: abs -0.0F = 0.0F
            F: abs -1.5F = 1.5F
            F: sgn -1.5F = -1.0F
            F: sgn 3.0F = 1.0F
            F: sgn -0.0F = -0.0F
            F: sgn F.nan = F.nan
            bool: eq F.nan F.nan = false
            bool: ne F.nan F.nan = true
            bool: lt F.nan 1.0F = false
            bool: le F.nan F.nan = false
            bool: gt 2.0F 1.0F = true
            bool: ge F.nan 1.0F = false
            bool: eq 0.0F -0.0F = true
            bool: le 1.0F 1.0F = true
            bool: lt -F.inf F.inf = true
            bool: gt 1.0F F.nan = false
            bool: ge 1.0F 1.0F = true
        ";
        let root = match ty {
            "f16" => "1.4140625f16",
            "f32" => "1.4142135f32",
            _ => "1.4142135623730951f64",
        };
        check_values(&table.replace("ROOT", root).replace('F', ty));
    }
}

#[test]
fn halves_are_rounded_after_each_operation() {
    check_values(
        "
        f16: add 2048.0f16 1.0f16 = 2048.0f16
        f16: add 2048.0f16 3.0f16 = 2052.0f16
        f16: mul 65504.0f16 2.0f16 = f16.inf
        f16: mul 0.00006103515625f16 0.0009765625f16 = 0.000000059604645f16
        f16: fma f16 (2048.0f16, 2.0f16, 1.0f16) = 4096.0f16
        f16: conv f16 65519 = 65504.0f16
        f16: conv f16 65520 = f16.inf
        f16: conv f16 2049i32 = 2048.0f16
        f16: conv f16 2051u16 = 2052.0f16
        f16: nextafter f16 (1.0f16, 2.0f16) = 1.0009766f16
        f16: nextafter f16 (0.0f16, -1.0f16) = -0.000000059604645f16
        f16: nextafter f16 (-1.0f16, 0.0f16) = -0.9995117f16
        ",
    );
}

#[test]
fn booleans() {
    check_values(
        "
        bool: and true false = false
        bool: or true false = true
        bool: xor true true = false
        bool: not true = false
        bool: not false = true
        bool: lt false true = true
        bool: le true false = false
        bool: eq true true = true
        bool: min true false = false
        bool: max true false = true
        bool: conv bool 0.0f32 = false
        bool: conv bool f64.nan = true
        bool: conv bool -3i8 = true
        bool: conv bool 0u64 = false
        bool: conv bool true = true
        f32: conv f32 true = 1.0f32
        i8: conv i8 true = 1i8
        ",
    );
}

#[test]
fn conversions_between_integers_wrap() {
    for (from, min, max) in INTS {
        for to @ (name, _, _) in INTS {
            for x in [min, min + 1, 0, 1, 100, max - 1, max] {
                // To an unsigned type by way of the unsigned type of the same width.
                let unsigned = if to.1 == 0 && x < 0 { x + (max - min + 1) } else { x };
                let expected = format!("{}{name}", wrap(unsigned, to));
                let exp = format!("conv {name} {}", constant(x, from));
                assert_eq!(value(name, &exp), expected, "{exp}");
            }
        }
    }
}

#[test]
fn conversions_from_and_to_floats() {
    check_values(
        "
        i32: conv i32 2.9f32 = 2i32
        i32: conv i32 -2.9f32 = -2i32
        i32: conv i32 f32.nan = 0i32
        i32: conv i32 f32.inf = 0i32
        i32: conv i32 -3e9f64 = -2147483648i32
        i32: conv i32 3e9f32 = 2147483647i32
        i16: conv i16 1e10f64 = -1i16
        u32: conv u32 3e9f64 = 3000000000u32
        u32: conv u32 -1.0f64 = 4294967295u32
        i64: conv i64 1e30f64 = 9223372036854775807i64
        i8: conv i8 300.0f64 = 44i8
        u8: conv u8 300.0f64 = 44u8
        u8: conv u8 -1.0f64 = 255u8
        u64: conv u64 1e30f64 = 18446744073709551615u64
        u64: conv u64 -0.5f16 = 0u64
        i64: conv i64 f64.inf = 0i64
        i64: conv i64 -f16.inf = 0i64
        f32: conv f32 16777217 = 16777216.0f32
        f32: conv f32 16777219 = 16777220.0f32
        f64: conv f64 9007199254740993 = 9007199254740992.0f64
        f64: conv f64 18446744073709551615u64 = 1.8446744073709552e19f64
        f32: conv f32 18446744073709551615u64 = 1.8446744e19f32
        f64: conv f64 -1i8 = -1.0f64
        f32: conv f32 0.1f64 = 0.1f32
        f64: conv f64 0.5f16 = 0.5f64
        f64: conv f64 0.5f32 = 0.5f64
        f32: conv f32 0.25f16 = 0.25f32
        f16: conv f16 0.1f64 = 0.099975586f16
        f16: conv f16 0.1f32 = 0.099975586f16
        f32: conv f32 f64.nan = f32.nan
        f64: conv f64 1.5f64 = 1.5f64
        f16: conv f16 1.5f16 = 1.5f16
        f32: conv f32 1.5f32 = 1.5f32
        ",
    );
}

#[test]
fn functions_of_bits() {
    check_values(
        "
        i32: popc i8 (-1i8) = 8i32
        i32: popc u64 (255u64) = 8i32
        i32: clz i16 (1i16) = 15i32
        i32: clz u32 (0u32) = 32i32
        i32: clz i8 (-1i8) = 0i32
        i32: ctz i32 (8i32) = 3i32
        i32: ctz i8 (0i8) = 8i32
        i8: mul_hi i8 (-128i8, 2i8) = -1i8
        u8: mul_hi u8 (255u8, 255u8) = 254u8
        i64: mul_hi i64 (-9223372036854775808, 4) = -2i64
        u64: mul_hi u64 (18446744073709551615u64, 18446744073709551615u64) = 18446744073709551614u64
        i64: mul_hi i64 (-1, -1) = 0i64
        u32: to_bits f32 (1.0f32) = 1065353216u32
        u64: to_bits f64 (-0.0f64) = 9223372036854775808u64
        u16: to_bits f16 (1.0f16) = 15360u16
        f32: from_bits f32 (1065353216u32) = 1.0f32
        f64: from_bits f64 (0u64) = 0.0f64
        f16: from_bits f16 (15360u16) = 1.0f16
        ",
    );
}

#[test]
fn rounding() {
    for ty in ["f16", "f32", "f64"] {
        let table = "
            F: round F (0.5F) = 0.0F
            F: round F (1.5F) = 2.0F
            F: round F (2.5F) = 2.0F
            F: round F (-0.5F) = -0.0F
            F: ceil F (1.25F) = 2.0F
            F: ceil F (-0.5F) = -0.0F
            F: floor F (-1.25F) = -2.0F
            F: trunc F (-1.75F) = -1.0F
            F: trunc F (F.inf) = F.inf
            F: copysign F (1.0F, -0.0F) = -1.0F
            F: ldexp F (1.5F, 3i32) = 12.0F
            F: ldexp F (1.0F, -1i32) = 0.5F
            F: ldexp F (1.0F, 2147483647i32) = F.inf
            F: ldexp F (1.5F, 3.0F) = 12.0F
            F: fma F (2.0F, 3.0F, 4.0F) = 10.0F
            F: hypot F (3.0F, 4.0F) = 5.0F
            F: sqrt F (-1.0F) = F.nan
            F: sqrt F (2.25F) = 1.5F
            F: rsqrt F (4.0F) = 0.5F
            F: cbrt F (-8.0F) = -2.0F
            F: nextafter F (F.nan, 1.0F) = F.nan
            F: nextafter F (1.0F, 1.0F) = 1.0F
            F: gamma F (5.0F) = 24.0F
            F: lgamma F (1.0F) = 0.0F
            F: log F (0.0F) = -F.inf
        ";
        check_values(&table.replace('F', ty));
    }
    check_values(
        "
        f32: nextafter f32 (0.0f32, 1.0f32) = 1.0e-45f32
        f64: nextafter f64 (1.0f64, 2.0f64) = 1.0000000000000002f64
        f32: fma f32 (16777217.0f32, 1.0f32, 1.0f32) = 16777216.0f32
        ",
    );
}

#[test]
fn mathematics_is_close_to_the_truth() {
    use MathFn as M;
    let table: [(MathFn, &[f64], f64); 26] = [
        (M::Exp, &[1.0], std::f64::consts::E),
        (M::Log, &[10.0], std::f64::consts::LN_10),
        (M::Log2, &[10.0], std::f64::consts::LOG2_10),
        (M::Log10, &[2.0], std::f64::consts::LOG10_2),
        (M::Log1p, &[1.0], std::f64::consts::LN_2),
        (M::Sin, &[1.0], 0.841_470_984_807_896_5),
        (M::Cos, &[1.0], 0.540_302_305_868_139_8),
        (M::Tan, &[1.0], 1.557_407_724_654_902_3),
        (M::Asin, &[1.0], std::f64::consts::FRAC_PI_2),
        (M::Acos, &[0.0], std::f64::consts::FRAC_PI_2),
        (M::Atan, &[1.0], std::f64::consts::FRAC_PI_4),
        (M::Sinh, &[1.0], 1.175_201_193_643_801_4),
        (M::Cosh, &[1.0], 1.543_080_634_815_243_7),
        (M::Tanh, &[1.0], 0.761_594_155_955_764_9),
        (M::Asinh, &[1.0], 0.881_373_587_019_543),
        (M::Acosh, &[2.0], 1.316_957_896_924_816_6),
        (M::Atanh, &[0.5], 0.549_306_144_334_054_8),
        (M::Atan2, &[1.0, -1.0], 3.0 * std::f64::consts::FRAC_PI_4),
        (M::Hypot, &[1.0, 1.0], std::f64::consts::SQRT_2),
        (M::Gamma, &[0.5], 1.772_453_850_905_516),
        (M::Lgamma, &[0.5], 0.572_364_942_924_700_1),
        (M::Erf, &[0.5], 0.520_499_877_813_046_5),
        (M::Erfc, &[0.5], 0.479_500_122_186_953_5),
        (M::Sqrt, &[2.0], std::f64::consts::SQRT_2),
        (M::Rsqrt, &[2.0], std::f64::consts::FRAC_1_SQRT_2),
        (M::Cbrt, &[2.0], 1.259_921_049_894_873_2),
    ];
    for (f, args, truth) in table {
        for (ty, tolerance) in [("f16", 1e-3), ("f32", 2e-7), ("f64", 4e-16)] {
            let args: Vec<String> = args.iter().map(|x| format!("{x:?}{ty}")).collect();
            let result = value(ty, &format!("{} {ty} ({})", f.text(), args.join(", ")));
            let result: f64 = result.trim_end_matches(ty).parse().unwrap();
            let error = ((result - truth) / truth).abs();
            assert!(error <= tolerance, "{} at {ty}: {result}, not {truth}", f.text());
        }
    }
}
