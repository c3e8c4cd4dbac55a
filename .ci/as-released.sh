# Settings under which our own crates are compiled as released, on top of dependencies that are that already. To be sourced.
# One unit a crate stands for the optimisation across units that releases get: that would need all dependencies once more.
as_released=()
for crate in portamento src/*/Cargo.toml; do
    crate=${crate#src/}
    crate=${crate%/Cargo.toml}
    [ "$crate" = portamento ] || crate=portamento_$crate
    for setting in opt-level=3 codegen-units=1 overflow-checks=false; do
        as_released+=(--config "profile.dev.package.$crate.$setting")
    done
done
export CARGO_INCREMENTAL=0
