"""What is told of a drive, a workload or a run, for the terminal and for reports."""
