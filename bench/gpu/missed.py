# SPDX-License-Identifier: MIT
"""What a check of a machine's GPUs must not pass over in silence: cards that no runtime reaches, drivers that crash, and
cards of which there is no figure."""
import collections
import os

from figures import failures_of, filled_by_others, gpus_of, verified_of, wanted_room

# Which only fake drivers read (tests/fakes): their cards are on no bus, so that a report says that they are made up.
FAKES = "WHICHGPU_FAKE_SCENARIO"
SET_ASIDE = f"Set aside ({FAKES} is set: the drivers are fakes)"
# Findings of what is judged by each figure, and by what found no room.
JUDGED_ELSEWHERE = ("measure.", "peers.", "memory.others.")
UNREACHED = ("unreached.", "unplaced.")  # the latter: of which nobody knows where it is
# Of the other cards of a host its containers see the bus alone: no driver says that they are broken.
NOT_GIVEN = "Not reached, and no driver says why (not given to this container?)"
WHY_UNREACHED = "unreached_error"  # the fact in which a driver says it
DENIED = "device_node.denied."
# How a driver's process ends that takes more with it than its own devices.
DEADLY = (".crashed", ".timed_out", ".bad_reply")


def is_fault(finding, reached):
    """Whether a finding says of a card or a driver itself that it fails. Beside a usable GPU a report calls nothing blocking:
    there it is what no runtime reaches, and what crashes or hangs."""
    name = finding["id"]
    if finding["severity"] == "note" or name.startswith(JUDGED_ELSEWHERE):
        return False
    denied = name.startswith(DENIED) and finding.get("device_id") not in reached
    deadly = name.startswith(("driver.", "runtime.")) and name.endswith(DEADLY)
    return finding["severity"] == "blocking" or name.startswith(UNREACHED) or denied or deadly


def is_not_given(finding, report):
    """Whether it is of a card beside others that work, of which no driver says what it lacks."""
    if finding["severity"] == "blocking" or not finding["id"].startswith("unreached."):
        return False
    device = next((one for one in report["devices"] if one["id"] == finding.get("device_id")), {})
    return all(fact["key"] != WHY_UNREACHED for fact in device.get("hardware", {}).get("facts", []))


def fault_lines(reports):
    """The findings that are faults, each once; those that are none where the drivers are fakes; and cards that may be
    others'."""
    faults, of_fakes, not_given = {}, {}, {}
    for number, report in enumerate(reports, 1):
        reached = {device["id"] for device in report["devices"] if device["views"]}
        for finding in report.get("findings", []):
            if is_fault(finding, reached):
                is_fakes = finding["id"].startswith("claim.") and FAKES in os.environ
                line = f"{finding['severity']} {finding['id']}: {finding['summary']}"
                kind = of_fakes if is_fakes else not_given if is_not_given(finding, report) else faults
                kind.setdefault(finding["id"], line + (f" (in run {number})" if number > 1 else ""))
    return list(faults.values()), list(of_fakes.values()), list(not_given.values())


def why_no_figure(report, card):
    """What became of most that was tried on it."""
    if card not in {gpu["id"] for gpu in gpus_of(report)}:
        return "no runtime reaches it any more"
    rows = [m for m in report["measurements"] if m["device_id"] == card]
    of_memory = [m for m in rows if m.get("lacked_memory") or "needed_bytes" in m]
    ends = collections.Counter(m["status"] + (f": {m['reason']}" if m.get("reason") else "") for m in of_memory or rows)
    return ends.most_common(1)[0][0] if ends else "nothing was tried"


def no_figure_lines(reports):
    """The cards of which a run has not one verified figure, and no line that says of one what failed; and those of them that
    others have filled."""
    lines, of_full = {}, {}
    for number, report in enumerate(reports, 1):
        filled = filled_by_others(report)
        told = {m["device_id"] for m in [*verified_of(report), *failures_of(report)]}
        told |= {m["device_id"] for m in report["measurements"] if wanted_room(m, filled)}
        for card in dict.fromkeys(gpu["id"] for one in reports for gpu in gpus_of(one)):
            if card not in told:
                line = f"{card}: nothing was verified on it: {why_no_figure(report, card)}"
                (of_full if card in filled else lines).setdefault(card, line + (f" (in run {number})" if number > 1 else ""))
    return list(lines.values()), list(of_full.values())
