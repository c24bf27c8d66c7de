// SPDX-License-Identifier: MIT
// os-release files as the distributions write them, less lines that name addresses and colours.
#pragma once

#include <string_view>

namespace report::testing {

inline constexpr std::string_view kDebian12 = R"os(PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"
NAME="Debian GNU/Linux"
VERSION_ID="12"
VERSION="12 (bookworm)"
VERSION_CODENAME=bookworm
ID=debian
)os";
inline constexpr std::string_view kDebian13 = R"os(PRETTY_NAME="Debian GNU/Linux 13 (trixie)"
NAME="Debian GNU/Linux"
VERSION_ID="13"
VERSION="13 (trixie)"
VERSION_CODENAME=trixie
DEBIAN_VERSION_FULL=13.1
ID=debian
)os";
inline constexpr std::string_view kUbuntu2204 = R"os(PRETTY_NAME="Ubuntu 22.04.5 LTS"
NAME="Ubuntu"
VERSION_ID="22.04"
VERSION="22.04.5 LTS (Jammy Jellyfish)"
VERSION_CODENAME=jammy
ID=ubuntu
ID_LIKE=debian
UBUNTU_CODENAME=jammy
)os";
inline constexpr std::string_view kUbuntu2404 = R"os(PRETTY_NAME="Ubuntu 24.04.3 LTS"
NAME="Ubuntu"
VERSION_ID="24.04"
VERSION="24.04.3 LTS (Noble Numbat)"
VERSION_CODENAME=noble
ID=ubuntu
ID_LIKE=debian
UBUNTU_CODENAME=noble
LOGO=ubuntu-logo
)os";
inline constexpr std::string_view kFedora42 = R"os(NAME="Fedora Linux"
VERSION="42 (Workstation Edition)"
RELEASE_TYPE=stable
ID=fedora
VERSION_ID=42
VERSION_CODENAME=""
PLATFORM_ID="platform:f42"
PRETTY_NAME="Fedora Linux 42 (Workstation Edition)"
VARIANT="Workstation Edition"
VARIANT_ID=workstation
)os";
inline constexpr std::string_view kArch = R"os(NAME="Arch Linux"
PRETTY_NAME="Arch Linux"
ID=arch
BUILD_ID=rolling
LOGO=archlinux-logo
)os";
inline constexpr std::string_view kTumbleweed = R"os(NAME="openSUSE Tumbleweed"
# VERSION="20250918"
ID="opensuse-tumbleweed"
ID_LIKE="opensuse suse"
VERSION_ID="20250918"
PRETTY_NAME="openSUSE Tumbleweed"
)os";
inline constexpr std::string_view kAlpine = R"os(NAME="Alpine Linux"
ID=alpine
VERSION_ID=3.23.0
PRETTY_NAME="Alpine Linux v3.23"
)os";

inline constexpr std::string_view kLeap = R"os(NAME="openSUSE Leap"
VERSION="15.6"
ID="opensuse-leap"
ID_LIKE="suse opensuse"
VERSION_ID="15.6"
PRETTY_NAME="openSUSE Leap 15.6"
)os";
inline constexpr std::string_view kMint = R"os(NAME="Linux Mint"
VERSION="22 (Wilma)"
ID=linuxmint
ID_LIKE="ubuntu debian"
PRETTY_NAME="Linux Mint 22"
VERSION_ID="22"
VERSION_CODENAME=wilma
UBUNTU_CODENAME=noble
)os";
inline constexpr std::string_view kMintOfDebian = R"os(PRETTY_NAME="LMDE 6 (faye)"
NAME="LMDE"
VERSION_ID="6"
VERSION="6 (faye)"
VERSION_CODENAME=faye
ID=linuxmint
ID_LIKE=debian
DEBIAN_CODENAME=bookworm
)os";
inline constexpr std::string_view kPop = R"os(NAME="Pop!_OS"
VERSION="22.04 LTS"
ID=pop
ID_LIKE="ubuntu debian"
PRETTY_NAME="Pop!_OS 22.04 LTS"
VERSION_ID="22.04"
VERSION_CODENAME=jammy
UBUNTU_CODENAME=jammy
)os";
inline constexpr std::string_view kKali = R"os(PRETTY_NAME="Kali GNU/Linux Rolling"
NAME="Kali GNU/Linux"
VERSION_ID="2025.3"
VERSION="2025.3"
VERSION_CODENAME=kali-rolling
ID=kali
ID_LIKE=debian
)os";
inline constexpr std::string_view kRocky = R"os(NAME="Rocky Linux"
VERSION="9.4 (Blue Onyx)"
ID="rocky"
ID_LIKE="rhel centos fedora"
VERSION_ID="9.4"
PLATFORM_ID="platform:el9"
PRETTY_NAME="Rocky Linux 9.4 (Blue Onyx)"
)os";
inline constexpr std::string_view kAlma = R"os(NAME="AlmaLinux"
VERSION="10.0 (Purple Lion)"
ID="almalinux"
ID_LIKE="rhel centos fedora"
VERSION_ID="10.0"
PRETTY_NAME="AlmaLinux 10.0 (Purple Lion)"
)os";
inline constexpr std::string_view kManjaro = R"os(NAME="Manjaro Linux"
PRETTY_NAME="Manjaro Linux"
ID=manjaro
ID_LIKE=arch
BUILD_ID=rolling
)os";
inline constexpr std::string_view kSilverblue = R"os(NAME="Fedora Linux"
VERSION="42.20250701.0 (Silverblue)"
ID=fedora
VERSION_ID=42
PRETTY_NAME="Fedora Linux 42.20250701.0 (Silverblue)"
VARIANT="Silverblue"
VARIANT_ID=silverblue
OSTREE_VERSION='42.20250701.0'
)os";
inline constexpr std::string_view kNixos = R"os(ANSI_COLOR="0;38;2;126;186;228"
ID=nixos
ID_LIKE=""
NAME=NixOS
PRETTY_NAME="NixOS 25.05 (Warbler)"
VERSION_CODENAME=warbler
VERSION_ID="25.05"
)os";

}  // namespace report::testing
