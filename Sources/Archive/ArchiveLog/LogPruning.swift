package import ObjectStorage
internal import TransparencyLog

/// Deletes a log's expired segments in two steps: one run announces the deletion, and another run at least
/// ``minimumDelay`` later deletes the announced segments that are still expired. Leaves, entries and hash tiles are
/// kept, so the log remains provable. A signed statement specifies the first leaf whose object is retained, so that the
/// removal of its segment or a later one is detected.
package struct LogPruning: Sendable {
    /// The minimum time between announcement and deletion, in milliseconds. It gives operators time to notice a wrong
    /// clock or to place a hold.
    package static let minimumDelay: Int64 = 86_400_000
    /// The divisor that limits a run, which may announce at most 1/`greatestShare` of the remaining full segments.
    static let greatestShare = 10
    /// The number of segments that a run may always announce, so that pruning a small log makes progress.
    static let leastSegments = 16
    private static let pageSize = 1000

    private let store: any ObjectStore
    private let names: LogNames
    private let signer: CheckpointSigner?

    /// - Parameter signer: may be nil if only ``plan(_:)`` is used, which does not verify the retention statement's
    ///   signature and writes nothing.
    package init(_ store: any ObjectStore, names: LogNames, signer: CheckpointSigner?) {
        self.store = store
        self.names = names
        self.signer = signer
    }

    /// The inputs of a run.
    package struct Inputs: Sendable {
        /// Records archived before this time, in milliseconds since 1970, are expired.
        package let cutoff: Int64
        /// The current time in milliseconds since 1970.
        package let now: Int64
        /// The number of leaves that the checkpoint covers.
        package let size: Int

        package init(cutoff: Int64, now: Int64, size: Int) {
            self.cutoff = cutoff
            self.now = now
            self.size = size
        }
    }

    /// The steps of a run. Each leaf index is the first in a segment.
    package struct Plan: Sendable {
        /// The first leaf whose object was retained before the run.
        package let before: Int
        /// The first leaf whose object is still retained after the run.
        package let minimum: Int
        /// The announcement after the run.
        package let announced: Retention.Announcement?
        /// The retained segments below the minimum, in ascending order. Only an actual run determines them.
        package internal(set) var kept: [Range<Int>] = []
        /// The number of segments that the run deletes.
        package internal(set) var deletions = 0
        let version: ObjectVersion?
        /// The announcement before the run.
        package let presentAnnouncement: Retention.Announcement?

        /// Whether the run changes the signed statement.
        package var isChange: Bool { minimum != before || announced != presentAnnouncement }
    }

    /// The decision about one segment below the minimum.
    package enum Decision: Sendable {
        case delete
        /// A record in the segment is under a legal hold, or this cannot be ruled out because the record's key is not
        /// in the key store.
        case keep
    }

    /// Deletes segments if their announcement is old enough, and announces the deletion of more expired segments.
    ///
    /// - Parameters:
    ///   - announce: called before a change is signed and before segments are deleted. If it throws, nothing is
    ///     changed.
    ///   - decide: returns the decision about the segment that contains these leaves.
    /// - Returns: the plan and the number of deleted segments.
    package func run(
        _ inputs: Inputs, announce: (Plan) async throws -> Void,
        decide: ([ArchiveLeaf]) async throws -> Decision
    ) async throws(ArchiveError) -> (plan: Plan, deleted: Int) {
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
                // Sign before deleting: a missing segment without a signed retention statement would be reported as
                // tampering.
                _ = try await store.replace(names.retention(), signer.sign(text).bytes, expected: plan.version)
            }
            return (plan, try await delete(due, decide))
        } catch {
            throw ArchiveError(error, writing: names)
        }
    }

    /// Returns the plan that ``run(_:announce:decide:)`` would execute now.
    package func plan(_ inputs: Inputs) async throws(ArchiveError) -> Plan {
        do {
            return try await makePlan(inputs)
        } catch { throw ArchiveError(error, writing: names) }
    }

    /// Returns the time at which the last leaf was archived in the first full segment that a plan neither deletes nor
    /// keeps because of a hold, in milliseconds since 1970. Nil if there is no such segment.
    ///
    /// - Parameter size: the number of leaves that the checkpoint covers.
    package func firstKept(_ plan: Plan, size: Int) async throws(ArchiveError) -> Int64? {
        guard plan.minimum + TilePath.fullWidth <= size else { return nil }
        do {
            return try await leaves(ofSegment: plan.minimum / TilePath.fullWidth).last?.archivedAtMilliseconds
        } catch { throw ArchiveError(error, writing: names) }
    }

    private func makePlan(_ inputs: Inputs) async throws -> Plan {
        let found = try await store.read(names.retention())
        let present = try found.map { try retention(in: $0.bytes) }
        let before = present?.minimum ?? 0
        var minimum = before
        var announced = present?.announced
        if let open = announced {
            // The clock may have been wrong at the time of the announcement, so check again which segments are expired.
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

    /// Returns the end of the contiguous range of expired segments that starts at `first`.
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
        else { throw ArchiveError.damaged(names, "its retention statement is malformed or belongs to a different log") }
        return retention
    }

    /// Returns the existing segments before the minimum in two groups: the segments to delete, which have just expired
    /// or are no longer under a hold, and the segments to keep. The store lists names in the order of the segments, so
    /// the listing can stop at the minimum.
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

    /// Deletes segments. Repeats each decision, because a hold may have been placed since the segments were listed.
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
        guard let found = try await store.read(name) else { throw ArchiveError.damaged(names, "\(name) is missing") }
        let bundle = try EntryBundle(bytes: found.bytes, count: TilePath.fullWidth)
        return try (0..<bundle.count).map { try ArchiveLeaf(bytes: Array(bundle[$0])) }
    }
}
