internal import KafkaModel
internal import ObjectStorage
internal import TransparencyLog

/// The result of checking one bundle of entries with its tile, its segment, and the past checkpoints that end in it.
struct BundleCheck: Sendable {
    let index: Int
    /// The hashes recomputed from the entries; nil if the entries cannot be read.
    var hashes: [MerkleHash]?
    /// The hashes in the tile; nil if the tile cannot be read.
    var tile: [MerkleHash]?
    var leaves: [LeafFacts] = []
    /// The leaves, if this is the checkpoint log.
    var logged: [LoggedCheckpoints.Leaf] = []
    var checkpoints: [PastCheckpoint] = []
    var findings: [Finding] = []
    /// The reason why the entries cannot be read; nil if they can.
    var entriesProblem: ArchiveError?
    /// The reason why the tile cannot be read; nil if it can.
    var tileProblem: ArchiveError?
    var objects = 0
    var objectBytes = 0
    var prunedObjects = 0
    /// The segment, if it was deleted under a retention statement.
    var deletedSegment: DeletedSegment?
    var erasedOnArrival = 0
    var outcomes: [String: Int] = [:]

    init(index: Int) { self.index = index }

    var firstLeaf: Int { index * TilePath.fullWidth }
}

/// The facts about a leaf that are needed to verify the order of leaves.
struct LeafFacts: Sendable {
    let index: Int
    let offset: Int64
    let archivedAt: Int64
    let kind: ArchiveKind
    let cluster: Int
    /// The gap, if the leaf represents one and the object was read.
    var gap: ArchiveGap?
}

/// A copy of a checkpoint in `checkpoints/`.
struct PastCheckpoint: Sendable {
    let size: Int
    let root: MerkleHash
    let time: Int?
    let previousSize: Int?
}

/// Reads and verifies individual bundles concurrently.
struct BundleReading: Sendable {
    let reader: LogReader
    /// The origin in the log's newest checkpoint.
    let origin: String?
    let size: Int
    let minimum: Int
    let retention: RetentionReading
    let options: VerificationOptions

    /// - Parameter checkpoints: the sizes of past checkpoints that end in this bundle.
    @concurrent func check(_ index: Int, checkpoints: [Int]) async -> BundleCheck {
        var check = BundleCheck(index: index)
        let width = min(TilePath.fullWidth, size - check.firstLeaf)
        do throws(ArchiveError) {
            check.tile = Array(try await reader.tile(level: 0, index: index, size: size).hashes.prefix(width))
        } catch { check.tileProblem = error }
        do throws(ArchiveError) {
            let bundle = try await reader.bundle(index, size: size)
            var hasher = MerkleHasher()
            let hashes = Array(bundle.leafHashes(&hasher).prefix(width))
            check.hashes = hashes
            await read(bundle, width: width, hashes: hashes, into: &check)
        } catch { check.entriesProblem = error }
        for size in checkpoints { await read(checkpoint: size, into: &check) }
        return check
    }

    private func readCheckpoints(_ bundle: EntryBundle, width: Int, into check: inout BundleCheck) {
        for position in 0..<width {
            let index = check.firstLeaf + position
            if let checkpoint = LoggedCheckpoints.checkpoint(in: bundle[position]) {
                check.logged.append(LoggedCheckpoints.Leaf(index: index, checkpoint: checkpoint))
            } else {
                check.findings.append(Finding(.tampered, log, leaf: index, "the leaf is not a checkpoint"))
            }
        }
    }

    private func read(_ bundle: EntryBundle, width: Int, hashes: [MerkleHash], into check: inout BundleCheck) async {
        guard !reader.names.isCheckpointLog else { return readCheckpoints(bundle, width: width, into: &check) }
        var leaves: [(index: Int, leaf: ArchiveLeaf)] = []
        for position in 0..<width {
            let index = check.firstLeaf + position
            // An entry that differs from the tree is reported when entries and tile are compared.
            if let tile = check.tile, tile[position] != hashes[position] { continue }
            do throws(ArchiveError) {
                let leaf = try ArchiveLeaf(bytes: Array(bundle[position]))
                guard leaf.position.topicPartition == reader.names.partition else {
                    throw ArchiveError(.malformedLeaf, "the leaf belongs to \(leaf.position.topicPartition)")
                }
                leaves.append((index, leaf))
            } catch {
                check.findings.append(
                    Finding(.tampered, log, leaf: index, "the leaf does not belong to this log: \(error.message)"))
            }
        }
        var facts = leaves.map { index, leaf in
            LeafFacts(
                index: index, offset: leaf.position.offset.rawValue, archivedAt: leaf.archivedAtMilliseconds,
                kind: leaf.position.kind, cluster: leaf.position.clusterId.hashValue)
        }
        check.erasedOnArrival = leaves.count { $0.leaf.isErasedOnArrival }
        if options.checksObjects, leaves.contains(where: { $0.leaf.archivedAtMilliseconds >= options.since ?? .min }) {
            await readObjects(leaves, facts: &facts, into: &check)
        }
        check.leaves = facts
    }

    private func readObjects(
        _ leaves: [(index: Int, leaf: ArchiveLeaf)], facts: inout [LeafFacts], into check: inout BundleCheck
    ) async {
        let segment: (bytes: [UInt8], width: Int, name: ObjectName)
        do throws(ArchiveError) {
            segment = try await reader.segmentBytes(check.index, size: size)
        } catch {
            if error.code == .missingObject, await isPruned(check.index) {
                check.prunedObjects = leaves.count
                check.deletedSegment = DeletedSegment(
                    index: check.index, newestArchivedAt: leaves.map(\.leaf.archivedAtMilliseconds).max() ?? .max)
            } else {
                check.findings.append(Finding(error, log, leaf: check.firstLeaf))
            }
            return
        }
        let objects = SegmentObjects(segment.bytes, count: segment.width)
        for (place, (index, leaf)) in leaves.enumerated() {
            guard index - check.firstLeaf < objects.ranges.count else {
                check.findings.append(
                    Finding(
                        .tampered, log, object: segment.name, leaf: index, offset: leaf.position.offset,
                        "the segment ends before the object for this leaf"))
                return
            }
            let range = objects.ranges[index - check.firstLeaf]
            let isDescribed = segment.bytes.withUnsafeBytes {
                leaf.describes(UnsafeRawBufferPointer(rebasing: $0[range]))
            }
            guard isDescribed else {
                check.findings.append(
                    Finding(
                        .tampered, log, object: segment.name, leaf: index, offset: leaf.position.offset,
                        "the object does not match its leaf"))
                // The rest of the segment may be shifted, so only the first bad object is reported.
                return
            }
            check.objects += 1
            check.objectBytes += range.count
            guard leaf.position.kind == .gap || options.inspect != nil else { continue }
            let object = Array(segment.bytes[range])
            if leaf.position.kind == .gap {
                guard let content = try? ArchiveObject.open(object, of: leaf), case .gap(let gap) = content else {
                    check.findings.append(Finding(.tampered, log, leaf: index, "the gap has no offset range"))
                    continue
                }
                facts[place].gap = gap
            }
            await inspect(InspectedObject(log: reader.names, index: index, leaf: leaf, object: object), into: &check)
        }
        guard objects.rest > 0 else { return }
        check.findings.append(
            Finding(
                .tampered, log, object: segment.name, leaf: check.firstLeaf + segment.width - 1,
                "\(objects.rest) extra bytes after the last object in the segment"))
    }

    /// Returns whether, according to a signed retention statement, a bundle's objects were deleted. The statement may
    /// have been signed after verification started.
    private func isPruned(_ index: Int) async -> Bool {
        let end = index * TilePath.fullWidth + TilePath.fullWidth
        if end <= minimum { return true }
        // An unusable retention statement, which was reported when verification started, does not excuse missing
        // objects.
        return ((try? await retention.minimum()) ?? 0) >= end
    }

    private func inspect(_ object: InspectedObject, into check: inout BundleCheck) async {
        guard let inspect = options.inspect else { return }
        let outcome = await inspect(object)
        check.outcomes[outcome.label, default: 0] += 1
        if let problem = outcome.problem {
            check.findings.append(
                Finding(outcome.kind, log, leaf: object.index, offset: object.leaf.position.offset, problem))
        }
    }

    private func read(checkpoint size: Int, into check: inout BundleCheck) async {
        do throws(ArchiveError) {
            guard let found = try await reader.checkpoint(size: size, of: origin) else { return }
            guard found.checkpoint.size == size else {
                throw ArchiveError(
                    .corruptObject, "the checkpoint has \(found.checkpoint.size) leaves",
                    object: try? reader.names.checkpoint(size: size))
            }
            check.checkpoints.append(
                PastCheckpoint(
                    size: size, root: found.checkpoint.root, time: found.time, previousSize: found.previousSize))
        } catch { check.findings.append(Finding(error, log, leaf: size - 1)) }
    }

    private var log: KafkaTopicPartition { reader.names.partition }
}
