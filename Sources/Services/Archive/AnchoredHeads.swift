internal import ArchiveLog
internal import Kafka
internal import ObjectStorage
internal import Telemetry
internal import TransparencyLog

/// The newest anchored checkpoints of a log, read before the log's writer signs anything. Their signatures are not
/// verified here.
///
/// The second store (`archive.anchor.url`) is read for every log. The checkpoint topic is slow to read, so it is read
/// only for logs that this host has never signed. For other logs, the key store has the newest signature unless another
/// host has owned the partition since.
struct AnchoredHeads: Sendable {
    /// The store at `archive.anchor.url`, or nil if it is not set.
    let store: (any ObjectStore)?
    /// The checkpoint topic, or nil if `archive.anchor.kafka` is off.
    let topic: CheckpointTopic?
    let logger: Logger

    /// Returns the anchored checkpoints of a log, as signed notes.
    ///
    /// - Throws: ``ArchiveServiceError``: `anchorUnreachable` if an anchor cannot be read and this host has no signed
    ///   note for the log. If the host has one, the failure is only logged.
    func notes(of names: LogNames, origin: String, hasNote: Bool) async throws -> [SignedNote] {
        var notes: [SignedNote] = []
        do {
            if let store { notes += try await Self.notes(of: names, in: store) }
            if !hasNote, let topic { notes += try await topic.notes(of: origin) }
        } catch {
            guard hasNote else { throw ArchiveServiceError.anchorUnreachable(names, error) }
            logger.warning(
                "an anchor cannot be read; using the checkpoint in the key store",
                [LogField(.log, names.prefix.text), LogField(.error, "\(error)")])
        }
        return notes
    }

    /// Returns a log's checkpoint in the second store and, if there are copies of larger checkpoints, the largest of
    /// them.
    private static func notes(of names: LogNames, in store: any ObjectStore) async throws -> [SignedNote] {
        var notes: [SignedNote] = []
        if let found = try await store.read(names.checkpoint()), let note = try? SignedNote(bytes: found.bytes) {
            notes.append(note)
        }
        let size = notes.first.flatMap { try? Checkpoint(text: $0.text).size } ?? 0
        var largest: (size: Int, name: ObjectName)?
        var last = size > 0 ? try names.checkpoint(size: size) : nil
        while true {
            let page = try await store.list(names.checkpoints(), after: last, limit: 1_000)
            for object in page {
                guard case .checkpointOfSize(let later) = names.content(object.name), later > largest?.size ?? size
                else { continue }
                largest = (later, object.name)
            }
            guard page.count == 1_000, let name = page.last?.name else { break }
            last = name
        }
        if let name = largest?.name, let found = try await store.read(name) {
            notes += (try? SignedNote(bytes: found.bytes)).map { [$0] } ?? []
        }
        return notes
    }
}
