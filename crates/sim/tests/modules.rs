//! The modules of the simulator form no circle.

#[test]
fn modules_form_no_circle() {
    wordline_modules::assert_no_circle(env!("CARGO_MANIFEST_DIR"));
}
