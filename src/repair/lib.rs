//! Repairs of a finished motion: noise and outlier frames ([`cleanup`]), feet on the ground ([`ground`]), open loops ([`close`]).

pub mod cleanup;
pub mod ground;
pub mod close;
