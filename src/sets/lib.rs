//! Contracts of clips and sets of clips, checked by measurement before a delivery.
//!
//! ```
//! use portamento_base::budget::Budget;
//! use portamento_sets::{ContractFile, check};
//!
//! let file = ContractFile::read(
//!     r#"
//!     [clips."walk*"]
//!     loop = true
//!
//!     [sets.walk]
//!     kind = "ring"
//!     clips = ["walk", "walk_left", "walk_right"]
//!     "#,
//! )?;
//! // Nothing was delivered, so the clips of the set are missing.
//! let report = check(&file.contract, &[], &Budget::new()).unwrap();
//! assert_eq!(report.count(portamento_sets::Verdict::Broken), 3);
//! # Ok::<(), portamento_base::message::Message>(())
//! ```

mod aim;
mod check;
mod contract;
mod figures;
mod propose;
mod read;
mod report;
mod stride;

pub use aim::{Aim, aim_at, centred};
pub use check::check;
pub use contract::{ClipRequirements, Contract, Owner, Pin, RigRequirements, SetKind, SetRequirements};
pub use figures::{ClipName, EndPose, Figures, JointStates, Member};
pub use propose::propose;
pub use read::{ContractFile, MAX_BYTES};
pub use report::{Limit, Measured, Report, Requirement, Row, Verdict};
pub use stride::{Stride, strides};

#[cfg(test)]
mod tests;
