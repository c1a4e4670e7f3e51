# shellcheck shell=bash
# Runs containers with a separate storage, where root may not raise limits and no systemd runs. Sourced by the tests.

# podman_begin DIRECTORY: configures podman to keep everything below a directory.
podman_begin() {
    export CONTAINERS_CONF=$1/containers.conf CONTAINERS_STORAGE_CONF=$1/storage.conf
    printf '[storage]\ndriver = "overlay"\ngraphroot = "%s/storage"\nrunroot = "%s/run"\n' "$1" "$1" \
        >"$CONTAINERS_STORAGE_CONF"
    cat >"$CONTAINERS_CONF" <<END
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
END
}

# podman_end DIRECTORY: removes the containers, the images and the storage.
podman_end() {
    podman rm --all --force --time 5 >/dev/null 2>&1 || true
    podman rmi --all --force >/dev/null 2>&1 || true
    umount "$1/storage/overlay" 2>/dev/null || true
    rm -rf "$1/storage" "$1/run"
}

# Options of a container with the intended restrictions: no rights, no writable files except /tmp, 256 MiB.
# shellcheck disable=SC2034
confined=(--read-only --read-only-tmpfs=false --tmpfs /tmp:rw,size=16m,mode=1777 --cap-drop all
    --security-opt no-new-privileges --memory 256m --pids-limit 200 --log-driver none)
