// SPDX-License-Identifier: MIT
// What a driver does to descriptors that are not its own: the standard streams and every pipe of the process.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fakes/common/hostile.h"
#include "tests/fakes/common/scenario.h"

namespace fakes {
namespace {

constexpr int kMostDescriptors = 1100;

std::vector<int> OpenFrom(int lowest) {
  std::vector<int> found;
  for (int fd = lowest; fd < kMostDescriptors; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0) found.push_back(fd);
  }
  return found;
}

// Those of the process's pipes that can be written to, the standard streams aside.
std::vector<int> Pipes() {
  std::vector<int> found;
  for (const int fd : OpenFrom(3)) {
    struct stat status{};
    const bool writable = (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY;
    if (fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode) && writable) found.push_back(fd);
  }
  return found;
}

void Put(int fd, std::string_view bytes) {
  signal(SIGPIPE, SIG_IGN);
  while (!bytes.empty()) {
    pollfd waiting{fd, POLLOUT, 0};
    if (poll(&waiting, 1, 300) <= 0 || (waiting.revents & POLLOUT) == 0) return;
    const ssize_t written = write(fd, bytes.data(), std::min<std::size_t>(bytes.size(), 4096));
    if (written <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void PutInPipes(std::string_view bytes) {
  for (const int fd : Pipes()) Put(fd, bytes);
}

// As the tool's own children write it: the length in four bytes, the lowest first.
std::string Frame(std::string_view text) {
  std::string out;
  for (unsigned shift = 0; shift < 32; shift += 8) out += static_cast<char>(text.size() >> shift & 0xffU);
  return out.append(text);
}

void CloseRange(const Misbehaviour&) { (void)syscall(SYS_close_range, 3U, ~0U, 0U); }
void CloseEverything(const Misbehaviour&) {
  for (const int fd : OpenFrom(0)) close(fd);
}
void CloseStandardStreams(const Misbehaviour&) {
  for (const int fd : {0, 1, 2}) close(fd);
}
void CloseStdio(const Misbehaviour&) {
  for (std::FILE* file : {stdin, stdout, stderr}) std::fclose(file);
}
void ClosePipes(const Misbehaviour&) {
  for (const int fd : Pipes()) close(fd);
}
void ReplaceDescriptors(const Misbehaviour&) {
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int fd : OpenFrom(0)) dup2(null, fd);
}
void ReplaceByOnePipe(const Misbehaviour&) {
  const auto pipes = Pipes();
  for (const int fd : OpenFrom(0)) dup2(pipes.empty() ? 0 : pipes.front(), fd);
}
void OccupyDescriptors(const Misbehaviour&) {
  for (int i = 0; i < 70'000 && open("/dev/null", O_RDONLY) >= 0; ++i) {
  }
}
void MakeNonBlocking(const Misbehaviour&) {
  for (const int fd : OpenFrom(0)) fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}
void ShrinkPipes(const Misbehaviour&) {
  for (const int fd : Pipes()) fcntl(fd, F_SETPIPE_SZ, 4096);
}
void ReadEverything(const Misbehaviour&) {
  char byte = 0;
  for (const int fd : OpenFrom(3)) {
    pollfd waiting{fd, POLLIN, 0};
    if (poll(&waiting, 1, 0) > 0 && read(fd, &byte, 1) < 0) continue;
  }
}

void WriteNoise(const Misbehaviour&) {
  std::string noise(200'000, '\0');
  for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = static_cast<char>((i * 2654435761U) >> 11U);
  PutInPipes(noise);
}
void WriteHugeLength(const Misbehaviour&) { PutInPipes("\xff\xff\xff\x7f{"); }
void WriteHalfRecord(const Misbehaviour& what) {
  PutInPipes(std::string_view("\x40\0\0\0{\"stage\":", 13));
  HangOn(what);
}
void WriteDeepRecord(const Misbehaviour&) { PutInPipes(Frame(std::string(100'000, '['))); }
void WriteWrongTypes(const Misbehaviour&) {
  PutInPipes(Frame(R"({"stage": {"a": [1]}, "event": 7, "device": "x", "module": [], "allow_s": "soon"})"));
  PutInPipes(Frame(R"({"stage": 1e308, "error": 3, "warning": {}, "measurement": [], "done": "yes"})"));
}
void WriteEmptyRecords(const Misbehaviour&) {
  std::string records;
  for (int i = 0; i < 20'000; ++i) records += Frame("{}");
  PutInPipes(records);
}
void ClaimDone(const Misbehaviour&) {
  PutInPipes(Frame(R"({"done": true})"));
  _exit(0);
}
void ClaimDoneAndHang(const Misbehaviour& what) {
  PutInPipes(Frame(R"({"done": true})"));
  HangOn(what);
}
void ClaimTimeAndHang(const Misbehaviour& what) {
  PutInPipes(Frame(R"({"allow_s": 1e9})"));
  HangOn(what);
}
void ClaimNoTime(const Misbehaviour&) { PutInPipes(Frame(R"({"allow_s": -1e9})")); }

void Say(int fd, std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  Put(fd, all);
}
void SayNoise(const Misbehaviour&) {
  Say(2, std::string_view("\0\xff\xfe\xc0\x80\xed\xa0\x80\x01\n", 10), 500);
}
void SayEscapes(const Misbehaviour&) {
  for (const int fd : {1, 2})
    Say(fd,
        "\x1b[2J\x1b]0;owned\x07\x1b[31m\xe2\x80\xae\r\b\x9b"
        "31m\n",
        200);
}
void SayOneLine(const Misbehaviour&) { Say(2, "long ", 400'000); }
void SayJson(const Misbehaviour&) {
  Say(1, "{\"schema_version\": 1, \"devices\": []}\n", 3);
  Say(2, "whichgpu: internal error\n", 3);
}
void SayOnTerminal(const Misbehaviour&) {
  const int terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0) return;
  tcsetpgrp(terminal, getpgrp());
  close(terminal);
}

}  // namespace

std::span<const NamedAct> ActsOnDescriptors() {
  static constexpr NamedAct kActs[] = {{"close_range", CloseRange},
                                       {"close_everything", CloseEverything},
                                       {"close_standard_streams", CloseStandardStreams},
                                       {"close_stdio", CloseStdio},
                                       {"close_pipes", ClosePipes},
                                       {"replace_descriptors", ReplaceDescriptors},
                                       {"replace_by_one_pipe", ReplaceByOnePipe},
                                       {"occupy_descriptors", OccupyDescriptors},
                                       {"make_non_blocking", MakeNonBlocking},
                                       {"shrink_pipes", ShrinkPipes},
                                       {"read_everything", ReadEverything},
                                       {"write_noise", WriteNoise},
                                       {"write_huge_length", WriteHugeLength},
                                       {"write_half_record", WriteHalfRecord},
                                       {"write_deep_record", WriteDeepRecord},
                                       {"write_wrong_types", WriteWrongTypes},
                                       {"write_empty_records", WriteEmptyRecords},
                                       {"claim_done", ClaimDone},
                                       {"claim_done_and_hang", ClaimDoneAndHang},
                                       {"claim_time_and_hang", ClaimTimeAndHang},
                                       {"claim_no_time", ClaimNoTime},
                                       {"say_noise", SayNoise},
                                       {"say_escapes", SayEscapes},
                                       {"say_one_line", SayOneLine},
                                       {"say_json", SayJson},
                                       {"say_on_terminal", SayOnTerminal}};
  return kActs;
}

}  // namespace fakes
