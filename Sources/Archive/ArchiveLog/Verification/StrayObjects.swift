internal import KafkaModel
internal import ObjectStorage
internal import TransparencyLog

/// Examines a log's objects that its newest checkpoint does not need.
///
/// These objects are listed but are not findings, because an interrupted writer leaves some behind. The exception is a
/// partial tile or bundle that a signed past checkpoint needs and that is not a prefix of the full one. A client of
/// that checkpoint reads the partial one first (c2sp.org/tlog-tiles).
struct StrayObjects {
    private static let pageSize = 1000
    private static let maximumNamed = 5

    let store: any ObjectStore
    let reader: LogReader
    let size: Int
    let past: PastSizes

    /// The number of objects that the checkpoint does not need.
    private(set) var count = 0
    /// The names of the first few objects that the checkpoint does not need.
    private(set) var names: [ObjectName] = []
    /// The number of leaves beyond the checkpoint that have objects.
    private(set) var leavesBeyond = 0
    /// Objects beyond the checkpoint, which may belong to a newer one.
    private var beyond = (count: 0, names: [ObjectName]())
    private(set) var findings: [Finding] = []

    init(_ store: any ObjectStore, reader: LogReader, size: Int, past: PastSizes) {
        self.store = store
        self.reader = reader
        self.size = size
        self.past = past
    }

    mutating func run() async {
        var last: ObjectName?
        do throws(ObjectStoreError) {
            while true {
                let page = try await store.list(reader.names.prefix, after: last, limit: Self.pageSize)
                for object in page { await look(at: object.name) }
                guard page.count == Self.pageSize, let name = page.last?.name else { break }
                last = name
            }
        } catch { findings.append(Finding(ArchiveError(error, reading: reader.names.prefix), log)) }
        await addBeyond()
    }

    private mutating func look(at name: ObjectName) async {
        switch reader.names.content(name) {
        // A staged object belongs to a commit in progress. If the writer is interrupted, the next writer finishes the
        // commit or deletes the object.
        case .checkpoint, .checkpointOfSize, .retention, .staged: return
        case .tile(let path): await look(at: path, name)
        case .segment(let index, let width):
            if isBeyond(index: index, width: width, of: size) {
                addBeyond(name, index: index, width: width)
            } else if width < TilePath.fullWidth, index != size >> 8 || width != size & 255 {
                add(name)
            }
        case nil:
            // Cosigned checkpoints are verified elsewhere if witness keys were given.
            if let folder = try? reader.names.cosigned(), name.isBelow(folder) { return }
            if reader.names.isCheckpointLog, let pending = try? reader.names.pending(), name == pending { return }
            add(name)
        }
    }

    private mutating func look(at path: TilePath, _ name: ObjectName) async {
        var level = 0
        if case .hashes(let given) = path.content { level = given }
        let hashes = level < 8 ? size >> (8 * level) : 0
        guard !isBeyond(index: path.index, width: path.width, of: hashes) else {
            addBeyond(name, index: path.index, width: path.width, level: level)
            return
        }
        // Partial tiles at the right edge are compared when the tree is verified.
        guard !path.isFull, path.index < hashes >> 8 else { return }
        add(name)
        let first = (path.index << 8 + path.width) << (8 * level)
        guard past.hasAny(in: first..<first + 1 << (8 * level)) else { return }
        await compare(path, name, level: level)
    }

    private func isBeyond(index: Int, width: Int, of count: Int) -> Bool {
        index > count >> 8 || index == count >> 8 && width > count & 255
    }

    private mutating func compare(_ path: TilePath, _ name: ObjectName, level: Int) async {
        // An unreadable full tile has already been reported, and a partial tile deleted in the meantime is not a
        // finding.
        guard let full = try? await reader.tile(level: level, index: path.index, size: size).hashes,
            full.count >= path.width, let bytes = try? await reader.bytes(name)
        else { return }
        var same = 0
        if path.content == .entries {
            var hasher = MerkleHasher()
            let hashes = (try? EntryBundle(bytes: bytes, count: path.width))?.leafHashes(&hasher) ?? []
            same = zip(hashes, full).prefix { $0 == $1 }.count
        } else if let tile = try? HashTile(path: path, bytes: bytes) {
            same = zip(tile.hashes, full).prefix { $0 == $1 }.count
        }
        guard same < path.width else { return }
        findings.append(
            Finding(
                .tampered, log, object: name, leaf: (path.index << 8 + same) << (8 * level),
                "a past checkpoint's tile does not match this tree"))
    }

    private mutating func addBeyond(_ name: ObjectName, index: Int, width: Int, level: Int = 0) {
        beyond.count += 1
        if beyond.names.count < Self.maximumNamed { beyond.names.append(name) }
        guard level == 0 else { return }
        // A name can contain any index, so the arithmetic must not trap.
        let end = index.multipliedReportingOverflow(by: TilePath.fullWidth).partialValue
            .addingReportingOverflow(width)
        leavesBeyond = max(leavesBeyond, end.overflow ? Int.max - size : end.partialValue - size)
    }

    private mutating func add(_ name: ObjectName) {
        count += 1
        if names.count < Self.maximumNamed { names.append(name) }
    }

    /// Adds the objects beyond the checkpoint, unless they belong to a checkpoint signed in the meantime.
    private mutating func addBeyond() async {
        guard beyond.count > 0 else { return }
        let newer = (try? await reader.presentSize()) ?? size
        let growth = max(0, newer - size)
        if growth > 0, growth >= leavesBeyond {
            leavesBeyond = 0
        } else {
            leavesBeyond -= min(growth, leavesBeyond)
            count += beyond.count
            names = Array((names + beyond.names).prefix(Self.maximumNamed))
        }
    }

    private var log: KafkaTopicPartition { reader.names.partition }
}
