internal import Foundation

/// The processes below some root processes, such as PostgreSQL's server with one process per connection.
struct ProcessTree {
    let roots: [Int32]

    /// The user and system CPU time in seconds of all processes in the tree, including children that have ended. The
    /// resolution is 10 ms.
    var cpu: Double {
        let parents = Self.parents
        let ticks = roots.flatMap { Self.family($0, parents) }.reduce(0) { $0 + Self.ticks($1) }
        return Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// The highest resident memory of the root processes so far, in MiB.
    var peakMemory: Double {
        roots.reduce(0) { sum, pid in
            let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            return sum + (line?.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0) / 1024
        }
    }

    private static var parents: [Int32: Int32] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        let pairs = entries.compactMap { Int32($0) }.compactMap { pid in
            fields(pid).flatMap { $0.count > 1 ? Int32($0[1]) : nil }.map { (pid, $0) }
        }
        return Dictionary(pairs) { first, _ in first }
    }

    private static func family(_ root: Int32, _ parents: [Int32: Int32]) -> [Int32] {
        [root] + parents.filter { $0.value == root }.keys.flatMap { family($0, parents) }
    }

    /// Returns the sum of utime, stime, cutime and cstime (proc_pid_stat(5)).
    private static func ticks(_ pid: Int32) -> Int {
        guard let fields = fields(pid), fields.count > 14 else { return 0 }
        return fields[11...14].reduce(0) { $0 + (Int($1) ?? 0) }
    }

    /// Returns the fields of `/proc/PID/stat` after the command, which may contain spaces.
    private static func fields(_ pid: Int32) -> [Substring]? {
        guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return nil }
        return text[text.index(after: end)...].split(separator: " ")
    }
}
