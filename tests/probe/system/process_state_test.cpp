// SPDX-License-Identifier: MIT
#include "probe/system/process_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace probe::system {
namespace {

using ::testing::HasSubstr;

// What a process finds worse after `spoil`, in a process of its own.
std::string After(const std::function<void()>& spoil) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  setenv("WHICHGPU_TEST_KEPT", "as it was", 1);
  const pid_t pid = fork();
  if (pid == 0) {
    if (chdir("/tmp") != 0) _exit(1);
    const auto before = ProcessState::Take();
    spoil();
    const std::string text = before.Worsened().value_or("");
    _exit(write(ends[1], text.data(), text.size()) < 0);
  }
  close(ends[1]);
  std::string text(1000, '\0');
  const ssize_t got = read(ends[0], text.data(), text.size());
  close(ends[0]);
  waitpid(pid, nullptr, 0);
  return text.substr(0, got > 0 ? static_cast<std::size_t>(got) : 0);
}

TEST(ProcessState, IsNoWorseForWhatDriversUsuallyDo) {
  EXPECT_EQ(After([] {}), "");
  EXPECT_EQ(After([] {
              setenv("WHICHGPU_TEST_ADDED", "by a driver", 1);
              rlimit files{};
              getrlimit(RLIMIT_NOFILE, &files);
              files.rlim_cur = files.rlim_max;
              setrlimit(RLIMIT_NOFILE, &files);
              if (dup(0) < 0) _exit(1);
            }),
            "");
}

TEST(ProcessState, SaysWhatIsWorse) {
  const auto limit = [](auto resource, rlim_t value) {
    return [resource, value] {
      const rlimit both{value, value};
      setrlimit(resource, &both);
    };
  };
  EXPECT_THAT(After(limit(RLIMIT_NOFILE, 5)), HasSubstr("the limit on open files fell from"));
  EXPECT_THAT(After(limit(RLIMIT_NPROC, 1)), HasSubstr("processes"));
  EXPECT_THAT(After([] { unsetenv("WHICHGPU_TEST_KEPT"); }), HasSubstr("WHICHGPU_TEST_KEPT is gone"));
  EXPECT_THAT(After([] { setenv("WHICHGPU_TEST_KEPT", "other", 1); }), HasSubstr("was changed"));
  EXPECT_THAT(After([] {
                if (chdir("/") != 0) _exit(1);
              }),
              HasSubstr("working directory"));
  EXPECT_THAT(After([] {
                while (dup(0) >= 0) {
                }
              }),
              HasSubstr("no more files can be opened"));
  EXPECT_THAT(After([] {
                int last = 0;
                for (int fd = 0; (fd = dup(0)) >= 0;) last = fd;
                close(last);
              }),
              HasSubstr("only 1 more file can be opened"));
}

}  // namespace
}  // namespace probe::system
