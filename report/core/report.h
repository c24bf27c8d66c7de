// SPDX-License-Identifier: MIT
// The nouns of the answer (docs/contract.md section 2): scores, recommendations, findings and the report that
// holds all.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "backends/core/measurement.h"
#include "probe/core/report.h"
#include "report/core/memory.h"
#include "report/core/remedy.h"
#include "report/core/request.h"
#include "report/core/targets.h"
#include "report/core/warning.h"

namespace report {

inline constexpr std::uint32_t kSchemaVersion = 1;

enum class Use { kInference, kPrefill, kDecode, kTraining };
enum class Basis { kMeasured, kCached, kEstimated, kAssumed };
enum class Confidence { kHigh, kMedium, kLow };
enum class Severity { kBlocking, kDegraded, kNote };

// A point estimate with its 95 % range.
struct Range {
  double value = 0;
  double low = 0;
  double high = 0;
};

struct ScorePart {
  std::string name;  // "prefill", "decode"
  double seconds = 0;
  std::string limited_by;
};

// The way that has the layers which a device does not hold, and the type of the product with a vector that
// its writing rests on.
struct OtherPart {
  std::string device_id;
  std::string runtime;
  std::string driver;
  std::optional<kernels::Dtype> gemv;
};

// Which argument a sentence is, for programs (docs/contract.md section 2).
enum class ReasonId {
  kOther,  // read from the JSON of a version that told none
  kEqual,
  kFaster,
  kAhead,
  kSameProcessor,
  kNoGpu,
  kGpusLeftOut,
  kGpusHidden,
  kGpusNotAsked,
  kGpusUnusable,
  kGpusUnmeasured,
  kNotMounted,
  kNotMeasurable,  // of accelerators that are here
  kOnlyOption,
  kUnmeasured,
  kOnlyAsked,
  kFasterLeftOut,
  kWorksLeftOut,
  kOfTheWay,
  kMemory,        // what of the work its memory does not hold, and what becomes of that
  kOneOfSeveral,  // of equal GPUs the figures are of one
  kRuntimeBrought,
  kBuildPassedOver,
  kFromCache,
  kArithmetic,
  kSlower,
  kNotKnownFaster,
  kLeftOut,
  kStandsOn,  // on another runtime here, which reaches the device itself
  kSoftware,
  kUnusable,
  kUnreached,
  kNotAsked,
  kRuntimeFailed,
};

// Why an answer is what it is: a sentence, and for programs what it is about.
struct Reason {
  ReasonId id = ReasonId::kOther;
  std::string text;
  std::vector<std::string> ways{};      // that it compares with: "runtime@device_id"
  std::optional<double> ratio{};        // of the answer's speed to that of the first of them
  std::optional<std::string> option{};  // of the caller's, that leaves them out

  // NOLINTNEXTLINE(google-explicit-constructor): it stands where its sentence does
  operator const std::string&() const { return text; }
  bool operator==(std::string_view sentence) const { return text == sentence; }
};

// The implementation of an estimate of a GPU whose rates nobody knows: those of another one stand for them.
inline constexpr std::string_view kStandIn = "stand-in";

// One way to reach one device (device_id, runtime, driver), judged for one use.
struct Score {
  std::string device_id;
  std::string runtime;
  std::string driver;
  Use use = Use::kInference;
  // The prediction, which orders: its range holds the error of measuring and what is not known of software.
  std::optional<Range> tokens_per_s;
  std::optional<Range> ranking_tokens_per_s;  // the same value with the range of the measurements alone
  // Of inference: the time of the whole request, that until its first token, and the tokens that are written
  // in a second from then on.
  std::optional<Range> request_s;
  std::optional<Range> first_token_s;
  std::optional<Range> writing_tokens_per_s;
  // Not printed: of the weights whose product with a vector, measured by this way, it rests on.
  std::optional<kernels::Dtype> gemv;
  std::optional<OtherPart> rest;  // of a split model; not printed
  std::vector<ScorePart> parts;
  std::optional<double> needed_bytes;  // of memory, with everything in one place
  std::optional<double>
      streamed_bytes;        // of those, what the host keeps and brings twice in every training step
  std::optional<bool> fits;  // false: the memory at hand does not do; the speed is what it would be if it did
  std::optional<double> smaller_bytes;  // not printed: of a training step with 4-bit weights
  WorkMemory memory;                    // not printed: what it has to hold them
  double on_host_bytes = 0;             // not printed: of those, what the processor's memory has to hold
  bool rates_unknown = false;  // not printed: nobody knows the GPU's, and those of another one stand for them
  bool assumes_upload = false;  // not printed: nobody measured what brings the work that the device lacks
  std::optional<std::string> stands_on;  // not printed: the runtime by which its own reaches the device
  Basis basis = Basis::kMeasured;
  bool eligible = false;
  // Not printed: not eligible for want of a published program alone, by tables; whether the way is usable
  // kernels tell.
  bool lacks_code = false;
  // Not printed: false where programs have code for the device, and none that the runtime's table names.
  bool is_served = true;
  std::vector<Reason> reasons;  // why it is not eligible, or what a reader should know of it
};

// An option that was not taken: a way to a device, a whole runtime, or a device that nothing reaches.
struct Rejected {
  std::optional<std::string> device_id;
  std::optional<std::string> runtime;
  std::optional<std::string> driver;
  std::string reason;
  std::string cause;  // the first and gravest part of the reason; not printed by itself
  ReasonId id = ReasonId::kOther;
  std::optional<double> ratio{};        // of its speed to the answer's
  std::optional<std::string> option{};  // of the caller's, that leaves it out
};

// A variable of the environment, and what software that reads it then takes.
enum class Selects { kDevice, kDriver };
struct Selection {
  std::string name;
  std::string value;
  Selects selects = Selects::kDevice;
};

// Why a program has nothing for a way, "" where it has; and whether it has a build that is for such a machine
// and device, so that what stands in the way is something that can be newer: the C library, the driver.
struct Unfit {
  std::string why;
  bool can_be_mended = false;
  std::string_view option = "--target";  // that leaves it out
};

// What the caller of recommend has a use for: it narrows the choice, and nothing that is looked at or
// measured.
struct Terms {
  std::vector<std::string> among;    // runtimes; empty: any
  std::vector<std::string> exclude;  // runtimes, and devices in the caller's words
  std::optional<std::uint64_t> min_memory_bytes;
  std::optional<TargetTable> target;  // the program that is to run
  Policy policy = Policy::kMinimum;
  bool can = false;                    // whether the one in `among` works, be it the best or not
  std::set<std::string> excluded_ids;  // once devices are known: those that `exclude` means
  bool proof = false;                  // once it is known whether kernels ran: of `can` one must have
  // Once views are known: why the program has nothing for a way (device, runtime, driver), for models that
  // run and that are trained; without a program, why what `exclude` leaves of all that are known has nothing.
  std::map<std::tuple<std::string, std::string, std::string>, std::array<Unfit, 2>> unfit;

  [[nodiscard]] bool narrow() const {
    return !among.empty() || !exclude.empty() || min_memory_bytes || target;
  }
  // What a way or a build runs by is its own runtime and, where there is one, another below or on top of it:
  // the first of the two that `exclude` names. nullopt where it names neither.
  [[nodiscard]] std::optional<std::string> Excluded(const std::string& own,
                                                    const std::optional<std::string>& other) const;
};

// The build of the caller's program that fits the answer, in words that can be used as they are.
struct Artefact {
  std::string id;
  std::vector<std::string> requirements;  // of a Python package index, the program's own first (PEP 508)
  std::optional<std::string> index;
  bool extra_index = false;  // it is asked beside the usual one
  std::optional<std::string> find_links;
  std::optional<std::string> asset;
  std::optional<std::string> provider;
  std::optional<std::string> image;
  std::optional<std::vector<std::string>> options;  // empty: it is selected by none
  std::vector<std::string> cmake;
  std::optional<std::string> note;
  std::vector<std::string> missing;  // what it wants beside it and does not bring
  bool runs_pip = false;             // its own command does; not in JSON
  bool on_host = false;              // its own command is for the machine, and no image runs it; nor this
  std::string source;                // of the row, and the day on which it was looked at
  std::string date;
};

// Whether the caller's program has a build by one runtime with code for one GPU, whatever is installed.
struct CodeForGpu {
  std::string backend;                        // a runtime's name
  std::optional<std::string> architecture{};  // the GPU's, as builds are told it; absent: not known
  std::optional<bool> has_code{};             // absent: it depends on the architecture, which is not known
  std::string build;                          // that has it, or that comes nearest
  std::optional<std::string> reason{};        // why it has not: "has no code for 12.0 (it has 12.60)"
  std::string source{};                       // of what it has code for, and the day when that was looked at
  std::string date{};
};

// A program that has such a build.
struct OtherProgram {
  std::string target;  // its table's name
  std::string title;   // for people
  std::string backend;
  std::string build;
};

struct GpuBuilds {
  std::string device_id;
  std::vector<CodeForGpu> builds;                        // by the runtimes that reach GPUs of its maker
  std::optional<std::vector<OtherProgram>> served_by{};  // where no build of the program covers it
};

// What the answer is for a program that is asked for often, in short.
struct Program {
  std::string target{};                    // its table's name
  std::string title{};                     // for people
  std::optional<std::string> backend{};    // a runtime's name; absent: nothing fits
  std::optional<std::string> device_id{};  // where it runs by that
  std::optional<std::string> artefact{};   // the build's id
  std::optional<std::string> command{};    // that gets it
  std::optional<std::string> reason{};     // why nothing fits
  // What that answer warns of and the recommendation does not; absent: nothing fits.
  std::optional<std::vector<std::string>> warnings{};
  std::optional<std::vector<std::string>> missing{};  // as of an Artefact; absent: nothing
  // Not in JSON: names of GPUs that the build is not for; of the warnings, what it is not good for as things
  // are; whether another is answered where no use is named.
  std::vector<std::string> left_out{};
  std::vector<std::string> limits{};
  bool is_of_use = false;
};

// That nothing here holds the work, and the answer is for less of it.
struct NothingFits {
  double needed_bytes = 0;
  std::optional<double> available_bytes;  // of the answer's way; absent: nobody says
  // Of the processor's memory, which would have to hold the rest; absent: that is the way's own, or decides
  // nothing.
  std::optional<double> host_bytes;
  std::optional<double> smaller_bytes;  // that 4-bit weights want of a training step; absent: no less fits
};

struct Recommendation {
  Use use = Use::kInference;
  std::optional<std::string> target;
  std::string backend;  // a runtime's name: the token that plain `recommend` prints
  std::string device_id;
  std::optional<std::string> driver;
  std::vector<Selection> environment;  // what makes software use that device and driver
  // As its score has them.
  std::optional<Range> tokens_per_s;
  std::optional<Range> request_s;
  std::optional<Range> first_token_s;
  std::optional<Range> writing_tokens_per_s;
  std::optional<NothingFits> nothing_fits;
  Basis basis = Basis::kMeasured;
  Confidence confidence = Confidence::kMedium;
  std::vector<std::string> tie;        // "runtime@device_id" of what ties with it
  std::vector<std::string> undecided;  // the same of what may be faster: measured too coarsely to tell
  std::vector<Reason> reasons;
  // For builds, as the runtime's table has it; not in JSON. Of its device, "8.9" or "gfx1100", empty where
  // none is known; of all GPUs that the backend reaches, as CMake writes them: "89".
  std::string architecture;
  std::vector<std::string> architectures;
  std::optional<Artefact> artefact;
  std::optional<std::string> command;  // that gets it
  // With a program of the caller's: of each GPU here that the terms leave.
  std::optional<std::vector<GpuBuilds>> gpu_builds;
  // Those that are installed most for this use, where the caller names none; absent where nobody asks.
  std::optional<std::vector<Program>> programs;
  std::optional<std::string> arithmetic;  // how its figure comes about; the last of the reasons in JSON
  std::vector<Rejected> rejected;
  std::vector<Warning> warnings;
  std::vector<std::string> left_out;  // names of GPUs that the artefact is not for; not in JSON
};

// That nothing here is an answer on the caller's terms.
struct NoAnswer {
  Use use = Use::kInference;
  std::string asked;   // "--among cuda,hip --min-memory 12 GiB"
  std::string reason;  // the nearest cause
  std::vector<Rejected> rejected;
};

struct Evidence {
  std::string source;
  std::string value;
};

struct Fix {
  std::string text;
  std::optional<std::string> command;
  bool needs_root = false;
  bool needs_reboot = false;
  // Not in JSON: what the command is made from, and that it mends the machine below a container.
  std::optional<Remedy> remedy = std::nullopt;
  bool on_host = false;
};

// A fix of some finding, once, however many need it.
struct Step {
  std::string text;
  std::optional<std::string> command;
  bool needs_root = false;
  bool needs_reboot = false;
  std::string why;  // the first and gravest finding's id
};

struct Finding {
  std::string id;
  std::string layer;
  Severity severity = Severity::kNote;
  std::optional<std::string> device_id;
  std::optional<std::vector<std::string>> device_ids;  // of several at once, device_id's among them
  std::optional<std::string> runtime;
  std::string summary;
  std::vector<Evidence> evidence;
  std::string meaning;
  std::vector<Fix> fix;
  std::optional<std::string> source;
  Confidence confidence = Confidence::kHigh;
  bool changes_answer = true;  // not in JSON: false of a GPU that nothing would make the better one
};

// A file of a runtime: the manifest of one of its drivers, or the library that it is loaded by.
struct Installed {
  std::string runtime;
  std::string file;
};

struct Host : probe::HostFacts {
  std::optional<std::vector<Installed>> installed;  // below a sysroot, where no runtime is asked
};

// A claim of a device's drivers that does not fit what the machine shows and what was measured.
struct Doubt {
  std::string device_id;
  bool refuted = false;  // it is not what it claims to be, and no use
  bool slow = false;     // far below what it claims to be
  bool fast = false;     // its figures are more than such a device can do, or do not go together
  std::string text;      // "it claims to be ...: no such card is on this machine's bus, and ..."
};

// What kept a run from asking some runtimes: its options.
enum class LeftOutBy { kSysroot, kOnly, kSkip };

// GPUs of which no runtime was asked that could reach them: nothing is known of their use.
struct NotAsked {
  std::set<std::string> device_ids;
  std::string because;  // "--sysroot reads files only"
};

// The GPUs that --device left out. kUnusable: no runtime reaches one; kUnknown: one is reached, and was not
// measured, or was not asked.
enum class OtherGpus { kNone, kUnusable, kUnknown };

// The module that lists the machine's bus.
inline constexpr std::string_view kBusModule = "sysfs";

// The command that prints everything, and the one that prints one answer, as JSON names them.
inline constexpr std::string_view kWholeReport = "report";
inline constexpr std::string_view kRecommending = "recommend";

// Whatever a command found out; each command prints its part.
struct Report {
  OtherGpus other_gpus = OtherGpus::kNone;
  std::string hidden_gpus;  // "CUDA_VISIBLE_DEVICES="" leaves none of 2 GPUs": GPUs here that no probe shows
  NotAsked not_asked;
  std::uint32_t schema_version = kSchemaVersion;
  std::string tool_version;
  std::string command;
  std::string created;
  std::optional<std::string> measured;  // not in JSON: when, of a report that an earlier run's figures serve
  bool interrupted = false;
  Host host;
  std::vector<probe::ProbeReport> probes;
  std::vector<probe::PhysicalDevice> devices;
  std::vector<backends::Measurement> measurements;
  Terms terms;                              // not printed: what the answer had to be of
  std::optional<ReferenceRequest> request;  // what was predicted; of a list nothing is
  std::vector<Doubt> doubts;  // told through what rests on them: scores, recommendations, findings
  std::vector<Score> scores;
  std::vector<Recommendation> recommendations;
  std::optional<NoAnswer> no_answer;
  std::vector<Finding> findings;
  std::vector<Step> advice;      // the findings' fixes, in their order
  std::string as_root = "sudo";  // not in JSON: what runs a command as root here
  std::vector<Warning> warnings;
};

}  // namespace report
