"""The verb `trace info`."""

import json

from wordline import _native, metrics
from wordline.cli import output


def info(workload: str, trace_format: str | None, as_json: bool) -> None:
    """Shows what a workload holds."""
    found = json.loads(_native.trace_info(workload, trace_format))
    if as_json:
        output.print_json(found)
        return
    table = output.grid(("", ""))
    table.show_header = False
    for label, value in (found["file"] or {}).items():
        table.add_row(label.replace("_", " "), value)
    for kind, count in found["requests"].items():
        table.add_row("requests" if kind == "total" else kind, metrics.figure(count))
    table.add_row("span (s)", metrics.figure(found["time"]["span_s"]))
    output.show(found["workload"], table)
