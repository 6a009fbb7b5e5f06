//! Prints an experiment's comparison: `cargo run --example report -- NAME`.

fn main() -> Result<(), wordline_cell::Error> {
    let name = std::env::args().nth(1).unwrap_or_default();
    for item in wordline_cell::experiments::run(&name)?.items {
        let number = |value: Option<f64>| value.map_or("-".into(), |v| format!("{v:.4}"));
        let (reference, ours) = (number(item.reference), number(item.ours));
        let status = format!("{:?}", item.status);
        println!(
            "{:<52} {reference:>12} {ours:>12} {:>8} {status}",
            item.id,
            number(item.deviation)
        );
    }
    Ok(())
}
