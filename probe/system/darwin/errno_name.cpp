// SPDX-License-Identifier: MIT
#include "probe/system/posix/errno_name.h"

#include <cerrno>

namespace probe::system {
namespace {

// sys/errno.h of macOS 11, beside what POSIX has.
constexpr NamedErrno kNames[] = {
    {EAUTH, "EAUTH"},
    {EBADARCH, "EBADARCH"},
    {EBADEXEC, "EBADEXEC"},
    {EBADMACHO, "EBADMACHO"},
    {EBADRPC, "EBADRPC"},
    {EDEVERR, "EDEVERR"},
    {EFTYPE, "EFTYPE"},
    {ENEEDAUTH, "ENEEDAUTH"},
    {ENOATTR, "ENOATTR"},
    {ENOPOLICY, "ENOPOLICY"},
    {ENOTSUP, "ENOTSUP"},
    {EPROCLIM, "EPROCLIM"},
    {EPROCUNAVAIL, "EPROCUNAVAIL"},
    {EPROGMISMATCH, "EPROGMISMATCH"},
    {EPROGUNAVAIL, "EPROGUNAVAIL"},
    {EPWROFF, "EPWROFF"},
    {EQFULL, "EQFULL"},
    {ERPCMISMATCH, "ERPCMISMATCH"},
    {ESHLIBVERS, "ESHLIBVERS"},
};

}  // namespace

std::span<const NamedErrno> SystemsErrnos() { return kNames; }

}  // namespace probe::system
