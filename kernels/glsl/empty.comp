// SPDX-License-Identifier: MIT
// Nothing, to time a launch.
#version 450

layout(local_size_x = 1) in;

void main() {}
