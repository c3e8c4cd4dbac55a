//! Binary FBX damaged as a tree of records. Lengths and counts are correct unless they are the damage.
//! The damage thus reaches the code after the parser: objects of wrong kinds, cyclic connections, mismatched arrays.

use super::random_below;
use portamento_anim::math::random::SplitMix64;

/// Offset of the first record of a file.
const FIRST_RECORD: usize = 27;
/// The null record that ends a list of records.
const NULL_RECORD: [u8; 13] = [0; 13];

#[derive(Clone, Debug, PartialEq)]
struct Node {
    name: Vec<u8>,
    values: Vec<Value>,
    children: Vec<Node>,
    /// True if the file has a list of children, which may be empty.
    has_list: bool,
    /// A false value for field 0 to 2 of the record header.
    false_size: Option<(usize, u32)>,
}

#[derive(Clone, Debug, PartialEq)]
struct Value {
    kind: u8,
    payload: Vec<u8>,
}

/// Returns a file of version 7.4 with one to six faults in its tree.
pub(super) fn damaged(seed: &[u8], random: &mut SplitMix64) -> Vec<u8> {
    let (mut nodes, mut at) = (Vec::new(), FIRST_RECORD);
    while let Some(node) = Node::read(seed, &mut at) {
        nodes.push(node);
    }
    let mut root = Node { name: Vec::new(), values: Vec::new(), children: nodes, has_list: true, false_size: None };
    for _ in 0..=random_below(random, 6) {
        damage(&mut root, random);
    }
    let mut out = seed[..FIRST_RECORD].to_vec();
    root.children.iter().for_each(|node| node.write(&mut out));
    out.extend(NULL_RECORD);
    out.extend_from_slice(&seed[at..]);
    out
}

fn word(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
}

impl Node {
    /// Reads the record at `at` and advances `at`. Returns `None` at the end of a list.
    fn read(bytes: &[u8], at: &mut usize) -> Option<Self> {
        let (end, count) = (word(bytes, *at), word(bytes, *at + 4));
        let name = bytes[*at + 13..*at + 13 + usize::from(bytes[*at + 12])].to_vec();
        *at += 13 + name.len();
        if end == 0 {
            return None;
        }
        let values = (0..count).map(|_| Value::read(bytes, at)).collect();
        let (mut children, has_list) = (Vec::new(), *at < end);
        while *at < end {
            children.extend(Self::read(bytes, at));
        }
        Some(Self { name, values, children, has_list, false_size: None })
    }

    fn write(&self, out: &mut Vec<u8>) {
        let begin = out.len();
        out.extend([0; 12]);
        out.push(self.name.len() as u8);
        out.extend_from_slice(&self.name[..usize::from(self.name.len() as u8)]);
        let first = out.len();
        for value in &self.values {
            out.push(value.kind);
            out.extend_from_slice(&value.payload);
        }
        let length = out.len() - first;
        self.children.iter().for_each(|child| child.write(out));
        if self.has_list || !self.children.is_empty() {
            out.extend(NULL_RECORD);
        }
        let mut fields = [out.len() as u32, self.values.len() as u32, length as u32];
        if let Some((field, false_size)) = self.false_size {
            fields[field] = false_size;
        }
        for (place, field) in out[begin..].chunks_exact_mut(4).zip(fields) {
            place.copy_from_slice(&field.to_le_bytes());
        }
    }

    fn count(&self) -> usize {
        1 + self.children.iter().map(Self::count).sum::<usize>()
    }

    /// Returns record `number` of this one and its descendants.
    fn nth(&mut self, mut number: usize) -> &mut Self {
        if number == 0 {
            return self;
        }
        number -= 1;
        let counts: Vec<usize> = self.children.iter().map(Self::count).collect();
        for (child, count) in counts.into_iter().enumerate() {
            if number < count {
                return self.children[child].nth(number);
            }
            number -= count;
        }
        unreachable!("there are not that many records")
    }
}

impl Value {
    fn read(bytes: &[u8], at: &mut usize) -> Self {
        let kind = bytes[*at];
        let length = match kind {
            b'C' | b'B' => 1,
            b'Y' => 2,
            b'I' | b'F' => 4,
            b'L' | b'D' => 8,
            b'S' | b'R' => 4 + word(bytes, *at + 1),
            _ => 12 + word(bytes, *at + 9),
        };
        let payload = bytes[*at + 1..*at + 1 + length].to_vec();
        *at += 1 + length;
        Self { kind, payload }
    }
}

/// Applies one fault to `root` or a descendant.
fn damage(root: &mut Node, random: &mut SplitMix64) {
    let count = root.count();
    let other = root.nth(random_below(random, count)).clone();
    let node = root.nth(random_below(random, count));
    let child = random_below(random, node.children.len());
    match random_below(random, 12) {
        0 if !node.children.is_empty() => drop(node.children.remove(child)),
        1 if !node.children.is_empty() => node.children.push(node.children[child].clone()),
        2 if !node.children.is_empty() => node.children.swap(child, 0),
        3 => node.name.clone_from(&other.name),
        // Copy a record into another, or into itself.
        4 if other.count() < 64 => node.children.push(other),
        5 => node.values.clone_from(&other.values),
        6 => node.false_size = Some((random_below(random, 3), false_size(random))),
        7 => nest(node, 1 << random_below(random, 10)),
        _ if !node.values.is_empty() => {
            let number = random_below(random, node.values.len());
            let foreign_value = other.values.get(random_below(random, other.values.len())).cloned();
            damage_value(&mut node.values, number, foreign_value, random);
        }
        _ => drop(node.values.pop()),
    }
}

/// Nests `node` in itself `times` times.
fn nest(node: &mut Node, times: usize) {
    for _ in 0..times {
        let mut outer = Node { children: Vec::new(), ..node.clone() };
        std::mem::swap(&mut outer, node);
        node.children.push(outer);
    }
}

fn false_size(random: &mut SplitMix64) -> u32 {
    [0, 1, 2, 3, 13, 27, 255, 65_536, 0x7FFF_FFFF, 0x8000_0000, u32::MAX][random_below(random, 11)]
}

fn damage_value(values: &mut Vec<Value>, number: usize, foreign_value: Option<Value>, random: &mut SplitMix64) {
    let value = &mut values[number];
    match (random_below(random, 6), foreign_value) {
        (0, _) => drop(values.remove(number)),
        (1, _) => values.push(values[number].clone()),
        // A value of another kind, or of another object: an id, a name, an array.
        (2 | 3, Some(foreign_value)) => *value = foreign_value,
        (4, _) => value.kind = b"CBYIFLDSRfdlib\0Z"[random_below(random, 16)],
        _ => value.damage_payload(random),
    }
}

impl Value {
    fn damage_payload(&mut self, random: &mut SplitMix64) {
        let is_array = b"fdlib".contains(&self.kind);
        let width = match self.kind {
            b'd' | b'D' | b'l' | b'L' => 8,
            b'f' | b'F' | b'i' | b'I' => 4,
            _ => 1,
        };
        let first = if is_array { 12 } else { 0 };
        match random_below(random, 4) {
            // Fields of an array: count, encoding, byte length; or the length of a text.
            0 if self.payload.len() > 4 => {
                let field = if is_array { 4 * random_below(random, 3) } else { 0 };
                self.payload[field..field + 4].copy_from_slice(&false_size(random).to_le_bytes());
            }
            // Shortened by one or doubled, with the matching length.
            1 if is_array && word(&self.payload, 4) == 0 => {
                let half = self.payload[12..].to_vec();
                match random_below(random, 2) {
                    0 => self.payload.truncate((self.payload.len() - width.min(half.len())).max(12)),
                    _ => self.payload.extend(half),
                }
                let bytes = self.payload.len() - 12;
                self.payload[..4].copy_from_slice(&((bytes / width) as u32).to_le_bytes());
                self.payload[8..12].copy_from_slice(&(bytes as u32).to_le_bytes());
            }
            _ if self.payload.len() >= first + width => {
                let at = first + width * random_below(random, (self.payload.len() - first) / width);
                self.payload[at..at + width].copy_from_slice(&strange(random)[..width]);
            }
            _ => self.payload.clear(),
        }
    }
}

/// Returns eight bytes that hold an unusual number, integer or float, in all of them or in the first four.
fn strange(random: &mut SplitMix64) -> [u8; 8] {
    let long = |number: f64| number.to_le_bytes();
    let short = |number: f32| [number.to_le_bytes(), number.to_le_bytes()].concat().try_into().unwrap();
    match random_below(random, 12) {
        0 => long(f64::NAN),
        1 => long(f64::INFINITY),
        2 => long(1e300),
        3 => long(-1e-300),
        4 => short(f32::NAN),
        5 => short(f32::NEG_INFINITY),
        6 => short(3e38),
        7 => i64::MAX.to_le_bytes(),
        8 => i64::MIN.to_le_bytes(),
        9 => (-1_i64).to_le_bytes(),
        10 => 1_i64.to_le_bytes(),
        _ => 0x7FFF_FFFF_i64.to_le_bytes(),
    }
}

#[test]
fn a_tree_round_trips_to_the_same_file() {
    let seed = std::fs::read(portamento_test_support::fixture("figure.fbx")).unwrap();
    let (mut at, mut out) = (FIRST_RECORD, seed[..FIRST_RECORD].to_vec());
    while let Some(node) = Node::read(&seed, &mut at) {
        node.write(&mut out);
    }
    out.extend(NULL_RECORD);
    out.extend_from_slice(&seed[at..]);
    assert!(out == seed);
}
