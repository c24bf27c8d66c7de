// SPDX-License-Identifier: MIT
#include "api/child.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <thread>
#include <utility>

#include "api/inheritance.h"
#include "api/whichgpu.h"
#include "probe/system/environment.h"
#include "probe/system/process.h"
#include "probe/system/this_process.h"

namespace api {
namespace {

namespace system = probe::system;
using Clock = std::chrono::steady_clock;
using system::Descriptor;

constexpr std::size_t kMostOut = 64U << 20U;  // as much as `whichgpu compare` reads
constexpr std::size_t kMostErr = 64U << 10U;
constexpr auto kGrace = std::chrono::seconds(3);      // the program takes two to print what it has by then
constexpr auto kKilled = std::chrono::seconds(2);     // longer a process stays only where the kernel holds it
constexpr auto kTick = std::chrono::milliseconds(5);  // where a process has no descriptor (before Linux 5.3)

// In a group of its own, with signals as they are by default, and with no descriptor but `standard`.
int Spawn(const std::string& program, const std::vector<std::string>& arguments,
          const std::array<const Descriptor*, 3>& standard, pid_t& child) {
  std::vector<char*> words = {const_cast<char*>("whichgpu")};  // exec does not write them
  for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  if (const int error = posix_spawn_file_actions_init(&actions)) return error;
  posix_spawnattr_init(&attributes);  // fills a struct: it can not fail
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
  int error = 0;
  for (std::size_t i = 0; i < standard.size() && error == 0; ++i)
    error = posix_spawn_file_actions_adddup2(&actions, standard[i]->get(), static_cast<int>(i));
  if (error == 0) error = HandOnNoOthers(actions, flags);
  if (error == 0) error = posix_spawnattr_setflags(&attributes, flags);
  char* const* variables = system::ProcessEnvironment();
  if (error == 0)
    error = posix_spawn(&child, program.c_str(), &actions, &attributes, words.data(), variables);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// What there is to read, as far as there is room; closes what has ended.
void Drain(Descriptor& from, std::string& into, std::size_t room) {
  std::array<char, 65536> part;
  while (from.ok() && room > 0) {
    const auto got = read(from.get(), part.data(), std::min(part.size(), room));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) return from.Reset();
    into.append(part.data(), static_cast<std::size_t>(got));
    room -= static_cast<std::size_t>(got);
  }
}

class Child {
 public:
  explicit Child(pid_t number, Descriptor out, Descriptor err)
      : number_(number),
        end_(system::OpenPidDescriptor(number)),
        out_(std::move(out)),
        err_(std::move(err)) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() { End(); }

  // Until it has ended, or what it may have is exceeded.
  void Watch(Clock::time_point deadline, Ended& ended);
  void Read(Ended& ended);
  // Ends what runs of its group, and waits for it.
  void End();

 private:
  void Await(Clock::duration left) const;

  pid_t number_;
  Descriptor end_;  // readable when the process has ended
  Descriptor out_, err_;
};

void Child::Read(Ended& ended) {
  Drain(out_, ended.out, kMostOut + 1 - ended.out.size());
  Drain(err_, ended.err, kMostErr);
  if (ended.err.size() > kMostErr) ended.err.erase(0, ended.err.size() - kMostErr);
}

void Child::Await(Clock::duration left) const {
  std::vector<int> watched;
  for (const Descriptor* one : {&end_, &out_, &err_}) {
    if (one->ok()) watched.push_back(one->get());
  }
  system::AwaitAny(watched, end_.ok() ? left : std::min<Clock::duration>(left, kTick));
}

void Child::Watch(Clock::time_point deadline, Ended& ended) {
  for (;;) {
    Await(deadline - Clock::now());
    Read(ended);
    ended.is_too_long = ended.out.size() > kMostOut;
    if (const auto exit = system::PeekExit(number_)) {
      ended.exit = *exit;
      return;
    }
    const bool is_over = Clock::now() >= deadline;
    if (ended.is_too_long || (is_over && ended.is_late)) return;
    if (!is_over) continue;
    // First it is asked, for it prints what it knows, and alone, for it ends its children itself.
    ended.is_late = true;
    kill(number_, SIGTERM);
    deadline = Clock::now() + kGrace;
  }
}

void Child::End() {
  const auto number = std::exchange(number_, 0);
  // Until it is waited for its number is nobody else's. Whoever waited for it took that away.
  if (number == 0 || system::PeekExit(number) == probe::ProcessExit{}) return;
  kill(-number, SIGKILL);
  const auto deadline = Clock::now() + kKilled;
  while (!system::Reap(number) && Clock::now() < deadline) std::this_thread::sleep_for(kTick);
}

// The path where it can be started, else empty.
std::string Startable(const std::filesystem::path& path) {
  std::error_code unknown;
  return std::filesystem::is_regular_file(path, unknown) && access(path.c_str(), X_OK) == 0 ? path.string()
                                                                                            : "";
}

std::string FindBesideLibrary() {
  Dl_info library{};
  std::error_code unknown;
  if (dladdr(reinterpret_cast<const void*>(&whichgpu_report), &library) == 0 || !library.dli_fname) return "";
  auto folder = std::filesystem::canonical(library.dli_fname, unknown).parent_path();
  auto found = Startable(folder / "whichgpu");
  // From lib, or from a folder of the processor's below it.
  for (int up = 0; up < 2 && found.empty() && folder.has_relative_path(); ++up) {
    folder = folder.parent_path();
    found = Startable(folder / "bin/whichgpu");
    if (found.empty()) found = Startable(folder / "libexec/whichgpu");
  }
  return found;
}

}  // namespace

probe::Result<Ended> RunProgram(const std::string& program, const std::vector<std::string>& arguments,
                                double deadline_s) {
  const auto allowed = std::chrono::duration<double>(deadline_s);
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(allowed);
  auto out = system::MakePipe();
  if (!out) return out.error();
  auto err = system::MakePipe();
  if (!err) return err.error();
  auto nothing = system::Raise(Descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC)));
  if (!nothing.ok()) return system::ErrnoError("open /dev/null", errno);
  for (const Descriptor* end : {&out->read_end, &err->read_end}) fcntl(end->get(), F_SETFL, O_NONBLOCK);
  pid_t number = 0;
  if (const int error = Spawn(program, arguments, {&nothing, &out->write_end, &err->write_end}, number))
    return system::ErrnoError("exec", error);
  for (Descriptor* end : {&nothing, &out->write_end, &err->write_end}) end->Reset();
  Child child(number, std::move(out->read_end), std::move(err->read_end));
  Ended ended;
  child.Watch(deadline, ended);
  child.End();
  child.Read(ended);
  return ended;
}

std::string FindProgram() {
  // Of a set-user-ID host it has neither.
  const auto environment = system::Environment::OfProcess();
  if (auto named = environment.Get("WHICHGPU_PROGRAM"); named && !named->empty()) return *std::move(named);
  auto found = FindBesideLibrary();
  const auto path = environment.Get("PATH").value_or("");
  for (std::string_view rest = path; !rest.empty() && found.empty();) {
    const auto entry = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(entry.size() + 1, rest.size()));
    // Not from the working directory, where anybody may have put one.
    if (entry.starts_with('/')) found = Startable(std::filesystem::path(entry) / "whichgpu");
  }
  return found;
}

}  // namespace api
