// The archive: durability before acknowledgement, the findings of a verification, and permanent erasure.

private let log = "Archive/ArchiveLog/"
private let writer = MutatedFile(
    .archive, "writing", log + "LogWriter.swift", suites: "LogWriterTests|LogCrashTests|VerificationTests")
private let opening = MutatedFile(
    .archive, "writing", log + "LogWriter+Opening.swift", suites: "LogWriterTests|LogCrashTests|TamperingTests")
private let history = MutatedFile(
    .archive, "writing", log + "LogOpening.swift", suites: "SignedHeadsTests|LogMemoryTests")
private let leftovers = MutatedFile(
    .archive, "writing", log + "LogWriter+Leftovers.swift", suites: "IndependentReaderTests")
private let tidying = MutatedFile(
    .archive, "writing", log + "LogWriter+Tidying.swift", suites: "CheckpointCopiesTests|LogWriterTests")
private let staging = MutatedFile(
    .archive, "writing", log + "LogWriter+Staging.swift", suites: "TwoWritersTests|LogInBucketTests")
private let reading = MutatedFile(
    .archive, "writing", log + "LogReader.swift", suites: "TwoWritersTests")
private let stores = MutatedFile(
    .archive, "writing", "Platform/ObjectStorage/ObjectStore.swift", suites: "TwoWritersTests")
private let directory = "Platform/ObjectStorage/Directory/"
private let locks = MutatedFile(
    .archive, "durability", directory + "DirectoryStore+Locks.swift", suites: "DirectoryStoreTests|PowerLossTests")
private let lock = MutatedFile(
    .archive, "durability", directory + "DirectoryLock.swift", suites: "DirectoryFaultTests")
private let durability = MutatedFile(
    .archive, "durability", directory + "DirectoryStore+Durability.swift", suites: "DirectoryFaultTests")
private let creating = MutatedFile(
    .archive, "durability", directory + "DirectoryStore+Writing.swift", suites: "PowerLossTests|LogCrashTests")
private let exchanging = MutatedFile(
    .archive, "durability", directory + "DirectoryStore+Exchange.swift", suites: "PowerLossTests|LogCrashTests")
private let folders = MutatedFile(
    .archive, "durability", directory + "DirectoryStore+Durability.swift", suites: "PowerLossTests|LogCrashTests")
private let root = MutatedFile(
    .archive, "durability", directory + "DirectoryStore.swift", suites: "PowerLossTests|LogCrashTests")
private let pruning = MutatedFile(
    .archive, "retention", log + "LogPruning.swift", suites: "LogPruningTests")
private let retentionService = MutatedFile(
    .archive, "retention", "Services/Archive/RetentionService.swift", suites: "RetentionServiceTests")
private let keptKeys = MutatedFile(
    .archive, "retention", "Archive/ArchiveKeys/KeyStore+Pruning.swift", suites: "RetentionServiceTests")
private let persons = MutatedFile(
    .operations, "erasure", "Services/Sluicectl/Archive/ArchivePersons.swift",
    suites: "ArchiveSubjectsTests|ArchivePersonsTests")
private let identifiers = MutatedFile(
    .archive, "erasure", "Archive/ArchiveKeys/IdentifierCollector.swift", suites: "SideIndexTests")
private let verification = MutatedFile(
    .archive, "verifying", log + "Verification/LogVerification.swift", suites: "VerificationTests|TamperingTests")
private let comparison = MutatedFile(
    .archive, "verifying", log + "Verification/LogVerification+Anchors.swift",
    suites: "VerificationTests|CheckpointLogTests|ContinuedVerificationTests|WitnessPolicyTests")
private let bundle = MutatedFile(
    .archive, "verifying", log + "Verification/BundleCheck.swift", suites: "VerificationTests|TamperingTests")
private let order = MutatedFile(
    .archive, "verifying", log + "Verification/LeafOrder.swift", suites: "VerificationTests")
private let partials = MutatedFile(
    .archive, "verifying", log + "Verification/EarlierPartials.swift", suites: "TamperingTests|VerificationTests")
private let logs = MutatedFile(
    .archive, "verifying", log + "Verification/ArchiveVerification.swift", suites: "VerificationTests")
private let checkpoint = MutatedFile(
    .archive, "verifying", log + "VerifiedCheckpoint.swift", suites: "VerificationTests|TamperingTests")
private let retention = MutatedFile(
    .archive, "verifying", log + "Verification/RetentionReading.swift", suites: "VerificationTests")
private let strays = MutatedFile(
    .archive, "verifying", log + "Verification/StrayObjects.swift", suites: "VerificationTests")
private let anchors = MutatedFile(
    .archive, "verifying", log + "Verification/AnchoredCheckpoints.swift", suites: "VerificationTests")
private let witnesses = MutatedFile(
    .archive, "verifying", log + "Verification/WitnessPolicy.swift", suites: "WitnessPolicyTests")
private let checkpointLog = MutatedFile(
    .archive, "writing", log + "CheckpointLog/CheckpointLogWriter.swift", suites: "CheckpointLogTests")
private let logged = MutatedFile(
    .archive, "verifying", log + "CheckpointLog/LoggedCheckpoints.swift", suites: "CheckpointLogTests")
private let keyReference = MutatedFile(
    .archive, "format", "Archive/ArchiveLog/Format/ArchiveKeyReference.swift", suites: "ArchiveLeafTests")
private let deletions = MutatedFile(
    .archive, "retention", log + "Verification/RetentionCheck.swift", suites: "RetentionCheckTests")
private let policyFile = MutatedFile(
    .archive, "verifying", "Platform/TransparencyLog/TlogPolicy.swift", suites: "TlogPolicyTests")
private let quorum = MutatedFile(
    .archive, "verifying", "Platform/TransparencyLog/WitnessQuorum.swift", suites: "TlogPolicyTests|WitnessPolicyTests")
private let reveal = MutatedFile(
    .archive, "reveals", "Archive/ArchiveLog/Format/RevealRecord.swift", suites: "RevealRecordTests")
private let reveals = MutatedFile(
    .operations, "reveals", "Services/Sluicectl/Archive/ArchiveReveals.swift", suites: "ArchiveRevealTests")
private let coverage = MutatedFile(
    .operations, "erasure", "Services/Sluicectl/Archive/ErasureCoverage.swift", suites: "ArchivePersonsTests")
private let leaf = MutatedFile(
    .archive, "format", "Archive/ArchiveLog/Format/ArchiveLeaf.swift", suites: "ArchiveLeafTests|ArchiveObjectTests")
private let object = MutatedFile(
    .archive, "format", "Archive/ArchiveLog/Format/ArchiveObject.swift", suites: "ArchiveObjectTests")
private let note = MutatedFile(
    .archive, "signatures", "Platform/TransparencyLog/NoteVerifier.swift", suites: "NoteTests")
private let notes = MutatedFile(
    .archive, "signatures", "Platform/TransparencyLog/SignedNote.swift", suites: "NoteTests")
private let inclusion = MutatedFile(
    .archive, "proofs", "Platform/TransparencyLog/InclusionProof.swift", suites: "TreeTests")
private let consistency = MutatedFile(
    .archive, "proofs", "Platform/TransparencyLog/ConsistencyProof.swift", suites: "TreeTests")
private let hashing = MutatedFile(
    .archive, "proofs", "Platform/TransparencyLog/MerkleHasher.swift", suites: "TreeTests")
private let keys = MutatedFile(
    .archive, "erasure", "Archive/ArchiveKeys/KeyStore+DataKeys.swift", suites: "KeyStoreTests|ErasureTests")
private let erasure = MutatedFile(
    .archive, "erasure", "Archive/ArchiveKeys/KeyStore+Erasures.swift", suites: "ErasureTests|KeyStoreTests")
private let sharing = MutatedFile(
    .archive, "shared keys", "Archive/ArchiveKeys/KeyStore+Sharing.swift", suites: "SharingTests")
private let erasedKeys = MutatedFile(
    .operations, "erasure", "Services/Sluicectl/Archive/Proofs/ErasedKeys.swift", suites: "ArchiveProofTests")

enum ArchiveMutants {
    static let all =
        writing + loggingCheckpoints + storing + verifying + proving + erasing + sharingKeys + recordedActs

    private static let writing: [Mutant] = [
        writer.without("archive-durable-first", "try await store.synchronize()"),
        writer.without("archive-written-again", "mustRewrite = true", after: "try await store.synchronize()"),
        writer.mutant("archive-time-back", "max(time, committed.time)", "time"),
        writer.mutant("archive-other-writer", "error.code == .changed", "true"),
        writer.mutant("archive-attempted-bytes", "found.bytes == next.note.bytes", "true"),
        writer.without("archive-copy-first", "try await keepDueCopy()"),
        writer.mutant("archive-previous", "copy?.size ?? 0", "committed.size"),
        writer.mutant(
            "archive-head-signed", "next.checkpoint.note.bytes", after: "committed.publishedBytes, signed: ", "nil"),
        writer.without(
            "archive-same-note", "try await finishPending()", after: "guard !isSuperseded else"),
        tidying.mutant("archive-copy-hourly", "committed.time - copy.time < copyInterval", "false"),
        tidying.mutant("archive-copy-other", "kept == own", "true"),
        history.mutant("archive-begin-signed", "head.checkpoint.size > 0", "false"),
        history.mutant("archive-begin-anchored", "size > 0", after: "anchoredHead()?.checkpoint.size, ", "false"),
        history.mutant("archive-later-copy", "later > size", "false"),
        history.mutant("archive-older", "old.size <= checkpoint.size", "true"),
        history.mutant(
            "archive-anchored-key", "(try? note.verified(by: keys)) != nil", "true"),
        history.mutant("archive-redone-other", "committed.time <= published.time", "true"),
        leftovers.mutant(
            "archive-leftovers", "found.index > edge || found.index == edge && found.width > width", "false"),
        staging.without(
            "archive-staged-finished", "for object in commit.objects { try await place(object, in: store) }"),
        reading.mutant("archive-staged-read", "found.name == candidates.first ? width : TilePath.fullWidth", "0"),
        stores.mutant("archive-unlocked-names", "false", after: "package var hasLocks: Bool {", "true"),
        writer.mutant("archive-left-behind", "try await store.read(object.name)?.bytes == object.bytes", "true"),
        opening.mutant("archive-end-root", "frontier.root == checkpoint.root", "true"),
        opening.mutant("archive-end-entries", "openLeaves.map(MerkleHash.leaf) == hashes", "true"),
        opening.mutant(
            "archive-end-objects", "try ArchiveLeaf(bytes: leaf).describes(Array(openSegment[range]))", "true"),
        opening.mutant("archive-end-place", "leaf.position.topicPartition == names.partition", "true"),
        opening.mutant("archive-takeover", "max(time, committed.time + 1)", "max(time, committed.time)"),
        pruning.mutant("archive-retention-time", "last.archivedAtMilliseconds < inputs.cutoff", "true"),
        pruning.mutant("archive-retention-delay", "inputs.now - open.at >= Self.minimumDelay", "true"),
        pruning.mutant("archive-retention-retracted", "end < open.minimum", "false"),
        pruning.mutant("archive-retention-bound", "max(Self.leastSegments, kept / Self.greatestShare)", "kept"),
        pruning.without("archive-retention-announced", "try await announce(plan)"),
        retentionService.mutant("archive-retention-clock", "min(parts.clocks.wallMilliseconds(), newest)", "newest"),
        retentionService.mutant(
            "archive-retention-newest", "min(parts.clocks.wallMilliseconds(), newest)",
            "parts.clocks.wallMilliseconds()"),
        retentionService.mutant(
            "archive-retention-kinds", "parts.topics[$0.topic]?.kind.isPersonal == true", "true"),
        keptKeys.mutant("archive-retention-hold", "try status(of: mark).hold != nil", "false"),
        retentionService.mutant(
            "archive-retention-kept", #"try parts.keys.mayPrune(leaves, hasHolds: hasHolds)"#,
            "true"),
    ]

    private static let recordedActs: [Mutant] = [
        keyReference.mutant(
            "archive-key-masked",
            "isMasked ? ArchiveKeyId(bytes: try mask.applied(to: bytes, objectDigest: objectDigest)) : field",
            "field"),
        leaf.mutant("archive-key-version", "$0.isMasked == Self.masksKeys(of: position)", "true"),
        deletions.mutant("archive-deleted-age", "age >= retention", "true"),
        deletions.mutant(
            "archive-deleted-announced", "$0.announced ?? 0 >= end && $0.atMilliseconds <= latest", "true"),
        deletions.mutant("archive-deleted-kept", "$0 >= afterKept && covers(steps[$0])", "covers(steps[$0])"),
        deletions.mutant(
            "archive-deleted-postdated",
            "record.atMilliseconds <= latest.addingReportingOverflow(Self.clockTolerance).partialValue", "true"),
        pruning.mutant("archive-retention-released", "plan.isChange || !due.isEmpty", "plan.isChange"),
        policyFile.mutant("archive-policy-member", "used.insert(name).inserted", "true"),
        policyFile.mutant("archive-policy-quorum", "quorum == nil", "true"),
        policyFile.mutant("archive-policy-end", #"bytes.isEmpty || bytes.last == UInt8(ascii: "\n")"#, "true"),
        quorum.mutant("archive-policy-threshold", "group.members.count(where: isMet) >= group.threshold", "true"),
        reveal.mutant("archive-reveal-author", "author.contains(where: { !$0.isWhitespace })", "true"),
        reveals.without(
            "archive-reveal-published",
            "try await publishing.publish([record.produced(to: topic, nonce: nonce)], configuration, timeout)"),
        coverage.mutant(
            "archive-erasure-clock", "now.subtractingReportingOverflow(newest).partialValue > tolerance", "false"),
        coverage.mutant("archive-erasure-future", "given <= present", "true"),
    ]

    private static let loggingCheckpoints: [Mutant] = [
        witnesses.mutant("archive-quorum", "sizes.filter { $0.value >= size }.keys", "sizes.keys"),
        witnesses.mutant(
            "archive-quorum-indexes", "Set(cosigners.map { indexes[$0] })", "Set(0..<witnesses.count)"),
        witnesses.mutant("archive-cosigned", "witnesses[index].verify($0, of: note.text) != nil", "true"),
        witnesses.mutant(
            "archive-witness-twice", "witnesses[..<index].contains(where: { $0.publicKey == witness.publicKey })",
            "false"),
        comparison.mutant(
            "archive-from-root", "(options.verifiedBefore?.checkpoints(of: head.origin) ?? [])", "[AnchoredRoot]()"),
        comparison.mutant("archive-from-anchor", "$0.size < report.leavesBefore && $0.source.isElsewhere", "false"),
        checkpointLog.mutant(
            "archive-checkpoints-pending", "pending.version", after: "next.bytes, expected: ",
            "store.read(names.pending())?.version"),
        checkpointLog.mutant("archive-checkpoints-root", "frontier.root == root", "true"),
        checkpointLog.mutant(
            "archive-checkpoints-bytes", "try await store.read(name)?.bytes == bytes", "true"),
        checkpointLog.mutant("archive-checkpoints-later", "max(time, committed.time + 1)", "max(time, committed.time)"),
        logged.mutant("archive-checkpoints-anchored", "$0.index < anchored", "true"),
        logged.mutant("archive-checkpoints-leaf", "checkpoint.text.utf8.elementsEqual(entry)", "true"),
        logs.mutant("archive-checkpoints-gone", "Set(anchored.logs + before + logged.keys)", "Set(anchored.logs)"),
        comparison.mutant(
            "archive-checkpoints-compared", "(options.anchors?.checkpoints(of: head.origin) ?? []) + logged",
            "(options.anchors?.checkpoints(of: head.origin) ?? [])"),
    ]

    private static let storing: [Mutant] = [
        creating.without("archive-store-existing", "try noteExisting(name, in: folder)"),
        exchanging.without(
            "archive-store-exchanged", "try makeEntriesDurable(folder)",
            after: "which an earlier process may have written"),
        folders.without("archive-store-ancestors", "try synchronizeEntries(of: parent)"),
        durability.without("archive-store-folder-failed", "unsynchronized.failed(name, error)"),
        lock.without("archive-store-forgotten", "onRelease()"),
        locks.without("archive-store-former-lock", "try hold(former, path)"),
        root.without("archive-store-root", "if creating { try synchronizeParent(of: path, calls) }"),
    ]

    private static let verifying: [Mutant] = [
        verification.mutant("archive-tile-above", "first < tile.hashes.count", "false"),
        verification.mutant(
            "archive-past-root", "frontier.root(using: &hasher) != past.root", "false"),
        verification.mutant("archive-past-removed", "previous > found", "false"),
        comparison.mutant("archive-anchor-root", "frontier.root(using: &hasher) == anchor.root", "true"),
        comparison.mutant("archive-anchor-larger", "largest.size > head.size", "false"),
        comparison.mutant("archive-unanchored", "stated.allSatisfy({ $0.source == .checkpointLog })", "false"),
        comparison.mutant("archive-folder-left", "options.anchors?.size(of: origin) ?? 0", "0"),
        verification.mutant("archive-newest-copy", "error.code != .storage", "false"),
        verification.mutant("archive-root", "frontier.root(using: &hasher) == head.checkpoint.root", "true"),
        verification.mutant("archive-put-back", "$0 > head.checkpoint.size", "false"),
        verification.mutant("archive-no-checkpoint", "await isEmpty()", "true"),
        retention.mutant("archive-retention-bounds", "try await isWithinLog(retention.minimum)", "true"),
        bundle.mutant("archive-object", "leaf.describes(UnsafeRawBufferPointer(rebasing: $0[range]))", "true"),
        bundle.mutant("archive-pruned", "end <= minimum", "true"),
        bundle.mutant("archive-pruned-meanwhile", "((try? await retention.minimum()) ?? 0) >= end", "false"),
        bundle.mutant("archive-segment-rest", "objects.rest > 0", "false"),
        bundle.mutant("archive-copy-size", "found.checkpoint.size == size", "true"),
        bundle.mutant(
            "archive-leaf-place", "leaf.position.topicPartition == reader.names.partition", "true"),
        order.mutant("archive-order", "leaf.offset <= last.offset || leaf.offset < next ?? .min", "false"),
        order.mutant("archive-order-time", "leaf.archivedAt < last.archivedAt", "false"),
        order.mutant("archive-offsets-missing", "leaf.offset > next", "false"),
        partials.mutant("archive-past-tile", "same < path.width", "false"),
        strays.mutant("archive-partial-of-full", "same < path.width", "false"),
        strays.mutant("archive-partial-signed", "past.hasAny(in: first..<first + 1 << (8 * level))", "true"),
        logs.mutant("archive-log-gone", "!folders.contains($0.prefix.text)", "false"),
        logs.mutant(
            "archive-other-archive", "KeyName.areEqual(names.origin(archive: archive), origin)", "true"),
        logs.mutant("archive-anchored-all", "$0.anchoredSize != nil", "true"),
        anchors.mutant(
            "archive-anchor-signed", "(try? VerifiedCheckpoint(note, of: nil, verifiers: verifiers)) != nil", "true"),
        checkpoint.mutant("archive-all-signatures", "!signed.contains(true) || !signed.contains(false)", "true"),
    ]

    private static let proving: [Mutant] = [
        leaf.mutant("archive-digest", "SHA256.digest(of: object) == objectDigest", "true"),
        leaf.mutant("archive-leaf-rest", "reader.remaining == 0", "true"),
        object.mutant(
            "archive-object-place",
            [
                object.expression("position.bytes", after: "let authenticated = ", "[]"),
                object.expression("position.bytes", after: "                authenticated: ", "[]"),
            ]),
        object.mutant(
            "archive-object-commitment", "try object[start..<end].elementsEqual(key.commitment())", "true"),
        object.mutant("archive-object-digest", "leaf.describes(object)", "true"),
        note.mutant("archive-signature", "key.isSignature(signature.signature, of: Array(text.utf8))", "true"),
        note.mutant("archive-signature-number", "key.isSignature(signed.signature, of: message)", "true"),
        notes.mutant("archive-signature-none", "!verified.isEmpty", "true"),
        inclusion.mutant("archive-inclusion-root", "last == 0 && hash == root", "last == 0"),
        inclusion.mutant("archive-inclusion-length", "last == 0 && hash == root", "hash == root"),
        consistency.mutant("archive-consistency-old", "old == oldRoot && new == newRoot", "new == newRoot"),
        consistency.mutant("archive-consistency-new", "old == oldRoot && new == newRoot", "old == oldRoot"),
        hashing.mutant("archive-node-prefix", "node[0] = 1", "node[0] = 0"),
    ]

    private static let erasing: [Mutant] = [
        persons.mutant(
            "archive-erase-mentions", "try await mentions(of: purchases, access.index, reader)", "[]"),
        persons.mutant(
            "archive-erase-environment", "environment == nil || environment == self.environment", "true"),
        identifiers.mutant("archive-erase-signed-texts", "nesting < Self.maximumNesting", "false"),
        keys.mutant("archive-erased-again", "request.eventTimeMilliseconds <= erased", "false"),
        keys.mutant("archive-erased-later", "request.eventTimeMilliseconds <= erased", "true"),
        keys.mutant("archive-key-destroyed", "wrapping != Self.destroyedWrapping", "true"),
        erasure.without("archive-log-emptied", "if outcomes.contains(where: \\.destroysKeys) { try overwriteLog() }"),
        erasure.without("archive-cache-emptied", "cache.removeAll()"),
        erasure.mutant("archive-erasure-read-again", "before >= upTo", "false"),
        erasure.mutant("archive-foreign-marks", "record.marks != marksId", "false"),
        erasure.mutant("archive-hold-later", "hold.sinceMilliseconds <= at", "true"),
        erasure.mutant("archive-erasure-unnamed", "!record.keys.contains($0)", "false"),
        erasedKeys.mutant(
            "archive-destroyed-by-hand", "isDecided || !isComplete ? .incomplete : .tampered", ".incomplete"),
    ]

    private static let sharingKeys: [Mutant] = [
        keys.mutant("archive-key-unpublished", "mustBePublished && entry?.isPublished == false", "false"),
        sharing.mutant("archive-keys-order", "Set(named).isSuperset(of: known)", "true"),
        sharing.mutant("archive-keys-stale", "expected.map(\\.id) == record.keys.map(\\.id)", "true"),
        sharing.mutant("archive-keys-other-marks", "!isUsed", "true"),
        sharing.mutant("archive-keys-other-subject", "mark == bytes", "true"),
        sharing.mutant(
            "archive-keys-changed-meanwhile", "try sharedState(of: subject.subject) == subject", "true"),
    ]
}
