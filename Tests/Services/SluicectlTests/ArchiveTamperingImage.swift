import AppStoreSigning
import ArchiveLog
import Cryptography
import Foundation
import Kafka
import ObjectStorage
import TestSupport
import Testing
import TransparencyLog

/// An archive in a directory with a second store of its checkpoints, and an earlier state of the archive, two leaves
/// shorter.
///
/// The first log has 455 leaves under 22 checkpoints, so a full bundle, a partial one, and a tile of level 1.
struct ArchiveTamperingImage: Sendable {
    static let origin = "example.com/archive"
    static let notifications = "appstore.notifications.production"

    private let directory: TemporaryDirectory
    let signer: CheckpointSigner
    let key: String

    /// The shared image, created once for all tests. They change copies of it.
    static let shared = Task { try await ArchiveTamperingImage() }

    private init() async throws {
        try initializeCryptography()
        directory = try TemporaryDirectory()
        signer = try CheckpointSigner(archive: Self.origin, keys: [PrivateKey.generate(.ed25519)])
        key = try directory.write(try signer.verifiers().text, to: "archive.pub")
        let store = try DirectoryStore(path: directory.file("archive"), creating: true)
        let anchor = try DirectoryStore(path: directory.file("anchor"), creating: true)
        try await write([256, 19] + Array(repeating: 9, count: 18) + [16], to: 0, store, anchor)
        try await write([100, 200, 20, 1], to: 1, store, anchor)
        try await write([5], to: 0, of: "appstore.certificates", store, anchor)
        try await write([], to: 0, of: "appstore.quarantine", store, anchor)
        try FileManager.default.copyItem(atPath: directory.file("archive"), toPath: directory.file("earlier"))
        try await write([2], to: 0, store, anchor)
        try FileManager.default.copyItem(atPath: directory.file("archive"), toPath: directory.file("logged"))
        try await logCheckpoints(DirectoryStore(path: directory.file("logged"), creating: false))
    }

    private func logCheckpoints(_ store: DirectoryStore) async throws {
        var writer = try await CheckpointLogWriter.open(store, signer: signer, at: 1_800_000_100)
        defer { writer.close() }
        var checkpoints: [Checkpoint] = []
        for names in try await LogReader.logs(in: store) {
            let found = try await LogReader(store, names: names, verifiers: nil).checkpoint()
            if let checkpoint = found?.checkpoint, checkpoint.size > 0 { checkpoints.append(checkpoint) }
        }
        try await writer.append(checkpoints, at: 1_800_000_100)
    }

    private func write(
        _ counts: [Int], to partition: KafkaPartition, of topic: KafkaTopic = KafkaTopic(rawValue: notifications),
        _ store: DirectoryStore, _ anchor: DirectoryStore
    ) async throws {
        let names = try LogNames(KafkaTopicPartition(topic: topic, partition: partition))
        var writer = try await LogWriter.open(
            store, names: names, signer: signer, at: 1_800_000_000, copyInterval: 0)
        for count in counts {
            for _ in 0..<count {
                let offset = Int64(writer.size)
                let record = KafkaRecord(
                    topic: topic, partition: partition, offset: KafkaOffset(rawValue: offset),
                    timestampMilliseconds: Signed.now, key: Array("key \(offset)".utf8),
                    value: Array("value \(partition) \(offset * 7919)".utf8))
                try writer.append(
                    ArchiveEntry(
                        record, kind: .certificate, clusterId: "cluster", archivedAtMilliseconds: Signed.now,
                        protection: .plain))
            }
            try await writer.commit(at: 1_800_000_000)
            let head = try names.checkpoint()
            let found = try await anchor.read(head)
            _ = try await anchor.replace(head, writer.checkpoint.bytes, expected: found?.version)
            try await anchor.create(names.checkpoint(size: writer.size), writer.checkpoint.bytes)
        }
    }

    /// Makes a copy for changes. Its files are hard links, so each change removes a file and creates another one.
    func copy() throws -> ArchiveTamperingFiles {
        let files = ArchiveTamperingFiles(directory: try TemporaryDirectory(), image: self)
        for name in ["archive", "anchor"] {
            try FileManager.default.linkItem(atPath: directory.file(name), toPath: files.directory.file(name))
        }
        return files
    }

    /// Returns the path of a file or folder of the image that is missing from copies: `earlier`, `logged` and their
    /// contents.
    func path(_ name: String) -> String? {
        ["earlier", "logged"].contains(name.prefix { $0 != "/" }) ? directory.file(name) : nil
    }
}

/// The files of a copy, and changes that tests make to them.
struct ArchiveTamperingFiles {
    let directory: TemporaryDirectory
    let image: ArchiveTamperingImage

    /// The first log.
    static let log = "archive/\(ArchiveTamperingImage.notifications)/0"
    /// The second log of the same topic.
    static let other = "archive/\(ArchiveTamperingImage.notifications)/1"
    /// The first log in the second store.
    static let anchor = "anchor/\(ArchiveTamperingImage.notifications)/0"

    func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: directory.file(name))))
    }

    func write(_ bytes: [UInt8], to name: String) throws {
        let path = directory.file(name)
        try FileManager.default.createDirectory(
            at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
        // Objects are read-only files, so the old one is removed first.
        try? FileManager.default.removeItem(atPath: path)
        try Data(bytes).write(to: URL(filePath: path))
    }

    func edit(_ name: String, _ change: (inout [UInt8]) -> Void) throws {
        var bytes = try bytes(name)
        change(&bytes)
        try write(bytes, to: name)
    }

    func edit(text name: String, _ change: (inout [String]) -> Void) throws {
        var lines = String(decoding: try bytes(name), as: UTF8.self).components(separatedBy: "\n")
        change(&lines)
        try write(Array(lines.joined(separator: "\n").utf8), to: name)
    }

    /// Changes one byte in the middle of a file.
    func flip(_ name: String) throws { try edit(name) { $0[$0.count / 2] ^= 1 } }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: directory.file(name)) }

    /// Removes the contents of a folder, but not the folder.
    func empty(_ name: String) throws {
        for entry in try FileManager.default.contentsOfDirectory(atPath: directory.file(name)) {
            try remove("\(name)/\(entry)")
        }
    }

    /// Replaces a file or folder with a copy of another one, which may be from ``ArchiveTamperingImage/path(_:)``.
    func copy(_ source: String, to target: String) throws {
        let path = directory.file(target)
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(
            at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.linkItem(atPath: image.path(source) ?? directory.file(source), toPath: path)
    }

    func move(_ source: String, to target: String) throws {
        try FileManager.default.moveItem(atPath: directory.file(source), toPath: directory.file(target))
    }

    func exchange(_ one: String, _ other: String) throws {
        try move(one, to: "exchanged")
        try move(other, to: one)
        try move("exchanged", to: other)
    }

    /// Restores the first log to its earlier state, which is two leaves shorter.
    func rollBack() throws {
        try copy("earlier/\(ArchiveTamperingImage.notifications)/0", to: Self.log)
    }

    /// Returns a log's checkpoint signed with a key, with this archive's origin or another one.
    func checkpoint(
        _ log: String, leaves: Int = 9, archive: String = ArchiveTamperingImage.origin, by key: PrivateKey
    ) throws -> [UInt8] {
        let signer = try CheckpointSigner(archive: archive, keys: [key])
        let checkpoint = try Checkpoint(origin: "\(archive)/\(log)", size: leaves, root: .leaf([1, 2, 3]))
        return try signer.sign(checkpoint, after: 0, at: 1_800_000_000).bytes
    }

    /// Runs `sluicectl archive verify`, and returns its exit code and output.
    func verify(_ arguments: [String] = [], anchored: Bool, key: String? = nil) async -> (code: Int32, output: String) {
        let anchors = ["--checkpoint-from", "store", "--archive.anchor.url", directory.file("anchor")]
        let (code, printed) = await sluicectl(
            ["archive", "verify"] + arguments
                + ["--archive.url", directory.file("archive"), "--key", key ?? image.key] + (anchored ? anchors : []))
        return (code, printed.output + printed.complaints.joined(separator: "\n"))
    }
}
