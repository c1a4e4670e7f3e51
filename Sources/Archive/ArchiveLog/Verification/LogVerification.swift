internal import KafkaModel
internal import ObjectStorage
internal import TransparencyLog

/// Verifies one log from its files alone. It compares every entry with its tile, every tile with the tile above it, and
/// every object with its leaf. It also compares the roots of the newest and of all past checkpoints with the tree, and
/// checks the order of the leaves.
///
/// Objects beyond the checkpoint are the writer's unfinished work, or a sign that the log was rolled back; they are
/// counted but are not findings. Partial tiles and bundles that only a signed past checkpoint needs are findings if
/// they differ from the full ones (``StrayObjects``). Memory use does not grow with the log, except for eight bytes per
/// past checkpoint.
struct LogVerification {
    /// The maximum number of checkpoint copies to try if the checkpoint itself is unusable. The newest are tried first.
    private static let maximumCopiesTried = 16

    let store: any ObjectStore
    let options: VerificationOptions
    let archives: [String]
    let logged: [AnchoredRoot]
    /// Whether the archive has a checkpoint log. Witnesses cosign that log on behalf of all logs.
    let isCovered: Bool
    let reader: LogReader
    let names: LogNames
    var report: LogReport
    var frontier = MerkleFrontier()
    private var order: LeafOrder
    /// The roots that the tree must have at given sizes, in ascending order of size.
    var anchors: [AnchoredRoot] = []
    /// The newest checkpoints cosigned by the policy's witnesses.
    var cosigned: [AnchoredRoot] = []
    /// The largest external checkpoint that covers only skipped leaves.
    var skippedAnchor: AnchoredRoot?
    /// The sizes of the checkpoint copies.
    private var past = PastSizes([])
    /// The findings about past checkpoints whose roots differ from the tree's.
    private var contradicted: [Finding] = []
    private var lastTime: Int?

    /// - Parameters:
    ///   - archives: possible origins of the archive, for a log that has no checkpoint to name its origin.
    ///   - logged: the log's roots according to the checkpoint log.
    init(
        _ store: any ObjectStore, names: LogNames, options: VerificationOptions, archives: [String] = [],
        logged: [AnchoredRoot] = [], isCovered: Bool = false
    ) {
        self.store = store
        self.options = options
        self.archives = archives
        self.logged = logged
        self.isCovered = isCovered
        self.names = names
        reader = LogReader(store, names: names, verifiers: options.verifiers)
        report = LogReport(log: names)
        order = LeafOrder(log: names.partition)
    }

    /// Reads and verifies the whole log.
    @concurrent consuming func run() async -> LogReport {
        var verification = self
        await verification.verify()
        return verification.report
    }

    private mutating func verify() async {
        guard var head = await newest() else { return addGone() }
        await skipVerified(head.checkpoint)
        let (past, later) = await pastSizes(head)
        // If a copy of a later checkpoint exists, the checkpoint itself was replaced by an earlier one, and the tree
        // belongs to the later one.
        if let later { head = later }
        report.checkpoint = head
        let size = head.checkpoint.size
        self.past = PastSizes(past)
        await takeCosigned(head.checkpoint)
        takeAnchors(head.checkpoint)
        let retention = RetentionReading(reader: reader, origin: head.checkpoint.origin, size: size)
        await readTree(size: size, retention)
        guard frontier.size == size else { return }
        await judge(head)
        await compareSkippedAnchor(head.checkpoint)
        judgeCosigned()
        if report.leavesBefore == 0 { await lookAtStrays(size) }
    }

    // MARK: State before the tree is read

    /// Returns the checkpoint or, if it is unusable, the newest copy of one, so that the rest of the log can still be
    /// verified. Returns nil for an empty log, if there is neither checkpoint nor copy, or if the storage cannot be
    /// read.
    private mutating func newest() async -> VerifiedCheckpoint? {
        do throws(ArchiveError) {
            if let found = try await reader.checkpoint() { return found }
            // A writer signs a checkpoint of the empty log before it writes any other object. If there are objects, the
            // checkpoint was removed.
            if await isEmpty() { return nil }
            add(Finding(.tampered, log, object: try? names.checkpoint(), "the checkpoint is missing"))
        } catch {
            add(Finding(error, log))
            guard error.code != .storage else { return nil }
        }
        return await newestCopy()
    }

    private func newestCopy() async -> VerifiedCheckpoint? {
        guard let sizes = try? await copies() else { return nil }
        for size in sizes.sorted(by: >).prefix(Self.maximumCopiesTried) {
            if let copy = try? await reader.checkpoint(size: size), copy.checkpoint.size == size { return copy }
        }
        return nil
    }

    /// Returns whether a writer has signed the checkpoint again and stored a copy since it was read.
    private func isSignedAgain(at time: Int) async -> Bool {
        guard let newest = try? await reader.checkpoint() else { return false }
        return newest.time.map { $0 >= time } ?? false
    }

    /// Returns whether the log has no objects, apart from the checkpoint log's `pending`. In that case, its writer
    /// ended or lost power before the first checkpoint.
    private func isEmpty() async -> Bool {
        guard let listed = try? await store.list(names.prefix, after: nil, limit: 2) else { return false }
        guard names.isCheckpointLog, let pending = try? names.pending() else { return listed.isEmpty }
        return listed.allSatisfy { $0.name == pending }
    }

    /// Returns the sizes of the copies in `checkpoints/`, in ascending order, and the newest copy if it is later than
    /// the checkpoint.
    private mutating func pastSizes(_ head: VerifiedCheckpoint) async -> ([Int], VerifiedCheckpoint?) {
        var sizes: [Int] = []
        var later: Int?
        do throws(ObjectStoreError) {
            sizes = try await copies()
            later = sizes.max().flatMap { $0 > head.checkpoint.size ? $0 : nil }
        } catch { add(Finding(ArchiveError(error, reading: try? names.checkpoints()), log)) }
        var last: VerifiedCheckpoint?
        if let later { last = await judge(later: later, head) }
        let size = last?.checkpoint.size ?? head.checkpoint.size
        return (sizes.filter { $0 <= size }.sorted(), last)
    }

    /// Evaluates a copy that is later than the checkpoint. Returns nil if the writer has made progress in the meantime.
    /// Otherwise, an earlier checkpoint was restored: adds a finding, and returns the copy or, if it is unusable, nil.
    private mutating func judge(later size: Int, _ head: VerifiedCheckpoint) async -> VerifiedCheckpoint? {
        if let newer = try? await reader.checkpoint(), newer.checkpoint.size >= size { return nil }
        let name = try? names.checkpoint(size: size)
        do throws(ArchiveError) {
            let found = try await reader.checkpoint(size: size)
            guard let found, found.checkpoint.size == size else {
                throw ArchiveError(.corruptObject, "the checkpoint does not have \(size) leaves", object: name)
            }
            add(
                Finding(
                    .rolledBack, log, object: try? names.checkpoint(), leaf: head.checkpoint.size,
                    "a checkpoint with \(size) leaves was signed, but the newest one has \(head.checkpoint.size)"))
            return found
        } catch {
            add(Finding(error, log))
            return nil
        }
    }

    /// Returns the sizes of all checkpoint copies beyond the previously verified leaves, in no particular order.
    private func copies() async throws(ObjectStoreError) -> [Int] {
        var sizes: [Int] = []
        var last = report.leavesBefore > 0 ? try names.checkpoint(size: report.leavesBefore) : nil
        while true {
            let page = try await store.list(names.checkpoints(), after: last, limit: 1000)
            for object in page {
                guard case .checkpointOfSize(let size) = names.content(object.name) else { continue }
                sizes.append(size)
            }
            guard page.count == 1000, let name = page.last?.name else { return sizes }
            last = name
        }
    }

    // MARK: The tree

    /// Reads and hashes bundles concurrently, and processes the results in log order.
    private mutating func readTree(size: Int, _ retention: RetentionReading) async {
        var minimum = 0
        do throws(ArchiveError) { minimum = try await retention.minimum() } catch { add(Finding(error, log)) }
        let reading = BundleReading(
            reader: reader, origin: report.checkpoint?.checkpoint.origin, size: size, minimum: minimum,
            retention: retention, options: options)
        let count = TilePath.bundleCount(size: size)
        let first = report.leavesBefore / TilePath.fullWidth
        var hasher = MerkleHasher()
        takeRoots(&hasher)
        await withTaskGroup(of: BundleCheck.self) { group in
            var ready: [Int: BundleCheck] = [:]
            var (started, taken) = (first, first)
            while taken < count {
                while started < count, started - taken < max(1, options.window) {
                    let index = started
                    let ending = past.within(bundle: index)
                    group.addTask { await reading.check(index, checkpoints: ending) }
                    started += 1
                }
                guard let check = await group.next() else { return }
                ready[check.index] = check
                while let next = ready.removeValue(forKey: taken) {
                    guard await take(next, size: size, &hasher) else {
                        group.cancelAll()
                        return
                    }
                    taken += 1
                }
            }
        }
    }

    /// Adds a bundle to the tree. Returns false if the tree cannot be extended any further.
    private mutating func take(_ check: BundleCheck, size: Int, _ hasher: inout MerkleHasher) async -> Bool {
        let isInterrupted = check.hashes == nil || check.hashes != check.tile
        guard let hashes = await decide(check, size: size, &hasher) else { return false }
        check.findings.forEach { add($0) }
        var past = check.checkpoints[...]
        for hash in hashes {
            frontier.append(hash, using: &hasher)
            takeRoots(&hasher)
            if let checkpoint = past.first, checkpoint.size == frontier.size {
                compare(checkpoint, &hasher)
                past = past.dropFirst()
            }
        }
        for tile in frontier.takeFinishedTiles() where !tile.path.isLevelZero { await compare(tile, size: size) }
        if isInterrupted {
            order.interrupt()
        } else {
            for leaf in check.logged { report.logged.add(leaf) }
        }
        for leaf in check.leaves { order.findings(leaf).forEach { add($0) } }
        report.add(check)
        report.emptyRanges = order.emptyRanges
        options.progress?(names, frontier.size, size)
        return true
    }

    /// Returns the hashes with which to extend the tree, or nil if neither the entries nor the tile can be read. If
    /// entries and tile disagree, the tile above determines which is wrong, and a finding is added.
    private mutating func decide(
        _ check: BundleCheck, size: Int, _ hasher: inout MerkleHasher
    ) async -> [MerkleHash]? {
        let path = TilePath.hashes(
            level: 0, index: check.index, width: min(TilePath.fullWidth, size - check.firstLeaf))
        switch (check.hashes, check.tile) {
        case (let hashes?, let tile?) where hashes == tile:
            return hashes
        case (let hashes?, let tile?):
            let isTileWrong = await fits(hashes, check, size: size, &hasher)
            let first = zip(hashes, tile).prefix { $0 == $1 }.count
            if isTileWrong {
                add(
                    Finding(
                        .tampered, log, object: try? names.tile(path), leaf: check.firstLeaf + first,
                        "the tile does not contain the hash of the entry"))
            } else {
                add(
                    Finding(
                        .tampered, log, object: try? names.tile(.entries(index: check.index, width: path.width)),
                        leaf: check.firstLeaf + first, "the entry does not match its hash in the tree"))
            }
            return isTileWrong ? hashes : tile
        case (let hashes?, nil):
            if let problem = check.tileProblem { add(Finding(problem, log, leaf: check.firstLeaf)) }
            return hashes
        case (nil, let tile?):
            if let problem = check.entriesProblem { add(Finding(problem, log, leaf: check.firstLeaf)) }
            return tile
        case (nil, nil):
            for problem in [check.entriesProblem, check.tileProblem].compactMap(\.self) {
                add(Finding(problem, log, leaf: check.firstLeaf))
            }
            return nil
        }
    }

    /// Returns whether a bundle with these hashes is consistent with the rest of the tree.
    private func fits(
        _ hashes: [MerkleHash], _ check: BundleCheck, size: Int, _ hasher: inout MerkleHasher
    ) async -> Bool {
        var trial = frontier
        for hash in hashes { trial.append(hash, using: &hasher) }
        if hashes.count == TilePath.fullWidth,
            let above = try? await reader.tile(
                level: 1, index: check.index / TilePath.fullWidth, size: size)
        {
            var alone = MerkleFrontier(givesTiles: false)
            for hash in hashes { alone.append(hash, using: &hasher) }
            let position = check.index % TilePath.fullWidth
            return position < above.hashes.count && above.hashes[position] == alone.root(using: &hasher)
        }
        return trial.size == size && trial.root(using: &hasher) == report.checkpoint?.checkpoint.root
    }

    private mutating func compare(_ tile: HashTile, size: Int) async {
        guard case .hashes(let level) = tile.path.content else { return }
        do throws(ArchiveError) {
            let found = try await reader.tile(level: level, index: tile.path.index, size: size).hashes
            let first = zip(found, tile.hashes).prefix { $0 == $1 }.count
            guard first < tile.hashes.count else { return }
            add(
                Finding(
                    .tampered, log, object: try? names.tile(tile.path),
                    leaf: (tile.path.index << 8 + first) << (8 * level),
                    "the tile does not contain the hashes of the tiles below"))
        } catch { add(Finding(error, log)) }
    }

    // MARK: Roots

    private mutating func compare(_ past: PastCheckpoint, _ hasher: inout MerkleHasher) {
        let name = try? names.checkpoint(size: past.size)
        if frontier.root(using: &hasher) != past.root {
            contradicted.append(
                Finding(
                    .tampered, log, object: name, leaf: past.size - 1,
                    "the first \(past.size) leaves do not match the root of this checkpoint"))
            return
        }
        report.checkpoints += 1
        judge(previous: past.previousSize, of: past.size, object: name)
        if let time = past.time {
            if let lastTime, time < lastTime {
                add(Finding(.tampered, log, object: name, "the checkpoint was signed before one with fewer leaves"))
            }
            lastTime = max(lastTime ?? time, time)
        }
    }

    /// Compares a checkpoint's previous size with the copies. Each checkpoint is copied before the next one is signed.
    private mutating func judge(previous: Int?, of size: Int, object: ObjectName?) {
        let found = past.last(before: size)
        // If an earlier run verified the previous checkpoint's copy, `past` does not contain it.
        if let previous, previous <= report.leavesBefore, found <= report.leavesBefore { return }
        guard let previous else {
            return add(
                Finding(
                    .tampered, log, object: object,
                    "the checkpoint's signatures do not cover the previous checkpoint's size"))
        }
        if previous > found {
            add(
                Finding(
                    .tampered, log, object: try? names.checkpoint(size: previous), leaf: previous - 1,
                    "the copy of this checkpoint is missing, although the checkpoint with \(size) leaves was signed after it"
                ))
        } else if previous < found {
            add(
                Finding(
                    .forked, log, object: try? names.checkpoint(size: found), leaf: found - 1,
                    "the checkpoint with \(size) leaves names the one with \(previous) as its predecessor, not this one"
                ))
        }
    }

    private mutating func judge(_ head: VerifiedCheckpoint) async {
        var hasher = MerkleHasher()
        let isHead = frontier.root(using: &hasher) == head.checkpoint.root
        for finding in contradicted {
            // If the tree matches its newest signed checkpoint, the log has signed two different trees: this one and
            // the tree of the contradicted checkpoint.
            let isSigned = isHead && head.isSigned
            add(
                Finding(
                    isSigned ? .forked : .tampered, log, object: finding.object, leaf: finding.leaf, finding.message))
        }
        if !isHead {
            add(
                Finding(
                    .tampered, log, object: try? names.checkpoint(),
                    "the \(head.checkpoint.size) leaves do not match the root of the checkpoint"))
        }
        let size = head.checkpoint.size
        // If a copy of the newest checkpoint exists, it has already been evaluated.
        if past.last(before: size + 1) != size {
            judge(previous: head.previousSize, of: size, object: try? names.checkpoint())
        }
        if let time = head.time, let lastTime, time < lastTime, await !isSignedAgain(at: lastTime) {
            add(
                Finding(
                    .rolledBack, log, object: try? names.checkpoint(),
                    "the checkpoint was signed before another one with the same number of leaves or fewer"))
        }
        for tile in frontier.partialTiles() where !tile.path.isLevelZero {
            await compare(tile, size: head.checkpoint.size)
        }
        let partials = EarlierPartials(reader: reader, frontier: frontier)
        for finding in await partials.findings(sizes: past.sizes) { add(finding) }
    }

    private mutating func lookAtStrays(_ size: Int) async {
        var strays = StrayObjects(store, reader: reader, size: size, past: past)
        await strays.run()
        for finding in strays.findings { add(finding) }
        report.leavesBeyond = strays.leavesBeyond
        report.strayObjects = strays.count
        report.strayNames = strays.names
    }

    var log: KafkaTopicPartition { names.partition }

    mutating func add(_ finding: Finding) { report.add(finding, limit: options.maximumFindings) }
}

extension TilePath {
    var isLevelZero: Bool { content == .hashes(level: 0) }
}

extension LogReport {
    mutating func add(_ check: BundleCheck) {
        leaves += check.hashes?.count ?? 0
        objects += check.objects
        objectBytes += check.objectBytes
        prunedObjects += check.prunedObjects
        if let segment = check.deletedSegment { deletedSegments.append(segment) }
        erasedOnArrival += check.erasedOnArrival
        outcomes.merge(check.outcomes, uniquingKeysWith: +)
    }
}
