package import ArchiveFormat
package import ObjectStorage
internal import TransparencyLog

/// Deletes the segments of a log whose time is over, in two steps: one run announces, and another one at least
/// ``minimumDelay`` later deletes what is over still. Leaves, entries and hash tiles stay, so the log remains provable; a
/// signed text says from which leaf on the objects are kept, so that a segment removed by somebody else is noticed.
package struct LogPruning: Sendable {
    /// Milliseconds between an announcement and the deletion: time to notice a wrong clock, or to begin a hold.
    package static let minimumDelay: Int64 = 86_400_000
    /// At most this share of the full segments that are kept is announced at once.
    static let greatestShare = 10
    /// And at least this many, so that a small log gets on.
    static let leastSegments = 16
    private static let pageSize = 1000

    private let store: any ObjectStore
    private let names: LogNames
    private let signer: CheckpointSigner?

    /// - Parameter signer: nil for ``plan(_:)`` alone, which verifies and writes nothing.
    package init(_ store: any ObjectStore, names: LogNames, signer: CheckpointSigner?) {
        self.store = store
        self.names = names
        self.signer = signer
    }

    /// The inputs of a run.
    package struct Inputs: Sendable {
        /// Milliseconds since 1970: records that were archived before it are over.
        package let cutoff: Int64
        /// Milliseconds since 1970.
        package let now: Int64
        /// Leaves that the checkpoint covers.
        package let size: Int

        package init(cutoff: Int64, now: Int64, size: Int) {
            self.cutoff = cutoff
            self.now = now
            self.size = size
        }
    }

    /// The steps of a run. Leaves are those of whole segments.
    package struct Plan: Sendable {
        /// The first leaf whose object is kept now.
        package let before: Int
        /// The first leaf whose object is kept after the run.
        package let minimum: Int
        /// The announcement after the run.
        package let announced: Retention.Announcement?
        /// Segments below the minimum that stay, in ascending order; found by a run alone.
        package internal(set) var kept: [Range<Int>] = []
        /// Segments that the run deletes.
        package internal(set) var deletions = 0
        let version: ObjectVersion?
        /// The present announcement.
        package let presentAnnouncement: Retention.Announcement?

        /// Whether the signed text changes.
        package var isChange: Bool { minimum != before || announced != presentAnnouncement }
    }

    /// The fate of one segment below the minimum.
    package enum Decision: Sendable {
        case delete
        /// A record in it is under a legal hold, or its key is unknown, and with it whether it is held.
        case keep
    }

    /// Carries out what was announced long enough ago, and announces what is over.
    ///
    /// - Parameters:
    ///   - announce: is told of a change before it is signed, and of deletions before they are done; when it throws,
    ///     nothing is done.
    ///   - decide: what happens to the segment that has these leaves.
    /// - Returns: the plan, and how many segments were deleted.
    package func run(
        _ inputs: Inputs, announce: (Plan) async throws -> Void,
        decide: ([ArchiveLeaf]) async throws -> Decision
    ) async throws(LogError) -> (plan: Plan, deleted: Int) {
        do {
            var plan = try await makePlan(inputs)
            guard let signer else { return (plan, 0) }
            var due: [Int] = []
            if plan.minimum > 0 { (due, plan.kept) = try await segments(before: plan.minimum, decide) }
            plan.deletions = due.count
            if plan.isChange || !due.isEmpty { try await announce(plan) }
            if plan.isChange {
                let text = Retention(
                    origin: names.origin(archive: signer.archive), minimum: plan.minimum, announced: plan.announced)
                // Said before it is done: a segment that is gone without it would be taken for removed.
                _ = try await store.replace(names.retention(), signer.sign(text).bytes, expected: plan.version)
            }
            return (plan, try await delete(due, decide))
        } catch {
            throw LogError(error, reading: names)
        }
    }

    /// The plan that ``run(_:announce:decide:)`` would carry out now.
    package func plan(_ inputs: Inputs) async throws(LogError) -> Plan {
        do {
            return try await makePlan(inputs)
        } catch { throw LogError(error, reading: names) }
    }

    private func makePlan(_ inputs: Inputs) async throws -> Plan {
        let found = try await store.read(names.retention())
        let present = try found.map { try retention(in: $0.bytes) }
        let before = present?.minimum ?? 0
        var minimum = before
        var announced = present?.announced
        if let open = announced {
            // The clock may have been wrong when it was announced.
            let end = try await end(of: inputs, from: before, to: open.minimum)
            if end < open.minimum {
                announced = nil
            } else if inputs.now - open.at >= Self.minimumDelay {
                minimum = open.minimum
                announced = nil
            }
        }
        if announced == nil {
            let end = try await end(of: inputs, from: minimum, to: bound(inputs, minimum))
            if end > minimum { announced = Retention.Announcement(minimum: end, at: inputs.now) }
        }
        return Plan(
            before: before, minimum: minimum, announced: announced, version: found?.version,
            presentAnnouncement: present?.announced)
    }

    private func bound(_ inputs: Inputs, _ minimum: Int) -> Int {
        let full = inputs.size / TilePath.fullWidth * TilePath.fullWidth
        let kept = max(0, full - minimum) / TilePath.fullWidth
        return min(full, minimum + max(Self.leastSegments, kept / Self.greatestShare) * TilePath.fullWidth)
    }

    /// The end of the segments in a row that are over.
    private func end(of inputs: Inputs, from first: Int, to bound: Int) async throws -> Int {
        var end = first
        while end + TilePath.fullWidth <= min(bound, inputs.size) {
            guard let last = try await leaves(ofSegment: end / TilePath.fullWidth).last,
                last.archivedAtMilliseconds < inputs.cutoff
            else { break }
            end += TilePath.fullWidth
        }
        return end
    }

    private func retention(in bytes: [UInt8]) throws -> Retention {
        let note = try SignedNote(bytes: bytes)
        if let signer {
            _ = try note.verified(by: signer.verifiers().keys(of: names.origin(archive: signer.archive)))
        }
        guard let retention = Retention(text: note.text),
            signer.map({ retention.origin == names.origin(archive: $0.archive) }) ?? true
        else { throw LogError.damaged(names, "its retention is not one of this log") }
        return retention
    }

    /// The segments before the minimum that are still there: the ones whose time is over now and those of holds that ended,
    /// and the ones that stay. The listing ends at the minimum: names ascend as the segments do.
    private func segments(
        before minimum: Int, _ decide: ([ArchiveLeaf]) async throws -> Decision
    ) async throws -> (due: [Int], kept: [Range<Int>]) {
        let folder = try names.prefix.appending("segments")
        var due: [Int] = []
        var kept: [Range<Int>] = []
        var last: ObjectName?
        while true {
            let page = try await store.list(folder, after: last, limit: Self.pageSize)
            for object in page {
                guard case .segment(let index, let width) = names.content(object.name) else { continue }
                guard index < minimum / TilePath.fullWidth else { return (due, kept) }
                guard width == TilePath.fullWidth else { continue }
                if case .delete = try await decide(leaves(ofSegment: index)) {
                    due.append(index)
                } else if let range = kept.last, range.upperBound == index {
                    kept[kept.count - 1] = range.lowerBound..<index + 1
                } else {
                    kept.append(index..<index + 1)
                }
            }
            guard page.count == Self.pageSize, let name = page.last?.name else { return (due, kept) }
            last = name
        }
    }

    /// A hold may have begun since the segments were listed, so each is decided again.
    private func delete(
        _ segments: [Int], _ decide: ([ArchiveLeaf]) async throws -> Decision
    ) async throws -> Int {
        var count = 0
        for index in segments {
            guard case .delete = try await decide(leaves(ofSegment: index)) else { continue }
            try await store.delete(names.segment(index: index))
            count += 1
        }
        return count
    }

    private func leaves(ofSegment index: Int) async throws -> [ArchiveLeaf] {
        let name = try names.tile(.entries(index: index))
        guard let found = try await store.read(name) else { throw LogError.damaged(names, "\(name) is missing") }
        let bundle = try EntryBundle(bytes: found.bytes, count: TilePath.fullWidth)
        return try (0..<bundle.count).map { try ArchiveLeaf(bytes: Array(bundle[$0])) }
    }
}
