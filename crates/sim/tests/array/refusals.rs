//! Arrays that cannot work are refused with the arithmetic.

use wordline_sim::config::load;
use wordline_sim::logical_bytes;

fn refused(text: &str, says: &[&str]) {
    let text = format!("preset = \"tiny\"\n[array]\n{text}");
    let config = load(&text, "array.toml", &[]).expect("every value is valid");
    let message = logical_bytes(&config).expect_err(&text).to_string();
    for part in says {
        assert!(message.contains(part), "{text}\n{message}\nlacks {part}");
    }
}

#[test]
fn arrays_that_cannot_work() {
    refused("level = \"raid5\"\ndrives = 2", &["raid5 needs 3 drives", "array.drives is 2"]);
    refused("level = \"raid1\"\ndrives = 1", &["raid1 needs 2 drives", "array.drives is 1"]);
    refused("level = \"raid0\"\nspare = true", &["no redundancy", "array.spare"]);
    refused("level = \"raid0\"\nfail = [1]", &["no redundancy"]);
    refused("level = \"raid5\"\nfail = [4]", &["names drive 4", "0 to 3"]);
    refused(
        "level = \"raid5\"\nfail = [2, 1]",
        &["names drives 1, 2", "2 of the 4 pages of every stripe", "50 % of the data"],
    );
    refused("level = \"raid5\"\nfail = [1, 1]", &["names a drive twice"]);
    refused("level = \"raid1\"\ndrives = 2\nfail = [0, 1]", &["no mirror would be left"]);
    refused("level = \"raid1\"\nfail = [0, 1]", &["a mirror would be left", "only one drive"]);
    refused("level = \"raid5\"\ndrive.4.ftl.gc.idle_us = 3", &["[array.drive.4]", "0 to 3"]);
    refused("level = \"raid5\"\npage_kib = 3.3", &["3379 bytes", "sectors of 512"]);
    refused("level = \"raid5\"\nchunk_kib = 6", &["1.50 pages of the array of 4 KiB"]);
    refused(
        "level = \"raid5\"\nchunk_kib = 12\ndrive.0.ftl.mapping_unit_kib = 16",
        &["0.75 mapping units of the drives of 16 KiB", "a multiple of 16"],
    );
    refused("level = \"raid5\"\nchunk_kib = 65536", &["67108864 bytes does not fit"]);
    refused(
        "level = \"raid5\"\ndrive.2.drive.over_provisioning = 0.5",
        &["drive 0 has 52428800 bytes", "drive 2 44736512", "[array.drive.2.drive]"],
    );
}

#[test]
fn an_array_has_room_for_whole_chunks_of_data() {
    let bytes = |text: &str| {
        let text = format!("preset = \"tiny\"\n[array]\n{text}");
        logical_bytes(&load(&text, "array.toml", &[]).expect("valid")).expect("it works")
    };
    let drive = bytes("");
    assert_eq!(drive, 52_428_800);
    assert_eq!(bytes("level = \"raid0\""), 4 * drive);
    assert_eq!(bytes("level = \"raid1\""), drive);
    assert_eq!(bytes("level = \"raid5\"\ndrives = 10"), 9 * drive);
    let chunk = 48 << 10;
    assert_eq!(bytes("level = \"raid5\"\nchunk_kib = 48"), 3 * (drive / chunk * chunk));
}
