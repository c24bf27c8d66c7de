// SPDX-License-Identifier: MIT
// data/systems.json, how distributions are told and administered, and data/packages.json, what they call the
// packages of a role and what cards demand of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/result.h"
#include "report/core/remedy.h"

namespace report::advise {

// How a command names several things: with blanks between them, with commas, or not: one command for each.
enum class List { kWords, kCommas, kEach };

// A command for an action, with {} for what it is done to.
struct Verb {
  Action name = Action::kInstall;
  std::string command;
  List list = List::kWords;
};

struct ReleaseName {
  std::string version;
  std::string codename;
};

struct SystemFacts {
  std::string name;
  std::string title;             // for people
  std::vector<std::string> ids;  // os-release's ID of it, and of others that use its releases as they are
  std::uint32_t release_parts =
      0;  // of VERSION_ID that name a release: "9.4" of one with 1 is "9"; 0: none do
  std::vector<ReleaseName> releases;  // by which its derivatives are told
  std::vector<Verb> verbs;
  std::optional<std::vector<std::string>> groups;  // the only ones of those that own devices
  std::optional<std::string> as_root;              // in the place of sudo
  // The first release whose own Python takes packages in virtual environments alone (PEP 668); "0": any.
  std::optional<std::string> venv_from = std::nullopt;
  std::string source;
  std::string date;
};

// Systems whose packages are not added one by one.
struct ImageBased {
  std::vector<std::string> ids;
  std::vector<std::string> variants;  // os-release's VARIANT_ID
  std::string note;                   // what to do there
  std::string source;
  std::string date;
};

struct Systems {
  std::vector<SystemFacts> systems;
  ImageBased image_based;
};

struct Role {
  std::string name;
  std::string title;
  bool kernel = false;                                // it is of use where the kernel is: not in a container
  bool reboot = false;                                // it serves after a restart
  std::string elsewhere;                              // what to do where no package fits
  std::optional<std::string> library = std::nullopt;  // by which builds of programs ask for it
  std::optional<std::string> backend = std::nullopt;  // the only one whose builds mean it by that library
};

// What systems call the packages of a role. The first row that fits counts.
struct PackageRow {
  std::string role;
  std::vector<std::string> systems;
  std::optional<std::vector<std::string>> releases;  // absent: any, known or not
  std::optional<std::vector<std::string>> vendors;  // PCI vendor ids of the only cards that it is for: "10de"
  std::optional<std::vector<std::string>> drivers;  // kernel drivers of those
  std::vector<std::string> packages;                // may be none where nothing is needed
  std::optional<std::string> command;               // in the place of installing packages
  std::optional<std::string> version;
  std::optional<bool> open;          // kernel modules with published sources
  std::optional<bool> chooses;       // the command itself chooses what fits the card
  std::optional<bool> foreign;       // of the vendor's repository: the distribution's lists have no such name
  std::optional<std::string> note;   // what a reader has to know before
  std::optional<std::string> lacks;  // why there is none
  std::optional<bool> final;         // of `lacks`: it is not to be had elsewhere, either
  std::string source;
  std::string date;
};

// What a card demands of a role's version; absent: nothing.
struct Need {
  std::string role;
  std::optional<std::vector<std::string>> families;  // as data/pci_names.csv has them
  std::optional<std::vector<std::string>> drivers;   // kernel drivers
  std::optional<std::string> from;
  std::optional<std::string> to;  // the last branch that knows the card
  std::optional<bool> open;
  std::string source;
  std::string date;
};

struct Packages {
  std::vector<Role> roles;
  std::vector<PackageRow> rows;
  std::vector<Need> needs;
};

[[nodiscard]] probe::Result<Systems> DecodeSystems(std::string_view json);
[[nodiscard]] probe::Result<Packages> DecodePackages(std::string_view json);

// Those of this build, parsed by the first call; empty where the data is broken, which a test would show.
[[nodiscard]] const Systems& EmbeddedSystems();
[[nodiscard]] const Packages& EmbeddedPackages();

}  // namespace report::advise
