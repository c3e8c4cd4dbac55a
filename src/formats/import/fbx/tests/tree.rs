//! An FBX as a tree of records, written as text or binary in any version.

/// A record: a name, values, and child records.
#[derive(Clone, Debug, Default)]
pub(super) struct Record {
    name: &'static str,
    values: Vec<Value>,
    children: Vec<Record>,
}

#[derive(Clone, Debug)]
pub(super) enum Value {
    Int(i32),
    Long(i64),
    Real(f64),
    Text(String),
    /// The class and name of an object.
    Object(&'static str, String),
    /// A letter among the numbers of keys.
    Letter(char),
    Bytes(Vec<u8>),
    Ints(Vec<i32>),
    Longs(Vec<i64>),
    Singles(Vec<f32>),
    /// Slopes, and as the third of each four the bits of two weights.
    KeyData(Vec<[f32; 4]>),
    Reals(Vec<f64>),
}

/// Form of the file.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    Text,
    /// Binary, with compressed arrays if `packed`.
    Binary {
        packed: bool,
    },
}

impl From<i32> for Value {
    fn from(value: i32) -> Self {
        Self::Int(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Long(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Real(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl From<Vec<f64>> for Value {
    fn from(values: Vec<f64>) -> Self {
        Self::Reals(values)
    }
}

impl From<Vec<i32>> for Value {
    fn from(values: Vec<i32>) -> Self {
        Self::Ints(values)
    }
}

impl Record {
    pub fn new(name: &'static str) -> Self {
        Self { name, ..Self::default() }
    }

    /// Creates a record with one value.
    pub fn of(name: &'static str, value: impl Into<Value>) -> Self {
        Self::new(name).with(value)
    }

    pub fn name(&self) -> &'static str {
        self.name
    }

    pub fn with(mut self, value: impl Into<Value>) -> Self {
        self.values.push(value.into());
        self
    }

    pub fn values(mut self, values: impl IntoIterator<Item = Value>) -> Self {
        self.values.extend(values);
        self
    }

    pub fn children(mut self, children: impl IntoIterator<Item = Record>) -> Self {
        self.children.extend(children);
        self
    }
}

/// Returns the file of `version` (6100 to 7700) with `records`.
pub(super) fn file(records: &[Record], version: u32, form: Form) -> Vec<u8> {
    match form {
        Form::Text => text(records, version).into_bytes(),
        Form::Binary { packed } => Bytes { version, packed, out: Vec::new() }.file(records),
    }
}

fn text(records: &[Record], version: u32) -> String {
    let [major, minor] = [version / 1000, version / 100 % 10];
    let mut out = format!("; FBX {major}.{minor}.0 project file\n");
    records.iter().for_each(|record| record.text(&mut out, version, 0));
    out
}

impl Record {
    fn text(&self, out: &mut String, version: u32, depth: usize) {
        let indent = "\t".repeat(depth);
        *out += &format!("{indent}{}: ", self.name);
        let values: Vec<String> = self.values.iter().map(|value| value.text(version, &indent)).collect();
        *out += &values.join(",");
        if !self.children.is_empty() || self.values.is_empty() {
            *out += " {\n";
            self.children.iter().for_each(|child| child.text(out, version, depth + 1));
            *out += &format!("{indent}}}");
        }
        *out += "\n";
    }
}

impl Value {
    fn text(&self, version: u32, indent: &str) -> String {
        fn list<T: ToString>(values: &[T], version: u32, indent: &str) -> String {
            let inside = values.iter().map(T::to_string).collect::<Vec<_>>().join(",");
            match version {
                ..7000 => inside,
                _ => format!("*{} {{\n{indent}\ta: {inside}\n{indent}}}", values.len()),
            }
        }
        match self {
            Self::Int(value) => value.to_string(),
            Self::Long(value) => value.to_string(),
            Self::Real(value) => value.to_string(),
            Self::Text(text) => format!("\"{text}\""),
            Self::Object(class, name) => format!("\"{class}::{name}\""),
            Self::Letter(letter) => letter.to_string(),
            Self::Bytes(_) => "\"\"".to_owned(),
            Self::Ints(values) => list(values, version, indent),
            Self::Longs(values) => list(values, version, indent),
            Self::Singles(values) => list(values, version, indent),
            Self::KeyData(keys) => {
                // Some values are bit patterns: from version 7.2 on text stores them as integers.
                let number = |number: &f32| match version {
                    ..7200 => format!("{number:e}"),
                    _ => (number.to_bits() as i32).to_string(),
                };
                list(&keys.as_flattened().iter().map(number).collect::<Vec<String>>(), version, indent)
            }
            Self::Reals(values) => list(values, version, indent),
        }
    }
}

/// The footer of every file. Autodesk's readers check both parts.
const FOOTER_START: [u8; 16] =
    [0xFA, 0xBC, 0xAB, 0x09, 0xD0, 0xC8, 0xD4, 0x66, 0xB1, 0x76, 0xFB, 0x83, 0x1C, 0xF7, 0x26, 0x7E];
const FOOTER_END: [u8; 16] =
    [0xF8, 0x5A, 0x8C, 0x6A, 0xDE, 0xF5, 0xD9, 0x7E, 0xEC, 0xE9, 0x0C, 0xE3, 0x75, 0x8F, 0x29, 0x0B];

/// The file id that belongs to that footer and the creation time below.
const ID: [u8; 16] = [0x28, 0xB3, 0x2A, 0xEB, 0xB6, 0x24, 0xCC, 0xC2, 0xBF, 0xC8, 0xB0, 0x2A, 0xA9, 0x2B, 0xFC, 0xF1];

struct Bytes {
    version: u32,
    packed: bool,
    out: Vec<u8>,
}

impl Bytes {
    fn file(mut self, records: &[Record]) -> Vec<u8> {
        self.out.extend(b"Kaydara FBX Binary  \0\x1A\0");
        self.out.extend(self.version.to_le_bytes());
        let (head, body) = records.split_at(1);
        // The footer is checked against these.
        let id = Record::new("FileId").with(Value::Bytes(ID.to_vec()));
        let time = Record::of("CreationTime", "1970-01-01 10:00:00:000");
        head.iter().chain([&id, &time]).chain(body).for_each(|record| self.record(record));
        self.end();
        self.out.extend(FOOTER_START);
        self.out.extend([0; 4]);
        let length = (self.out.len() + 1).next_multiple_of(16);
        self.out.resize(length, 0);
        self.out.extend(self.version.to_le_bytes());
        self.out.extend([0; 120]);
        self.out.extend(FOOTER_END);
        self.out
    }

    /// Returns the width of a number in a record header: from version 7.5 on files may exceed 4 GiB.
    fn width(&self) -> usize {
        if self.version >= 7500 { 8 } else { 4 }
    }

    /// Writes the null record that ends a list.
    fn end(&mut self) {
        let length = self.out.len() + 3 * self.width() + 1;
        self.out.resize(length, 0);
    }

    fn record(&mut self, record: &Record) {
        let (begin, width) = (self.out.len(), self.width());
        self.out.resize(begin + 3 * width, 0);
        self.out.push(record.name.len() as u8);
        self.out.extend(record.name.as_bytes());
        let first = self.out.len();
        let count: usize = record.values.iter().map(|value| self.value(value)).sum();
        let length = self.out.len() - first;
        record.children.iter().for_each(|child| self.record(child));
        if !record.children.is_empty() || record.values.is_empty() {
            self.end();
        }
        for (place, number) in [self.out.len(), count, length].into_iter().enumerate() {
            let at = begin + place * width;
            self.out[at..at + width].copy_from_slice(&(number as u64).to_le_bytes()[..width]);
        }
    }

    /// Writes `value` and returns the number of values that the file counts for it.
    fn value(&mut self, value: &Value) -> usize {
        match value {
            Value::Int(value) => self.scalar(b'I', &value.to_le_bytes()),
            Value::Long(value) => self.scalar(b'L', &value.to_le_bytes()),
            Value::Real(value) => self.scalar(b'D', &value.to_le_bytes()),
            Value::Letter(letter) => self.scalar(b'C', &[*letter as u8]),
            Value::Bytes(bytes) => self.with_length(b'R', bytes),
            Value::Text(text) => self.with_length(b'S', text.as_bytes()),
            Value::Object(class, name) => {
                self.with_length(b'S', &[name.as_bytes(), b"\0\x01", class.as_bytes()].concat())
            }
            Value::Ints(values) => self.list(b'i', values, |value| value.to_le_bytes().to_vec()),
            Value::Longs(values) => self.list(b'l', values, |value| value.to_le_bytes().to_vec()),
            Value::Singles(values) => self.list(b'f', values, |value| value.to_le_bytes().to_vec()),
            Value::KeyData(keys) => self.list(b'f', keys.as_flattened(), |value| value.to_le_bytes().to_vec()),
            Value::Reals(values) => self.list(b'd', values, |value| value.to_le_bytes().to_vec()),
        }
    }

    fn scalar(&mut self, kind: u8, bytes: &[u8]) -> usize {
        self.out.push(kind);
        self.out.extend(bytes);
        1
    }

    fn with_length(&mut self, kind: u8, bytes: &[u8]) -> usize {
        self.out.push(kind);
        self.out.extend((bytes.len() as u32).to_le_bytes());
        self.out.extend(bytes);
        1
    }

    /// Writes an array. Before version 7 it is written as single values.
    fn list<T: Copy>(&mut self, kind: u8, values: &[T], bytes: fn(T) -> Vec<u8>) -> usize {
        if self.version < 7000 {
            return values.iter().map(|&value| self.scalar(kind.to_ascii_uppercase(), &bytes(value))).sum();
        }
        let scalar: Vec<u8> = values.iter().flat_map(|&value| bytes(value)).collect();
        let stored = if self.packed { stored_deflate(&scalar) } else { scalar };
        self.out.push(kind);
        for number in [values.len(), usize::from(self.packed), stored.len()] {
            self.out.extend((number as u32).to_le_bytes());
        }
        self.out.extend(stored);
        1
    }
}

/// Returns `bytes` as a zlib stream of stored blocks.
fn stored_deflate(bytes: &[u8]) -> Vec<u8> {
    const MAX_BLOCK_BYTES: usize = 0xFFFF;
    let mut out = vec![0x78, 0x01];
    let blocks = bytes.len().div_ceil(MAX_BLOCK_BYTES).max(1);
    for block in 0..blocks {
        let part = &bytes[block * MAX_BLOCK_BYTES..bytes.len().min((block + 1) * MAX_BLOCK_BYTES)];
        let length = part.len() as u16;
        out.push(u8::from(block + 1 == blocks));
        out.extend(length.to_le_bytes());
        out.extend((!length).to_le_bytes());
        out.extend(part);
    }
    let sums = bytes.iter().fold([1_u32, 0], |[low, high], byte| {
        let low = (low + u32::from(*byte)) % 65521;
        [low, (high + low) % 65521]
    });
    out.extend((sums[1] << 16 | sums[0]).to_be_bytes());
    out
}
