internal import FoundationEssentials
internal import Primitives

/// The process that listens on a port of this machine, according to the part of `/proc` that this user can read.
struct ListeningProcess: Equatable {
    let pid: Int
    /// The first 15 bytes of the program's name.
    let name: String

    /// The number of attempts, because a listing of `/proc` can miss an entry while others are being added and removed.
    private static let attempts = 3

    /// Returns nil if no process listens on the port, or if the process belongs to another user.
    init?(port: Int) {
        for _ in 0..<Self.attempts {
            let inodes = Set(["/proc/net/tcp", "/proc/net/tcp6"].flatMap { Self.inodes(in: $0, port: port) })
            guard !inodes.isEmpty, let found = Self.process(withSocketIn: inodes) else { continue }
            self = found
            return
        }
        return nil
    }

    private init(pid: Int, name: String) { (self.pid, self.name) = (pid, name) }

    /// Returns whether the process runs the given executable.
    func isOf(_ executable: String) -> Bool { name == String(decoding: executable.utf8.prefix(15), as: UTF8.self) }

    /// Returns the inodes of the sockets that are listening on a port (state 0A).
    private static func inodes(in file: String, port: Int) -> [String] {
        let suffix = ":" + hexadecimal(port)
        return (KernelFile.text(file) ?? "").split(separator: "\n").compactMap { line in
            let columns = line.split(separator: " ")
            guard columns.count > 9, columns[1].hasSuffix(suffix), columns[3] == "0A" else { return nil }
            return String(columns[9])
        }
    }

    private static func hexadecimal(_ port: Int) -> String {
        let digits = String(port, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    private static func process(withSocketIn inodes: Set<String>) -> ListeningProcess? {
        let names = Set(inodes.map { "socket:[\($0)]" })
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        for pid in entries.compactMap({ Int($0) }) {
            let folder = "/proc/\(pid)/fd"
            let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            let isOwner = descriptors.contains { descriptor in
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(descriptor)")
                return target.map(names.contains) ?? false
            }
            guard isOwner, let name = KernelFile.text("/proc/\(pid)/comm") else { continue }
            return ListeningProcess(pid: pid, name: name.filter { $0 != "\n" })
        }
        return nil
    }
}
