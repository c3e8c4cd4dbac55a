//! Typed reading of accessors (glTF 2.0 §3.6): strides, normalised integers, sparse substitution, every bound checked.

use std::cell::Cell;

use serde_json::Value;

use super::Fault;

/// The parsed file, and how much memory its accessors may still ask for.
pub(super) struct Document<'a> {
    pub json: &'a Value,
    pub buffers: &'a [Vec<u8>],
    allowance: Cell<usize>,
}

#[derive(Clone, Copy, PartialEq)]
enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

/// Elements in a buffer, all bounds already checked.
struct Strided<'a> {
    bytes: &'a [u8],
    stride: usize,
    count: usize,
    component: Component,
    normalized: bool,
}

/// The list under `key`; empty when there is none.
pub(super) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The non-negative whole number under `key`; `None` when absent.
pub(super) fn number(value: &Value, key: &str, part: &dyn Fn() -> String) -> Result<Option<usize>, Fault> {
    let Some(found) = value.get(key) else { return Ok(None) };
    // Some exporters write whole numbers as 3.0.
    let whole = found
        .as_u64()
        .or_else(|| found.as_f64().filter(|it| it.fract() == 0.0 && (0.0..9e15).contains(it)).map(|it| it as u64));
    match whole.and_then(|it| usize::try_from(it).ok()) {
        Some(it) => Ok(Some(it)),
        None => Err(Fault::new(part(), format!("has {key} {}, which is no index or size", shortened(found)))),
    }
}

/// [`number`] that must be there.
pub(super) fn required(value: &Value, key: &str, part: &dyn Fn() -> String) -> Result<usize, Fault> {
    number(value, key, part)?.ok_or_else(|| Fault::new(part(), format!("has no {key}")))
}

/// The name of element `index`, else `kind 3`.
pub(super) fn name(value: &Value, kind: &str, index: usize) -> String {
    match value.get("name").and_then(Value::as_str) {
        Some(name) if !name.is_empty() => name.to_owned(),
        _ => format!("{kind} {index}"),
    }
}

/// `N` finite numbers under `key`; `None` when absent.
pub(super) fn vector<const N: usize>(
    value: &Value,
    key: &str,
    part: &dyn Fn() -> String,
) -> Result<Option<[f32; N]>, Fault> {
    let Some(found) = value.get(key) else { return Ok(None) };
    let numbers = found.as_array().filter(|it| it.len() == N);
    let mut out = [0.0; N];
    for (i, slot) in out.iter_mut().enumerate() {
        let finite = numbers.and_then(|it| it[i].as_f64()).map(|it| it as f32).filter(|it| it.is_finite());
        *slot = finite.ok_or_else(|| Fault::new(part(), format!("has a {key} that is not {N} finite numbers")))?;
    }
    Ok(Some(out))
}

fn shortened(value: &Value) -> String {
    value.to_string().chars().take(40).collect()
}

impl<'a> Document<'a> {
    pub fn new(json: &'a Value, buffers: &'a [Vec<u8>]) -> Self {
        // Accessors may share bytes, so a small file can ask for any amount: allow what honest files need and no more.
        let stored: usize = buffers.iter().map(Vec::len).sum();
        Self { json, buffers, allowance: Cell::new((256 << 20) + stored.saturating_mul(8)) }
    }

    /// Takes `bytes` of the memory the file may use.
    pub fn charge(&self, bytes: usize, part: &dyn Fn() -> String) -> Result<(), Fault> {
        match self.allowance.get().checked_sub(bytes) {
            Some(left) => self.allowance.set(left),
            None => {
                return Err(Fault::new(part(), format!("asks for {bytes} bytes, more than the file can account for")));
            }
        }
        Ok(())
    }

    /// Element `index` of the top-level list `key`; `kind` names it in the fault.
    pub fn element(&self, key: &str, kind: &str, index: usize) -> Result<&'a Value, Fault> {
        let missing = || Fault::new(format!("{kind} {index}"), "is referred to but does not exist");
        list(self.json, key).get(index).ok_or_else(missing)
    }

    /// The bytes of buffer view `index`, with its stride.
    pub fn view(&self, index: usize) -> Result<(&'a [u8], Option<usize>), Fault> {
        let part = || format!("buffer view {index}");
        let view = self.element("bufferViews", "buffer view", index)?;
        let buffer = required(view, "buffer", &part)?;
        let offset = number(view, "byteOffset", &part)?.unwrap_or(0);
        let length = required(view, "byteLength", &part)?;
        let bytes = self
            .buffers
            .get(buffer)
            .ok_or_else(|| Fault::new(part(), format!("lies in buffer {buffer}, which does not exist")))?;
        let slice = offset.checked_add(length).and_then(|end| bytes.get(offset..end)).ok_or_else(|| {
            Fault::new(part(), format!("reaches past the end of buffer {buffer} ({} bytes)", bytes.len()))
        })?;
        Ok((slice, number(view, "byteStride", &part)?))
    }

    /// Every element of accessor `index` as `N` floats (integers normalised where the file says so), through `make`.
    pub fn floats<T: Clone, const N: usize>(
        &self,
        index: usize,
        make: impl Fn([f32; N]) -> T,
    ) -> Result<Vec<T>, Fault> {
        self.read(index, N, |elements| elements.floats(&make), |_| Ok(make([0.0; N])))
    }

    /// Every element of accessor `index` as `N` unsigned integers, through `make`.
    pub fn integers<T: Clone, const N: usize>(
        &self,
        index: usize,
        make: impl Fn([u32; N]) -> T,
    ) -> Result<Vec<T>, Fault> {
        let check = |component| match component {
            Component::U8 | Component::U16 | Component::U32 => Ok(make([0; N])),
            _ => Err(Fault::new(format!("accessor {index}"), "is not of unsigned integers, which its use needs")),
        };
        self.read(index, N, |elements| elements.integers(&make), check)
    }

    /// The number of elements accessor `index` says it has.
    pub fn count(&self, index: usize) -> Result<usize, Fault> {
        required(self.element("accessors", "accessor", index)?, "count", &|| format!("accessor {index}"))
    }

    fn read<T: Clone>(
        &self,
        index: usize,
        width: usize,
        decode: impl Fn(&Strided) -> Vec<T>,
        zero: impl Fn(Component) -> Result<T, Fault>,
    ) -> Result<Vec<T>, Fault> {
        let part = || format!("accessor {index}");
        let accessor = self.element("accessors", "accessor", index)?;
        let component = component(required(accessor, "componentType", &part)?, &part)?;
        let kind = accessor.get("type").and_then(Value::as_str).unwrap_or("nothing");
        if self::width(kind) != Some(width) {
            return Err(Fault::new(part(), format!("is of type {kind}, which its use does not allow")));
        }
        let count = required(accessor, "count", &part)?;
        let zero = zero(component)?;
        self.charge(count.saturating_mul(size_of::<T>()), &part)?;
        let normalized = accessor.get("normalized").and_then(Value::as_bool).unwrap_or(false);
        let strided = |view: usize, offset: usize, count: usize, component: Component, width: usize| {
            let (bytes, stride) = self.view(view)?;
            let size = component.size() * width;
            let stride = stride.unwrap_or(size);
            let length =
                if count == 0 { Some(0) } else { (count - 1).checked_mul(stride).and_then(|it| it.checked_add(size)) };
            let bytes = length.and_then(|length| bytes.get(offset..)?.get(..length)).filter(|_| stride >= size);
            let fault = || {
                Fault::new(
                    part(),
                    format!("needs {count} elements of {size} bytes, more than buffer view {view} holds"),
                )
            };
            Ok(Strided { bytes: bytes.ok_or_else(fault)?, stride, count, component, normalized })
        };
        let mut values = match number(accessor, "bufferView", &part)? {
            Some(view) => {
                let offset = number(accessor, "byteOffset", &part)?.unwrap_or(0);
                decode(&strided(view, offset, count, component, width)?)
            }
            None => vec![zero; count],
        };
        let Some(sparse) = accessor.get("sparse") else { return Ok(values) };
        let entries = required(sparse, "count", &part)?;
        let place = |key: &str| {
            let place = sparse.get(key).ok_or_else(|| Fault::new(part(), format!("is sparse without {key}")))?;
            Ok((place, required(place, "bufferView", &part)?, number(place, "byteOffset", &part)?.unwrap_or(0)))
        };
        let (indices, view, offset) = place("indices")?;
        let kind = self::component(required(indices, "componentType", &part)?, &part)?;
        let indices = strided(view, offset, entries, kind, 1)?.integers(&|[i]: [u32; 1]| i as usize);
        let (_, view, offset) = place("values")?;
        let substitutes = decode(&strided(view, offset, entries, component, width)?);
        for (at, value) in indices.into_iter().zip(substitutes) {
            *values
                .get_mut(at)
                .ok_or_else(|| Fault::new(part(), format!("has a sparse index {at} past its {count} elements")))? =
                value;
        }
        Ok(values)
    }
}

fn width(kind: &str) -> Option<usize> {
    Some(match kind {
        "SCALAR" => 1,
        "VEC2" => 2,
        "VEC3" => 3,
        "VEC4" => 4,
        "MAT4" => 16,
        _ => return None,
    })
}

fn component(code: usize, part: &dyn Fn() -> String) -> Result<Component, Fault> {
    Ok(match code {
        5120 => Component::I8,
        5121 => Component::U8,
        5122 => Component::I16,
        5123 => Component::U16,
        5125 => Component::U32,
        5126 => Component::F32,
        _ => return Err(Fault::new(part(), format!("has the unknown component type {code}"))),
    })
}

impl Component {
    fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }
}

impl Strided<'_> {
    fn elements(&self) -> impl Iterator<Item = &[u8]> {
        // A chunk size of 0 would panic; an element always has a size, so this only guards empty lists.
        self.bytes.chunks(self.stride.max(1)).take(self.count)
    }

    fn floats<T, const N: usize>(&self, make: &impl Fn([f32; N]) -> T) -> Vec<T> {
        let scale = |divisor: f32| if self.normalized { divisor } else { 1.0 };
        let floor = if self.normalized { -1.0 } else { f32::MIN };
        match self.component {
            Component::F32 => self.decode(make, f32::from_le_bytes),
            Component::U32 => self.decode(make, |four| u32::from_le_bytes(four) as f32 / scale(u32::MAX as f32)),
            Component::U16 => self.decode(make, |two| f32::from(u16::from_le_bytes(two)) / scale(65_535.0)),
            Component::U8 => self.decode(make, |[one]| f32::from(one) / scale(255.0)),
            Component::I16 => {
                self.decode(make, |two| (f32::from(i16::from_le_bytes(two)) / scale(32_767.0)).max(floor))
            }
            Component::I8 => self.decode(make, |one| (f32::from(i8::from_le_bytes(one)) / scale(127.0)).max(floor)),
        }
    }

    fn integers<T, const N: usize>(&self, make: &impl Fn([u32; N]) -> T) -> Vec<T> {
        match self.component.size() {
            1 => self.decode(make, |[one]| u32::from(one)),
            2 => self.decode(make, |two| u32::from(u16::from_le_bytes(two))),
            _ => self.decode(make, u32::from_le_bytes),
        }
    }

    fn decode<T, V, const N: usize, const BYTES: usize>(
        &self,
        make: &impl Fn([V; N]) -> T,
        value: impl Fn([u8; BYTES]) -> V,
    ) -> Vec<T> {
        let one = |element: &[u8]| {
            let (parts, _) = element.as_chunks::<BYTES>();
            make(std::array::from_fn(|i| value(parts[i])))
        };
        self.elements().map(one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The floats of the only accessor over `bytes`.
    fn read(accessor: Value, view: Value, bytes: &[u8]) -> Result<Vec<[f32; 1]>, String> {
        let json = json!({ "accessors": [accessor], "bufferViews": [view] });
        let buffers = [bytes.to_vec()];
        Document::new(&json, &buffers).floats(0, |one| one).map_err(|fault| fault.to_string())
    }

    #[test]
    fn normalised_integers_reach_both_ends() {
        let accessor =
            |code| json!({ "bufferView": 0, "componentType": code, "type": "SCALAR", "count": 3, "normalized": true });
        let view = json!({ "buffer": 0, "byteLength": 6, "byteStride": 2 });
        let i8s = [0x80, 9, 0x81, 9, 0x7F, 9];
        assert_eq!(read(accessor(5120), view.clone(), &i8s).unwrap(), [[-1.0], [-1.0], [1.0]]);
        assert_eq!(read(accessor(5121), view.clone(), &[0, 9, 255, 9, 51, 9]).unwrap(), [[0.0], [1.0], [0.2]]);
        assert_eq!(read(accessor(5122), view, &[0, 0x80, 0, 0, 0xFF, 0x7F]).unwrap(), [[-1.0], [0.0], [1.0]]);
    }

    #[test]
    fn sparse_values_replace_zeros() {
        let accessor = json!({ "componentType": 5121, "type": "SCALAR", "count": 5, "sparse": { "count": 2,
            "indices": { "bufferView": 0, "componentType": 5121 }, "values": { "bufferView": 0, "byteOffset": 2 } } });
        let view = json!({ "buffer": 0, "byteLength": 4 });
        assert_eq!(read(accessor.clone(), view.clone(), &[1, 4, 7, 8]).unwrap().concat(), [0.0, 7.0, 0.0, 0.0, 8.0]);
        let past = read(accessor, view, &[1, 5, 7, 8]).unwrap_err();
        assert!(past.contains("accessor 0") && past.contains("index 5"), "{past}");
    }

    #[test]
    fn what_lies_past_the_end_is_refused_before_anything_is_allocated() {
        let accessor = |count: u64| json!({ "bufferView": 0, "componentType": 5126, "type": "SCALAR", "count": count });
        let view = |length: u64| json!({ "buffer": 0, "byteLength": length });
        assert!(read(accessor(2), view(8), &[0; 8]).is_ok());
        for (count, length) in [(3, 8), (2, 9), (u64::MAX, 8), (1 << 62, 8), (1, u64::MAX)] {
            assert!(read(accessor(count), view(length), &[0; 8]).is_err(), "{count} in {length}");
        }
        let zeros = json!({ "componentType": 5126, "type": "SCALAR", "count": 4_000_000_000_u64 });
        assert!(read(zeros, view(8), &[0; 8]).unwrap_err().contains("accessor 0"));
    }
}
