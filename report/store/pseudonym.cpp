// SPDX-License-Identifier: MIT
#include "report/store/pseudonym.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "data/runtimes/runtimes.h"

#include "probe/core/hash.h"
#include "probe/core/parse.h"

namespace report {
namespace {

constexpr const char* kOwn = "user";
constexpr const char* kHost = "host";
constexpr std::uint32_t kFirstOrdinaryUser = 1000, kNobody = 65534;  // login.defs(5)

// Folders that hold people's homes wherever they are mounted.
constexpr std::array<std::string_view, 2> kHomes = {"/home/", "/Users/"};

// Members of which every value is one of a closed set, or a number with its unit: never a person's name.
constexpr std::array<std::string_view, 19> kClosed = {
    "module",   "outcome", "stage",          "kind",      "type",   "key",  "runtime",
    "source",   "dtypes",  "in_dtype",       "acc_dtype", "status", "unit", "quality",
    "features", "kernel",  "implementation", "device_id", "pci"};

void AddWords(std::string_view text, std::set<std::string>& out) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && IsWordCharacter(text[end])) ++end;
    if (end > at) out.insert(probe::Lower(text.substr(at, end - at)));
    at = end + 1;
  }
}

// What the tables speak of, what processors and systems call themselves, and what folders are called.
const std::set<std::string>& OrdinaryWords() {
  static const std::set<std::string> words = [] {
    std::set<std::string> out;
    for (const auto& [name, text] : data::RuntimeTexts()) {
      out.insert(probe::Lower(name));
      AddWords(text, out);
    }
    AddWords(
        "admin bin cache cgroup class computer core cpu current data debian default demo desktop dev device "
        "docker etc events fpu gpu guest high home host kubepods laptop lib linux local localhost low lxc "
        "max "
        "mem memory min mnt native node none opt pci proc processor root run sbin scratch server share "
        "shared "
        "slice software srv stat svc swap sys system test tmp ubuntu user users usr var vendor worker "
        "workstation",
        out);
    if (const auto files = probe::system::FileSystem::Open("/")) {
      if (const auto info = files->Read("/proc/cpuinfo", 16384)) AddWords(*info, out);
    }
    return out;
  }();
  return words;
}

std::vector<std::string> SplitAt(std::string_view text, char separator) {
  std::vector<std::string> out;
  for (;;) {
    const auto end = text.find(separator);
    out.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

// A path that is one person's: not a folder of the system that an account without a person was given.
bool IsPersonal(const std::string& home) {
  if (!home.starts_with('/') || home.find('/', 1) == std::string::npos || home.starts_with("/root/"))
    return false;
  constexpr std::array<std::string_view, 9> kSystem = {"/usr/", "/etc/",  "/proc/", "/sys/", "/dev/",
                                                       "/bin/", "/sbin/", "/lib/",  "/boot/"};
  return std::none_of(kSystem.begin(), kSystem.end(), [&](auto folder) { return home.starts_with(folder); });
}

// Also the name with its domain, wherever that is cut.
void ReplaceHost(std::string& text, const std::string& from) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    std::size_t end = at + from.size();
    if ((at > 0 && IsWordCharacter(text[at - 1])) || (end < text.size() && IsWordCharacter(text[end]))) {
      ++at;
      continue;
    }
    const auto is_label = [&](std::size_t i) {
      return i < text.size() && (IsWordCharacter(text[i]) || text[i] == '-');
    };
    while (end < text.size() && text[end] == '.' && is_label(end + 1)) {
      for (++end; is_label(end);) ++end;
    }
    text.replace(at, end - at, kHost);
    at += std::string_view(kHost).size();
  }
}

bool IsSerial(const probe::Json& json) {
  if (!json.is_object() || !json.contains("key") || !json.contains("value")) return false;
  const auto& key = json["key"];
  return key.is_string() && key.get_ref<const std::string&>().find("serial") != std::string::npos &&
         json["value"].is_string();
}

bool IsMountList(std::string_view path) { return path.ends_with("/mountinfo") || path.ends_with("/mounts"); }

// proc_pid_mountinfo(5): the type stands behind a dash.
std::string GroupsOfMounts(std::string_view content) {
  std::string out;
  for (const std::string& line : SplitAt(content, '\n')) {
    const auto dash = line.find(" - ");
    if (dash != std::string::npos && std::string_view(line).substr(dash + 3).starts_with("cgroup"))
      out.append(line).append("\n");
  }
  return out;
}

// Longer names first: one may be the beginning of another.
void SortByLength(std::vector<std::string>& names) {
  std::stable_sort(names.begin(), names.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
}

// "user", "user-2": what a name was replaced by already.
bool IsPseudonym(std::string_view name) {
  if (!name.starts_with(kOwn)) return false;
  name.remove_prefix(std::string_view(kOwn).size());
  return name.empty() || (name.size() > 1 && name.front() == '-' &&
                          name.find_first_not_of("0123456789", 1) == std::string_view::npos);
}

bool IsOrdinaryUser(std::uint32_t uid) { return uid >= kFirstOrdinaryUser && uid != kNobody; }

}  // namespace

// A part of an address or a number ("c1", "ed", "beef") is one too: replaced, it would break those.
bool IsOrdinaryWord(std::string_view name) {
  constexpr std::size_t kLongestGroup = 4;
  const bool is_group = name.size() <= kLongestGroup &&
                        probe::Lower(name).find_first_not_of("0123456789abcdef") == std::string::npos;
  return name.size() < 2 || is_group || OrdinaryWords().contains(probe::Lower(name));
}

FoundNames FindNames(const probe::system::FileSystem& files) {
  constexpr std::size_t kMost = 1024;
  FoundNames out;
  if (const auto name = files.ReadLine("/etc/hostname")) out.hosts.push_back(*name);
  const auto accounts = files.Read("/etc/passwd");
  for (const std::string& line : SplitAt(accounts ? *accounts : "", '\n')) {
    const auto fields = SplitAt(line, ':');
    std::uint32_t uid = 0;
    if (fields.size() < 3 || out.users.size() >= kMost) continue;
    std::from_chars(fields[2].data(), fields[2].data() + fields[2].size(), uid);
    if (IsOrdinaryUser(uid)) out.users.push_back(fields[0]);
  }
  for (const std::string& name : files.List("/home")) {
    if (out.users.size() >= 2 * kMost) break;
    const auto status = files.StatLink("/home/" + name);
    if (status && IsOrdinaryUser(status->owner_uid)) out.users.push_back(name);
  }
  return out;
}

Pseudonyms::Pseudonyms(const probe::system::Environment& environment, const std::string& host_name,
                       bool keep_ids, const FoundNames& found)
    : keep_ids_(keep_ids) {
  const passwd* entry = getpwuid(geteuid());
  std::string home = environment.Get("HOME").value_or("");
  if (home.empty() && entry != nullptr) home = entry->pw_dir;
  while (home.ends_with('/')) home.pop_back();
  if (IsPersonal(home)) {
    home_ = home;
    AddUser(home.substr(home.rfind('/') + 1), true);
  }
  if (entry != nullptr) AddUser(entry->pw_name, true);
  for (const char* variable : {"USER", "LOGNAME", "USERNAME"})
    AddUser(environment.Get(variable).value_or(""), true);
  for (const char* variable : {"SUDO_USER", "DOAS_USER"})
    AddUser(environment.Get(variable).value_or(""), false);
  for (const std::string& name : found.users) AddUser(name, false);
  AddHost(host_name);
  for (const char* variable : {"HOSTNAME", "HOST"}) AddHost(environment.Get(variable).value_or(""));
  for (const std::string& name : found.hosts) AddHost(name);
  for (auto* names : {&users_, &hosts_, &domains_}) SortByLength(*names);
}

std::string Pseudonyms::ReplaceHostName(const std::string& name) {
  return name.empty() || name == "localhost" ? name : kHost;
}

void Pseudonyms::AddUser(const std::string& name, bool is_own) {
  if (name.empty() || name == "root" || people_.contains(name)) return;
  if (is_own) people_.emplace(name, kOwn);
  if (!IsOrdinaryWord(name)) users_.push_back(name);
}

void Pseudonyms::AddHost(const std::string& name) {
  const auto dot = name.find('.');
  const std::string label = name.substr(0, dot);
  if (!IsOrdinaryWord(label)) hosts_.push_back(label);
  if (dot == std::string::npos) return;
  if (IsOrdinaryWord(label) && label != "localhost") hosts_.push_back(name);
  const std::string domain = name.substr(dot + 1);
  if (domain.find('.') != std::string::npos) domains_.push_back(domain);
}

const std::string& Pseudonyms::UserFor(const std::string& name) const {
  const auto known = people_.find(name);
  if (known != people_.end()) return known->second;
  return people_.emplace(name, fmt::format("{}-{}", kOwn, people_.size() + 2)).first->second;
}

// Of everybody, known or not. A pseudonym stays what it is.
void Pseudonyms::ReplaceHomes(std::string& text) const {
  for (const std::string_view homes : kHomes) {
    for (std::size_t at = text.find(homes); at != std::string::npos; at = text.find(homes, at)) {
      at += homes.size();
      std::size_t end = at;
      while (end < text.size() && (IsWordCharacter(text[end]) || text[end] == '.' || text[end] == '-' ||
                                   text[end] == '+' || text[end] == '@'))
        ++end;
      const std::string name = text.substr(at, end - at);
      if (name.empty() || IsPseudonym(name) || name.starts_with('.')) continue;
      const std::string& pseudonym = UserFor(name);
      text.replace(at, end - at, pseudonym);
      at += pseudonym.size();
    }
  }
}

std::string Pseudonyms::Replace(std::string text) const {
  if (!home_.empty()) ReplaceWord(text, home_, "/home/user");
  ReplaceHomes(text);
  for (const std::string& host : hosts_) ReplaceHost(text, host);
  for (const std::string& domain : domains_) ReplaceWord(text, domain, "domain");
  for (const std::string& user : users_) {
    if (text.find(user) != std::string::npos) ReplaceWord(text, user, UserFor(user));
  }
  ReplaceContainers(text);
  ReplaceNetworkAddresses(text);
  if (!keep_ids_) {
    ReplaceUuids(text);
    ReplaceChipNumbers(text);
  }
  return text;
}

void Pseudonyms::Replace(probe::Json& json) const {
  if (IsSerial(json)) {
    const auto& serial = json["value"].get_ref<const std::string&>();
    json["value"] = fmt::format("serial-{:08x}", probe::HashOf(serial) & 0xffffffffU);
  }
  if (json.is_string()) {
    json = Replace(json.get<std::string>());
  } else if (json.is_array()) {
    for (auto& item : json) Replace(item);
  } else if (json.is_object()) {
    for (auto& [key, item] : json.items()) {
      if (std::find(kClosed.begin(), kClosed.end(), key) == kClosed.end()) Replace(item);
    }
  }
}

std::optional<std::string> Pseudonyms::ReplaceFile(std::string_view path, const std::string& content) const {
  if (IsMountList(path)) return Replace(GroupsOfMounts(content));
  auto replaced = Replace(content);
  // Lengths and offsets in it would no longer be true.
  if (content.find('\0') != std::string::npos && replaced != content) return std::nullopt;
  return replaced;
}

}  // namespace report
