internal import ObjectStorage
internal import TransparencyLog

/// Compares a log with earlier signatures before its writer signs anything.
struct LogOpening: Sendable {
    let store: any ObjectStore
    let names: LogNames
    let signer: CheckpointSigner
    let knowledge: LogKnowledge
    private let origin: String
    /// The newest checkpoint that is known to be published, and a newer one that this host signed.
    private let published: SignedHead?
    private let signed: SignedHead?

    init(_ store: any ObjectStore, _ names: LogNames, _ signer: CheckpointSigner, _ knowledge: LogKnowledge) throws {
        self.store = store
        self.names = names
        self.signer = signer
        self.knowledge = knowledge
        let origin = names.origin(archive: signer.archive)
        self.origin = origin
        let notes: SignedHeadNotes
        do {
            notes = try knowledge.heads?.notes(of: origin) ?? SignedHeadNotes()
        } catch { throw ArchiveError(.keyStore, "failed to read the signed checkpoints of \(names.prefix): \(error)") }
        published = try notes.published.map { try SignedHead($0, origin: origin, signer: signer) }
        signed = try notes.signed.map { try SignedHead($0, origin: origin, signer: signer) }
    }

    /// Checks that the log may be created: the store contains none of its objects, and there is no evidence of an
    /// earlier log.
    func checkBeginning() async throws {
        if let object = try await store.list(names.prefix, after: nil, limit: 1).first {
            throw ArchiveError.checkpointMissing(names, object.name)
        }
        guard !knowledge.mayBegin else { return }
        for head in [signed, published].compactMap(\.self) where head.checkpoint.size > 0 {
            throw ArchiveError.beginRefused(
                names, "this host has already signed a checkpoint of this log with \(head.checkpoint.size) leaves")
        }
        if let size = try await anchoredHead()?.checkpoint.size, size > 0 {
            throw ArchiveError.beginRefused(
                names, "an anchor already holds a checkpoint of this log with \(size) leaves")
        }
        if let evidence = try await knowledge.evidence() { throw ArchiveError.beginRefused(names, evidence) }
    }

    /// Returns the stored checkpoint, or its successor if an earlier process on this host signed one.
    func newest(
        _ found: StoredObject, _ staged: [(name: ObjectName, staged: StagedName)]
    ) async throws -> CommittedCheckpoint {
        let committed = try verified(found)
        let checkpoint = try Checkpoint(text: committed.note.text)
        try await checkCopies(after: checkpoint.size)
        // If another host has since signed the stored checkpoint again, this host's newer checkpoint was not published
        // and never will be.
        guard let signed, let published, signed.checkpoint.size > committed.size,
            published.checkpoint == checkpoint, committed.time <= published.time
        else { return committed }
        if committed.note == published.note, try await isWhole(signed.checkpoint, staged) {
            let version = try await store.replace(names.checkpoint(), signed.note.bytes, expected: found.version)
            return try verified(StoredObject(bytes: signed.note.bytes, version: version))
        }
        guard knowledge.mayBegin else {
            throw ArchiveError.rolledBack(names, has: committed.size, signed: signed.checkpoint.size, by: "this host")
        }
        return committed
    }

    /// Checks that the log is consistent with this host's checkpoints and the anchored checkpoints.
    func checkHistory(of checkpoint: Checkpoint, _ note: SignedNote) async throws {
        guard !knowledge.mayBegin else { return }
        if let published { try await check(published, "this host", continuedBy: checkpoint, note) }
        if let anchored = try await anchoredHead() {
            try await check(anchored, "an anchor", continuedBy: checkpoint, note)
        }
    }

    private func check(
        _ head: SignedHead, _ place: String, continuedBy checkpoint: Checkpoint, _ note: SignedNote
    ) async throws {
        let old = head.checkpoint
        guard head.note != note, old.size > 0 else { return }
        guard old.size <= checkpoint.size else {
            throw ArchiveError.rolledBack(names, has: checkpoint.size, signed: old.size, by: place)
        }
        let reader = LogReader(store, names: names, verifiers: nil)
        let tiles = LogTiles(reader: reader, size: checkpoint.size)
        let proof = try await ConsistencyProof.make(old: old.size, new: checkpoint.size, from: tiles)
        guard
            proof.proves(
                oldSize: old.size, oldRoot: old.root, newSize: checkpoint.size, newRoot: checkpoint.root)
        else { throw ArchiveError.forked(names, signed: old.size, by: place) }
    }

    /// Returns the log's largest anchored checkpoint that was signed with the archive's own keys.
    private func anchoredHead() async throws -> SignedHead? {
        let notes = try await knowledge.anchored(origin, published != nil)
        let keys = try signer.verifiers().keys(of: origin)
        let heads = notes.compactMap { note -> SignedHead? in
            guard (try? note.verified(by: keys)) != nil else { return nil }
            return try? SignedHead(note, origin: origin, signer: signer)
        }
        return heads.max { $0.checkpoint.size < $1.checkpoint.size }
    }

    /// Checks that no copy of a later checkpoint exists.
    private func checkCopies(after size: Int) async throws {
        var last: ObjectName? = size > 0 ? try names.checkpoint(size: size) : nil
        while true {
            let page = try await store.list(names.checkpoints(), after: last, limit: 1000)
            for object in page {
                guard case .checkpointOfSize(let later) = names.content(object.name), later > size else { continue }
                throw ArchiveError.laterCopy(names, has: size, copy: object.name)
            }
            guard page.count == 1000, let name = page.last?.name else { return }
            last = name
        }
    }

    /// Returns whether the store has all objects of a checkpoint that this host signed. The objects were durable before
    /// the checkpoint was signed, so a missing object means that an earlier state of the store was restored.
    private func isWhole(
        _ checkpoint: Checkpoint, _ staged: [(name: ObjectName, staged: StagedName)]
    ) async throws -> Bool {
        guard store.hasLocks else { return staged.contains { $0.staged.isOf(checkpoint) } }
        var tiles: [HashTile] = []
        for path in TilePath.partialTiles(ofSize: checkpoint.size) {
            guard let found = try await store.read(names.tile(path)),
                let tile = try? HashTile(path: path, bytes: found.bytes)
            else { return false }
            tiles.append(tile)
        }
        return try MerkleFrontier(size: checkpoint.size, tiles: tiles).root == checkpoint.root
    }

    private func verified(_ found: StoredObject) throws -> CommittedCheckpoint {
        let note = try SignedNote(bytes: found.bytes)
        let checkpoint = try Checkpoint(text: note.text)
        guard checkpoint.origin == origin else {
            throw ArchiveError.damaged(
                names, "its checkpoint has the origin \(checkpoint.origin); archive.origin requires \(origin)")
        }
        let signatures = try note.verified(by: signer.verifiers().allKeys(of: origin))
        return CommittedCheckpoint(
            size: checkpoint.size, previous: signatures.compactMap(\.previousSize).max() ?? 0,
            time: signatures.compactMap(\.time).max() ?? 0, version: found.version, note: note)
    }
}
