// SPDX-License-Identifier: MIT
// The facts that decide and explain, as data/ holds them: what is known of each runtime, and the factors
// fitted on published rows. Every figure keeps its source and date.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/device.h"
#include "probe/core/result.h"
#include "report/core/remedy.h"
#include "report/core/request.h"

namespace report {

// fitted: from published or own rows. assumed: nobody has fitted it, and it moves nothing but a range.
enum class FactorBasis { kFitted, kAssumed };

// A dimensionless efficiency, or seconds, with its 95 % range.
struct Factor {
  double value = 1;
  double low = 1;
  double high = 1;
  FactorBasis basis = FactorBasis::kAssumed;
  std::string source;
  std::string date;
};

// WeightFactors where this implementation (backends::Measurement) ran a product in 16 bits by matrix tiles,
// and engines have kernels with tiles for those weights.
struct TileFactors {
  std::string implementation;
  Factor prefill;
  Factor decode;
};

// What engines make of a runtime with weights of one type, held against engines: the share of the rate of the
// matrix-vector product of those weights that writing reaches, and of the product in fp32 that reading a
// prompt does; where tiles ran their own.
struct WeightFactors {
  std::string weights;  // of kWeightTypes
  Factor decode;
  Factor prefill;
  std::optional<TileFactors> tiles;
};

// Of weights that products take as they are: the share that frameworks make of the fastest product at the
// prompt's shape.
struct WholeFactors {
  std::string weights;  // of kWeightTypes
  Factor prefill;
};
// An engine that computes the processor's layers of a split model on the device all the same, for as many
// tokens at once at least: it brings their weights for each batch of a prompt.
struct BroughtLayers {
  double tokens = 0;
  std::string source;
  std::string date;
};

// What software makes of a runtime, beside the efficiencies of the device that it reaches (Fit). An assumed
// one is relative to those and its value is 1: it widens the range and orders nothing. A fitted one stands in
// their place.
struct RuntimeFactors {
  std::optional<Factor> decode;
  std::optional<Factor> prefill;
  std::optional<Factor> training;
  // In the place of decode and prefill, where the figures that they are of were measured.
  std::optional<std::vector<WeightFactors>> weights;
  std::optional<std::vector<WholeFactors>> whole;
  std::optional<BroughtLayers> brought;  // absent: the processor computes its layers itself
};

// How ready the runtime's software is, from 0 (nothing uses it) to 4 (everything does); breaks ties only.
struct Maturity {
  std::uint32_t inference = 0;
  std::uint32_t training = 0;
  std::string source;
  std::string date;
};

struct TrainingSupport {
  bool supported = false;
  std::optional<std::string> reason;  // why not
};

struct InstallHint {
  std::string text;
  std::optional<std::vector<std::string>> packages;  // roles of data/packages.json
  std::optional<std::vector<std::string>> drivers;   // kernel drivers of the only GPUs that it is for
  std::optional<std::string> file;                   // part of the name of what it installs for them
};

// Once the runtime is recommended: the programs that a report names for it (data/targets), by use.
struct Advice {
  std::vector<std::string> inference;
  std::vector<std::string> training;
  std::optional<std::vector<std::string>> without_gpu;  // sentences, where no GPU is there at all
};

// By what a variable names devices: the device's UUID, its place in the runtime's own order, its PCI ids.
enum class NamedBy { kUuid, kOrdinal, kIds };

// The variable that makes other programs see one device of the runtime alone.
struct Visibility {
  std::string variable;
  NamedBy value = NamedBy::kOrdinal;
  std::optional<std::string> prefix;            // of the value
  std::optional<std::string> partition_prefix;  // the same of a partition's; absent: nothing names partitions
  std::optional<std::string> alone;  // a second variable, 1, without which the first puts it first alone
};

// How people and build systems call an architecture of the runtime's that begins with `prefix`: by the number
// behind it, whose last digit is the minor version ("8.9", to CMake "89"), by the word as it is, or by the
// release behind it as it is ("12.55"). `key` is the word by which a person says it of an assumed device.
enum class TargetForm { kVersion, kWord, kRelease };

// The drivers that ever knew an architecture, and the code of which it runs: from the first, and before the
// last.
struct ArchitectureDrivers {
  std::string architecture;
  std::optional<std::string> api;  // the runtime's first version that knew it, where no driver's number tells
  std::optional<std::string> first;
  std::optional<std::string> below;
  std::string source;
};

// Architectures, as people write them, and the runtime that programs use there: on these systems alone
// (linux, windows, macos), or on any, and where one of these programs of data/targets is asked about, or
// always.
struct RuntimeInstead {
  std::vector<std::string> architectures;
  std::optional<std::vector<std::string>> os;
  std::optional<std::vector<std::string>> programs;
  std::string runtime;
  std::string source;
};

struct TargetFacts {
  std::string prefix;
  TargetForm form = TargetForm::kWord;
  std::string key;
  // Of versions: those that run code for themselves alone, and whose code runs on nothing else.
  std::optional<std::vector<std::string>> alone;
  std::optional<std::vector<ArchitectureDrivers>> drivers;
  // All that were ever made, as people write them; of a release its first two numbers.
  std::optional<std::vector<std::string>> known = std::nullopt;
  std::optional<std::string> known_source = std::nullopt;
  // Those that the runtime's makers do not serve, and those of which the runtime's driver brings another one
  // by which programs have code that by this one have none.
  std::optional<std::vector<RuntimeInstead>> unserved = std::nullopt;
  std::optional<std::vector<RuntimeInstead>> also = std::nullopt;
};

// What guides claim of the runtime's speed, as a share of another runtime's.
struct GuideClaim {
  std::string relative_to;
  double low = 0;
  double high = 0;
  std::string source;
  std::string date;
};

// What to do, as a finding says it.
struct FixFacts {
  std::string text;
  std::optional<std::string> command;  // the same on every machine
  std::optional<Remedy> remedy;        // in its place
  std::optional<bool> on_host;         // it mends the machine below a container
  bool needs_root = false;
  bool needs_reboot = false;
};

// Where alone a row about an error fits: what is told here of a driver has to hold of the one that failed.
struct ErrorPlace {
  std::optional<std::vector<std::string>> libraries;  // how its library's file name begins
  std::optional<std::string> beside;                  // that other runtime works and shows devices
  std::optional<bool> container;                      // whether this is one
  std::optional<std::string> variable;                // which is set,
  std::optional<std::vector<std::string>> without;    // to a list that has none of these words
};

// The programs that an error never meets which keeps this tool from measuring: they bring the runtime's
// libraries, or the code for the very device, so that nothing is compiled.
enum class Spares { kOwnRuntime, kOwnCode };

// What an error of the runtime means, by its name (probe::Error::name), and what mends it. The first row that
// fits holds.
struct ErrorFacts {
  std::string name;
  std::string layer;  // as in a finding
  std::string meaning;
  std::vector<FixFacts> fix;
  // A kernel that is wrong ends so, too: where others of the same device are right it is that one's fault.
  std::optional<bool> of_kernel = std::nullopt;
  std::optional<Spares> spares = std::nullopt;
  std::optional<std::string> call = std::nullopt;               // of this call alone (probe::Error::call)
  std::optional<std::vector<std::string>> also = std::nullopt;  // other names of it
  std::optional<ErrorPlace> where = std::nullopt;
};

// A variable that makes a runtime take its chip for another, whose kernels may then hang.
struct ChipOverride {
  std::string variable;
  std::optional<std::string> driver;  // the only driver of the runtime that reads it
  std::string source;
};

// A release of the driver as Linux numbers it, and as Windows does, whose driver WSL has.
struct WslDriver {
  std::string linux_version;
  std::string windows_version;
  std::string source;
};

// A runtime that reaches devices by others here, and which one by that: a fact of each of its views.
struct StandsOn {
  std::string fact;                   // its value is a runtime's name
  std::vector<std::string> runtimes;  // that it can be
  std::string source;
};

struct RuntimeFacts {
  std::string name;                   // the module's
  std::string title;                  // for people
  std::vector<std::string> names;     // what else people call it
  std::optional<std::string> vendor;  // PCI vendor id of the only cards that it reaches: "10de"
  Maturity maturity;
  RuntimeFactors factors;
  TrainingSupport training;
  Advice advice;
  std::vector<InstallHint> install;
  std::optional<GuideClaim> guides;
  std::optional<std::vector<ErrorFacts>> errors;
  std::optional<Visibility> visibility;
  std::optional<TargetFacts> target;           // absent: builds for it name no architecture
  std::optional<std::string> driver_variable;  // names the file of the one driver that the loader is to take
  std::optional<std::vector<WslDriver>> wsl_drivers = std::nullopt;
  std::optional<std::string> system_drivers_below = std::nullopt;  // which a system's release numbers
  std::optional<ChipOverride> chip_override = std::nullopt;
  // Variables by which a driver of it claims hardware that is not there.
  std::optional<std::vector<std::string>> pretending = std::nullopt;
  // Of its drivers those that reach no GPU: where the runtime works, their failure is not why it lacks one.
  std::optional<std::vector<std::string>> helpers = std::nullopt;
  std::optional<StandsOn> stands_on = std::nullopt;
};

// What published rows say (bench/fit) of all devices together; of their classes: core/device_fit.h.
struct Fit {
  Factor decode;                // share of the read bandwidth that writing a token reaches
  double token_overhead_s = 0;  // fixed time a token, the same of all devices
  // Reading a prompt reaches prefill * matrix^matrix_power * scalar^(1 - matrix_power) flop/s, of the rates
  // of the fastest product and of the one in fp32: the more a device's matrix units are beyond the rest of
  // it, the less of them a prompt reaches.
  Factor prefill;
  double matrix_power = 0;  // between 0 and 1: a faster product is never slower
  double scalar_share = 1;  // of the fastest product's rate that fp32's has, for where that was not measured
  Factor training;          // share of the fastest product's rate that a training step reaches
};

// At best, of every product with one PCI id; rates in flop/s, op/s and bytes/s.
struct DevicePeak {
  std::string id;  // "10de:2335"
  std::string name;
  std::optional<double> memory;
  std::optional<double> fp32;
  std::optional<double> matrix16;  // fp16 and bf16 with matrix units, dense
  std::optional<double> int8;
  std::string source;
  std::string date;
};

// Operations a clock of one unit (SM, compute unit, core) of an architecture, or with a processor's feature.
struct UnitPeak {
  std::string architecture;
  std::optional<std::string> name;  // only devices with this in their names, before the rows for all
  std::optional<double> fp32;
  std::optional<double> matrix16;       // fp16 and bf16 with matrix units, dense, or dot products
  std::optional<double> matrix16_fp32;  // with sums in fp32, where that is slower
  std::optional<double> bf16;           // where that is slower than fp16
  std::optional<double> int8;
  std::string source;
  std::string date;
};

// At best, of the fastest device of a kind that is known: what a device of which nothing is known is held
// against.
struct KindPeak {
  probe::DeviceKind kind =
      probe::DeviceKind::kUnknown;  // discrete, integrated or cpu; discrete stands for all others
  std::string name;
  std::optional<double> memory;
  std::optional<double> fp32;
  std::optional<double> matrix16;
  std::optional<double> int8;
  std::string source;
  std::string date;
};

struct Peaks {
  std::vector<DevicePeak> devices;
  std::vector<DevicePeak> parts;  // of chips, on no bus: by the name, and of the id the maker's half: "106b"
  std::vector<UnitPeak> units;
  std::vector<KindPeak> kinds;
};

struct Tables {
  ReferenceRequest reference;
  Fit fit;
  std::vector<RuntimeFacts> runtimes;   // those of the build and others that a record may name
  std::vector<std::string> looked_for;  // the runtimes that this build has a module for
};

// nullptr for what is not a known runtime.
[[nodiscard]] const RuntimeFacts* Find(const Tables& tables, std::string_view runtime);
// The title, or the name itself where the tables do not know it.
[[nodiscard]] std::string Title(const Tables& tables, std::string_view runtime);

// Whether this build has a module to look for it.
[[nodiscard]] bool LooksFor(const Tables& tables, std::string_view runtime);
// The runtime that this view of it stands on; nullopt of one that stands on none.
[[nodiscard]] std::optional<std::string> StandsOnOf(const RuntimeFacts& facts, const probe::View& view);
// The same of a view of any runtime.
[[nodiscard]] std::optional<std::string> StandsOnOf(const Tables& tables, const probe::View& view);

// Whether it reaches cards of this vendor alone.
[[nodiscard]] bool IsOfVendor(const RuntimeFacts& facts, std::uint32_t vendor);
// And is the one that this maker made for them, which is missed where such a card is: none that stands on it.
[[nodiscard]] bool IsMakersOwn(const RuntimeFacts& facts, std::uint32_t vendor);

// One data/runtimes/<name>.json, data/reference_request.json and data/fit.json. Errors name the place;
// figures must be finite, positive and in order (low <= value <= high).
[[nodiscard]] probe::Result<RuntimeFacts> DecodeRuntimeFacts(std::string_view name, std::string_view json);
[[nodiscard]] probe::Result<ReferenceRequest> DecodeReferenceRequest(std::string_view json);
[[nodiscard]] probe::Result<Fit> DecodeFit(std::string_view json);

// The key of a figure that no request can have, or of a word that is none of its own; nullopt of a sound one.
[[nodiscard]] std::optional<std::string> OddKey(const ReferenceRequest& request);

// Those of this build; an error only where the build's own data is broken.
// Parsed by the first call.
[[nodiscard]] const probe::Result<Tables>& EmbeddedTables();
// The same of peaks, the longest of its tables: a list of devices needs none. Empty where the data is broken.
// data/peaks/*.csv.
[[nodiscard]] const Peaks& EmbeddedPeaks();

}  // namespace report
