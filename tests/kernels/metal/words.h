// SPDX-License-Identifier: MIT
// The words of Metal's language that C++ lacks: its address spaces, which are all one here, and what begins a
// kernel. After all else that is included.
#define constant const
#define device
#define kernel inline
#define threadgroup
