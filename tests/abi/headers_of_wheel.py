#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fetches the headers in a wheel that is too large to be had whole: the index and those files alone, by ranges of bytes, as
pip itself reads what a wheel says of itself.

headers_of_wheel.py NAME==VERSION FOLDER OUT    writes what lies below the wheel's FOLDER to OUT, all of it or nothing; or that
                                                one header into OUT

Ends with 1 and one line where the registry or pip does not serve that.
"""
import pathlib
import re
import shutil
import sys
import urllib.parse
import zipfile


def index_url():
    from pip._internal.configuration import Configuration
    from pip._internal.models.index import PyPI
    known = Configuration(isolated=False)
    known.load()
    configured = dict(known.items())
    return next((configured[key] for key in (":env:.index-url", "install.index-url", "global.index-url")
                 if key in configured), PyPI.simple_url)


def address_of(session, wanted):
    """Of any wheel of that version: its headers are the same for every Python."""
    name, version = wanted.split("==")
    file = name.replace("-", "_")
    page = session.get(f"{index_url().rstrip('/')}/{name}/", headers={"Accept": "text/html"}, timeout=20)
    page.raise_for_status()
    for address in re.findall(r'href="([^"#]+)', page.text):
        if re.search(rf"/{file}-{re.escape(version)}-[^/]*manylinux[^/]*x86_64\.whl$", address):
            return urllib.parse.urljoin(page.url, address)
    raise LookupError(f"no wheel of {wanted} in the registry")


def main(wanted, folder, out):
    from pip._internal.network.lazy_wheel import LazyZipOverHTTP
    from pip._internal.network.session import PipSession
    session = PipSession(retries=1)
    part = out.with_name(out.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    remote = LazyZipOverHTTP(address_of(session, wanted), session)
    with zipfile.ZipFile(remote) as wheel:
        headers = [file for file in wheel.infolist() if file.filename.endswith(".h")
                   and (file.filename.startswith(folder + "/") or file.filename == folder)]
        if not headers:
            raise LookupError(f"no headers below {folder} in {wanted}")
        # They lie beside each other: one request instead of one each.
        first = min(file.header_offset for file in headers)
        remote.seek(first)
        remote.read(max(file.header_offset + file.compress_size for file in headers) - first)
        for file in headers:
            if ".." in pathlib.PurePosixPath(file.filename).parts:
                raise LookupError(f"{file.filename} leads out of {wanted}")
            name = pathlib.PurePosixPath(file.filename)
            path = part / (name.name if file.filename == folder else name.relative_to(folder))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(wheel.read(file))
    shutil.rmtree(out, ignore_errors=True)
    part.rename(out)


if __name__ == "__main__":
    try:
        main(sys.argv[1], sys.argv[2].rstrip("/"), pathlib.Path(sys.argv[3]))
    except Exception as error:  # whatever pip's own parts raise: they are no interface
        sys.exit(f"{sys.argv[1]}: {error}")
