// SPDX-License-Identifier: MIT
#include "tests/fakes/common/hostile.h"

#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <string>

#include "tests/fakes/common/scenario.h"

namespace fakes {
namespace {

// Field 22 of /proc/self/stat; the name before it may hold spaces, but its closing parenthesis is the last.
std::string StartTime() {
  std::array<char, 1024> text{};
  const int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return "";
  const ssize_t got = read(fd, text.data(), text.size() - 1);
  close(fd);
  std::string rest = got > 0 ? std::string(text.data()) : "";
  rest.erase(0, rest.rfind(')') + 2);
  for (int field = 3; field < 22; ++field) rest.erase(0, rest.find(' ') + 1);
  return rest.substr(0, rest.find(' '));
}

}  // namespace

HostileAct FindHostileAct(std::string_view name) {
  for (const auto part : {ActsOnDescriptors(), ActsOnFiles(), ActsOnMemory(), ActsOnProcesses(),
                          ActsOnSignals(), ActsOnState(), ActsThatEnd()}) {
    for (const NamedAct& act : part) {
      if (act.name == name) return act.perform;
    }
  }
  return nullptr;
}

void Mark(const Misbehaviour& what) {
  if (what.mark.empty()) return;
  const std::string number = std::to_string(getpid());
  const std::string text = number + " " + StartTime() + "\n";
  const int fd = open((what.mark + "." + number).c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return;
  if (write(fd, text.data(), text.size()) < 0) _exit(98);
  close(fd);
}

void HangOn(const Misbehaviour& what) {
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) signal(number, SIG_IGN);
  for (int tenth = 0; tenth < static_cast<int>(what.seconds * 10); ++tenth) usleep(100'000);
  _exit(97);
}

}  // namespace fakes
