//! Parts of a whole, as they are read at a glance.

/// A share below which nothing is left but rounding.
const ROUNDING: f64 = 1e-7;
/// The smallest share that two digits after the point can tell.
const SMALLEST: f64 = 1e-4;

/// `share` in percent; what is too small for two digits is told to be less than they can tell, and never by an exponent.
pub fn share(share: f64) -> String {
    match share.abs() {
        size if size < ROUNDING => "0 %".to_owned(),
        size if size < SMALLEST => "< 0.01 %".to_owned(),
        _ => format!("{:.2} %", 100.0 * share),
    }
}

#[cfg(test)]
mod tests {
    use super::share;

    #[test]
    fn no_share_has_an_exponent() {
        let told = [0.0, 1e-12, 1e-5, 2.5e-4, 0.5, -0.031].map(share);
        assert_eq!(told, ["0 %", "0 %", "< 0.01 %", "0.03 %", "50.00 %", "-3.10 %"]);
    }
}
