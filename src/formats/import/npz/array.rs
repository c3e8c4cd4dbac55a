//! One NumPy array: the header of an `.npy` file and its numbers.
//!
//! The format is NumPy's `NEP 1`: a magic, a version, the length of the header, a Python dictionary with the keys `descr`,
//! `fortran_order` and `shape`, and the numbers. The dictionary is parsed here because sizes must be checked before they
//! are multiplied or allocated.

use std::path::Path;

use half::f16;

use crate::import::{Fault, ImportError, file_name};
use portamento_base::progress::Progress;

/// First bytes of every `.npy` file.
pub(super) const MAGIC: &[u8] = b"\x93NUMPY";

/// Maximum length of the header, bytes. NumPy itself refuses longer ones by default.
const MAX_HEADER_BYTES: usize = 10_000;

/// Maximum number of dimensions, as in NumPy.
const MAX_DIMENSIONS: usize = 64;

/// Numbers converted between two checks for cancellation.
const NUMBERS_PER_CHECK: usize = 1 << 16;

/// The numbers of an array in C order: the last index changes fastest.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Array {
    /// The length of each dimension; empty for a single number.
    pub shape: Vec<usize>,
    /// The values. Their number is the product of `shape`.
    pub values: Vec<f32>,
}

/// The decoded header of an array.
#[derive(Debug, PartialEq)]
struct Header {
    number: Number,
    is_big_endian: bool,
    is_fortran_order: bool,
    shape: Vec<usize>,
    /// Product of `shape`.
    count: usize,
}

/// The type of the numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Number {
    F16,
    F32,
    F64,
    Signed(usize),
    Unsigned(usize),
}

/// Reads the array `name` of the file at `path` from the bytes of an `.npy` file.
///
/// Errors: the header is damaged; the array holds Python objects, text or other values that are no numbers; its data end before
/// its shape does; it needs more memory than the budget of `progress` has; the import was cancelled.
pub(super) fn read(name: &str, bytes: &[u8], path: &Path, progress: &Progress) -> Result<Array, ImportError> {
    let fault = |reason: String| Fault::new(format!("array \"{name}\""), reason).not_motion(path);
    let (header, data) = split(bytes).map_err(fault)?;
    let Header { number, is_big_endian, is_fortran_order, shape, count } = header;
    let expected = count.checked_mul(number.bytes()).filter(|&expected| expected <= data.len());
    let Some(expected) = expected else {
        let shape = shape.iter().map(usize::to_string).collect::<Vec<_>>().join(" × ");
        return Err(fault(format!("ends early: its shape is {shape}, but {} bytes follow the header", data.len())));
    };
    let copies = if is_fortran_order { 2 } else { 1 };
    progress.budget().take((copies * count * size_of::<f32>()) as u64, &|| file_name(path))?;
    let mut values = Vec::with_capacity(count);
    for part in data[..expected].chunks(NUMBERS_PER_CHECK * number.bytes()) {
        progress.step(0, 2)?;
        values.extend(part.chunks_exact(number.bytes()).map(|one| number.value(one, is_big_endian)));
    }
    Ok(Array { values: if is_fortran_order { from_fortran_order(&values, &shape) } else { values }, shape })
}

/// Returns the header of an `.npy` file and the bytes after it. Returns `Err`, as the rest of a sentence about the array, if
/// the header is damaged or too long.
fn split(bytes: &[u8]) -> Result<(Header, &[u8]), String> {
    let rest = bytes.strip_prefix(MAGIC).ok_or("is no NumPy array")?;
    let (version, rest) = rest.split_first_chunk::<2>().ok_or("ends in its header")?;
    let (length, rest) = match version {
        [1, _] => rest.split_first_chunk::<2>().map(|(two, rest)| (u32::from(u16::from_le_bytes(*two)), rest)),
        [2 | 3, _] => rest.split_first_chunk::<4>().map(|(four, rest)| (u32::from_le_bytes(*four), rest)),
        [major, minor] => return Err(format!("has the unknown format version {major}.{minor}")),
    }
    .ok_or("ends in its header")?;
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    if length > MAX_HEADER_BYTES {
        return Err(format!("has a header of {length} bytes; at most {MAX_HEADER_BYTES} are read"));
    }
    let (text, data) = rest.split_at_checked(length).ok_or("ends in its header")?;
    Ok((header(&String::from_utf8_lossy(text))?, data))
}

/// Parses the dictionary of a header. Returns `Err`, as the rest of a sentence about the array, if a key is missing or its
/// value is not understood.
fn header(text: &str) -> Result<Header, String> {
    let value = |key: &str| {
        let quoted = [format!("'{key}'"), format!("\"{key}\"")];
        let after = quoted.iter().find_map(|key| Some(text.split_once(key.as_str())?.1));
        let value = after.and_then(|rest| rest.trim_start().strip_prefix(':'));
        value.map(str::trim_start).ok_or_else(|| format!("has a header without \"{key}\""))
    };
    let is_fortran_order = value("fortran_order")?.starts_with("True");
    let (number, is_big_endian) = number_type(value("descr")?)?;
    let shape = value("shape")?.strip_prefix(['(', '[']).and_then(|rest| Some(rest.split_once([')', ']'])?.0));
    let lengths = shape.ok_or("has a header without a shape")?.split(',').map(str::trim);
    // Python 2 wrote long integers as `5L`.
    let length = |text: &str| {
        text.trim_end_matches('L')
            .parse::<usize>()
            .map_err(|_| format!("has the length \"{}\" in its shape", short(text)))
    };
    let shape = lengths.filter(|text| !text.is_empty()).map(length).collect::<Result<Vec<_>, _>>()?;
    if shape.len() > MAX_DIMENSIONS {
        return Err(format!("has {} dimensions; at most {MAX_DIMENSIONS} are read", shape.len()));
    }
    let count = shape.iter().try_fold(1_usize, |count, &length| count.checked_mul(length));
    let count = count.ok_or("has a shape with more numbers than any computer holds")?;
    Ok(Header { number, is_big_endian, is_fortran_order, shape, count })
}

/// Parses the type of the numbers at the beginning of `text`: `'<f4'`, `'|b1'`, `'>i8'`. The second value is true for big
/// endian. Returns `Err`, as the rest of a sentence, for records, Python objects and texts.
fn number_type(text: &str) -> Result<(Number, bool), String> {
    let quoted = text.strip_prefix(['\'', '"']).and_then(|rest| Some(rest.split_once(['\'', '"'])?.0));
    // Records are written as a list.
    let Some(name) = quoted else {
        return Err("holds records, not numbers. Save each field as an array of its own".into());
    };
    let is_big_endian = name.starts_with('>');
    let number = match name.trim_start_matches(['<', '>', '|', '=']) {
        "f2" => Number::F16,
        "f4" => Number::F32,
        "f8" => Number::F64,
        "b1" => Number::Unsigned(1),
        kind => match (kind.get(..1), kind.get(1..).and_then(|size| size.parse().ok())) {
            (Some("i"), Some(size @ (1 | 2 | 4 | 8))) => Number::Signed(size),
            (Some("u"), Some(size @ (1 | 2 | 4 | 8))) => Number::Unsigned(size),
            (Some("O"), _) => {
                return Err("is a pickled Python object. Pickles can run programs and are never opened. \
                            Save it as an array of numbers"
                    .into());
            }
            _ => return Err(format!("has values of the type \"{}\"; numbers are expected", short(name))),
        },
    };
    Ok((number, is_big_endian))
}

/// Returns the first letters of `text`, for messages.
fn short(text: &str) -> String {
    text.chars().take(40).collect()
}

impl Number {
    /// Returns the size of one number in bytes.
    fn bytes(self) -> usize {
        match self {
            Self::F16 => 2,
            Self::F32 => 4,
            Self::F64 => 8,
            Self::Signed(bytes) | Self::Unsigned(bytes) => bytes,
        }
    }

    /// Returns the value of [`Number::bytes`] bytes.
    fn value(self, bytes: &[u8], is_big_endian: bool) -> f32 {
        // Little endian, extended to eight bytes.
        let mut eight = [0; 8];
        eight.iter_mut().zip(bytes).for_each(|(to, &from)| *to = from);
        if is_big_endian {
            eight[..bytes.len()].reverse();
        }
        let bits = u64::from_le_bytes(eight);
        match self {
            Self::F16 => f16::from_bits(bits as u16).to_f32(),
            Self::F32 => f32::from_bits(bits as u32),
            Self::F64 => f64::from_bits(bits) as f32,
            Self::Unsigned(_) => bits as f32,
            Self::Signed(size) => {
                let unused = 64 - 8 * size as u32;
                ((bits << unused) as i64 >> unused) as f32
            }
        }
    }
}

/// Returns `values`, whose first index changes fastest, in C order.
fn from_fortran_order(values: &[f32], shape: &[usize]) -> Vec<f32> {
    let mut index = vec![0; shape.len()];
    let mut strides = vec![1; shape.len()];
    for axis in 1..shape.len() {
        strides[axis] = strides[axis - 1] * shape[axis - 1];
    }
    let mut ordered = Vec::with_capacity(values.len());
    for _ in 0..values.len() {
        ordered.push(values[index.iter().zip(&strides).map(|(at, stride)| at * stride).sum::<usize>()]);
        for axis in (0..shape.len()).rev() {
            index[axis] += 1;
            if index[axis] < shape[axis] {
                break;
            }
            index[axis] = 0;
        }
    }
    ordered
}
