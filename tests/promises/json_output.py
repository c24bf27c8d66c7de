# SPDX-License-Identifier: MIT
"""Section 2 of docs/contract.md."""
import pathlib
import tempfile

from harness import BINARY, SOURCE, document, validate
from interruption_test import BUILD, Machine
from fake_machine import FakeMachine
from shown import Broken, NotShown, expect, observed, promise

SECTION = "2. JSON"
FIXTURES = SOURCE / "tests" / "fixtures"


def check(value, command):
    try:
        validate(value, command)
    except ImportError:
        raise NotShown("python3-jsonschema is not installed") from None
    except Exception as error:
        raise Broken(str(error)) from None


@promise(SECTION, "Every command prints one object that follows its schema.")
def schemas(stage):
    with tempfile.TemporaryDirectory() as folder:
        saved = pathlib.Path(folder) / "report.json"
        saved.write_text(stage.run("--json", "--replay", FIXTURES / "gpu_beside_igpu", typed=False).stdout)
        rows = {"list": ("list", "--json"), "report": ("--json", "--no-calibrate"),
                "recommend": ("recommend", "--json", "--no-calibrate"), "compare": ("compare", "--json", saved, saved),
                "query": ("query", "name", "--json"), "describe": ("describe", "--json")}
        for command, words in rows.items():
            run = stage.run(*words)
            expect(run.returncode == 0, observed(run))
            value = document(run)  # one object, one final newline, no NaN
            check(value, command)
            expect(value["schema_version"] == 1, f"schema_version {value['schema_version']}")
            expect(command in ("compare", "describe") or value["interrupted"] is False, "without \"interrupted\"")
    return "each valid against data/schema/, schema_version 1, one newline at the end"


@promise(SECTION, "schema prints the schema of a command's JSON, whole: it refers to no other file.")
def printed_schema(stage):
    names = stage.run("schema").stdout.split()
    expect("report" in names, f"names {names}")
    for name in names:
        run = stage.run("schema", name, typed=name == "report")
        expect(run.returncode == 0 and ".json#" not in run.stdout, observed(run))
        expect(document(run)["$schema"].endswith("/2020-12/schema"), "another draft")
    missed = stage.run("schema", "raport")
    expect(missed.returncode == 2 and missed.stdout == "" and "'report'" in missed.stderr, observed(missed))
    return f"those of {', '.join(names)}; of a near miss exit 2: {missed.stderr.strip()}"


@promise(SECTION, "Ids: pci:… by its address, uuid:… where it has none, cpu:0 the host.")
def ids(stage):
    with FakeMachine(BINARY, BUILD) as machine:
        machine.add_driver("vulkan", "fake", {"devices": [
            {"name": "Card", "pci": "0000:c1:00.0", "uuid": "1" * 32}, {"name": "Remote card", "uuid": "2" * 32}]})
        run = stage.run("list", "--json", environment=machine.environment())
    found = [device["id"] for device in document(run)["devices"]]
    expect("pci:0000:c1:00.0" in found and "cpu:0" in found, f"ids {found}")
    expect(any(one.startswith("uuid:") for one in found), f"ids {found}")
    return f"ids {', '.join(found)}"


@promise(SECTION, "Software devices get no id of their own: they are views of cpu:0.")
def software(stage):
    run = stage.run("--json", "--replay", FIXTURES / "plain_server")
    views = [(device["id"], view["runtime"]) for device in document(run)["devices"] for view in device["views"]
             if view["kind"] == "software"]
    expect(views and all(owner == "cpu:0" for owner, _ in views), f"views {views}")
    return f"{' and '.join(runtime for _, runtime in views)} of cpu:0"


@promise(SECTION, "--device takes an id, a unique prefix of one or a unique part of a name.")
def selection(stage):
    with Machine() as machine:
        environment = machine.environment()
        for word in ("pci:0000:c1:00.0", "pci:0000:c1", "vulkan GPU"):
            run = stage.run("list", "--json", "--device", word, environment=environment)
            found = [device["id"] for device in document(run)["devices"]]
            expect(found == ["pci:0000:c1:00.0"], f"{word}: {found}")
        several = stage.run("list", "--device", "pci:", environment=environment)
    expect(several.returncode == 2 and several.stdout == "", observed(several))
    return f"the same card thrice; of what is not unique exit 2: {several.stderr.strip()}"


@promise(SECTION, "What is not known is absent: no null, no NaN, no made-up zero.")
def absent(stage):
    run = stage.run("--json", "--no-calibrate")
    value = document(run)
    expect("null" not in run.stdout, "null in the output")
    expect("measurements" not in value or value["measurements"] == [], "figures that nobody measured")
    return f"{len(run.stdout)} bytes without a null; no figure where nothing was measured"
