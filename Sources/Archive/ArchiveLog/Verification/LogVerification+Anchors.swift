internal import KafkaModel
internal import ObjectStorage
internal import TransparencyLog

/// Compares a log with external statements about it: anchors, the checkpoint log, witnesses, and an earlier
/// verification.
extension LogVerification {
    /// Reports that an anchored log no longer has a usable checkpoint.
    mutating func addGone() {
        // A checkpoint that is unreadable or signed with a different key does not prove a rollback.
        guard report.findings.allSatisfy({ $0.kind == .tampered }) else { return }
        let anchored = archives.flatMap { archive in
            let origin = names.origin(archive: archive)
            return [options.anchors?.size(of: origin) ?? 0, options.verifiedBefore?.size(of: origin) ?? 0]
        }
        let size = max(anchored.max() ?? 0, logged.last?.size ?? 0)
        guard size > 0 else { return }
        add(
            Finding(
                .rolledBack, log, object: names.prefix, leaf: 0,
                "the log had \(size) leaves when it was anchored, but has no checkpoint"))
    }

    mutating func takeAnchors(_ head: Checkpoint) {
        let before = (options.verifiedBefore?.checkpoints(of: head.origin) ?? []).map {
            AnchoredRoot(size: $0.size, root: $0.root, source: .verifiedBefore)
        }
        let stated = (options.anchors?.checkpoints(of: head.origin) ?? []) + logged + cosigned
        let all = (stated + before).sorted { $0.size < $1.size }
        skippedAnchor = all.last { $0.size < report.leavesBefore && $0.source.isElsewhere }
        anchors = all.filter { $0.size >= report.leavesBefore && $0.size <= head.size }
        if let largest = all.last, largest.size > head.size {
            add(
                Finding(
                    .rolledBack, log, object: try? names.checkpoint(), leaf: head.size,
                    "the log had \(largest.size) leaves when it was anchored, but has \(head.size)"))
        }
        // Omit this finding for the checkpoint log. If the checkpoint log is not anchored, it anchors no other log, so
        // each other log gets the finding.
        guard options.anchors != nil || options.witnesses != nil && isCovered, !names.isCheckpointLog, head.size > 0,
            stated.allSatisfy({ $0.source == .checkpointLog })
        else { return }
        add(
            Finding(
                .unanchored, log, object: try? names.checkpoint(),
                "no external checkpoint belongs to this log, so a rollback would not be detected"))
    }

    /// Reads the last checkpoint that each of the policy's witnesses cosigned. The service stores these checkpoints
    /// with the log.
    mutating func takeCosigned(_ head: Checkpoint) async {
        guard let policy = options.witnesses, names.isCheckpointLog || !isCovered else { return }
        for (index, witness) in policy.witnesses.enumerated() {
            do throws(ArchiveError) {
                let name = try reader.name { () throws(ObjectStoreError) in try names.cosigned(by: witness) }
                guard let bytes = try await reader.bytes(name) else { continue }
                do throws(TransparencyLogError) {
                    let note = try SignedNote(bytes: bytes)
                    _ = try note.verified(by: [witness])
                    let found = try Checkpoint(text: note.text)
                    guard KeyName.areEqual(found.origin, head.origin) else {
                        throw TransparencyLogError(
                            .malformedCheckpoint, "a checkpoint of a different log: \(found.origin)")
                    }
                    cosigned.append(AnchoredRoot(size: found.size, root: found.root, source: .witness(index)))
                } catch { throw ArchiveError(.corruptObject, error.message, object: name) }
            } catch { add(Finding(error, log)) }
        }
    }

    /// Checks that enough witnesses have cosigned checkpoints with which the log is consistent. If so, the log is
    /// anchored up to the largest size that satisfies the policy.
    mutating func judgeCosigned() {
        guard let policy = options.witnesses, names.isCheckpointLog || !isCovered, report.size > 0 else { return }
        guard let size = policy.cosignedSize(report.cosigned) else {
            return add(
                Finding(
                    .unanchored, log, object: try? names.checkpoint(),
                    "\(report.cosigned.count) of \(policy.witnesses.count) witnesses have cosigned this log, but "
                        + policy.demand))
        }
        report.anchoredSize = max(report.anchoredSize ?? 0, size)
    }

    /// Skips the bundles that an earlier run verified, except a partial one at the end. The tiles for the skipped
    /// leaves are correct if the tree has the root of the earlier run's checkpoint; that root is compared like an
    /// anchor.
    mutating func skipVerified(_ head: Checkpoint) async {
        // Always read the checkpoint log completely: it is small, and all of its leaves are needed.
        guard !names.isCheckpointLog, !options.topicsReadCompletely.contains(log.topic),
            options.witnesses == nil || isCovered, let before = options.verifiedBefore?.checkpoints(of: head.origin)
        else { return }
        guard let size = before.last(where: { $0.size <= head.size })?.size else { return }
        let start = size / TilePath.fullWidth * TilePath.fullWidth
        guard start > 0 else { return }
        do {
            var tiles: [HashTile] = []
            for path in TilePath.partialTiles(ofSize: start) {
                guard case .hashes(let level) = path.content else { continue }
                let hashes = try await reader.tile(level: level, index: path.index, size: start).hashes
                tiles.append(HashTile(path: path, hashes: Array(hashes.prefix(path.width))))
            }
            frontier = try MerkleFrontier(size: start, tiles: tiles)
        } catch {
            // If the tiles cannot be read, start at the first leaf, so that the problem is reported.
            return
        }
        report.leavesBefore = start
    }

    /// Compares the tree with the largest external checkpoint that covers only skipped leaves, using a proof from the
    /// tiles.
    mutating func compareSkippedAnchor(_ head: Checkpoint) async {
        guard let anchor = skippedAnchor else { return }
        do {
            let proof = try await ConsistencyProof.make(
                old: anchor.size, new: head.size, from: LogTiles(reader: reader, size: head.size))
            guard proof.proves(oldSize: anchor.size, oldRoot: anchor.root, newSize: head.size, newRoot: head.root)
            else { return addForked(anchor) }
            addContinued(anchor)
        } catch {
            let error =
                error as? ArchiveError ?? ArchiveError(.corruptObject, "\(error)", object: try? names.checkpoint())
            add(Finding(error, log))
        }
    }

    mutating func takeRoots(_ hasher: inout MerkleHasher) {
        while let anchor = anchors.first, anchor.size <= frontier.size {
            anchors.removeFirst()
            if frontier.root(using: &hasher) == anchor.root { addContinued(anchor) } else { addForked(anchor) }
        }
    }

    mutating func addContinued(_ anchor: AnchoredRoot) {
        switch anchor.source {
        case .elsewhere: report.anchors += 1
        case .witness(let index): report.cosigned[index] = anchor.size
        case .anchoredCheckpointLog, .checkpointLog: report.loggedCheckpoints += 1
        case .verifiedBefore: break
        }
        if anchor.source.isElsewhere { report.anchoredSize = max(anchor.size, report.anchoredSize ?? 0) }
    }

    mutating func addForked(_ anchor: AnchoredRoot) {
        add(
            Finding(
                .forked, log, object: try? names.checkpoint(), leaf: anchor.size - 1,
                "the log does not begin with the \(anchor.size) anchored leaves"))
    }
}
