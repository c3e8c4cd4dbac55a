# Settings under which our own crate is compiled as released, on top of dependencies that are that already. To be sourced.
# One unit stands for the optimisation across units that releases get: that would need all dependencies once more. Without either the
# blend takes four times the instructions.
as_released=()
for setting in opt-level=3 codegen-units=1 debug=false overflow-checks=false; do
    as_released+=(--config "profile.dev.package.portamento.$setting")
done
export CARGO_INCREMENTAL=0
