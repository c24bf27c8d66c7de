#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Says what is inside a built program, as SPDX 2.3 in JSON, and collects the notices that it has to carry.

sbom.py BUILD BINARY --version V --sbom FILE --notices FILE [--packages ROOT --zig FOLDER --glibc V]

It asks the build itself: every header that a compiler read (ninja's log) and every archive of the link has to belong to a
package that parts.json knows, else there is no list. ROOT is where ./dev release unpacked the packages; without it they are
those that are installed here. FOLDER is zig's wheel, whose C++ library is inside then."""
import argparse
import datetime
import fnmatch
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[1]
HOME = "https://whichgpu.invalid/sbom/"  # a name and no address, as SPDX wants one for each document


class Unknown(Exception):
    """Something is inside of which nobody has said what it is."""


class Unpacked:
    """Packages below a folder, as unpack_root of ./dev left them."""
    def __init__(self, root):
        self.root = root
        self.owners = {}
        for listed in sorted((self.root / "packages").glob("*.list")):
            for line in listed.read_text().splitlines():
                self.owners[os.path.normpath(self.root / line)] = listed.stem

    def owner(self, path):
        return self.owners.get(str(path))

    def facts(self, package):
        folder = self.root / "packages"
        fields = dict(re.findall(r"^(\w[\w-]*): (.*)$", (folder / f"{package}.control").read_text(), re.M))
        return {"version": fields["Version"], "source": fields.get("Source", package), "architecture": fields["Architecture"],
                "sha256": (folder / f"{package}.sha256").read_text().strip()}

    def copyright(self, package):
        return (self.root / "usr/share/doc" / package / "copyright").read_text(errors="replace")


class Installed:
    """The packages of this machine."""
    def __init__(self, paths):
        """dpkg reads all of its lists for each question, so it is asked once."""
        said = subprocess.run(["dpkg-query", "-S", *map(str, paths)], capture_output=True, text=True, check=False).stdout
        self.owners = {path: re.split("[:,]", packages)[0] for packages, path in re.findall(r"^(.+?): (/.*)$", said, re.M)}

    def owner(self, path):
        return self.owners.get(str(path))

    @staticmethod
    def facts(package):
        fields = subprocess.run(["dpkg-query", "-W", "-f", "${Version}\t${source:Package}\t${Architecture}\n", package],
                                capture_output=True, text=True, check=True).stdout.splitlines()[0].split("\t")
        return dict(zip(("version", "source", "architecture"), fields))

    @staticmethod
    def copyright(package):
        return pathlib.Path("/usr/share/doc", package, "copyright").read_text(errors="replace")


def ninja(build, *arguments):
    return subprocess.run(["ninja", "-C", str(build), *arguments], capture_output=True, text=True, check=True).stdout


def inputs_of(build, binary):
    """What the program was made of beside its own sources: headers, by the log of its objects, and archives of the link."""
    commands = ninja(build, "-t", "commands", binary)
    objects = set(re.findall(r" -o (\S+\.o) ", commands))
    out, taken = set(), False
    for line in ninja(build, "-t", "deps").splitlines():
        if not line.startswith(" "):
            taken = line.split(":")[0] in objects
        elif taken:
            out.add(line.strip())
    archives = [word for word in commands.splitlines()[-1].split() if word.endswith(".a")]
    if not out or not archives:
        raise Unknown(f"{build} has no log of what {binary} was made of: build it first")
    return sorted({pathlib.Path(os.path.normpath(build / path)) for path in out.union(archives)})


def packages_of(paths, packages, parts):
    """The packages that own the files; those of the C library are no part of the program."""
    out = {}
    for path in paths:
        package = packages.owner(path)
        if package is None:
            raise Unknown(f"{path} is inside, and belongs to no package")
        if package in parts["system"]:
            continue
        part = next((part for part in parts["packages"] if fnmatch.fnmatch(package, part["package"])), None)
        if part is None:
            raise Unknown(f"{path} is inside, of {package}, of which release/parts.json says nothing")
        out[package] = part
    return out


def spdx_id(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", name)


def entry(name, part, version, **more):
    return {"SPDXID": spdx_id(name), "name": part["name"], "versionInfo": version, "downloadLocation": part["home"],
            "licenseConcluded": part["licence"], "licenseDeclared": part["licence"], "copyrightText": "NOASSERTION",
            "filesAnalyzed": False, **more}


def entry_of_package(name, part, facts):
    purl = f"pkg:deb/debian/{name}@{facts['version'].replace('+', '%2B').replace('~', '%7E')}?arch={facts['architecture']}"
    more = {"sourceInfo": f"from the Debian package {name}, source package {facts['source']}",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}]}
    if "sha256" in facts:
        more["checksums"] = [{"algorithm": "SHA256", "checksumValue": facts["sha256"]}]
    return entry(name, part, facts["version"], **more)


def versions_of_zig(folder, glibc):
    config = (folder / "ziglang/lib/libcxx/include/__config").read_text()
    number = int(re.search(r"define _LIBCPP_VERSION (\d+)", config)[1])  # 220108 is 22.1.8
    wheel = next(folder.glob("ziglang-*.dist-info")).name
    return {"llvm": f"{number // 10000}.{number // 100 % 100}.{number % 100}", "glibc": glibc,
            "zig": re.match(r"ziglang-(.+)\.dist-info", wheel)[1]}


def own_entry(version, binary):
    own = {"name": "whichgpu", "home": "NOASSERTION", "licence": "MIT"}
    digest = hashlib.sha256(binary.read_bytes()).hexdigest()
    return entry("whichgpu", own, version, primaryPackagePurpose="APPLICATION", packageFileName=binary.name,
                 checksums=[{"algorithm": "SHA256", "checksumValue": digest}])


def document(version, binary, entries, extracted):
    own = own_entry(version, binary)
    made = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), datetime.timezone.utc)
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", own["SPDXID"])]
    relations += [(own["SPDXID"], "CONTAINS", part["SPDXID"]) for part in entries]
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": binary.name,
            "documentNamespace": HOME + own["checksums"][0]["checksumValue"],
            "creationInfo": {"created": made.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: whichgpu-release-sbom"]},
            "packages": [own, *entries],
            "relationships": [{"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}
                              for one, kind, other in relations],
            **({"hasExtractedLicensingInfos": extracted} if extracted else {})}


def collect(options, parts):
    """The entries of everything inside, the licences that SPDX has no name for, and the notices by name."""
    build = options.build.resolve()
    source = re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", (build / "CMakeCache.txt").read_text(), re.M)[1]
    root = options.packages.resolve() if options.packages else pathlib.Path("/usr")
    # Below these two lies what is the program's own, and zig's wheel; and the unpacked packages, which are neither.
    paths = [path for path in inputs_of(build, options.target)
             if path.is_relative_to(root) or not path.is_relative_to(source) and not path.is_relative_to(build)]
    packages = Unpacked(root) if options.packages else Installed(paths)
    entries, extracted, notices = [], [], {}
    for name, part in sorted(packages_of(paths, packages, parts).items()):
        entries.append(entry_of_package(name, part, packages.facts(name)))
        notices[f"{part['name']} ({name})"] = packages.copyright(name)
    versions = versions_of_zig(options.zig, options.glibc) if options.zig else {}
    for part in parts["zig"] if options.zig else []:
        texts = [(options.zig / "ziglang" / notice).read_text(errors="replace") for notice in part["notices"]]
        if part["licence"].startswith("LicenseRef-"):
            texts[0] = texts[0].partition("*/")[0].removeprefix("/*").strip()  # the comment that a source begins with
            extracted.append({"licenseId": part["licence"], "name": part["name"], "extractedText": texts[0]})
        entries.append(entry(part["name"], part, versions[part["version"]], sourceInfo=f"from zig {versions['zig']}"))
        notices[part["name"]] = "\n\n".join(texts)
    return entries, extracted, notices


def write(path, text):
    part = path.with_name(path.name + ".part")
    part.write_text(text)
    part.replace(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("--target", default="report/whichgpu", help="what the build calls it")
    parser.add_argument("--version", required=True)
    parser.add_argument("--packages", type=pathlib.Path)
    parser.add_argument("--zig", type=pathlib.Path)
    parser.add_argument("--glibc", default="")
    parser.add_argument("--parts", type=pathlib.Path, default=SOURCE / "release/parts.json")
    parser.add_argument("--sbom", type=pathlib.Path, required=True)
    parser.add_argument("--notices", type=pathlib.Path, required=True)
    options = parser.parse_args()
    try:
        entries, extracted, notices = collect(options, json.loads(options.parts.read_text()))
    except (Unknown, OSError, subprocess.CalledProcessError) as error:
        print(f"sbom: {error}", file=sys.stderr)
        return 1
    write(options.sbom, json.dumps(document(options.version, options.binary, entries, extracted), indent=1) + "\n")
    write(options.notices, "".join(f"{'=' * 100}\n{name}\n{'=' * 100}\n{text.strip()}\n\n" for name, text in notices.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
