//! Contract files: TOML, with the keys of an `animsmith.toml` that mean the same.

use toml::{Table, Value};

use crate::contract::Contract;
use portamento_base::message::{Message, message};

/// Largest size of a contract file, bytes. Chosen: far above any contract that a person maintains.
pub const MAX_BYTES: usize = 4 << 20;

/// A contract file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContractFile {
    /// Its requirements.
    pub contract: Contract,
    /// Keys of an `animsmith.toml` that have no equal here, and are not checked.
    pub unchecked: Vec<String>,
}

/// Tables and keys of an `animsmith.toml` without an equal here, by the table that contains them.
const WITHOUT_EQUAL: [(&str, &[&str]); 3] = [
    ("", &["runtime_nodes", "engine", "transition_families"]),
    ("rig", &["profile", "roles"]),
    ("clips.*", &["max_loop_angular_velocity_delta_degps", "engine_settings"]),
];

/// Limits of an `animsmith.toml` for all clips, and the requirement that each of them is.
const LIMITS: [(&str, &str, &str); 3] = [
    ("loop-closure", "max_position_delta_m", "max_loop_position_delta_m"),
    ("loop-closure", "max_rotation_delta_deg", "max_loop_rotation_delta_deg"),
    ("loop-seam-vel", "max_velocity_delta_mps", "max_loop_velocity_delta_mps"),
];

impl ContractFile {
    /// Reads the contract in `text`.
    ///
    /// Returns `Err` if it is larger than [`MAX_BYTES`], is no TOML, has an unknown key, or a number that no clip can meet.
    pub fn read(text: &str) -> Result<Self, Message> {
        if text.len() > MAX_BYTES {
            return Err(message!(
                "error.contract.large",
                "A contract has up to %{most} MB, but this file is larger. Split it.",
                most = (MAX_BYTES >> 20).to_string(),
            ));
        }
        let mut table: Table = text.parse().map_err(|error| unreadable(&error))?;
        let mut unchecked = Vec::new();
        take_without_equal(&mut table, &mut unchecked);
        take_limits(&mut table, &mut unchecked);
        take_in_place(&mut table)?;
        take_groups(&mut table, &mut unchecked)?;
        let contract: Contract = Value::Table(table).try_into().map_err(|error| unreadable(&error))?;
        check_numbers(&contract)?;
        Ok(Self { contract, unchecked })
    }
}

impl Contract {
    /// Returns the contract as the text of a file.
    ///
    /// Returns `Err` with the reason if a number cannot be written, which only numbers that are not finite are.
    pub fn text(&self) -> Result<String, Message> {
        toml::to_string(self).map_err(|error| Message::verbatim(error.to_string()))
    }
}

/// Returns the error that the contract cannot be parsed, with the reason.
fn unreadable(error: &toml::de::Error) -> Message {
    message!(
        "error.contract.unreadable",
        "The contract cannot be read: %{reason}. Correct that line.",
        reason = error.to_string().trim_end().to_owned(),
    )
}

/// Moves the keys without an equal to `unchecked`.
fn take_without_equal(table: &mut Table, unchecked: &mut Vec<String>) {
    for (inside, keys) in WITHOUT_EQUAL {
        let tables: Vec<(String, &mut Table)> = match inside.strip_suffix(".*") {
            _ if inside.is_empty() => vec![(String::new(), &mut *table)],
            Some(outer) => tables_of(table, outer).map(|(name, inner)| (format!("{outer}.{name}."), inner)).collect(),
            None => table
                .get_mut(inside)
                .and_then(Value::as_table_mut)
                .map(|inner| (format!("{inside}."), inner))
                .into_iter()
                .collect(),
        };
        for (path, inner) in tables {
            unchecked.extend(keys.iter().filter(|key| inner.remove(**key).is_some()).map(|key| format!("{path}{key}")));
        }
    }
}

/// Returns the tables in the table `outer`, with their names.
fn tables_of<'t>(table: &'t mut Table, outer: &str) -> impl Iterator<Item = (String, &'t mut Table)> + use<'t> {
    let inner = table.get_mut(outer).and_then(Value::as_table_mut);
    inner.into_iter().flatten().filter_map(|(name, value)| Some((name.to_string(), value.as_table_mut()?)))
}

/// Turns the limits of an `animsmith.toml` into requirements on all clips. Limits that clips have already stay. Other keys of
/// `checks` are added to `unchecked`.
fn take_limits(table: &mut Table, unchecked: &mut Vec<String>) {
    let Some(Value::Table(mut checks)) = table.remove("checks") else { return };
    for (check, key, requirement) in LIMITS {
        let limit = checks.get_mut(check).and_then(Value::as_table_mut).and_then(|check| check.remove(key));
        let clips = table.entry("clips").or_insert_with(|| Value::Table(Table::new())).as_table_mut();
        let all = clips.and_then(|clips| clips.entry("*").or_insert_with(|| Value::Table(Table::new())).as_table_mut());
        if let Some((limit, all)) = limit.zip(all) {
            all.entry(requirement).or_insert(limit);
        }
    }
    let left = checks.iter().filter_map(|(name, value)| Some((name, value.as_table()?)));
    unchecked.extend(left.flat_map(|(name, check)| check.keys().map(move |key| format!("checks.{name}.{key}"))));
}

/// Turns `in_place` of clips into the owner of their travel. An owner that is given stays. Returns `Err` if `in_place` is
/// neither true nor false.
fn take_in_place(table: &mut Table) -> Result<(), Message> {
    for (name, clip) in tables_of(table, "clips") {
        let Some(in_place) = clip.remove("in_place") else { continue };
        let owner = match in_place.as_bool() {
            Some(true) => "gameplay",
            Some(false) => "animation",
            None => {
                return Err(message!(
                    "error.contract.in_place",
                    "`in_place` of '%{clip}' must be true or false.",
                    clip = name,
                ));
            }
        };
        clip.entry("movement_owner_xz").or_insert_with(|| owner.into());
    }
    Ok(())
}

/// Turns gait groups into rings that require one phase, and sync groups into free sets of one length. Returns `Err` if `sets`
/// is no table.
fn take_groups(table: &mut Table, unchecked: &mut Vec<String>) -> Result<(), Message> {
    for (groups, kind) in [("gait_groups", "ring"), ("sync_groups", "free")] {
        let Some(Value::Table(groups)) = table.remove(groups) else { continue };
        for (name, group) in groups {
            let Value::Table(mut set) = group else { continue };
            if let Some(rename) = set.remove("max_gait_phase_spread") {
                set.insert("max_phase_spread".into(), rename);
            }
            for key in ["max_fps_delta", "time_complement"] {
                unchecked.extend(set.remove(key).map(|_| format!("sync_groups.{name}.{key}")));
            }
            set.insert("kind".into(), kind.into());
            if kind == "ring" {
                // A gait group says nothing about loops and lengths.
                set.insert("max_duration_delta_s".into(), f64::MAX.into());
                set.insert("max_frame_count_delta".into(), i64::from(u32::MAX).into());
                let mut each = Table::new();
                each.insert("loop".into(), false.into());
                set.insert("each".into(), Value::Table(each));
            }
            add_set(table, &name, set)?;
        }
    }
    Ok(())
}

/// Adds `set` under `name`, or a name with a number if there is such a set. Returns `Err` if `sets` is no table.
fn add_set(table: &mut Table, name: &str, set: Table) -> Result<(), Message> {
    let sets = table.entry("sets").or_insert_with(|| Value::Table(Table::new())).as_table_mut();
    let Some(sets) = sets else {
        return Err(message!("error.contract.sets", "`sets` must be a table of sets, such as [sets.walk]."));
    };
    let names = std::iter::once(name.to_owned()).chain((2..).map(|number| format!("{name} {number}")));
    if let Some(free) = names.into_iter().find(|name| !sets.contains_key(name)) {
        sets.insert(free, Value::Table(set));
    }
    Ok(())
}

/// Returns `Err` with the first limit that is negative or not finite.
fn check_numbers(contract: &Contract) -> Result<(), Message> {
    let clips = contract.clips.iter().map(|(name, clip)| (format!("clips.{name}"), clip));
    let each = contract.sets.iter().map(|(name, set)| (format!("sets.{name}.each"), &set.each));
    for (path, clip) in clips.chain(each) {
        let pins = [clip.duration_s, clip.speed_mps].into_iter().flatten().flat_map(|pin| [pin.value, pin.tolerance]);
        let numbers = [
            clip.max_loop_position_delta_m,
            clip.max_loop_rotation_delta_deg,
            clip.max_loop_velocity_delta_mps,
            clip.fps,
            clip.max_slide_mps,
            clip.max_penetration_m,
            clip.max_pose_delta_m,
        ];
        check_positive(&path, pins.chain(numbers.into_iter().flatten()))?;
    }
    for (name, set) in &contract.sets {
        let numbers = [
            set.max_phase_spread,
            set.min_lr_amplitude_m,
            set.max_duration_delta_s,
            set.max_pose_delta_m,
            set.max_velocity_delta_mps,
            set.max_aim_delta_deg,
        ];
        check_positive(&format!("sets.{name}"), numbers.into_iter().flatten())?;
    }
    Ok(())
}

/// Returns `Err` with the first of `numbers` that is negative or not finite; 0 is allowed. `path` names the table in the
/// message.
fn check_positive(path: &str, mut numbers: impl Iterator<Item = f64>) -> Result<(), Message> {
    match numbers.find(|number| !number.is_finite() || *number < 0.0) {
        None => Ok(()),
        Some(number) => Err(message!(
            "error.contract.number",
            "[%{table}] requires %{number}, which no clip can meet. Give a number that is not negative.",
            table = path.to_owned(),
            number = number.to_string(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{Owner, Pin, SetKind};

    #[test]
    fn a_contract_is_read_as_it_was_written() {
        let text = r#"
            [rig]
            required_bones = ["hand_r"]
            [clips."walk*"]
            loop = true
            duration_s = { value = 1.0, tolerance = 0.001 }
            movement_owner_xz = "animation"
            [sets.walk]
            kind = "ring"
            clips = ["walk*"]
            each = { max_slide_mps = 0.05 }
        "#;
        let read = ContractFile::read(text).unwrap();
        assert_eq!(read.unchecked, <[String; 0]>::default());
        let walk = &read.contract.clips["walk*"];
        assert_eq!(walk.duration_s, Some(Pin { value: 1.0, tolerance: 0.001 }));
        assert_eq!((walk.is_loop, walk.movement_owner_xz), (Some(true), Some(Owner::Animation)));
        assert_eq!(
            (read.contract.sets["walk"].kind, read.contract.sets["walk"].each.max_slide_mps),
            (SetKind::Ring, Some(0.05))
        );
        let again = ContractFile::read(&read.contract.text().unwrap()).unwrap();
        assert_eq!(again, read);
    }

    #[test]
    fn equal_keys_of_another_contract_mean_the_same_and_the_others_are_named() {
        let text = r#"
            [rig]
            profile = "mixamo"
            [checks.loop-closure]
            max_position_delta_m = 0.02
            severity = "warn"
            [clips.run]
            loop = true
            in_place = true
            max_loop_angular_velocity_delta_degps = 5.0
            [gait_groups.run-ring]
            clips = ["run", "run_left"]
            max_gait_phase_spread = 0.15
            min_lr_amplitude_m = 0.03
            [sync_groups.run-ring]
            clips = ["run", "run_left"]
            max_duration_delta_s = 0.0
            max_frame_count_delta = 0
            max_fps_delta = 0.0
        "#;
        let ContractFile { contract, unchecked } = ContractFile::read(text).unwrap();
        let run = crate::contract::ClipRequirements::of(&contract.clips, "a.glb", "run");
        assert_eq!((run.is_loop, run.max_loop_position_delta_m), (Some(true), Some(0.02)));
        assert_eq!(run.movement_owner_xz, Some(Owner::Gameplay));
        let [ring, sync] = ["run-ring", "run-ring 2"].map(|name| contract.sets[name].with_defaults());
        assert_eq!(
            (ring.kind, ring.max_phase_spread, ring.min_lr_amplitude_m),
            (SetKind::Ring, Some(0.15), Some(0.03))
        );
        assert_eq!((ring.each.is_loop, ring.max_frame_count_delta), (Some(false), Some(u32::MAX)));
        assert_eq!(
            (sync.kind, sync.max_duration_delta_s, sync.max_frame_count_delta),
            (SetKind::Free, Some(0.0), Some(0))
        );
        let wanted = [
            "rig.profile",
            "clips.run.max_loop_angular_velocity_delta_degps",
            "checks.loop-closure.severity",
            "sync_groups.run-ring.max_fps_delta",
        ];
        assert_eq!(unchecked, wanted);
    }

    #[test]
    fn faults_are_named_with_their_line() {
        for (text, words) in [
            ("[clips.walk]\nlopo = true", "lopo"),
            ("[clips.walk]\nduration_s = 1.0", "duration_s"),
            ("[sets.walk]\nkind = \"circle\"", "circle"),
            ("[clips.walk]\nfps = -30.0", "-30"),
            ("[clips.walk]\nfps = nan", "NaN"),
            ("[clips.walk]\nin_place = 1", "in_place"),
            ("sets = 3\n[gait_groups.a]\nclips = []", "sets"),
            ("clips = ", "TOML"),
        ] {
            let why = ContractFile::read(text).unwrap_err().to_string();
            assert!(why.contains(words), "{text}: {why}");
        }
        assert!(ContractFile::read(&"#".repeat(MAX_BYTES + 1)).unwrap_err().to_string().contains("4 MB"));
    }
}
