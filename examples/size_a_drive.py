"""How long does a drive live? Drive writes a day and terabytes written, by over-provisioning.

An erase wears a block, and write amplification says how many bytes a block takes for each byte of
the host: TBW = flash × P/E cycles / write amplification, if wear is even.
"""

import wordline as wl

EXPORTED_TB, PE_CYCLES, YEARS = 1.0, 3000, 5
WORKLOAD = wl.workloads.zipf(writes=200_000, theta=0.9)  # as your trace, in small

for over_provisioning in (0.07, 0.15, 0.28):
    drive = wl.tables.Drive(over_provisioning=over_provisioning)
    result = wl.run("tiny-tlc", WORKLOAD, drive)
    flash_tb = EXPORTED_TB * (1 + over_provisioning)
    tbw = flash_tb * PE_CYCLES / (result.write_amplification or 1)
    dwpd = tbw / EXPORTED_TB / (365 * YEARS)
    print(f"over-provisioning {over_provisioning:4.0%}: {tbw:5.0f} TB written, {dwpd:.2f} a day")
