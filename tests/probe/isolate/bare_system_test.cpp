// SPDX-License-Identifier: MIT
// The supervisor on systems that lack what it would like to have.
#include <errno.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <functional>
#include <vector>

#include "probe/system/filesystem.h"
#include "tests/probe/isolate/behaviours.h"

namespace probe::isolate {
namespace {

using ::testing::HasSubstr;

// A sanitizer's runtime itself needs /proc and terabytes of address space.
constexpr bool kSanitized = WHICHGPU_SANITIZED;

// Runs `work` in a process of its own, which `prepare` may cripple, and returns what it returned; null when
// it could not be prepared.
Json InProcess(const std::function<bool()>& prepare, const std::function<Json()>& work) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  const pid_t pid = fork();
  if (pid == 0) {
    close(ends[0]);
    const std::string text = ToText(prepare() ? work() : Json());
    _exit(write(ends[1], text.data(), text.size()) < 0);
  }
  close(ends[1]);
  std::string text(60000, '\0');
  const ssize_t got = read(ends[0], text.data(), text.size());
  close(ends[0]);
  waitpid(pid, nullptr, 0);
  const auto json = ParseJson(std::string_view(text).substr(0, got > 0 ? static_cast<std::size_t>(got) : 0));
  return json ? *json : Json();
}

Json OutcomeOf(const ChildRequest& request) {
  const auto result = RunOne(request);
  Json out = {
      {"end", static_cast<int>(result.end)}, {"detail", result.detail}, {"elapsed_s", result.elapsed_s}};
  out["first"] = result.records.empty() ? Json::object() : result.records.front();
  return out;
}

bool IsEnd(const Json& outcome, ChildEnd end) { return outcome["end"] == static_cast<int>(end); }

// An empty file system over each directory, for this process alone.
bool Hide(const std::vector<const char*>& directories, const char* options = "size=1m",
          unsigned long flags = 0) {
  if (unshare(CLONE_NEWNS | (geteuid() == 0 ? 0 : CLONE_NEWUSER)) != 0) return false;
  if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  for (const char* directory : directories) {
    if (mount("none", directory, "tmpfs", flags, options) != 0) return false;
  }
  unsetenv("TMPDIR");
  return true;
}

// Where a process is started by the path of its file that has to stay to be seen.
bool IsHiddenItself() {
  const auto path = std::filesystem::read_symlink("/proc/self/exe").string();
  return ToldByMarks() && (path.starts_with("/tmp/") || path.starts_with("/dev/shm/"));
}

// Makes the kernel answer these calls as an old one or a sandbox would.
bool Deny(const std::vector<unsigned int>& calls, int number) {
  std::vector<sock_filter> program = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const unsigned int call : calls) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1));
    program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned int>(number)));
  }
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

// Has the kernel kill whatever asks not to be dumped, by a signal of its own.
bool KillWhoLeavesNoCore() {
  std::array program = {sock_filter(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))),
                        sock_filter(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 3)),
                        sock_filter(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args))),
                        sock_filter(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_DUMPABLE, 0, 1)),
                        sock_filter(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)),
                        sock_filter(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW))};
  sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

// The limit of a core's size may be 0 for good, and then a handler that cores are piped to starts all the
// same.
TEST(BareSystem, WhereCoresAreLimitedToNothingTheReaperLeavesNone) {
  if (ToldByMarks()) GTEST_SKIP() << "cores are forbidden by their size there";
  const auto end_of = [](const char* behaviour) {
    return InProcess(KillWhoLeavesNoCore, [behaviour] {
      return Json{{"signal", RunOne(Do(behaviour)).exit.signal.value_or(0)}};
    })["signal"];
  };
  EXPECT_EQ(end_of("report"), 0) << "nothing else asks for it";
  EXPECT_EQ(end_of("abort"), SIGSYS);
}

TEST(BareSystem, WithoutProcStillEndsDescendantsOfTheirOwnSession) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer needs /proc";
  if (ToldByMarks()) GTEST_SKIP() << "marks are read in /proc here";
  const auto outcome =
      InProcess([] { return Hide({"/proc"}); },
                [] { return OutcomeOf(Do("linger", 20, {{"setsid", true}, {"daemon", true}})); });
  if (outcome.is_null()) GTEST_SKIP() << "needs a mount namespace";
  EXPECT_TRUE(IsEnd(outcome, ChildEnd::kDone)) << outcome;
  EXPECT_FALSE(IsAlive(outcome["first"]["pid"].get<pid_t>()));
}

TEST(BareSystem, WithoutDevStartsChildrenAllTheSame) {
  const auto outcome = InProcess([] { return Hide({"/dev"}); }, [] { return OutcomeOf(Do("report")); });
  if (outcome.is_null()) GTEST_SKIP() << "needs a mount namespace";
  EXPECT_TRUE(IsEnd(outcome, ChildEnd::kDone)) << outcome;
  EXPECT_EQ(outcome["first"]["stdin_bytes"], 0);
}

TEST(BareSystem, WithNothingWritableRunsInTheRootAndSaysSo) {
  if (IsHiddenItself()) GTEST_SKIP() << "this program's own file would be hidden";
  const auto outcome = InProcess([] { return Hide({"/tmp", "/dev/shm"}, "size=1m", MS_RDONLY); },
                                 [] { return OutcomeOf(Do("report")); });
  if (outcome.is_null()) GTEST_SKIP() << "needs a mount namespace";
  EXPECT_TRUE(IsEnd(outcome, ChildEnd::kDone)) << outcome;
  EXPECT_EQ(outcome["first"]["cwd"], "/");
  EXPECT_THAT(outcome["detail"].get<std::string>(), HasSubstr("no scratch directory"));
}

TEST(BareSystem, WithAFullDiskRunsInTheRootAndSaysSo) {
  if (IsHiddenItself()) GTEST_SKIP() << "this program's own file would be hidden";
  const auto outcome = InProcess([] { return Hide({"/tmp", "/dev/shm"}, "nr_inodes=1"); },
                                 [] { return OutcomeOf(Do("report")); });
  if (outcome.is_null()) GTEST_SKIP() << "needs a mount namespace";
  EXPECT_TRUE(IsEnd(outcome, ChildEnd::kDone)) << outcome;
  EXPECT_THAT(outcome["detail"].get<std::string>(), HasSubstr("ENOSPC"));
}

TEST(BareSystem, WithLittleAddressSpaceStartsChildren) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer needs terabytes of address space";
  const auto limit = [] {
    const rlimit one_gigabyte{1000000000, 1000000000};
    return setrlimit(RLIMIT_AS, &one_gigabyte) == 0;
  };
  EXPECT_TRUE(IsEnd(InProcess(limit, [] { return OutcomeOf(Do("report")); }), ChildEnd::kDone));
}

TEST(BareSystem, WithoutNewSystemCallsKeepsEveryPromise) {
  const auto old = [] { return Deny({SYS_pidfd_open, SYS_close_range, SYS_openat2}, ENOSYS); };
  EXPECT_TRUE(IsEnd(InProcess(old, [] { return OutcomeOf(Do("report")); }), ChildEnd::kDone));
  const auto hanging = InProcess(old, [] { return OutcomeOf(Do("hang", 0.3)); });
  EXPECT_TRUE(IsEnd(hanging, ChildEnd::kTimedOut));
  EXPECT_LT(hanging["elapsed_s"], 1.3);
}

TEST(BareSystem, WithFewDescriptorsRunsChildrenOneAfterTheOther) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer has descriptors of its own";
  const auto few = [] {
    const rlimit files{26, 26};
    return setrlimit(RLIMIT_NOFILE, &files) == 0;
  };
  const auto ends = InProcess(few, [] {
    Json out = Json::array();
    const std::vector<ChildRequest> requests(8, Do("report"));
    for (const auto& result : RunThem(requests)) out.push_back({{"end", static_cast<int>(result.end)}});
    return out;
  });
  ASSERT_EQ(ends.size(), 8U) << ends;
  for (const auto& end : ends) EXPECT_TRUE(IsEnd(end, ChildEnd::kDone)) << ends;
}

TEST(BareSystem, WhereNoProcessMayBeStartedSaysWhatForbidsIt) {
  const auto start = [](int number) {
    return InProcess([number] { return Deny({SYS_clone, SYS_clone3}, number); },
                     [] { return OutcomeOf(Do("report")); });
  };
  const auto forbidden = start(EPERM);
  EXPECT_TRUE(IsEnd(forbidden, ChildEnd::kNotStarted)) << forbidden;
  EXPECT_THAT(forbidden["detail"].get<std::string>(), HasSubstr("a sandbox forbids to start processes"));
  const auto full = start(EAGAIN);
  EXPECT_TRUE(IsEnd(full, ChildEnd::kNotStarted)) << full;
  EXPECT_THAT(full["detail"].get<std::string>(),
              ::testing::AnyOf(HasSubstr("pids.max"), HasSubstr("ulimit -u")));
}

TEST(BareSystem, WithoutOpenat2RefusesASysrootAndSurveysTheMachine) {
  const auto sandbox = [] { return Deny({SYS_openat2}, EPERM); };
  const auto outcome = InProcess(sandbox, [] {
    const auto sysroot = system::FileSystem::Open("/usr");
    const auto live = system::FileSystem::Open("/");
    return Json{{"error", sysroot ? "" : Describe(sysroot.error())}, {"live", live && live->Exists("/usr")}};
  });
  EXPECT_THAT(outcome["error"].get<std::string>(), HasSubstr("can not confine paths to /usr"));
  EXPECT_EQ(outcome["live"], true);
}

}  // namespace
}  // namespace probe::isolate
