# shellcheck shell=bash
# Functions of the tests of the image and the package. Sourced by them.

passed=0
fail() { echo "not ok: $1" >&2; exit 1; }
pass() { echo "ok: $1" && passed=$((passed + 1)); }

# refused COMMAND...: whether the command fails; its output is in $work/refused.txt.
refused() { ! "$@" >"${work:?}/refused.txt" 2>&1; }

# need TOOL:PACKAGE...: ends the test if a tool is missing.
need() {
    local tool
    for tool in "$@"; do
        PATH=$PATH:/usr/sbin:/sbin command -v "${tool%%:*}" >/dev/null ||
            fail "${tool%%:*} is missing: apt-get install ${tool##*:}"
    done
}

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

services=(sluice-ingress sluice-entitlements sluice-refunds sluice-reconciler sluice-archive sluice-webhooks)

# service_files COMMAND...: creates the certificates and keys that the services need below /var/lib/sluice/test, with
# the executables that COMMAND runs.
service_files() {
    "$@" sluice-simulator pki --out /var/lib/sluice/test >/dev/null &&
        "$@" sluicectl archive key signing /var/lib/sluice/test/signing.pem --archive.origin example.com/test >/dev/null 2>&1 &&
        "$@" sluicectl archive key encryption /var/lib/sluice/test/kek >/dev/null 2>&1
}

# service_properties BROKER: prints a configuration of all services on this machine. Nothing listens on port 9.
service_properties() {
    cat <<END
profile=single-node
kafka.bootstrap.servers=127.0.0.1:$1
apps=com.example.app:1234567890
root.certificates=/var/lib/sluice/test/root.pem
revocation=off
data.dir=/var/lib/sluice/data
appstore.api.url=http://127.0.0.1:9
appstore.api.sandbox.url=http://127.0.0.1:9
appstore.api.issuer.id=57246542-96fe-1a63-e053-0824d011072a
appstore.api.key.id=2X9R4HXF34
appstore.api.key.file=/var/lib/sluice/test/api.key.p8
archive.url=/var/lib/sluice/archive
archive.origin=example.com/test
archive.signing.key.file=/var/lib/sluice/test/signing.pem
archive.key.encryption.key.file=/var/lib/sluice/test/kek
archive.key.store=/var/lib/sluice/data/keys.sqlite
webhooks.url=http://127.0.0.1:9
webhooks.secret.file=/var/lib/sluice/test/webhooks
END
}
