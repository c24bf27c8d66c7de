// SPDX-License-Identifier: MIT
#include "report/advise/tables.h"

#include <utility>

#include "data/packages.h"

#include "probe/core/codec.h"
#include "report/core/tables_fields.h"

namespace probe {

WHICHGPU_NAMES(report::advise::List, {kWords, "words"}, {kCommas, "commas"}, {kEach, "each"})

}  // namespace probe

namespace report::advise {

WHICHGPU_FIELDS(Verb, name, command, list)
WHICHGPU_FIELDS(ReleaseName, version, codename)
WHICHGPU_FIELDS(SystemFacts, name, title, ids, release_parts, releases, verbs, groups, as_root, venv_from,
                source, date)
WHICHGPU_FIELDS(ImageBased, ids, variants, note, source, date)
WHICHGPU_FIELDS(Systems, systems, image_based)
WHICHGPU_FIELDS(Role, name, title, kernel, reboot, elsewhere, library, backend)
WHICHGPU_FIELDS(PackageRow, role, systems, releases, vendors, drivers, packages, command, version, open,
                chooses, foreign, note, lacks, final, source, date)
WHICHGPU_FIELDS(Need, role, families, drivers, from, to, open, source, date)
WHICHGPU_FIELDS(Packages, roles, rows, needs)

namespace {

template <class T>
probe::Result<T> DecodeText(std::string_view text) {
  const auto json = probe::ParseOwnJson(text);
  if (!json) return json.error();
  return probe::Decode<T>(*json);
}

template <class T>
T OrEmpty(probe::Result<T> decoded) {
  return decoded ? *std::move(decoded) : T{};
}

}  // namespace

probe::Result<Systems> DecodeSystems(std::string_view json) { return DecodeText<Systems>(json); }
probe::Result<Packages> DecodePackages(std::string_view json) { return DecodeText<Packages>(json); }

const Systems& EmbeddedSystems() {
  static const Systems systems = OrEmpty(DecodeSystems(data::kSystems));
  return systems;
}

const Packages& EmbeddedPackages() {
  static const Packages packages = OrEmpty(DecodePackages(data::kPackages));
  return packages;
}

}  // namespace report::advise
