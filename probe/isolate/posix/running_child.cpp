// SPDX-License-Identifier: MIT
#include "probe/isolate/running_child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "probe/core/text.h"
#include "probe/isolate/child.h"
#include "probe/isolate/reaper.h"
#include "probe/system/process.h"

namespace probe::isolate {
namespace {

using system::Descriptor;
using system::SteadyTime;

constexpr std::size_t kMaxStderrBytes = 4096;
// Read from one pipe in one turn, so that a child that floods it delays neither the others nor a deadline.
constexpr std::size_t kMaxTurnBytes = 256U << 10U;
constexpr auto kScratchInterval = std::chrono::milliseconds(50);
// Where no descriptor tells that a process ended: while it is about to, and at most.
constexpr auto kBlindInterval = std::chrono::milliseconds(2),
               kLongestBlindInterval = std::chrono::milliseconds(50);
constexpr int kBlindShare = 64;  // of the time that it has run already it may be noticed so much too late
constexpr auto kPressInterval = std::chrono::milliseconds(10);

SteadyTime::duration Seconds(double seconds) {
  constexpr double kLongest = 1e6;  // further would overflow the clock
  const double bounded = seconds >= 0 ? std::min(seconds, kLongest) : 0;
  return std::chrono::duration_cast<SteadyTime::duration>(std::chrono::duration<double>(bounded));
}

std::string NewSeal() {
  std::array<std::uint64_t, 2> numbers{};
  // Without it a driver that knows this program could guess; one that is merely broken never does.
  if (!system::FillRandom(numbers.data(), sizeof numbers)) {
    numbers[0] = static_cast<std::uint64_t>(system::Now().time_since_epoch().count());
  }
  return std::to_string(numbers[0]) + "-" + std::to_string(numbers[1]);
}

// Puts all of the request into a pipe that is empty; false when that is too small. Never blocks.
bool Fill(const Descriptor& write_end, const std::string& content) {
  fcntl(write_end.get(), F_SETFL, O_NONBLOCK);
  const ssize_t written = write(write_end.get(), content.data(), content.size());
  return written >= 0 && static_cast<std::size_t>(written) == content.size();
}

std::vector<std::string> ChildEnvironment(system::Environment environment, const ChildRequest& request,
                                          const std::string* scratch) {
  // Caches too, of what keeps one without a variable of its own, or where our cache directory can not be
  // used: PoCL would otherwise write below the user's home.
  if (scratch) {
    for (const char* variable : {"TMPDIR", "XDG_CACHE_HOME"}) environment.Set(variable, *scratch);
    for (const std::string& variable : request.scratch_variables) environment.Set(variable, *scratch);
  }
  for (const auto& variable : request.environment) environment.Set(variable.name, variable.value);
  return environment.Assignments();
}

// Hands what can be read now to `take`, closing the descriptor at its end.
template <class Take>
void Drain(Descriptor& from, const Take& take) {
  std::array<char, 16384> buffer;
  for (std::size_t total = 0; from.ok() && total < kMaxTurnBytes;) {
    const ssize_t got = read(from.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) {
      from.Reset();
      return;
    }
    total += static_cast<std::size_t>(got);
    take(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
  }
}

}  // namespace

std::string CleanTail(std::string_view text, std::size_t max_bytes) {
  std::vector<std::string> lines;
  std::size_t bytes = 0;
  while (!text.empty()) {
    const auto line_break = text.rfind('\n');
    const auto line = line_break == std::string_view::npos ? text : text.substr(line_break + 1);
    text = line_break == std::string_view::npos ? std::string_view() : text.substr(0, line_break);
    auto clean = CleanText(line);
    if (clean.empty()) continue;
    bytes += clean.size() + 1;
    if (bytes > max_bytes) break;
    lines.push_back(std::move(clean));
  }
  std::reverse(lines.begin(), lines.end());
  std::string out;
  for (const auto& line : lines) out.append(out.empty() ? "" : "\n").append(line);
  return out;
}

RunningChild::RunningChild(const ChildSetting& setting, const ChildRequest& request,
                           std::function<void(const Json&)> on_record)
    : setting_(setting),
      on_record_(std::move(on_record)),
      most_allowed_s_(request.most_allowed_s),
      start_(system::Now()),
      step_start_(start_),
      last_deadline_(start_ + Seconds(request.deadline_s)),
      deadline_(last_deadline_),
      next_scratch_check_(start_ + kScratchInterval) {
  Start(request);
}

void RunningChild::NotStarted(const Error& why) {
  constexpr std::array kWants = {EMFILE, ENFILE, EAGAIN, ENOMEM};
  lacks_room_ = why.code && std::find(kWants.begin(), kWants.end(), *why.code) != kWants.end();
  result_.detail = Describe(why);
  Finish(ChildEnd::kNotStarted, {});
}

void RunningChild::Start(const ChildRequest& request) {
  auto input = system::MakePipe();
  auto results = system::MakePipe();
  auto errors = system::MakePipe();
  for (const auto* pipe : {&input, &results, &errors}) {
    if (!*pipe) return NotStarted(pipe->error());
  }
  // Without /dev/null: nothing to read from the request's pipe once it is read, and stdout joins stderr.
  const int sink = errors->write_end.get();
  system::SpawnPlan plan;
  plan.binary = setting_.binary.get();
  const auto own = system::OwnProcessId();
  mark_ = NewMark();
  plan.arguments = ArgumentsFor(
      {{own, request.marker.empty() ? std::nullopt : system::StartTicks(own)}, request.marker, mark_});
  plan.environment = ChildEnvironment(setting_.environment, request, nullptr);
  for (auto& path : system::ScratchDirectory::Names(setting_.environment, request.scratch)) {
    auto environment = ChildEnvironment(setting_.environment, request, &path);
    plan.places.push_back({std::move(path), std::move(environment)});
  }
  plan.working_directory = setting_.root.get();
  plan.death_signal = kEndSignal;
  const int source = input->read_end.get();
  plan.descriptors = {setting_.null.ok() ? setting_.null.get() : source,
                      setting_.null.ok() ? setting_.null.get() : sink, sink, source,
                      results->write_end.get()};
  const auto spawned = system::Spawn(plan);
  if (!spawned) return NotStarted(spawned.error());
  pid_ = spawned->pid;
  if (spawned->place) {
    scratch_.emplace(system::ScratchDirectory::Adopt(plan.places[*spawned->place].path));
  } else {
    result_.detail = "no scratch directory: " + Describe(spawned->no_place);
  }
  pid_descriptor_ = system::OpenPidDescriptor(pid_);
  results_ = std::move(results->read_end);
  stderr_ = std::move(errors->read_end);
  for (const auto* pipe : {&results_, &stderr_}) fcntl(pipe->get(), F_SETFL, O_NONBLOCK);
  orders_ = *std::move(input);
}

void RunningChild::Tell(const ChildRequest& request) {
  if (finished_) return;
  if (request.permit) {
    auto permit = request.permit();
    if (!permit) return Kill(ChildEnd::kNotStarted, permit.error().text);
    permit_ = *std::move(permit);
  }
  seal_ = NewSeal();
  const std::string text =
      ToText(Json{{"task", request.task}, {"request", request.request}, {kSealKey, seal_}});
  if (!Fill(orders_.write_end, text)) {
    return Kill(ChildEnd::kNotStarted,
                "no pipe takes a request of " + std::to_string(text.size()) + " bytes");
  }
  orders_ = {};
}

// Short for one that has not long to go: its results are complete, or it was killed.
SteadyTime::duration RunningChild::BlindInterval() const {
  if (done_ || killed_ || !results_.ok()) return kBlindInterval;
  return std::clamp<SteadyTime::duration>((system::Now() - start_) / kBlindShare, kBlindInterval,
                                          kLongestBlindInterval);
}

SteadyTime RunningChild::Watch(std::vector<int>& out) const {
  for (const auto* descriptor : {&pid_descriptor_, &results_, &stderr_}) {
    if (descriptor->ok()) out.push_back(descriptor->get());
  }
  auto wake = killed_ ? *killed_ + Seconds(setting_.options.kill_grace_s) : deadline_;
  if (!pid_descriptor_.ok()) wake = std::min(wake, system::Now() + BlindInterval());
  if (killed_) wake = std::min(wake, system::Now() + kPressInterval);
  return scratch_ && !killed_ ? std::min(wake, next_scratch_check_) : wake;
}

void RunningChild::Serve() {
  if (finished_) return;
  // Asked before the pipes are read: what it wrote before it ended is then in them.
  const auto ended = system::PeekExit(pid_);
  ReadResults();
  ReadStderr();
  if (ended) {
    kill(-pid_, SIGKILL);  // before it is reaped: until then nobody else can have this number
    // Its reaper may have been killed, or there was none: then marks alone tell what it left.
    if (!mark_.empty() && (ended->signal || !has_reaper_)) KillDescendants({0, mark_});
    system::Reap(pid_);
    const ProcessExit exit = has_reaper_ ? WorkOf(*ended) : *ended;
    const bool succeeded = done_ && exit.code == 0;
    Finish(killed_       ? reason_
           : exit.signal ? ChildEnd::kSignalled
           : succeeded   ? ChildEnd::kDone
                         : ChildEnd::kExited,
           exit);
    return;
  }
  // A driver may have stopped the process that waits for it.
  if (done_ || !results_.ok()) kill(pid_, SIGCONT);
  CheckLimits();
}

// Helps a reaper that does not get its work ended: what is below it is killed from here, and it as well when
// nothing below it lives, at two looks, for then it was held up itself.
void RunningChild::Press() {
  auto alive = KillDescendants({pid_, mark_});
  kill(pid_, alive.empty() && pressed_.FoundNothing() ? SIGKILL : SIGCONT);
  pressed_.Add(std::move(alive), work_ && system::HasEnded(*work_));
}

void RunningChild::CheckLimits() {
  const auto now = system::Now();
  if (killed_) {
    if (now < *killed_ + Seconds(setting_.options.kill_grace_s / 2)) return;
    const bool is_early =
        pressed_.count() < 2;  // of a tool that had to wait for a processor they may come late
    Press();
    if (is_early || now < *killed_ + Seconds(setting_.options.kill_grace_s)) return;
    return Finish(pressed_.AreMultiplying() ? ChildEnd::kMultiplied : ChildEnd::kAbandoned, {});
  }
  if (now >= deadline_) return Kill(ChildEnd::kTimedOut);
  if (!scratch_ || now < next_scratch_check_) return;
  next_scratch_check_ = now + kScratchInterval;
  if (scratch_->Exceeds(setting_.options.max_scratch_bytes)) {
    Kill(ChildEnd::kFlooded, "its scratch directory: more than " +
                                 std::to_string(setting_.options.max_scratch_bytes) +
                                 " bytes or 10000 files");
  }
}

void RunningChild::Kill(ChildEnd reason, std::string detail) {
  if (finished_ || killed_) return;
  killed_ = system::Now();
  reason_ = reason;
  if (!detail.empty()) result_.detail = std::move(detail);
  if (has_reaper_) {
    // The oldest: what it started and left to the reaper came later.
    if (const auto below = system::ChildrenOf(pid_); below && !below->empty()) work_ = below->front();
    kill(pid_, kEndSignal);
    kill(pid_, SIGCONT);
    return;
  }
  kill(-pid_, SIGKILL);
  kill(pid_, SIGKILL);  // it may have left its group
}

void RunningChild::ReadResults() {
  Drain(results_, [this](std::string_view bytes) {
    for (auto& record : deframer_.Push(bytes)) Accept(std::move(record));
  });
  if (deframer_.broken().empty()) return;
  results_.Reset();
  if (done_) return;  // noise after the last word changes nothing
  Kill(ChildEnd::kFlooded, "its results: " + deframer_.broken());
}

void RunningChild::ReadStderr() {
  Drain(stderr_, [this](std::string_view bytes) {
    stderr_text_ += bytes;
    if (stderr_text_.size() > 2 * kMaxStderrBytes)
      stderr_text_.erase(0, stderr_text_.size() - kMaxStderrBytes);
  });
}

bool RunningChild::TakeSeal(Json& record) const {
  const auto seal = record.find(kSealKey);
  if (seal == record.end() || *seal != seal_) return false;
  record.erase(seal);
  return true;
}

void RunningChild::Accept(Json record) {
  if (done_) return;
  if (!TakeSeal(record)) {
    return Kill(ChildEnd::kFlooded, "its results: a record that somebody else wrote into its pipe");
  }
  if (const auto done = record.find(kDoneKey); done != record.end() && *done == true) {
    done_ = true;
    RemoveScratch();  // while the child ends
    return;
  }
  if (record.contains(kAloneKey)) {
    has_reaper_ = false;
    return;
  }
  if (const auto allow = record.find(kAllowKey); allow != record.end() && allow->is_number()) {
    const double asked_s = allow->get<double>();
    const double granted_s = most_allowed_s_ ? std::min(asked_s, most_allowed_s_(record)) : asked_s;
    step_start_ = system::Now();
    deadline_ = std::min(last_deadline_, step_start_ + Seconds(granted_s));
  }
  if (on_record_) on_record_(record);
  result_.records.push_back(std::move(record));
}

void RunningChild::Finish(ChildEnd end, const ProcessExit& exit) {
  finished_ = true;
  result_.end = end;
  result_.exit = exit;
  result_.elapsed_s = system::SecondsSince(start_);
  const auto ended = killed_.value_or(system::Now());
  result_.step_s = std::chrono::duration<double>(ended - step_start_).count();
  result_.stderr_tail = CleanTail(stderr_text_, kMaxStderrBytes);
  for (auto* descriptor : {&pid_descriptor_, &results_, &stderr_}) descriptor->Reset();
  orders_ = {};
  permit_.reset();
  RemoveScratch();
}

// What is in it, processes that the child left behind may still be writing to: that stays until they are
// ended.
void RunningChild::RemoveScratch() {
  if (scratch_) scratch_->RemoveIfEmpty();
}

ChildResult RunningChild::TakeResult() { return std::move(result_); }

}  // namespace probe::isolate
