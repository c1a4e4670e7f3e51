import Foundation

/// What `/proc` says of a process, and limits that are put on one while it runs, by util-linux's `prlimit`.
extension ChildProcess {
    /// Bytes in memory now; 0 when it has ended.
    package var residentBytes: Int { status("VmRSS") * 1024 }
    /// The most bytes that were in memory at a time.
    package var peakResidentBytes: Int { status("VmHWM") * 1024 }
    /// Bytes that it can write to and does not share.
    package var dataBytes: Int { status("VmData") * 1024 }

    package var descriptorCount: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(id)/fd").count) ?? 0
    }

    /// Lets it have so many descriptors from now on; those above stay open.
    package func limitDescriptors(to count: Int) async throws {
        try await ProcessLimit.set("nofile", of: id, to: count)
    }

    /// Lets its own memory grow to so many bytes from now on.
    package func limitData(to bytes: Int) async throws {
        try await ProcessLimit.set("data", of: id, to: bytes)
    }

    /// A number of `/proc/…/status`, most of them in KiB.
    private func status(_ field: String) -> Int {
        let text = FileManager.default.contents(atPath: "/proc/\(id)/status").map {
            String(decoding: $0, as: UTF8.self)
        }
        let line = text?.split(separator: "\n").first { $0.hasPrefix(field + ":") }
        return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) } ?? 0
    }
}

extension ApacheKafka {
    /// A broker's writes beyond so many bytes of any file fail, as on a full disk, until it is started again.
    package func limitFiles(of node: Int = 1, to bytes: Int) async throws {
        guard let id = processId(node) else { throw SupportError(Self.faultAbsence) }
        try await ProcessLimit.set("fsize", of: id, to: bytes)
    }
}

private enum ProcessLimit {
    /// Only the soft limit, so that it can be raised again.
    static func set(_ resource: String, of id: Int32, to value: Int) async throws {
        let (end, process) = try await ChildProcess.run(
            "prlimit", ["prlimit", "--pid", "\(id)", "--\(resource)=\(value):"],
            directory: ProcessCleanup.shared.directory, within: .seconds(10))
        guard end == .exit(0) else { throw SupportError("\(process)") }
    }
}
