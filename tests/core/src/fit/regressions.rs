//! NIST's nonlinear regressions: data, models with their partial derivatives, and certified values.
//!
//! Certified values and standard deviations are from NIST's Statistical Reference Datasets, which are in the public
//! domain. Data are read from the sources of `problems::nist`, if the problem exists there too.

use warpswarm_core::Real;

/// A regression with `N` parameters.
pub(crate) struct Regression<const N: usize> {
    pub(crate) name: &'static str,
    pub(crate) rows: Vec<[f64; 2]>,
    pub(crate) starts: [[f64; N]; 2],
    pub(crate) certified: [f64; N],
    pub(crate) deviations: [f64; N],
    pub(crate) sum: f64,
}

/// A model and its partial derivatives at t.
pub(crate) trait Model<const N: usize> {
    fn regression() -> Regression<N>;
    fn at<R: Real>(b: &[R; N], t: R) -> (R, [R; N]);
}

/// The constant `ROWS` of a source of `problems::nist`.
fn rows(source: &str) -> Vec<[f64; 2]> {
    let (_, text) = source.split_once("const ROWS").unwrap();
    let (_, text) = text.split_once("= [").unwrap();
    let number = |text: &str| text.trim().replace('_', "").parse::<f64>().unwrap();
    let pair = |row: &str| {
        let (x, y) = row.split_once(']').unwrap().0.split_once(',').unwrap();
        [number(x), number(y)]
    };
    text.split('[').skip(1).map(pair).collect()
}

fn pairs(x: &[f64], y: &[f64]) -> Vec<[f64; 2]> {
    x.iter().zip(y).map(|(&x, &y)| [x, y]).collect()
}

fn number<R: Real>(x: f64) -> R {
    R::from_f64(x)
}

/// b1 (1 - exp(-b2 t))
fn saturation<R: Real>([b1, b2]: &[R; 2], t: R) -> (R, [R; 2]) {
    let e = (-*b2 * t).exp();
    (*b1 * (R::ONE - e), [R::ONE - e, *b1 * t * e])
}

pub(crate) struct Misra1a;
impl Model<2> for Misra1a {
    fn regression() -> Regression<2> {
        let x = [
            77.6, 114.9, 141.1, 190.8, 239.9, 289.0, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1,
            689.1, 760.0,
        ];
        let y = [
            10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01, 66.40,
            75.47, 81.78,
        ];
        Regression {
            name: "Misra1a",
            rows: pairs(&x, &y),
            starts: [[500.0, 1e-4], [250.0, 5e-4]],
            certified: [2.3894212918E+02, 5.5015643181E-04],
            deviations: [2.7070075241, 7.2668688436E-06],
            sum: 1.2455138894E-01,
        }
    }
    fn at<R: Real>(b: &[R; 2], t: R) -> (R, [R; 2]) {
        saturation(b, t)
    }
}

pub(crate) struct BoxBod;
impl Model<2> for BoxBod {
    fn regression() -> Regression<2> {
        Regression {
            name: "BoxBOD",
            rows: pairs(
                &[1.0, 2.0, 3.0, 5.0, 7.0, 10.0],
                &[109.0, 149.0, 149.0, 191.0, 213.0, 224.0],
            ),
            starts: [[1.0, 1.0], [100.0, 0.75]],
            certified: [2.1380940889E+02, 5.4723748542E-01],
            deviations: [1.2354515176E+01, 1.0455993237E-01],
            sum: 1.1680088766E+03,
        }
    }
    fn at<R: Real>(b: &[R; 2], t: R) -> (R, [R; 2]) {
        saturation(b, t)
    }
}

pub(crate) struct Mgh10;
impl Model<3> for Mgh10 {
    fn regression() -> Regression<3> {
        let y = [
            34780.0, 28610.0, 23650.0, 19630.0, 16370.0, 13720.0, 11540.0, 9744.0, 8261.0, 7030.0,
            6005.0, 5147.0, 4427.0, 3820.0, 3307.0, 2872.0,
        ];
        Regression {
            name: "MGH10",
            rows: y.iter().enumerate().map(|(i, &y)| [50.0 + 5.0 * i as f64, y]).collect(),
            starts: [[2.0, 400000.0, 25000.0], [0.02, 4000.0, 250.0]],
            certified: [5.6096364710E-03, 6.1813463463E+03, 3.4522363462E+02],
            deviations: [1.5687892471E-04, 2.3309021107E+01, 7.8486103508E-01],
            sum: 8.7945855171E+01,
        }
    }
    fn at<R: Real>([b1, b2, b3]: &[R; 3], t: R) -> (R, [R; 3]) {
        let below = t + *b3;
        let e = (*b2 / below).exp();
        let value = *b1 * e;
        (value, [e, value / below, -value * *b2 / (below * below)])
    }
}

pub(crate) struct Rat42;
impl Model<3> for Rat42 {
    fn regression() -> Regression<3> {
        Regression {
            name: "Rat42",
            rows: pairs(
                &[9.0, 14.0, 21.0, 28.0, 42.0, 57.0, 63.0, 70.0, 79.0],
                &[8.93, 10.80, 18.59, 22.33, 39.35, 56.11, 61.73, 64.62, 67.08],
            ),
            starts: [[100.0, 1.0, 0.1], [75.0, 2.5, 0.07]],
            certified: [7.2462237576E+01, 2.6180768402, 6.7359200066E-02],
            deviations: [1.7340283401, 8.8295217536E-02, 3.4465663377E-03],
            sum: 8.0565229338,
        }
    }
    fn at<R: Real>([b1, b2, b3]: &[R; 3], t: R) -> (R, [R; 3]) {
        let e = (*b2 - *b3 * t).exp();
        let inverse = R::ONE / (R::ONE + e);
        let slope = *b1 * inverse * inverse * e;
        (*b1 * inverse, [inverse, -slope, slope * t])
    }
}

pub(crate) struct Rat43;
impl Model<4> for Rat43 {
    fn regression() -> Regression<4> {
        let y = [
            16.08, 33.83, 65.80, 97.20, 191.55, 326.20, 386.87, 520.53, 590.03, 651.92, 724.93,
            699.56, 689.96, 637.56, 717.41,
        ];
        Regression {
            name: "Rat43",
            rows: y.iter().enumerate().map(|(i, &y)| [1.0 + i as f64, y]).collect(),
            starts: [[100.0, 10.0, 1.0, 1.0], [700.0, 5.0, 0.75, 1.3]],
            certified: [6.9964151270E+02, 5.2771253025, 7.5962938329E-01, 1.2792483859],
            deviations: [1.6302297817E+01, 2.0828735829, 1.9566123451E-01, 6.8761936385E-01],
            sum: 8.7864049080E+03,
        }
    }
    fn at<R: Real>([b1, b2, b3, b4]: &[R; 4], t: R) -> (R, [R; 4]) {
        let e = (*b2 - *b3 * t).exp();
        let base = R::ONE + e;
        let root = base.pow(-R::ONE / *b4);
        let value = *b1 * root;
        let slope = value * e / (*b4 * base);
        (value, [root, -slope, slope * t, value * base.ln() / (*b4 * *b4)])
    }
}

pub(crate) struct Mgh09;
impl Model<4> for Mgh09 {
    fn regression() -> Regression<4> {
        Regression {
            name: "MGH09",
            rows: rows(include_str!("../../../../crates/core/src/problems/nist/mgh09.rs")),
            starts: [[25.0, 39.0, 41.5, 39.0], [0.25, 0.39, 0.415, 0.39]],
            certified: [0.19280693458, 0.19128232873, 0.12305650693, 0.13606233068],
            deviations: [1.1435312227E-02, 1.9633220911E-01, 8.0842031232E-02, 9.0025542308E-02],
            sum: 3.0750560385E-04,
        }
    }
    fn at<R: Real>([b1, b2, b3, b4]: &[R; 4], t: R) -> (R, [R; 4]) {
        let (above, below) = (t * t + *b2 * t, t * t + *b3 * t + *b4);
        let value = *b1 * above / below;
        (value, [above / below, *b1 * t / below, -value * t / below, -value / below])
    }
}

/// (b1 + b2 t + b3 t^2 + b4 t^3) / (1 + b5 t + b6 t^2 + b7 t^3)
fn rational<R: Real>(b: &[R; 7], t: R) -> (R, [R; 7]) {
    let (t2, t3) = (t * t, t * t * t);
    let above = b[0] + b[1] * t + b[2] * t2 + b[3] * t3;
    let below = R::ONE + b[4] * t + b[5] * t2 + b[6] * t3;
    let (inverse, value) = (R::ONE / below, above / below);
    let slope = -value * inverse;
    let above = [inverse, t * inverse, t2 * inverse, t3 * inverse];
    (value, [above[0], above[1], above[2], above[3], slope * t, slope * t2, slope * t3])
}

pub(crate) struct Thurber;
impl Model<7> for Thurber {
    fn regression() -> Regression<7> {
        Regression {
            name: "Thurber",
            rows: rows(include_str!("../../../../crates/core/src/problems/nist/thurber.rs")),
            starts: [
                [1000.0, 1000.0, 400.0, 40.0, 0.7, 0.3, 0.03],
                [1300.0, 1500.0, 500.0, 75.0, 1.0, 0.4, 0.05],
            ],
            certified: [
                1288.13968,
                1491.0792535,
                583.23836877,
                75.416644291,
                0.96629502864,
                0.39797285797,
                0.049727297349,
            ],
            deviations: [
                4.6647963344,
                3.9571156086E+01,
                2.8698696102E+01,
                5.5675370270,
                3.1333340687E-02,
                1.4984928198E-02,
                6.5842344623E-03,
            ],
            sum: 5642.7082397,
        }
    }
    fn at<R: Real>(b: &[R; 7], t: R) -> (R, [R; 7]) {
        rational(b, t)
    }
}

pub(crate) struct Hahn1;
impl Model<7> for Hahn1 {
    fn regression() -> Regression<7> {
        Regression {
            name: "Hahn1",
            rows: rows(include_str!("../../../../crates/core/src/problems/nist/hahn1.rs")),
            starts: [
                [10.0, -1.0, 0.05, -1e-5, -0.05, 0.001, -1e-6],
                [1.0, -0.1, 0.005, -1e-6, -0.005, 1e-4, -1e-7],
            ],
            certified: [
                1.0776351733,
                -0.12269296921,
                0.004086375061,
                -1.4262662514e-06,
                -0.0057609940901,
                0.00024053735503,
                -1.2314450199e-07,
            ],
            deviations: [
                1.7070154742E-01,
                1.2000289189E-02,
                2.2508314937E-04,
                2.7578037666E-07,
                2.4712888219E-04,
                1.0449373768E-05,
                1.3027335327E-08,
            ],
            sum: 1.5324382854,
        }
    }
    fn at<R: Real>(b: &[R; 7], t: R) -> (R, [R; 7]) {
        rational(b, t)
    }
}

/// height exp(-((t - centre) / width)^2)
fn bell<R: Real>(height: R, centre: R, width: R, t: R) -> (R, [R; 3]) {
    let z = (t - centre) / width;
    let e = (-(z * z)).exp();
    let slope = R::TWO * height * e * z / width;
    (height * e, [e, slope, slope * z])
}

pub(crate) struct Gauss2;
impl Model<8> for Gauss2 {
    fn regression() -> Regression<8> {
        Regression {
            name: "Gauss2",
            rows: rows(include_str!("../../../../crates/core/src/problems/nist/gauss2.rs")),
            starts: [
                [96.0, 0.009, 103.0, 106.0, 18.0, 72.0, 151.0, 18.0],
                [98.0, 0.0105, 103.0, 105.0, 20.0, 73.0, 150.0, 20.0],
            ],
            certified: [
                99.018328406,
                0.010994945399,
                101.88022528,
                107.03095519,
                23.578584029,
                72.045589471,
                153.27010194,
                19.525972636,
            ],
            deviations: [
                5.3748766879E-01,
                1.3335306766E-04,
                5.9217315772E-01,
                1.5006798316E-01,
                2.2695595067E-01,
                6.1721965884E-01,
                1.9466674341E-01,
                2.6416549393E-01,
            ],
            sum: 1247.5282092,
        }
    }
    fn at<R: Real>(b: &[R; 8], t: R) -> (R, [R; 8]) {
        let e = (-b[1] * t).exp();
        let (first, [p2, p3, p4]) = bell(b[2], b[3], b[4], t);
        let (second, [p5, p6, p7]) = bell(b[5], b[6], b[7], t);
        (b[0] * e + first + second, [e, -t * b[0] * e, p2, p3, p4, p5, p6, p7])
    }
}

pub(crate) struct Lanczos3;
impl Model<6> for Lanczos3 {
    fn regression() -> Regression<6> {
        Regression {
            name: "Lanczos3",
            rows: rows(include_str!("../../../../crates/core/src/problems/nist/lanczos3.rs")),
            starts: [[1.2, 0.3, 5.6, 5.5, 6.5, 7.6], [0.5, 0.7, 3.6, 4.2, 4.0, 6.3]],
            certified: [
                0.086816414977,
                0.95498101505,
                0.84400777463,
                2.9515951832,
                1.5825685901,
                4.9863565084,
            ],
            deviations: [
                1.7197908859E-02,
                9.7041624475E-02,
                4.1488663282E-02,
                1.0766312506E-01,
                5.8371576281E-02,
                3.4436403035E-02,
            ],
            sum: 1.6117193594e-08,
        }
    }
    fn at<R: Real>(b: &[R; 6], t: R) -> (R, [R; 6]) {
        let e = [1, 3, 5].map(|i| (-b[i] * t).exp());
        let value = b[0] * e[0] + b[2] * e[1] + b[4] * e[2];
        let slope = |i: usize| -t * b[2 * i] * e[i];
        (value, [e[0], slope(0), e[1], slope(1), e[2], slope(2)])
    }
}

pub(crate) struct Enso;
impl Model<9> for Enso {
    fn regression() -> Regression<9> {
        Regression {
            name: "ENSO",
            rows: rows(include_str!("../../../../crates/core/src/problems/nist/enso.rs")),
            starts: [
                [11.0, 3.0, 0.5, 40.0, -0.7, -1.3, 25.0, -0.3, 1.4],
                [10.0, 3.0, 0.5, 44.0, -1.5, 0.5, 26.0, -0.1, 1.5],
            ],
            certified: [
                10.510749193,
                3.0762128085,
                0.53280138227,
                44.3110887,
                -1.6231428586,
                0.52554493756,
                26.88761444,
                0.21232288488,
                1.4966870418,
            ],
            deviations: [
                1.7488832467E-01,
                2.4310052139E-01,
                2.4354686618E-01,
                9.4408025976E-01,
                2.8078369611E-01,
                4.8073701119E-01,
                4.1612939130E-01,
                5.1460022911E-01,
                2.5434468893E-01,
            ],
            sum: 788.53978668,
        }
    }
    fn at<R: Real>(b: &[R; 9], t: R) -> (R, [R; 9]) {
        // The wave, and its partial derivatives by both amplitudes and by the period.
        let wave = |period: R, cosine: R, sine: R| {
            let turns = t / period;
            let (c, s) = (turns.cos_turns(), turns.sin_turns());
            let angle = number::<R>(-core::f64::consts::TAU) * turns / period;
            (cosine * c + sine * s, c, s, (sine * c - cosine * s) * angle)
        };
        let (year, c1, s1, _) = wave(number(12.0), b[1], b[2]);
        let (second, c2, s2, period2) = wave(b[3], b[4], b[5]);
        let (third, c3, s3, period3) = wave(b[6], b[7], b[8]);
        let value = b[0] + year + second + third;
        (value, [R::ONE, c1, s1, period2, c2, s2, period3, c3, s3])
    }
}
