// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "probe/core/hash.h"
#include "probe/core/ids.h"
#include "probe/core/parse.h"
#include "probe/core/vendor.h"
#include "report/store/pseudonym.h"

namespace report {
namespace {

constexpr std::size_t kUuidLength = 36;
// The shortest id of a container: a UUID without its dashes. Docker, Podman and CRI-O write 64 digits.
constexpr std::size_t kFewestIdDigits = 32;
constexpr std::string_view kDecimal = "0123456789";
constexpr std::string_view kHexadecimal = "0123456789abcdefABCDEF";

bool IsAlphanumeric(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

// Whether text[begin, end) is not a part of a longer run of letters and digits.
bool StandsAlone(std::string_view text, std::size_t begin, std::size_t end) {
  return (begin == 0 || !IsAlphanumeric(text[begin - 1])) &&
         (end == text.size() || !IsAlphanumeric(text[end]));
}

// The hash is not cryptographic, and need not be: a UUID has too many values to try, and a serial number's
// pseudonym keeps 32 bits only.
std::string UuidPseudonym(const std::string& uuid) {
  const auto hash = probe::WideHashOf(uuid);
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", hash.high >> 32U, (hash.high >> 16U) & 0xffffU,
                     hash.high & 0xffffU, hash.low >> 48U, hash.low & 0xffffffffffffU);
}

}  // namespace

void ReplaceUuids(std::string& text) {
  for (std::size_t at = 0; at + kUuidLength <= text.size(); ++at) {
    const std::string candidate = text.substr(at, kUuidLength);
    if (!probe::ParseUuid(candidate)) continue;
    text.replace(at, kUuidLength, UuidPseudonym(probe::Lower(candidate)));
    at += kUuidLength - 1;
  }
}

namespace {

void ReplaceChipNumbers(std::string& text, const probe::ChipNumber& kind) {
  for (std::size_t at = text.find(kind.prefix); at != std::string::npos; at = text.find(kind.prefix, at)) {
    at += kind.prefix.size();
    const std::size_t end = std::min(text.find_first_not_of(kind.digits, at), text.size());
    const bool whole = end - at >= kind.fewest && end - at <= kind.most &&
                       (end == text.size() || !IsWordCharacter(text[end]));
    if (!whole || (end < text.size() && text[end] == '-')) continue;
    const auto hash = probe::WideHashOf(text.substr(at, end - at)).low;
    const std::string pseudonym =
        kind.digits.size() == 16 ? fmt::format("{:016x}", hash) : std::to_string(hash);
    text.replace(at, end - at, pseudonym);
    at += pseudonym.size();
  }
}

}  // namespace

void ReplaceChipNumbers(std::string& text) {
  for (const probe::Vendor& vendor : probe::Vendors()) {
    for (const probe::ChipNumber& kind : vendor.chip_numbers) ReplaceChipNumbers(text, kind);
  }
}

namespace {

// Whether a run of hexadecimal digits can be an id: a mask (ffff...) or a plain number has not both kinds.
bool IsLongId(std::string_view run) {
  return run.size() >= kFewestIdDigits && run.find_first_of(kDecimal) != std::string_view::npos &&
         run.find_first_not_of(kDecimal) != std::string_view::npos;
}

// As many digits as the id has. Those of a UUID are the digits of its other form's pseudonym.
std::string LongIdPseudonym(const std::string& id) {
  std::string dashed = probe::Lower(id);
  if (id.size() == kFewestIdDigits) {
    for (const std::size_t dash : {8U, 13U, 18U, 23U}) dashed.insert(dash, "-");
  }
  std::string digits = UuidPseudonym(dashed);
  digits.erase(std::remove(digits.begin(), digits.end(), '-'), digits.end());
  std::string out;
  while (out.size() < id.size()) out += digits;
  out.resize(id.size());
  return out;
}

// Where in the run at text[begin, end) an id would begin; `end` where none can. Behind "pod" too: the pods of
// a node's own have a checksum for a UUID. systemd.unit(5): a dash in a name is written as \x2d.
std::size_t BeginOfId(std::string_view text, std::size_t begin, std::size_t end) {
  constexpr std::size_t kEscaped = 2;
  const std::string_view before = text.substr(0, begin);
  if (before.ends_with("\\x")) return std::min(begin + kEscaped, end);
  if (before.empty() || !IsAlphanumeric(before.back())) return begin;
  const bool of_pod = before.ends_with("-po") || before.ends_with("/po");
  return of_pod && text[begin] == 'd' ? begin + 1 : end;  // the word ends in a digit
}

void ReplaceLongIds(std::string& text) {
  for (std::size_t at = text.find_first_of(kHexadecimal); at != std::string::npos;
       at = text.find_first_of(kHexadecimal, at)) {
    const std::size_t end = std::min(text.find_first_not_of(kHexadecimal, at), text.size());
    const std::size_t begin = BeginOfId(text, at, end);
    const std::string run = text.substr(begin, end - begin);
    const bool is_whole = end == text.size() || !IsAlphanumeric(text[end]);
    if (is_whole && IsLongId(run)) text.replace(begin, run.size(), LongIdPseudonym(run));
    at = end;
  }
}

// Kubernetes writes them with underscores into the names of systemd's slices.
void ReplacePods(std::string& text) {
  constexpr std::string_view kPod = "pod";
  for (std::size_t at = text.find(kPod); at != std::string::npos; at = text.find(kPod, at)) {
    at += kPod.size();
    std::string uuid = text.substr(at, kUuidLength);
    const bool has_underscores = uuid.find('_') != std::string::npos;
    std::replace(uuid.begin(), uuid.end(), '_', '-');
    if (uuid.size() != kUuidLength || !probe::ParseUuid(uuid)) continue;
    std::string pseudonym = UuidPseudonym(uuid);
    if (has_underscores) std::replace(pseudonym.begin(), pseudonym.end(), '-', '_');
    text.replace(at, kUuidLength, pseudonym);
  }
}

void ReplaceNamesAfter(std::string& text, std::string_view prefix) {
  constexpr std::string_view kEnds = "/ \n\t\"':;,)";
  for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at)) {
    at += prefix.size();
    const std::size_t end = std::min(text.find_first_of(kEnds, at), text.size());
    if (end == at) continue;
    const auto hash = probe::HashOf(text.substr(at, end - at)) & 0xffffffffU;
    const std::string pseudonym = fmt::format("container-{:08x}", hash);
    text.replace(at, end - at, pseudonym);
    at += pseudonym.size();
  }
}

// "00:16:3e:12:34:56", and no part of a longer list of such pairs.
bool IsNetworkAddress(std::string_view text, std::size_t at) {
  constexpr std::size_t kLength = 17;
  if (at + kLength > text.size() || !StandsAlone(text, at, at + kLength)) return false;
  for (std::size_t i = 0; i < kLength; ++i) {
    const char c = text[at + i];
    if (i % 3 == 2 ? c != ':' : std::isxdigit(static_cast<unsigned char>(c)) == 0) return false;
  }
  const bool goes_on =
      (at > 0 && text[at - 1] == ':' && at > 1 && IsAlphanumeric(text[at - 2])) ||
      (at + kLength + 1 < text.size() && text[at + kLength] == ':' && IsAlphanumeric(text[at + kLength + 1]));
  return !goes_on;
}

}  // namespace

bool IsWordCharacter(char c) { return IsAlphanumeric(c) || c == '_'; }

void ReplaceWord(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    const std::size_t end = at + from.size();
    const bool whole =
        (at == 0 || !IsWordCharacter(text[at - 1])) && (end == text.size() || !IsWordCharacter(text[end]));
    if (whole) text.replace(at, from.size(), to);
    at += whole ? to.size() : 1;
  }
}

void ReplaceContainers(std::string& text) {
  ReplaceLongIds(text);
  ReplacePods(text);
  for (const std::string_view prefix :
       {"/lxc/", "lxc.payload.", "lxc.payload/", "lxc.monitor.", "lxc.monitor/"})
    ReplaceNamesAfter(text, prefix);
}

void ReplaceNetworkAddresses(std::string& text) {
  constexpr std::size_t kLength = 17;
  for (std::size_t at = 0; (at = text.find(':', at)) != std::string::npos; ++at) {
    if (at < 2 || !IsNetworkAddress(text, at - 2)) continue;
    const auto hash = probe::HashOf(text.substr(at - 2, kLength));
    // The bit of an address that nobody was given, IEEE 802.
    text.replace(at - 2, kLength,
                 fmt::format("02:00:{:02x}:{:02x}:{:02x}:{:02x}", hash >> 24U & 0xffU, hash >> 16U & 0xffU,
                             hash >> 8U & 0xffU, hash & 0xffU));
    at += kLength - 2;
  }
}

}  // namespace report
