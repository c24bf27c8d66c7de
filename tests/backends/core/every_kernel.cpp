// SPDX-License-Identifier: MIT
#include "tests/backends/core/every_kernel.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "probe/core/fields.h"
#include "probe/core/parse.h"
#include "probe/system/clock.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"
#include "tests/backends/core/compute.h"
#include "tests/backends/core/defective_session.h"

namespace tests {
namespace {

using probe::RuntimeDevice;

constexpr unsigned kSetUpSeconds = 60;  // of the driver
constexpr unsigned kFirstSeconds = 30;  // of the first kernel of all, which may load the compiler
constexpr unsigned kKernelSeconds =
    15;  // of any other: bench/gpu_check gives all of them less than two minutes

// A test of this test sets what it need not wait for.
unsigned Setting(const probe::system::Environment& environment, std::string_view name, unsigned usual) {
  const auto set = environment.Get(name);
  return set ? probe::ParseNumber<unsigned>(*set).value_or(usual) : usual;
}

unsigned SetUpSecondsOf(const probe::system::Environment& environment) {
  return Setting(environment, "WHICHGPU_TEST_SET_UP_SECONDS", kSetUpSeconds);
}

// Of a kernel, for one that hangs.
unsigned SecondsOf(const probe::system::Environment& environment, bool first) {
  return Setting(environment, "WHICHGPU_TEST_KERNEL_SECONDS", first ? kFirstSeconds : kKernelSeconds);
}

// Of the larger product: more than any ring of stages has. A fake has no ring.
unsigned StepsOf(const probe::system::Environment& environment) {
  return Setting(environment, "WHICHGPU_TEST_STEPS", 40);
}

// Of the products that add up the most: half of it, and all. A fake computes on the processor.
std::uint32_t LongestOf(const probe::system::Environment& environment) {
  return Setting(environment, "WHICHGPU_TEST_LONGEST", 16384);
}

// What no process has to look at again of a device.
struct Known {
  std::set<std::string> done;  // kernels, and the device itself where it could not be opened
  std::set<std::string> hung;  // "device, family": one of its kernels did not end
};

constexpr std::string_view kHung = "wrong it did not end in its time";
constexpr std::string_view kNoneBegun = ": no kernel was begun";

std::string Names(const std::string& place, const kernels::Variant& variant) {
  return fmt::format("{}, {}", place, variant.family);
}

// All GPUs, and one of them.
struct Target {
  std::vector<RuntimeDevice> devices;
  std::size_t chosen = 0;
  std::string modules = {};  // an empty folder for those that its driver translates, where they are timed
};

// The card's, without which of its instances it is.
std::string CardName(const RuntimeDevice& device) {
  const std::string suffix = device.identity.partition ? " " + *device.identity.partition : "";
  return device.name.ends_with(suffix) ? device.name.substr(0, device.name.size() - suffix.size())
                                       : device.name;
}

// What a process says, a line each: "skip why", "devices [...]", "opening device", "begin kernel", "family
// device, family", "right ...", "wrong ...", "end". One finds the GPUs; each of the others opens one of them,
// for a driver reads once a process which it may show, and shows no more than one of a card's instances.
class Child {
 public:
  Child(const TestedRuntime& runtime, int out, const Target& target, const Known& known)
      : runtime_(runtime), out_(out), target_(target), known_(known) {}

  // Says why there are none, if so.
  void Find() {
    alarm(SetUpSecondsOf(environment_));
    const auto start = probe::system::Now();
    probe::ProbeReport report;
    runtime_.module.probe({*files_, environment_, std::nullopt,
                           [&](const probe::ProbeEvent& event) { probe::Apply(event, report); }});
    probe::Conclude(report);
    if (report.outcome == probe::Outcome::kOk) {
      Say("time {:.3f} s: finding the GPUs", probe::system::SecondsSince(start));
      return Say("devices {}", probe::Encode(report.devices).dump());
    }
    const bool none =
        report.outcome == probe::Outcome::kAbsent || report.outcome == probe::Outcome::kNoDevice;
    Say("{} {}", none ? "skip" : "wrong",
        report.error ? probe::Describe(*report.error) : "no error was named");
  }

  void Run() {
    if (Check(device())) Say("end");
  }

  // Sums that tensor cores cut off drift the further the longer they are, and are right; with one number of
  // the wrong sign among the results they are not.
  void ComputeLongProducts() {
    const std::string place = Place();
    if (IsBrief(device()) || known_.done.contains(place)) return Say("end");
    Say("opening {}", place);
    alarm(SetUpSecondsOf(environment_));
    const backends::OpenRequest request{device(), std::nullopt, *files_, environment_};
    const auto session = runtime_.backend.open(request);
    if (!session) return Say("end");
    all_ = runtime_.backend.variants((*session)->limits());
    if (runtime_.backend.libraries) {
      for (auto& variant : runtime_.backend.libraries(request)) all_.push_back(std::move(variant));
    }
    for (const auto& variant : all_) {
      const bool cut_off = variant.in == kernels::Dtype::kFp16 || variant.in == kernels::Dtype::kTf32;
      if (variant.kernel != kernels::Kernel::kGemm || !cut_off || variant.acc != kernels::Dtype::kFp32 ||
          !backends::MissingFeature(variant, (*session)->limits()).empty())
        continue;
      for (const std::uint32_t k : {LongestOf(environment_) / 2, LongestOf(environment_)}) {
        ComputeLongProduct(**session, place, variant, k);
        if ((*session)->BroughtDownBy() != nullptr) return;
      }
    }
    Say("end");
  }

  // How long the driver takes to translate each module and how long to load what it has translated: it keeps
  // that in a folder, here an empty one, so that the second load is one without the translation.
  void TimeModules() {
    if (IsBrief(device())) return;
    alarm(SetUpSecondsOf(environment_));
    setenv(runtime_.cache_variable, target_.modules.c_str(), 1);
    environment_ = probe::system::Environment::OfProcess();
    const auto first = LoadSeconds(device());
    const auto second = LoadSeconds(device());
    for (const auto& [entry, first_s] : first) {
      if (const auto again = second.find(entry); again != second.end())
        Say("time {} {} module of {} translated in {:.3f} s, loaded in {:.3f} s", device().ordinal,
            device().name, entry, std::max(first_s - again->second, 0.0), again->second);
    }
  }

 private:
  [[nodiscard]] const RuntimeDevice& device() const { return target_.devices[target_.chosen]; }
  [[nodiscard]] std::string Place() const { return fmt::format("{} {}", device().ordinal, device().name); }

  // Of each module that the device runs, by the first of its entries.
  [[nodiscard]] std::map<std::string_view, double> LoadSeconds(const RuntimeDevice& device) const {
    std::map<std::string_view, double> seconds;
    const auto session = runtime_.backend.open({device, std::nullopt, *files_, environment_});
    if (!session) return seconds;
    std::set<const char*> known;
    for (const auto& variant : runtime_.backend.variants((*session)->limits())) {
      const auto& step = variant.steps[0];
      if (!backends::MissingFeature(variant, (*session)->limits()).empty() ||
          known.contains(step.source.data()))
        continue;
      known.insert(step.source.data());
      const auto start = probe::system::Now();
      if ((*session)->Load(variant, step)) seconds[step.entry] = probe::system::SecondsSince(start);
    }
    return seconds;
  }

  template <class... A>
  void Say(fmt::format_string<A...> format, A&&... values) const {
    std::string line = fmt::format(format, std::forward<A>(values)...);
    for (char& c : line) c = c == '\n' ? ' ' : c;
    line += '\n';
    EXPECT_EQ(write(out_, line.data(), line.size()), static_cast<ssize_t>(line.size()));
  }

  // Of a product also one of several tiles that goes round every ring of stages more than once.
  [[nodiscard]] std::string Compute(backends::Session& session, const kernels::Variant& variant) const {
    std::string came = tests::Compute(session, all_, variant);
    if (came != "right" || variant.kernel != kernels::Kernel::kGemm) return came;
    const auto steps = StepsOf(environment_);
    came = tests::Compute(session, all_, variant,
                          {3 * variant.multiple_m, 5 * variant.multiple_n, steps * variant.multiple_k, 0, 0});
    return came == "right" ? came : fmt::format("{} in {} steps", came, steps);
  }

  void ComputeLongProduct(backends::Session& session, const std::string& place,
                          const kernels::Variant& variant, std::uint32_t least_k) const {
    const std::uint32_t k = backends::RoundUp(least_k, variant.multiple_k);
    const std::string name =
        fmt::format("{}: {} {} of k = {}", place, kernels::Row(variant.in).name, variant.name, k);
    if (known_.done.contains(name)) return;
    Say("begin {}", name);
    if (known_.hung.contains(Names(place, variant)))
      return Say("wrong not tried: another kernel of {} did not end", variant.family);
    Say("family {}", Names(place, variant));
    alarm(SecondsOf(environment_, true));
    const kernels::Problem problem{backends::RoundUp(k / 16, variant.multiple_m),
                                   backends::RoundUp(k / 16, variant.multiple_n), k, 0, 0};
    const auto came = tests::Compute(session, all_, variant, problem);
    DefectiveSession planted(session, Defect::kOneWrongSign);
    const auto wrong = tests::Compute(planted, all_, variant, problem);
    const bool seen = wrong.starts_with("wrong: ");
    Say("{} {}; with one wrong sign {}{}", came == "right" && seen ? "" : "wrong", came,
        seen ? "" : "NOT SEEN: ", wrong);
  }

  // Another card of its name, or another instance of one, has all kernels tried; then it is enough that each
  // family works on this one.
  [[nodiscard]] bool IsBrief(const RuntimeDevice& device) const {
    return std::any_of(target_.devices.begin(), target_.devices.end(), [&](const auto& other) {
      return other.ordinal < device.ordinal && CardName(other) == CardName(device) &&
             other.architecture == device.architecture;
    });
  }

  // False where no other kernel can follow in this process.
  [[nodiscard]] bool Check(const RuntimeDevice& device) {
    const std::string place = Place();
    if (known_.done.contains(place)) return true;  // it could not be opened
    alarm(SetUpSecondsOf(environment_));
    const auto start = probe::system::Now();
    Say("opening {}", place);
    const auto session = runtime_.backend.open({device, std::nullopt, *files_, environment_});
    if (!session) return Say("wrong {}", probe::Describe(session.error())), true;
    Say("opened {:.3f} s", probe::system::SecondsSince(start));
    all_ = runtime_.backend.variants((*session)->limits());
    bool first = true;
    std::set<std::string_view> families;
    for (const auto& variant : all_) {
      if (variant.kernel == kernels::Kernel::kFill ||
          !backends::MissingFeature(variant, (*session)->limits()).empty())
        continue;
      if (!families.insert(variant.family).second && IsBrief(device)) continue;
      const std::string name = fmt::format("{}: {} ({})", place, variant.name, variant.steps[0].entry);
      if (known_.done.contains(name)) continue;
      Say("begin {}", name);
      if (known_.hung.contains(Names(place, variant))) {
        Say("wrong not tried: another kernel of {} did not end", variant.family);
        continue;
      }
      Say("family {}", Names(place, variant));
      alarm(SecondsOf(environment_, std::exchange(first, false) && known_.done.empty()));
      const auto begun = probe::system::Now();
      const auto loaded = backends::Load(**session, variant);
      const double load_s = probe::system::SecondsSince(begun);
      const std::string came = loaded ? Compute(**session, variant) : probe::Describe(loaded.error());
      Say("{} {}, compiled in {:.3f} s, everything in {:.3f} s", came == "right" ? "" : "wrong", came, load_s,
          probe::system::SecondsSince(begun));
      if ((*session)->BroughtDownBy() != nullptr) return false;
    }
    return true;
  }

  const TestedRuntime& runtime_;
  int out_;
  const Target& target_;
  const Known& known_;
  probe::Result<probe::system::FileSystem> files_ = probe::system::FileSystem::Open("/");
  probe::system::Environment environment_ = probe::system::Environment::OfProcess();
  std::vector<kernels::Variant> all_;  // of the device that is checked
};

using Line = std::function<void(const std::string&)>;
using Work = void (Child::*)();

// Every line of a process which does that, and leaves out what is known, as it comes: what a test was told is
// printed even where it is killed.
void Listen(const TestedRuntime& runtime, const Target& target, const Known& known, const Line& hear,
            Work work) {
  int ends[2];
  if (pipe(ends) != 0) return hear("wrong no pipe");
  (void)std::fflush(nullptr);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    // A test that is ended from without leaves nobody on the GPU.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    close(ends[0]);
    Child process(runtime, ends[1], target, known);
    (process.*work)();
    _exit(0);
  }
  close(ends[1]);
  std::string said;
  char bytes[4096];
  for (ssize_t count = 0; (count = read(ends[0], bytes, sizeof bytes)) > 0;) {
    said.append(bytes, static_cast<std::size_t>(count));
    for (auto end = said.find('\n'); end != std::string::npos; end = said.find('\n')) {
      hear(said.substr(0, end));
      (void)std::fflush(stdout);
      said.erase(0, end + 1);
    }
  }
  if (!said.empty()) hear(said);
  close(ends[0]);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return hear("wrong no process");
  if (!WIFSIGNALED(status)) return;
  hear(WTERMSIG(status) == SIGALRM
           ? std::string(kHung)
           : fmt::format("wrong its process was killed by signal {}", WTERMSIG(status)));
}

}  // namespace

namespace {

struct Found {
  std::vector<RuntimeDevice> devices;
  std::string none, wrong;  // why there are none, and what is wrong
  std::string time;
};

Found FindDevices(const TestedRuntime& runtime) {
  Found found;
  const auto hear = [&](const std::string& line) {
    const std::string rest = line.substr(line.find(' ') + 1);
    if (line.starts_with("skip ")) found.none = rest;
    if (line.starts_with("wrong ")) found.wrong = rest;
    if (line.starts_with("time ")) found.time = line;
    if (!line.starts_with("devices ")) return;
    auto devices = probe::Decode<std::vector<RuntimeDevice>>(probe::Json::parse(rest));
    if (devices) found.devices = *std::move(devices);
    if (!devices) found.wrong = probe::Describe(devices.error());
  };
  Listen(runtime, {}, {}, hear, &Child::Find);
  if (found.devices.empty() && found.none.empty() && found.wrong.empty()) found.wrong = "it said nothing";
  return found;
}

// Of one of them, by as many processes as it takes, each of which leaves out what is known.
void VerifyOn(const TestedRuntime& runtime, const Target& target, Work work) {
  Known known;
  for (bool all = false; !all;) {
    const std::size_t before = known.done.size();
    std::string current, family;
    bool opening = false;
    const auto hear = [&](const std::string& line) {
      if (line.starts_with("begin ") || line.starts_with("opening ")) {
        opening = line.starts_with("opening ");
        current = line.substr(line.find(' ') + 1);
        family.clear();
        return;
      }
      if (line.starts_with("family ")) family = line.substr(7);
      if (line == kHung && !family.empty()) known.hung.insert(family);
      if (line.starts_with("opened") || line.starts_with("family ")) {
        if (line.starts_with("opened")) fmt::print("time {} {}\n", current, line);
        return;
      }
      all = all || line == "end";
      if (line == "end") return;
      const auto verdict = line.substr(line.find(' ') + 1);
      if (!current.empty()) known.done.insert(current);
      fmt::print("{} {}: {}{}\n", opening ? "opening" : "kernel", current, verdict,
                 opening ? kNoneBegun : "");
      EXPECT_FALSE(line.starts_with("wrong")) << current << ": " << verdict;
    };
    Listen(runtime, target, known, hear, work);
    ASSERT_TRUE(all || known.done.size() > before) << "no process came further";
  }
}

// On each.
void VerifyBy(const TestedRuntime& runtime, const Found& found, Work work) {
  if (!found.none.empty()) GTEST_SKIP() << "no GPU of " << runtime.maker << "'s here: " << found.none;
  if (!found.wrong.empty()) {
    fmt::print("opening {}'s GPUs: {}{}\n", runtime.maker, found.wrong, kNoneBegun);
    ADD_FAILURE() << found.wrong;
  }
  for (std::size_t i = 0; i < found.devices.size(); ++i) VerifyOn(runtime, {found.devices, i}, work);
}

// By a process which may be ended in its midst: the folder is not its own.
void TimeModulesOn(const TestedRuntime& runtime, Target target) {
  target.modules = (std::filesystem::temp_directory_path() / "whichgpu_modules_XXXXXX").string();
  const auto& device = target.devices[target.chosen];
  if (mkdtemp(target.modules.data()) == nullptr) {
    fmt::print("time {} {} modules: there is no folder {}\n", device.ordinal, device.name, target.modules);
    return;
  }
  const auto print = [&](const std::string& line) {
    if (line.starts_with("wrong "))
      fmt::print("time {} {} modules: {}\n", device.ordinal, device.name, line.substr(line.find(' ') + 1));
    else
      fmt::print("{}\n", line);
  };
  Listen(runtime, target, {}, print, &Child::TimeModules);
  std::error_code ignored;
  std::filesystem::remove_all(target.modules, ignored);
}

}  // namespace

void VerifyEveryKernel(const TestedRuntime& runtime) {
  const Found found = FindDevices(runtime);
  if (!found.time.empty()) fmt::print("{}\n", found.time);
  VerifyBy(runtime, found, &Child::Run);
  if (runtime.cache_variable == nullptr) return;
  for (std::size_t i = 0; i < found.devices.size(); ++i) TimeModulesOn(runtime, {found.devices, i});
}

void VerifyLongProducts(const TestedRuntime& runtime) {
  VerifyBy(runtime, FindDevices(runtime), &Child::ComputeLongProducts);
}

}  // namespace tests
