//! Parses JSON within the memory limit. A file of `[0,0,0…]` takes many times its size as values.

use serde::de::{DeserializeOwned, Error as _};
use serde_json::Result;

use crate::budget::Budget;

/// Bytes per value while a list of them grows: `size_of::<serde_json::Value>()` in the old list and in the new one of
/// double length, rounded up. Measured: 151 bytes.
const BYTES_PER_VALUE: u64 = 160;

/// Parses `bytes`. Returns `Err` if they are no JSON of a `T`, or if their values exceed the memory limit.
pub fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    parse_within(bytes, &Budget::new())
}

/// Parses `bytes`. Returns `Err` if they are no JSON of a `T`, or if their values need more memory than `budget` has left.
pub fn parse_within<T: DeserializeOwned>(bytes: &[u8], budget: &Budget) -> Result<T> {
    let _reservation = budget.reserve(bytes_needed(bytes), &|| "The JSON".into()).map_err(serde_json::Error::custom)?;
    serde_json::from_slice(bytes)
}

/// Returns the memory that the values of `bytes` take at most: every value but the first follows a comma or a bracket.
fn bytes_needed(bytes: &[u8]) -> u64 {
    let values = bytes.iter().filter(|byte| matches!(byte, b',' | b'[' | b'{' | b':')).count() as u64;
    values.saturating_add(1).saturating_mul(BYTES_PER_VALUE).saturating_add(bytes.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn a_file_of_many_small_values_is_refused_before_it_is_parsed() {
        let list = format!("[{}0]", "0,".repeat(1 << 20));
        let refused = parse_within::<Value>(list.as_bytes(), &Budget::with_limit(100 << 20)).unwrap_err().to_string();
        assert!(refused.starts_with("The JSON needs"), "{refused}");
        let budget = Budget::with_limit(200 << 20);
        let read: Vec<u8> = parse_within(list.as_bytes(), &budget).unwrap();
        assert_eq!((read.len(), budget.left()), ((1 << 20) + 1, 200 << 20));
    }

    #[test]
    fn text_counts_once_and_wrong_json_is_an_error() {
        let text = format!("\"{}\"", "x".repeat(1 << 20));
        assert!(parse_within::<String>(text.as_bytes(), &Budget::with_limit(2 << 20)).is_ok());
        assert!(parse::<Value>(b"[1,").is_err() && parse::<u8>(b"\"a\"").is_err());
    }
}
