//! Percentages for display.

/// Fractions below this are rounding errors.
const ROUNDING_MAX: f64 = 1e-7;
/// The smallest fraction visible with two decimals of percent.
const MIN_DISPLAYED: f64 = 1e-4;

/// Formats a fraction (1 = 100 %) in percent with two decimals. A smaller one is "< 0.01 %", and a rounding error "0 %".
pub fn share(share: f64) -> String {
    match share.abs() {
        size if size < ROUNDING_MAX => "0 %".to_owned(),
        size if size < MIN_DISPLAYED => "< 0.01 %".to_owned(),
        _ => format!("{:.2} %", 100.0 * share),
    }
}

#[cfg(test)]
mod tests {
    use super::share;

    #[test]
    fn no_share_has_an_exponent() {
        let texts = [0.0, 1e-12, 1e-5, 2.5e-4, 0.5, -0.031].map(share);
        assert_eq!(texts, ["0 %", "0 %", "< 0.01 %", "0.03 %", "50.00 %", "-3.10 %"]);
    }
}
