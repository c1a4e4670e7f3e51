"""A certificate authority like Apple's. Its certificates name OCSP responders; openssl creates and serves both."""

import subprocess

from pipeline import free_port, wait

# Apple's markers of the intermediate and of the leaf, as in TestCertificateAuthority.swift.
INTERMEDIATE = "1.2.840.113635.100.6.2.1=DER:0500"
LEAF = "1.2.840.113635.100.6.11.1=DER:0500"


def openssl(*arguments):
    run = subprocess.run(["openssl", *map(str, arguments)], capture_output=True, text=True)
    if run.returncode != 0:
        raise RuntimeError(f"openssl {' '.join(map(str, arguments))}: {run.stderr}")


def extensions(file, *lines):
    file.write_text("".join(f"{line}\n" for line in lines))
    return file


def make(folder, leaf_url, intermediate_url):
    """root.pem, intermediate.pem, leaf.pem and leaf.key of `sluice-simulator pki`, and the authorities' keys."""
    folder.mkdir()
    for name, curve in [("root", "P-384"), ("intermediate", "P-384"), ("leaf", "P-256")]:
        openssl("genpkey", "-algorithm", "EC", "-pkeyopt", f"ec_paramgen_curve:{curve}", "-out", folder / f"{name}.key")
    openssl("req", "-x509", "-new", "-key", folder / "root.key", "-sha384", "-days", "3650", "-subj", "/CN=Test Root/O=Example/C=US",
            "-out", folder / "root.pem", "-addext", "keyUsage=critical,keyCertSign,cRLSign")
    issue(folder, "intermediate", "root", 1825, "basicConstraints=critical,CA:TRUE,pathlen:0",
          "keyUsage=critical,keyCertSign,cRLSign", INTERMEDIATE, f"authorityInfoAccess=OCSP;URI:{intermediate_url}")
    issue(folder, "leaf", "intermediate", 365, "basicConstraints=critical,CA:FALSE", "keyUsage=critical,digitalSignature", LEAF,
          f"authorityInfoAccess=OCSP;URI:{leaf_url}")


def issue(folder, name, issuer, days, *lines):
    request = folder / f"{name}.csr"
    openssl("req", "-new", "-key", folder / f"{name}.key", "-subj", f"/CN=Test {name}/O=Example/C=US", "-out", request)
    file = extensions(folder / f"{name}.ext", *lines, "subjectKeyIdentifier=hash", "authorityKeyIdentifier=keyid")
    openssl("x509", "-req", "-in", request, "-CA", folder / f"{issuer}.pem", "-CAkey", folder / f"{issuer}.key", "-sha384",
            "-days", days, "-set_serial", {"intermediate": 2, "leaf": 3}[name], "-extfile", file, "-out", folder / f"{name}.pem")


class Responder:
    """An OCSP responder for one certificate, which answers once it is started."""

    def __init__(self, pipeline, name):
        self.pipeline, self.name = pipeline, name
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/"
        self.process = None

    def answer(self, status="V", revoked=""):
        folder = self.pipeline.folder / "answered"
        issuer, serial = {"intermediate": ("root", "02"), "leaf": ("intermediate", "03")}[self.name]
        index = folder / f"{self.name}.index"
        index.write_text(f"{status}\t360101000000Z\t{revoked}\t{serial}\tunknown\t/CN=Test {self.name}\n")
        if self.process:
            self.process.stop()
        self.process = self.pipeline.start(f"ocsp-{self.name}", [
            "openssl", "ocsp", "-port", self.port, "-index", index, "-CA", folder / f"{issuer}.pem", "-rsigner",
            folder / f"{issuer}.pem", "-rkey", folder / f"{issuer}.key", "-nmin", "60"])
        wait(lambda: "waiting for OCSP client connections" in self.process.text(), 10, f"the responder of {self.name}")

    def revoke(self):
        self.answer("R", "261101000000Z")
