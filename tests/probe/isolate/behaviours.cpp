// SPDX-License-Identifier: MIT
#include "tests/probe/isolate/behaviours.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "probe/isolate/channel.h"
#include "probe/isolate/reaper.h"
#include "probe/system/filesystem.h"

namespace probe::isolate {
namespace {

[[noreturn]] void Sleep() {
  for (;;) pause();
}

void WriteAll(int fd, std::size_t bytes, std::string_view pattern) {
  std::string chunk;
  while (chunk.size() < 65536) chunk += pattern;
  for (std::size_t written = 0; written < bytes;) {
    const ssize_t step = write(fd, chunk.data(), chunk.size());
    if (step <= 0) return;
    written += static_cast<std::size_t>(step);
  }
}

// The pipe above the standard streams: a driver that writes into it must search for it, too.
int FindResultPipe() {
  for (int fd = 3; fd < 2000; ++fd) {
    struct stat status{};
    if (fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode)) return fd;
  }
  return -1;
}

void Nothing(const Json&, const RecordSink&) {}

void Report(const Json& request, const RecordSink& send) {
  Json out = Json::object();
  out["request"] = request;
  out["pid"] = getpid();
  std::array<char, 4096> cwd{};
  out["cwd"] = getcwd(cwd.data(), cwd.size()) != nullptr ? cwd.data() : "";
  for (const char* name : {"TMPDIR", "XDG_CACHE_HOME", "WHICHGPU_TEST_ADDED", "WHICHGPU_TEST_REPLACED",
                           "WHICHGPU_TEST_KEPT", kMarkVariable.data()}) {
    if (const char* value = getenv(name); value != nullptr) out[name] = value;
  }
  rlimit core{};
  getrlimit(RLIMIT_CORE, &core);
  out["core_bytes"] = core.rlim_cur;
  out["group_is_own"] = getpgrp() == getpid();
  sigset_t blocked;
  sigprocmask(SIG_SETMASK, nullptr, &blocked);
  out["signals_blocked"] = sigisemptyset(&blocked) == 0;
  out["descriptors"] = Json::array();
  for (int fd = 0; fd < 2000; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0) out["descriptors"].push_back(fd);
  }
  char byte = 0;
  out["stdin_bytes"] = read(STDIN_FILENO, &byte, 1);
  send(out);
}

// With "allow_s" the time to its end starts when it hangs, however long the machine took to start it.
[[noreturn]] void HangFrom(const Json& request, const RecordSink& send, Json record) {
  if (request.contains("allow_s")) record["allow_s"] = request["allow_s"];
  send(record);
  Sleep();
}

void Hang(const Json& request, const RecordSink& send) {
  signal(SIGTERM, SIG_IGN);
  signal(SIGINT, SIG_IGN);
  HangFrom(request, send, {{"stage", "init"}, {"pid", getpid()}});
}

void Stop(const Json&, const RecordSink&) { raise(SIGSTOP); }

void StopTraced(const Json&, const RecordSink&) {
  ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
  raise(SIGSTOP);
}

// Writes a record that it did not get from the task's own sink, as a driver would that knows the wire.
void Forge(const Json& request, const RecordSink& send) {
  send({{"stage", "init"}});
  const std::string frame = Frame(request.at("record"));
  if (write(FindResultPipe(), frame.data(), frame.size()) < 0) _exit(1);
  if (request.value("hang", false)) Sleep();
  _exit(0);
}

void Abort(const Json&, const RecordSink& send) {
  send({{"stage", "init"}});
  abort();
}

void Segfault(const Json&, const RecordSink& send) {
  send({{"stage", "init"}});
  void* page = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *static_cast<volatile char*>(page) = 1;
}

void ThrowInThread(const Json&, const RecordSink&) {
  std::thread([] { throw std::runtime_error("thrown"); }).join();
}

void Throw(const Json&, const RecordSink&) { throw std::runtime_error("thrown"); }

void Exit(const Json& request, const RecordSink& send) {
  send({{"stage", "init"}});
  _exit(request.value("code", 0));
}

void FloodStandardStreams(const Json& request, const RecordSink&) {
  WriteAll(STDOUT_FILENO, 20U << 20U, "noise on stdout\n");
  WriteAll(STDERR_FILENO, 20U << 20U, "noise on stderr\n");
  const auto last = request.value("last", std::string("last words\n"));
  if (write(STDERR_FILENO, last.data(), last.size()) < 0) _exit(1);
}

void FloodResults(const Json&, const RecordSink& send) {
  send({{"stage", "init"}});
  WriteAll(FindResultPipe(), 100U << 20U, "garbage!");
}

void SendTooMuch(const Json&, const RecordSink& send) {
  for (int i = 0; i < 100; ++i) send({{"number", i}, {"text", std::string(1000000, 'x')}});
}

void SendOversized(const Json&, const RecordSink& send) {
  send({{"text", std::string(2U << 20U, 'x')}});
  send({{"stage", "init"}});
}

void SendFromThreads(const Json&, const RecordSink& send) {
  constexpr int kThreads = 4;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&send, thread] {
      for (int i = 0; i < 250; ++i) send({{"thread", thread}, {"number", i}});
    });
  }
  for (auto& thread : threads) thread.join();
}

void CloseDescriptors(const Json& request, const RecordSink& send) {
  send({{"stage", "init"}});
  for (int fd = 0; fd < 4096; ++fd) close(fd);
  if (request.value("reuse", false)) {
    while (fcntl(1000, F_GETFD) < 0 && open("/dev/null", O_RDWR) >= 0) {
    }
  }
  send({{"stage", "lost"}});
}

// Starts a process that sleeps on and reports its number.
void Linger(const Json& request, const RecordSink& send) {
  const bool daemon = request.value("daemon", false);
  if (request.value("speaks", "") == "deaf") signal(SIGPIPE, SIG_IGN);
  int ends[2];
  if (pipe(ends) != 0) _exit(1);
  if (fork() == 0) {
    if (request.value("setsid", false)) setsid();
    if (daemon && fork() != 0) _exit(0);
    const pid_t self = getpid();
    if (write(ends[1], &self, sizeof self) < 0) _exit(1);
    Sleep();
  }
  pid_t lingering = 0;
  if (read(ends[0], &lingering, sizeof lingering) != sizeof lingering) _exit(1);
  Json record = {{"pid", lingering}, {"worker", getpid()}};
  record["reaper"] = getppid();
  record["cwd"] = std::filesystem::current_path().string();
  const bool hangs = request.value("hang", false);
  if (hangs && request.contains("allow_s")) record["allow_s"] = request["allow_s"];
  send(record);
  if (request.contains("to_parent")) {
    prctl(PR_SET_PDEATHSIG, 0);
    kill(getppid(), request["to_parent"].get<int>());
  }
  // Until nobody listens any more.
  while (request.contains("speaks")) {
    usleep(1000);
    send({{"stage", "init"}});
  }
  if (hangs) Sleep();
}

void KillGroup(const Json&, const RecordSink& send) {
  send({{"stage", "init"}});
  kill(0, SIGTERM);
}

void FillScratch(const Json& request, const RecordSink& send) {
  send({{"stage", "init"}});
  std::ofstream file("dump");
  for (std::size_t i = 0; i < request.value("mib", 1U); ++i) file << std::string(1U << 20U, 'x');
  file.flush();
  send({{"stage", "filled"}});
  if (request.value("hang", true)) Sleep();
}

void Step(const Json& request, const RecordSink& send) {
  for (const auto& step : request.at("steps")) {
    send({{"allow_s", step.at("allow_s")}});
    std::this_thread::sleep_for(std::chrono::duration<double>(step.at("take_s").get<double>()));
  }
}

struct Behaviour {
  std::string_view name;
  void (*run)(const Json&, const RecordSink&);
};

constexpr std::array kBehaviours = {
    Behaviour{"nothing", Nothing},
    Behaviour{"report", Report},
    Behaviour{"hang", Hang},
    Behaviour{"stop", Stop},
    Behaviour{"stop_traced", StopTraced},
    Behaviour{"forge", Forge},
    Behaviour{"abort", Abort},
    Behaviour{"segfault", Segfault},
    Behaviour{"throw", Throw},
    Behaviour{"throw_in_thread", ThrowInThread},
    Behaviour{"exit", Exit},
    Behaviour{"flood_standard_streams", FloodStandardStreams},
    Behaviour{"flood_results", FloodResults},
    Behaviour{"send_too_much", SendTooMuch},
    Behaviour{"send_oversized", SendOversized},
    Behaviour{"send_from_threads", SendFromThreads},
    Behaviour{"close_descriptors", CloseDescriptors},
    Behaviour{"linger", Linger},
    Behaviour{"kill_group", KillGroup},
    Behaviour{"fill_scratch", FillScratch},
    Behaviour{"step", Step},
};

Status Misbehave(const Json& request, const RecordSink& send) {
  const auto name = request.value("do", std::string());
  for (const auto& behaviour : kBehaviours) {
    if (behaviour.name != name) continue;
    behaviour.run(request, send);
    return Ok();
  }
  return Error{"misbehave", std::nullopt, "unknown behaviour", name};
}

constexpr std::array kTasks = {Task{"misbehave", Misbehave}};

}  // namespace

std::span<const Task> TestTasks() { return kTasks; }

ChildRequest Do(std::string_view behaviour, double deadline_s, const Json& more) {
  ChildRequest out;
  out.task = "misbehave";
  out.request = {{"do", std::string(behaviour)}};
  out.request.update(more);
  out.deadline_s = deadline_s;
  return out;
}

std::vector<ChildResult> RunThem(std::span<const ChildRequest> requests, SupervisorOptions options) {
  auto supervisor = Supervisor::Create(options, system::Environment::OfProcess());
  if (!supervisor) return {};
  return supervisor->RunAll(requests, nullptr);
}

ChildResult RunOne(const ChildRequest& request, SupervisorOptions options) {
  auto results = RunThem({&request, 1}, options);
  return results.empty() ? ChildResult() : std::move(results.front());
}

Json First(const ChildResult& result, std::string_view key) {
  if (result.records.empty()) return {};
  const auto found = result.records.front().find(key);
  return found == result.records.front().end() ? Json() : *found;
}

bool ToldByMarks() { return !NewMark().empty(); }

bool IsAlive(pid_t pid) {
  const auto files = system::FileSystem::Open("/");
  const auto line = files->ReadLine("/proc/" + std::to_string(pid) + "/stat");
  return line && line->find(") Z ") == std::string::npos;
}

bool Ends(pid_t pid) {
  for (int i = 0; i < 1000 && IsAlive(pid); ++i) usleep(1000);
  return !IsAlive(pid);
}

}  // namespace probe::isolate
