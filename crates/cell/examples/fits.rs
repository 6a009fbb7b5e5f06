//! Prints what the experiments fit, as the files of `presets/cells` should hold it.

fn main() -> Result<(), wordline_cell::Error> {
    for experiment in wordline_cell::experiments::ALL {
        for fit in (experiment.fits)()? {
            println!(
                "# {} ({}): {} numbers, {}",
                fit.chip, experiment.name, fit.numbers, fit.method
            );
            for (path, value) in &fit.parameters {
                println!("{path} = {value:.6}");
            }
        }
    }
    Ok(())
}
