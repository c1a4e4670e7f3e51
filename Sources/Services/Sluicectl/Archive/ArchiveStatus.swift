internal import AppStoreModel
internal import ArchiveLog
internal import CommandLine
internal import JSON
internal import Kafka
internal import Lifecycle
internal import ObjectStorage
internal import TransparencyLog

/// The current state of an archive log.
struct ArchiveStatus: Sendable {
    let names: LogNames
    /// The origin, or nil for a log without a checkpoint.
    var origin: String?
    /// The number of leaves covered by the checkpoint.
    var size = 0
    /// The total size of the log's objects in bytes, or nil if they were not listed.
    var bytes: Int64?
    /// The time at which the checkpoint was signed, in milliseconds since 1970. The time is not verified.
    var signedAt: Int64?
    /// The time at which the last record was archived, in milliseconds since 1970.
    var archivedAt: Int64?
    /// The first offset that is not archived; nil for an empty log, or if the greatest offset is archived.
    var nextOffset: Int64?
    /// The number of records in Kafka that have not been archived yet, or nil if Kafka was not read or does not have
    /// the topic.
    var lag: Int64?
    /// The newest checkpoint of each anchor that was read. An anchor's name is `kafka`, `store`, or the name of a
    /// witness's key.
    var anchors: [Anchored] = []

    /// The newest checkpoint in an anchor.
    struct Anchored: Sendable {
        let anchor: String
        let leaves: Int
        /// Whether the checkpoint was signed with one of the specified keys: the witness's, or for other anchors the
        /// archive's. Nil if no key of the archive was specified.
        var isVerified: Bool?
    }

    /// The first verified anchored checkpoint with more leaves than the log, which proves a rollback.
    var rolledBack: Anchored? { anchors.first { $0.leaves > size && $0.isVerified == true } }

    /// The first anchored checkpoint with more leaves than the log that was not verified because no key of the archive
    /// was specified.
    var unverifiedRollback: Anchored? { anchors.first { $0.leaves > size && $0.isVerified == nil } }

    /// The log's name in findings and rows.
    var partition: KafkaTopicPartition { names.partition }

    /// Reads the status of a log.
    ///
    /// - Parameters:
    ///   - countsBytes: whether to list all objects, which takes hours for a large archive.
    ///   - witnesses: the witnesses whose cosignatures are verified.
    /// - Throws: a ``StartupError``.
    init(_ reader: LogReader, in logs: ArchiveLogs, countsBytes: Bool, witnesses: WitnessPolicy?) async throws {
        names = reader.names
        do throws(ObjectStoreError) {
            if countsBytes { bytes = try await Self.bytes(below: reader.names.prefix, logs.store) }
        } catch {
            throw StartupError(
                "\(reader.names.prefix): \(error.message)", fix: "Check that the archive is reachable",
                exitCode: .archiveUnreadable)
        }
        do throws(ArchiveError) {
            guard let found = try await reader.checkpoint() else { return }
            origin = found.checkpoint.origin
            size = found.checkpoint.size
            // The signature, and therefore the time, is not verified here.
            signedAt = Cosignature.unverifiedTime(of: found.note, origin: found.checkpoint.origin).map {
                (seconds) -> Int64 in
                let (milliseconds, overflows) = Int64(seconds).multipliedReportingOverflow(by: 1_000)
                return overflows ? .max : milliseconds
            }
            anchors = try await reader.cosigned().map { cosigned in
                Anchored(
                    anchor: cosigned.witness, leaves: cosigned.checkpoint.size,
                    isVerified: witnesses.map { $0.cosignatures(on: cosigned.note) > 0 } ?? false)
            }
            guard size > 0, !names.isCheckpointLog else { return }
            let leaf = try await reader.leaf(size - 1, size: size).leaf
            archivedAt = leaf.archivedAtMilliseconds
            let (next, overflows) = leaf.position.offset.rawValue.addingReportingOverflow(1)
            nextOffset = overflows ? nil : next
            guard leaf.position.kind == .gap else { return }
            let object = try await reader.object(size - 1, size: size)
            if case .gap(let gap)? = try? ArchiveObject.open(object, of: leaf) { nextOffset = gap.nextOffset.rawValue }
        } catch { throw StartupError(error) }
    }

    private static func bytes(
        below prefix: ObjectName, _ store: any ObjectStore
    ) async throws(ObjectStoreError) -> Int64 {
        let limit = 1_000
        var (bytes, after): (Int64, ObjectName?) = (0, nil)
        while true {
            let page = try await store.list(prefix, after: after, limit: limit)
            bytes += page.reduce(0) { $0 + Int64($1.byteCount) }
            guard page.count == limit, let last = page.last else { return bytes }
            after = last.name
        }
    }

    // MARK: Output

    func json(now: Int64) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { object in
            object.set("topic", partition.topic.rawValue)
            object.set("partition", partition.partition.rawValue)
            object.set("origin", origin)
            object.set("leaves", Int64(size))
            object.set("bytes", bytes)
            object.set("checkpointAt", signedAt.map(Self.instant))
            object.set("checkpointAgeSeconds", signedAt.map { max(0, now - $0) / 1_000 })
            object.set("archivedAt", archivedAt.map(Self.instant))
            object.set("nextOffset", nextOffset)
            object.set("lag", lag)
            object.array("anchors") { array in
                for anchored in anchors {
                    array.object { object in
                        object.set("anchor", PlainText.printable(anchored.anchor))
                        object.set("leaves", Int64(anchored.leaves))
                        object.set("verified", anchored.isVerified == true)
                    }
                }
            }
            object.set("rolledBack", isRolledBack)
        }
        return writer.bytes
    }

    /// Whether an anchor proves a rollback; nil if no anchor was read, or if a larger checkpoint was not verified.
    private var isRolledBack: Bool? {
        if rolledBack != nil { return true }
        return anchors.isEmpty || anchors.contains { $0.leaves > size } ? nil : false
    }

    static let head = ["TOPIC", "PARTITION", "LEAVES", "BYTES", "CHECKPOINT", "AGE", "NEXT OFFSET", "LAG", "ANCHORED"]

    func row(now: Int64) -> [String] {
        return [
            PlainText.printable(partition.topic.rawValue), "\(partition.partition.rawValue)", "\(size)",
            bytes.map { "\($0)" } ?? "-",
            signedAt.map { PlainText.seconds(AppStoreInstant(clampingMillisecondsSince1970: $0)) } ?? "-",
            signedAt.map { Self.age(max(0, now - $0) / 1_000) } ?? "-", nextOffset.map { "\($0)" } ?? "-",
            lag.map { "\($0)" } ?? "-", anchors.isEmpty ? "-" : anchors.map(text).joined(separator: ", "),
        ]
    }

    private func text(_ anchored: Anchored) -> String {
        let isVerified = anchored.isVerified == true
        let leaves =
            switch anchored.leaves {
            case size: "all"
            case let leaves where leaves > size && isVerified: "\(leaves): ROLLED BACK"
            case let leaves: "\(leaves)"
            }
        return "\(PlainText.printable(anchored.anchor))\(isVerified ? "" : " (not verified)") \(leaves)"
    }

    private static func instant(_ milliseconds: Int64) -> String {
        AppStoreInstant(clampingMillisecondsSince1970: milliseconds).description
    }

    /// Formats an age: `5s`, `12m`, `3h`, `2d`.
    private static func age(_ seconds: Int64) -> String {
        switch seconds {
        case ..<120: "\(seconds)s"
        case ..<7_200: "\(seconds / 60)m"
        case ..<172_800: "\(seconds / 3_600)h"
        default: "\(seconds / 86_400)d"
        }
    }
}
