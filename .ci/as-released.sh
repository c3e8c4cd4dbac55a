# Settings under which our own crates are compiled as released, on top of dependencies that are that already. To be sourced. `crates`
# names the crates; without it they are all of them.
# One unit a crate stands for the optimisation across units that releases get: that would need all dependencies once more.
crates=${crates-portamento $(sed -n 's/^name = "\(portamento_.*\)"$/\1/p' src/*/Cargo.toml)}
as_released=()
for crate in $crates; do
    for setting in opt-level=3 codegen-units=1 overflow-checks=false; do
        as_released+=(--config "profile.dev.package.$crate.$setting")
    done
done
export CARGO_INCREMENTAL=0
