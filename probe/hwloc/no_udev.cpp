// SPDX-License-Identifier: MIT
// hwloc asks libudev for the names of block devices, which nobody wants here. A udev that can not be opened
// is a normal answer to it, so these stand in for a library of which Debian ships no archive.
extern "C" {
struct udev;
struct udev_device;

udev* udev_new();
udev* udev_unref(udev*);
udev_device* udev_device_new_from_subsystem_sysname(udev*, const char*, const char*);
const char* udev_device_get_property_value(udev_device*, const char*);
udev_device* udev_device_unref(udev_device*);

udev* udev_new() { return nullptr; }
udev* udev_unref(udev*) { return nullptr; }
udev_device* udev_device_new_from_subsystem_sysname(udev*, const char*, const char*) { return nullptr; }
const char* udev_device_get_property_value(udev_device*, const char*) { return nullptr; }
udev_device* udev_device_unref(udev_device*) { return nullptr; }
}
