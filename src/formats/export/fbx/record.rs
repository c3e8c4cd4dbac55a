//! Writes FBX 7.4 files: named records with typed properties.

/// A record, the element of FBX files.
#[derive(Clone, Debug, Default)]
pub(super) struct Record {
    name: &'static str,
    properties: Vec<Property>,
    children: Vec<Record>,
}

/// A property value of a record.
#[derive(Clone, Debug)]
pub(super) enum Property {
    Int(i32),
    Long(i64),
    Double(f64),
    Text(Vec<u8>),
    Raw(Vec<u8>),
    Ints(Vec<i32>),
    Longs(Vec<i64>),
    Floats(Vec<f32>),
    Doubles(Vec<f64>),
}

impl From<i32> for Property {
    fn from(value: i32) -> Self {
        Self::Int(value)
    }
}

impl From<i64> for Property {
    fn from(value: i64) -> Self {
        Self::Long(value)
    }
}

impl From<f64> for Property {
    fn from(value: f64) -> Self {
        Self::Double(value)
    }
}

impl From<&str> for Property {
    fn from(value: &str) -> Self {
        Self::Text(value.as_bytes().to_vec())
    }
}

impl From<Vec<i32>> for Property {
    fn from(value: Vec<i32>) -> Self {
        Self::Ints(value)
    }
}

impl From<Vec<f64>> for Property {
    fn from(value: Vec<f64>) -> Self {
        Self::Doubles(value)
    }
}

impl Record {
    /// Creates a record without properties.
    pub fn new(name: &'static str) -> Self {
        Self { name, ..Self::default() }
    }

    /// Creates a record with one property.
    pub fn of(name: &'static str, property: impl Into<Property>) -> Self {
        Self::new(name).with(property)
    }

    /// Appends a property.
    pub fn with(mut self, property: impl Into<Property>) -> Self {
        self.properties.push(property.into());
        self
    }

    /// Appends a child.
    pub fn child(mut self, child: Record) -> Self {
        self.children.push(child);
        self
    }

    /// Appends `children`.
    pub fn children(mut self, children: impl IntoIterator<Item = Record>) -> Self {
        self.children.extend(children);
        self
    }

    /// Returns the name of the record.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Creates an object record of a class with `id`, `name` and `kind`.
    pub fn object(class: &'static str, id: i64, name: &str, kind: &str) -> Self {
        let class_name = match class {
            "AnimationStack" => "AnimStack",
            "AnimationLayer" => "AnimLayer",
            "AnimationCurveNode" => "AnimCurveNode",
            "AnimationCurve" => "AnimCurve",
            "Deformer" if kind == "Cluster" || kind == "BlendShapeChannel" => "SubDeformer",
            class => class,
        };
        // A zero byte separates the name from the class, so it must not occur in the name.
        let mut title: Vec<u8> = name.bytes().filter(|byte| *byte != 0).collect();
        title.extend_from_slice(b"\0\x01");
        title.extend_from_slice(class_name.as_bytes());
        Self::new(class).with(id).with(Property::Text(title)).with(kind)
    }

    /// Creates a list of settings, each a record `P`.
    pub fn settings(settings: impl IntoIterator<Item = Record>) -> Self {
        Self::new("Properties70").children(settings)
    }

    /// Creates a setting from its name, its two types and its flags.
    pub fn setting([name, kind, label, flags]: [&str; 4]) -> Self {
        Self::of("P", name).with(kind).with(label).with(flags)
    }

    /// Creates a setting with three numbers.
    pub fn vector(words: [&str; 4], vector: glam::DVec3) -> Self {
        Self::setting(words).with(vector.x).with(vector.y).with(vector.z)
    }
}

const MAGIC: &[u8] = b"Kaydara FBX Binary  \0\x1A\0";
const VERSION: u32 = 7400;
/// The null record that ends a list of records.
const NULL_RECORD: [u8; 13] = [0; 13];
/// The start of the footer. Readers compare it with the fixed time and id in the header.
const FOOTER_START: [u8; 16] =
    [0xFA, 0xBC, 0xAB, 0x09, 0xD0, 0xC8, 0xD4, 0x66, 0xB1, 0x76, 0xFB, 0x83, 0x1C, 0xF7, 0x26, 0x7E];
const FOOTER_END: [u8; 16] =
    [0xF8, 0x5A, 0x8C, 0x6A, 0xDE, 0xF5, 0xD9, 0x7E, 0xEC, 0xE9, 0x0C, 0xE3, 0x75, 0x8F, 0x29, 0x0B];

/// Returns the file, or `None` if it would exceed the limit of the format (4 GiB). Returns the complete bytes with header
/// and footer.
pub(super) fn to_bytes(records: &[Record]) -> Option<Vec<u8>> {
    let mut out = MAGIC.to_vec();
    out.extend(VERSION.to_le_bytes());
    for record in records {
        record.write(&mut out)?;
    }
    out.extend(NULL_RECORD);
    out.extend(FOOTER_START);
    out.extend([0; 4]);
    // At least one zero, up to the next multiple of 16.
    out.resize((out.len() + 1).next_multiple_of(16), 0);
    out.extend(VERSION.to_le_bytes());
    out.extend([0; 120]);
    out.extend(FOOTER_END);
    Some(out)
}

impl Record {
    /// Appends the record and its children to `out`, which begins with the file. Returns `None`, with a part
    /// written, if an offset or a length exceeds 32 bits.
    fn write(&self, out: &mut Vec<u8>) -> Option<()> {
        let begin = out.len();
        out.extend([0; 12]);
        out.push(self.name.len() as u8);
        out.extend(self.name.as_bytes());
        let first = out.len();
        self.properties.iter().try_for_each(|property| property.write(out))?;
        let length = out.len() - first;
        for child in &self.children {
            child.write(out)?;
        }
        if !self.children.is_empty() || self.properties.is_empty() {
            out.extend(NULL_RECORD);
        }
        for (at, number) in [(0, out.len()), (4, self.properties.len()), (8, length)] {
            let bytes = u32::try_from(number).ok()?.to_le_bytes();
            out[begin + at..begin + at + 4].copy_from_slice(&bytes);
        }
        Some(())
    }
}

impl Property {
    /// Appends the property with its type letter to `out`. Returns `None` if its length exceeds 32 bits.
    fn write(&self, out: &mut Vec<u8>) -> Option<()> {
        match self {
            Self::Int(value) => write_scalar(out, b'I', value.to_le_bytes()),
            Self::Long(value) => write_scalar(out, b'L', value.to_le_bytes()),
            Self::Double(value) => write_scalar(out, b'D', value.to_le_bytes()),
            Self::Text(bytes) => write_bytes(out, b'S', bytes)?,
            Self::Raw(bytes) => write_bytes(out, b'R', bytes)?,
            Self::Ints(values) => write_array(out, b'i', values, i32::to_le_bytes)?,
            Self::Longs(values) => write_array(out, b'l', values, i64::to_le_bytes)?,
            Self::Floats(values) => write_array(out, b'f', values, f32::to_le_bytes)?,
            Self::Doubles(values) => write_array(out, b'd', values, f64::to_le_bytes)?,
        }
        Some(())
    }
}

/// Writes a property of one number: the letter of its type and its bytes.
fn write_scalar<const N: usize>(out: &mut Vec<u8>, kind: u8, bytes: [u8; N]) {
    out.push(kind);
    out.extend(bytes);
}

/// Appends the type letter `kind`, the length and `bytes`. Returns `None`, after the letter, if the length exceeds 32 bits.
fn write_bytes(out: &mut Vec<u8>, kind: u8, bytes: &[u8]) -> Option<()> {
    out.push(kind);
    out.extend(u32::try_from(bytes.len()).ok()?.to_le_bytes());
    out.extend(bytes);
    Some(())
}

/// Writes an array: count, encoding 0 (uncompressed), byte length, values.
fn write_array<T: Copy, const N: usize>(
    out: &mut Vec<u8>,
    kind: u8,
    values: &[T],
    bytes: fn(T) -> [u8; N],
) -> Option<()> {
    out.push(kind);
    for number in [values.len(), 0, values.len() * N] {
        out.extend(u32::try_from(number).ok()?.to_le_bytes());
    }
    values.iter().for_each(|&value| out.extend(bytes(value)));
    Some(())
}
