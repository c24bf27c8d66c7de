// SPDX-License-Identifier: MIT
#include "report/pseudonym.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "probe/core/ids.h"
#include "probe/system/hash.h"

namespace report {
namespace {

constexpr std::size_t kUuidLength = 36;

bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Replaces `from` where it stands as a word of its own.
void ReplaceWord(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    const std::size_t end = at + from.size();
    const bool whole = (at == 0 || !IsWord(text[at - 1])) && (end == text.size() || !IsWord(text[end]));
    if (whole) text.replace(at, from.size(), to);
    at += whole ? to.size() : 1;
  }
}

// The hash is not cryptographic, and need not be: a UUID has too many values to try, and a serial number's
// pseudonym keeps 32 bits only.
std::string UuidPseudonym(const std::string& uuid) {
  const auto hash = probe::system::WideHashOf(uuid);
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", hash.high >> 32U, (hash.high >> 16U) & 0xffffU,
                     hash.high & 0xffffU, hash.low >> 48U, hash.low & 0xffffffffffffU);
}

void ReplaceUuids(std::string& text) {
  for (std::size_t at = 0; at + kUuidLength <= text.size(); ++at) {
    std::string candidate = text.substr(at, kUuidLength);
    if (!probe::ParseUuid(candidate)) continue;
    std::transform(candidate.begin(), candidate.end(), candidate.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    text.replace(at, kUuidLength, UuidPseudonym(candidate));
    at += kUuidLength - 1;
  }
}

// A number of a chip that is no UUID: what follows `prefix`, if it is so many digits of that kind. AMD's are
// 64 bits: 16 hexadecimal digits in ROCR_VISIBLE_DEVICES, decimal in the files of its compute driver
// (amdkfd).
struct ChipNumber {
  std::string_view prefix;
  std::string_view digits;
  std::size_t fewest, most;
};
constexpr std::array kChipNumbers = {ChipNumber{"GPU-", "0123456789abcdef", 16, 16},
                                     ChipNumber{"unique_id ", "0123456789", 5, 20},
                                     ChipNumber{"hive_id ", "0123456789", 5, 20}};

void ReplaceChipNumbers(std::string& text) {
  for (const ChipNumber& kind : kChipNumbers) {
    for (std::size_t at = text.find(kind.prefix); at != std::string::npos; at = text.find(kind.prefix, at)) {
      at += kind.prefix.size();
      const std::size_t end = std::min(text.find_first_not_of(kind.digits, at), text.size());
      const bool whole =
          end - at >= kind.fewest && end - at <= kind.most && (end == text.size() || !IsWord(text[end]));
      if (!whole || (end < text.size() && text[end] == '-')) continue;
      const auto hash = probe::system::WideHashOf(text.substr(at, end - at)).low;
      const std::string pseudonym = kind.fewest == 16 ? fmt::format("{:016x}", hash) : std::to_string(hash);
      text.replace(at, end - at, pseudonym);
      at += pseudonym.size();
    }
  }
}

bool IsSerial(const probe::Json& json) {
  if (!json.is_object() || !json.contains("key") || !json.contains("value")) return false;
  const auto& key = json["key"];
  return key.is_string() && key.get_ref<const std::string&>().find("serial") != std::string::npos &&
         json["value"].is_string();
}

}  // namespace

Pseudonyms::Pseudonyms(const probe::system::Environment& environment, const std::string& host_name,
                       bool keep_ids)
    : keep_ids_(keep_ids) {
  const passwd* entry = getpwuid(geteuid());
  std::string home = environment.Get("HOME").value_or("");
  if (home.empty() && entry != nullptr) home = entry->pw_dir;
  std::string user = environment.Get("USER").value_or("");
  if (user.empty() && entry != nullptr) user = entry->pw_name;
  if (home.size() > 1 && home != "/root") words_.emplace_back(home, "/home/user");
  if (user.size() > 1 && user != "root") words_.emplace_back(user, "user");
  if (host_name.size() > 1 && host_name != "localhost") words_.emplace_back(host_name, "host");
}

std::string Pseudonyms::Replace(std::string text) const {
  for (const auto& [from, to] : words_) ReplaceWord(text, from, to);
  if (!keep_ids_) {
    ReplaceUuids(text);
    ReplaceChipNumbers(text);
  }
  return text;
}

void Pseudonyms::Replace(probe::Json& json) const {
  if (IsSerial(json)) {
    const auto& serial = json["value"].get_ref<const std::string&>();
    json["value"] = fmt::format("serial-{:08x}", probe::system::HashOf(serial) & 0xffffffffU);
  }
  if (json.is_string()) {
    json = Replace(json.get<std::string>());
  } else if (json.is_structured()) {
    for (auto& item : json) Replace(item);
  }
}

}  // namespace report
