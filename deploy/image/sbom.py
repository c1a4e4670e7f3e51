#!/usr/bin/env python3
"""Writes the bill of materials of the image: SPDX 2.3 in JSON, identical to the byte for the same content.

It lists each Debian package, Swift's runtime and Sluice itself, the last two with the digest of each of their files.
Debian's licences are in /usr/share/doc/*/copyright of the image; SPDX has no short form for most of them.
"""

import argparse
import datetime
import hashlib
import json
import pathlib
import re
import urllib.parse

NO_ASSERTION = "NOASSERTION"


def identifier(kind, name):
    return f"SPDXRef-{kind}-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def fields(control):
    """Returns the fields of a paragraph of Debian's control data, without continuation lines."""
    pairs = (line.split(":", 1) for line in control.splitlines() if line[:1].strip() and ":" in line)
    return {name: value.strip() for name, value in pairs}


def debian_packages(base, release):
    for path in sorted((base / "var/lib/dpkg/status.d").iterdir()):
        if path.name.endswith(".md5sums"):
            continue
        control = fields(path.read_text())
        name, version, architecture = control["Package"], control["Version"], control["Architecture"]
        locator = (
            f"pkg:deb/debian/{urllib.parse.quote(name, safe='')}@{urllib.parse.quote(version, safe='')}"
            f"?arch={architecture}&distro={release}"
        )
        yield {
            "SPDXID": identifier("deb", name),
            "name": name,
            "versionInfo": version,
            "supplier": "Organization: Debian",
            "originator": "Person: " + control["Maintainer"].split(" <")[0],
            "downloadLocation": NO_ASSERTION,
            "filesAnalyzed": False,
            "checksums": [{"algorithm": "SHA256", "checksumValue": control["SHA256"]}],
            "licenseConcluded": NO_ASSERTION,
            "licenseDeclared": NO_ASSERTION,
            "copyrightText": NO_ASSERTION,
            "primaryPackagePurpose": "LIBRARY",
            "externalRefs": [
                {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": locator}
            ],
        }


def file_entry(path, root):
    content = path.read_bytes()
    return {
        "SPDXID": identifier("file", path.name),
        "fileName": "./" + str(path.relative_to(root)),
        "checksums": [
            {"algorithm": "SHA1", "checksumValue": hashlib.sha1(content).hexdigest()},
            {"algorithm": "SHA256", "checksumValue": hashlib.sha256(content).hexdigest()},
        ],
        "licenseConcluded": "Apache-2.0",
        "copyrightText": NO_ASSERTION,
    }


def verification_code(entries):
    """The package verification code of SPDX 2.3, section 7.9."""
    digests = sorted(entry["checksums"][0]["checksumValue"] for entry in entries)
    return hashlib.sha1("".join(digests).encode()).hexdigest()


def own_package(name, version, license_, purl, purpose):
    package = {
        "SPDXID": identifier("package", name),
        "name": name,
        "versionInfo": version,
        "supplier": NO_ASSERTION,
        "downloadLocation": NO_ASSERTION,
        "filesAnalyzed": False,
        "licenseConcluded": license_,
        "licenseDeclared": license_,
        "copyrightText": NO_ASSERTION,
        "primaryPackagePurpose": purpose,
    }
    if purl:
        package["externalRefs"] = [
            {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}
        ]
    return package


def relationship(one, kind, other):
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}


def document(options):
    release = fields((options.base / "etc/os-release").read_text().replace("=", ": ").replace('"', ""))
    debian = list(debian_packages(options.base, f"debian-{release['VERSION_ID']}"))
    sluice = own_package("sluice", options.version, "Apache-2.0", f"pkg:generic/sluice@{options.version}", "APPLICATION")
    sluice["sourceInfo"] = f"commit {options.revision}"
    swift = own_package(
        "swift-runtime", options.swift, "Apache-2.0 WITH Swift-exception",
        f"pkg:generic/swift-runtime@{options.swift}", "LIBRARY",
    )
    image = own_package("sluice-image", options.version, NO_ASSERTION, None, "CONTAINER")
    libraries, executables = [], []
    for path in sorted((options.application / "usr/lib/sluice").iterdir()):
        (libraries if ".so" in path.suffixes else executables).append(file_entry(path, options.application))
    for entry in libraries:
        entry["licenseConcluded"] = "Apache-2.0 WITH Swift-exception"
    for package, entries in ((sluice, executables), (swift, libraries)):
        package["filesAnalyzed"] = True
        package["packageVerificationCode"] = {"packageVerificationCodeValue": verification_code(entries)}

    relations = [relationship("SPDXRef-DOCUMENT", "DESCRIBES", image["SPDXID"])]
    relations += [relationship(image["SPDXID"], "CONTAINS", part["SPDXID"]) for part in [sluice, swift, *debian]]
    relations += [relationship(sluice["SPDXID"], "CONTAINS", entry["SPDXID"]) for entry in executables]
    relations += [relationship(swift["SPDXID"], "CONTAINS", entry["SPDXID"]) for entry in libraries]
    relations.append(relationship(sluice["SPDXID"], "DEPENDS_ON", swift["SPDXID"]))
    body = {"packages": [image, sluice, swift, *debian], "files": executables + libraries, "relationships": relations}
    digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
    created = datetime.datetime.fromtimestamp(options.epoch, datetime.timezone.utc)
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"sluice-{options.version}",
        "documentNamespace": f"urn:sluice:spdx:{options.version}:{digest}",
        "creationInfo": {
            "created": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Tool: sluice-deploy-image-sbom"],
        },
        **body,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=pathlib.Path, required=True, help="root with Debian's packages")
    parser.add_argument("--application", type=pathlib.Path, required=True, help="root with usr/lib/sluice")
    parser.add_argument("--version", required=True)
    parser.add_argument("--revision", required=True)
    parser.add_argument("--swift", required=True, help="version of Swift's runtime")
    parser.add_argument("--epoch", type=int, required=True, help="seconds since 1970")
    parser.add_argument("--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    options.output.write_text(json.dumps(document(options), indent=1, sort_keys=True) + "\n")


main()
