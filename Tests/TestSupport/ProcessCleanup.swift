import Foundation

/// Cleans up after a run that crashed or was killed. A separate process waits until this one ends, kills the processes
/// that are still listed, and removes the directory of the run.
package final class ProcessCleanup: Sendable {
    package static let shared = ProcessCleanup()

    /// The directory of all files that the run writes.
    package let directory: String
    private let processes: String

    private init() {
        directory =
            FileManager.default.temporaryDirectory.appending(path: "sluice-run-\(UUID().uuidString.prefix(8))").path
        processes = directory + "/processes"
        try? FileManager.default.createDirectory(atPath: processes, withIntermediateDirectories: true)
        let script = """
            while kill -0 "$1" 2>/dev/null; do sleep 1; done
            for file in "$2"/*; do [ -e "$file" ] && kill -KILL "${file##*/}" 2>/dev/null; done
            rm -rf "$3"
            """
        watch(script, [processes, directory])
    }

    func add(_ id: pid_t) { _ = FileManager.default.createFile(atPath: "\(processes)/\(id)", contents: nil) }
    func remove(_ id: pid_t) { _ = try? FileManager.default.removeItem(atPath: "\(processes)/\(id)") }

    /// Runs a shell script with the id of this process as its first argument. The script has its own process group,
    /// because `swift test` kills the group of a test process that dies.
    func watch(_ script: String, _ arguments: [String]) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor: Int32 in 0...2 {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        posix_spawnattr_setpgroup(&attributes, 0)
        let command = ["/bin/sh", "-c", script, "sh", "\(ProcessInfo.processInfo.processIdentifier)"] + arguments
        var pointers = command.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        var process: pid_t = 0
        _ = posix_spawn(&process, command[0], &actions, &attributes, &pointers, environ)
    }
}
