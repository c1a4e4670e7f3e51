import Foundation

/// Values of a process from `/proc`, and limits that util-linux's `prlimit` sets while it runs.
extension ChildProcess {
    /// Current resident bytes; 0 after the process has ended.
    package var residentBytes: Int { status("VmRSS") * 1024 }
    /// Peak resident bytes.
    package var peakResidentBytes: Int { status("VmHWM") * 1024 }
    /// Bytes of writable private memory.
    package var dataBytes: Int { status("VmData") * 1024 }

    package var descriptorCount: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(id)/fd").count) ?? 0
    }

    /// Limits the open descriptors of the process; descriptors that are already open stay open.
    package func limitDescriptors(to count: Int) async throws {
        try await ProcessLimit.set("nofile", of: id, to: count)
    }

    /// Limits the growth of the private memory, in bytes.
    package func limitData(to bytes: Int) async throws {
        try await ProcessLimit.set("data", of: id, to: bytes)
    }

    /// Returns a number from `/proc/…/status`, mostly in KiB.
    private func status(_ field: String) -> Int {
        let text = FileManager.default.contents(atPath: "/proc/\(id)/status").map {
            String(decoding: $0, as: UTF8.self)
        }
        let line = text?.split(separator: "\n").first { $0.hasPrefix(field + ":") }
        return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) } ?? 0
    }
}

extension ApacheKafka {
    /// Makes a broker's writes beyond a file size fail, as on a full disk, until the broker is restarted.
    package func limitFiles(of node: Int = 1, to bytes: Int) async throws {
        guard let id = processId(node) else { throw SupportError(Self.faultAbsence) }
        try await ProcessLimit.set("fsize", of: id, to: bytes)
    }
}

private enum ProcessLimit {
    /// Sets only the soft limit, so that it can be raised later.
    static func set(_ resource: String, of id: Int32, to value: Int) async throws {
        let (end, process) = try await ChildProcess.run(
            "prlimit", ["prlimit", "--pid", "\(id)", "--\(resource)=\(value):"],
            directory: ProcessCleanup.shared.directory, within: .seconds(10))
        guard end == .exit(0) else { throw SupportError("\(process)") }
    }
}
