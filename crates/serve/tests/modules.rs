//! No circle among the modules.

#[test]
fn modules_have_no_circle() {
    wordline_modules::assert_no_circle(env!("CARGO_MANIFEST_DIR"));
}
