use super::*;

/// The result of [`run`], computed from the equations without matrices: velocity, position and bests after five
/// iterations.
fn by_hand() -> Vec<Vec<f32>> {
    let (d, n) = CHECKED;
    let mut host = Reference::new(CHECKED);
    let mut draw = |buffer: Buffer| {
        host.uniform(buffer).unwrap();
        host.read(buffer).unwrap()
    };
    let place = |u: &f32| 10.24 * u - 5.12;
    let mut x: Vec<f32> = draw(Buffer::Position).iter().map(place).collect();
    let mut v: Vec<f32> = draw(Buffer::Velocity).iter().map(place).collect();
    v.iter_mut().zip(&x).for_each(|(v, x)| *v = 0.5 * (*v - x));
    let mut p = x.clone();
    let value = |row: &[f32]| row.iter().map(|x| x * x).sum::<f32>();
    let mut values: Vec<f32> = x.chunks(d).map(value).collect();
    let mut best = values.clone();
    for _ in 0..5 {
        let least = best.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1)).unwrap().0;
        let g = p[least * d..][..d].to_vec();
        let (r1, r2) = (draw(Buffer::T1), draw(Buffer::T1));
        for e in 0..d * n {
            v[e] =
                0.7298 * v[e] + 1.4962 * r1[e] * (p[e] - x[e]) + 1.4962 * r2[e] * (g[e % d] - x[e]);
            x[e] += v[e];
        }
        for j in 0..n {
            values[j] = value(&x[j * d..][..d]);
            if values[j] < best[j] {
                best[j] = values[j];
                p[j * d..][..d].copy_from_slice(&x[j * d..][..d]);
            }
        }
    }
    let least = best.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1)).unwrap().0;
    let g = p[least * d..][..d].to_vec();
    vec![x, v, p, g, values]
}

#[test]
fn every_way_is_the_equations() {
    let expected = by_hand();
    for way in WAYS {
        let found = run(&mut Reference::new(CHECKED), way).unwrap();
        for (buffer, (found, expected)) in STATE.iter().zip(found.iter().zip(&expected)) {
            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(expected) {
                let apart = (found - expected).abs() / expected.abs().max(1.0);
                assert!(apart < 1e-4, "{way:?}, {buffer:?}: {found}, and {expected} by hand");
            }
        }
    }
}

#[test]
fn a_wrong_size_is_seen() {
    let mut blas = Reference::new(CHECKED);
    let (whole, short) = (blas::Matrix(Buffer::T1, 7), blas::Matrix(Buffer::T1, 6));
    assert!(blas.geam((7, 257), (0.0, whole), (0.0, whole), whole).is_ok());
    let wrong = std::panic::AssertUnwindSafe(|| {
        Reference::new(CHECKED).geam((7, 257), (0.0, short), (0.0, short), short)
    });
    assert!(std::panic::catch_unwind(wrong).is_err());
}

#[test]
fn lines_are_json_of_one_line() {
    let way = WAYS[1];
    let text = line("a GPU", 130_000, (10, 1024), way, &Ok((12.5, 70)));
    assert_eq!(
        text,
        "{\"device\": \"a GPU\", \"cublas\": 130000, \"individuals\": 1024, \"dimensions\": 10, \"product\": \"dgmm\", \
         \"bests\": \"kernels\", \"us\": 12.500, \"iterations\": 70}"
    );
    let text = line("a GPU", 130_000, (10, 1024), way, &Err(anyhow::anyhow!("no \"room\"")));
    assert!(text.ends_with("\"us\": null, \"error\": \"no \\\"room\\\"\"}"), "{text}");
}
