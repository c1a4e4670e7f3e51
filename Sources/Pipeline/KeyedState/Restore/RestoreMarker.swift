internal import Glibc

/// An empty file beside a database that a restore writes directly. If it exists at startup, the restore was interrupted
/// and the database may be damaged, so the database is removed and restored again.
struct RestoreMarker: Sendable {
    private let path: String

    /// - Parameter database: the path of the database.
    init(database: String) { path = database + ".restoring" }

    var exists: Bool { access(path, F_OK) == 0 }

    /// Creates the file and waits until it is on disk.
    func create() throws(StateError) {
        try sync(path, O_WRONLY | O_CREAT)
        let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        try sync(directory, O_RDONLY)
    }

    func remove() throws(StateError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw failure("remove") }
    }

    private func sync(_ path: String, _ mode: Int32) throws(StateError) {
        let file = open(path, mode | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure("create") }
        defer { close(file) }
        // Some file systems cannot synchronize a directory.
        guard fsync(file) == 0 || errno == EINVAL else { throw failure("synchronize") }
    }

    private func failure(_ verb: String) -> StateError {
        StateError(.sqlite, "cannot \(verb) \(path): \(String(cString: strerror(errno)))")
    }
}
