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
#include <utility>

#include "api/whichgpu.h"
#include "probe/system/process.h"

namespace api {
namespace {

namespace system = probe::system;
using Clock = std::chrono::steady_clock;
using system::Descriptor;

constexpr std::size_t kMostOut = 64U << 20U;  // as much as `whichgpu compare` reads
constexpr std::size_t kMostErr = 64U << 10U;
constexpr auto kGrace = std::chrono::seconds(3);   // the program takes two to print what it has by then
constexpr auto kKilled = std::chrono::seconds(2);  // longer a process stays only where the kernel holds it
constexpr auto kTick = std::chrono::milliseconds(20);  // where a process has no descriptor (before Linux 5.3)

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
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  int error = 0;
  for (std::size_t i = 0; i < standard.size() && error == 0; ++i)
    error = posix_spawn_file_actions_adddup2(&actions, standard[i]->get(), static_cast<int>(i));
  if (error == 0) error = posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  if (error == 0) error = posix_spawn(&child, program.c_str(), &actions, &attributes, words.data(), environ);
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

struct Child {
  pid_t number = 0;
  Descriptor end;  // of the process: readable when it has ended
  Descriptor out, err;

  void Read(Ended& ended) {
    Drain(out, ended.out, kMostOut + 1 - ended.out.size());
    Drain(err, ended.err, kMostErr);
    if (ended.err.size() > kMostErr) ended.err.erase(0, ended.err.size() - kMostErr);
  }

  void Await(Clock::duration left) const {
    std::vector<int> watched;
    for (const Descriptor* one : {&end, &out, &err}) {
      if (one->ok()) watched.push_back(one->get());
    }
    system::AwaitAny(watched, end.ok() ? left : std::min<Clock::duration>(left, kTick));
  }
};

// Until it has ended, or can not be ended.
void Watch(Child& child, Clock::time_point deadline, Ended& ended) {
  for (int sent = 0;;) {
    child.Await(deadline - Clock::now());
    child.Read(ended);
    if (const auto exit = system::PeekExit(child.number)) {
      ended.exit = *exit;
      return;
    }
    const bool is_full = ended.out.size() > kMostOut;
    const bool is_late = Clock::now() >= deadline;
    if (!is_late && (!is_full || ended.is_too_long)) continue;
    if (is_late && sent == SIGKILL) return;
    ended.is_too_long = is_full;
    ended.is_late = !is_full;
    // First it is asked, for it prints what it knows, and alone, for it ends its children itself.
    sent = ended.is_late && sent == 0 ? SIGTERM : SIGKILL;
    deadline = Clock::now() + (sent == SIGTERM ? kGrace : kKilled);
    kill(sent == SIGTERM ? child.number : -child.number, sent);
  }
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
  Child child;
  child.out = std::move(out->read_end);
  child.err = std::move(err->read_end);
  for (const Descriptor* end : {&child.out, &child.err}) fcntl(end->get(), F_SETFL, O_NONBLOCK);
  if (const int error = Spawn(program, arguments, {&nothing, &out->write_end, &err->write_end}, child.number))
    return system::ErrnoError("exec", error);
  for (Descriptor* end : {&nothing, &out->write_end, &err->write_end}) end->Reset();
  child.end = system::OpenPidDescriptor(child.number);
  Ended ended;
  Watch(child, deadline, ended);
  // What it left of its group; until it is waited for its number is nobody else's.
  if (ended.exit != probe::ProcessExit{}) kill(-child.number, SIGKILL);
  system::Reap(child.number);
  child.Read(ended);
  return ended;
}

std::string FindProgram() {
  if (const char* named = secure_getenv("WHICHGPU_PROGRAM"); named && *named) return named;
  auto found = FindBesideLibrary();
  const char* path = secure_getenv("PATH");
  for (std::string_view rest = path ? path : ""; !rest.empty() && found.empty();) {
    const auto entry = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(entry.size() + 1, rest.size()));
    // Not from the working directory, where anybody may have put one.
    if (entry.starts_with('/')) found = Startable(std::filesystem::path(entry) / "whichgpu");
  }
  return found;
}

}  // namespace api
