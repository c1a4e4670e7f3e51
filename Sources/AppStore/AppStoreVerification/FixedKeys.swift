internal import Cryptography
internal import Primitives
internal import Synchronization

/// Precomputed tables for the keys that Apple currently signs with. They are computed off the request path and
/// monitored while in use. After the first fault, all tables are dropped until the process ends.
///
/// A table is computed only for a key that signed a verified notification for one of our apps, so untrusted clients
/// cannot choose the keys.
final class FixedKeys: Sendable {
    static let capacity = 4
    /// A table is not evicted within this many milliseconds of its last use. Computing a table costs as much as
    /// verifying 300 signatures.
    static let shortestUse: Int64 = 60_000

    /// The table for one key, with its counters.
    final class Table: Sendable {
        let publicKey: [UInt8]
        let multiples: P256FixedKeyTable
        /// The time of the last use, in milliseconds since 1970.
        let lastUse: Atomic<Int64>
        let accepted = Atomic<Int>(0)

        init(_ multiples: P256FixedKeyTable, of publicKey: [UInt8], at now: Int64) {
            self.publicKey = publicKey
            self.multiples = multiples
            lastUse = Atomic(now)
        }
    }

    /// The steps that create a table; tests replace them to inject faults.
    struct Making: Sendable {
        var make: @Sendable (P256PublicKey) throws(CryptographyError) -> P256FixedKeyTable = {
            (key) throws(CryptographyError) in try P256FixedKeyTable(key)
        }
        var passesTest: @Sendable (P256FixedKeyTable, SHA256Digest, [UInt8]) -> Bool = { table, digest, signature in
            table.passesSelfTest(digest: digest, rawSignature: signature)
        }
        /// Runs a closure on a dedicated thread, or returns false if no thread can be created.
        var run: @Sendable (@escaping @Sendable () -> Void) -> Bool = { OwnThread.start(name: "fixed-key", $0) == 0 }
    }

    private struct State {
        var tables: [Table] = []
        var isMaking = false
    }

    private let recheckedOneIn: Int
    private let making: Making
    private let report: @Sendable (FixedKeyEvent) -> Void
    private let state = Mutex(State())
    private let isOff = Atomic<Bool>(false)
    private let judged = Atomic<Int>(0)
    private let rechecked = Atomic<Int>(0)
    private let faults = Atomic<Int>(0)

    init(
        _ settings: FixedKeyTables, making: Making = Making(),
        report: @escaping @Sendable (FixedKeyEvent) -> Void = { _ in }
    ) {
        recheckedOneIn = max(1, settings.recheckedOneIn)
        self.making = making
        self.report = report
    }

    var status: FixedKeyStatus {
        FixedKeyStatus(
            tables: state.withLock { $0.tables.count }, judged: judged.load(ordering: .relaxed),
            rechecked: rechecked.load(ordering: .relaxed), faults: faults.load(ordering: .relaxed))
    }

    // MARK: Verification

    /// Returns the table for the path's key and records its use.
    /// - Parameter now: the current time, in milliseconds since 1970.
    func table(of path: ValidatedPath, at now: Int64) -> Table? {
        guard let table = state.withLock({ $0.tables.first { $0.publicKey == path.publicKey } }) else { return nil }
        table.lastUse.store(now, ordering: .relaxed)
        return table
    }

    /// Evaluates the signatures with the tables. Signatures with the same key share a modular inversion.
    func judge(_ objects: [OpenedObject]) {
        var left = objects
        while let table = left.lazy.compactMap(\.table).first {
            let together = left.filter { $0.table === table }
            left.removeAll { $0.table === table }
            let signatures = together.map { ($0.digest, $0.signature) }
            // There is no result if memory is exhausted. OpenSSL then verifies these signatures.
            guard let judgements = table.multiples.judgements(of: signatures) else { continue }
            judged.add(together.count, ordering: .relaxed)
            for (object, isGood) in zip(together, judgements) { object.isGoodByTable = isGood }
        }
    }

    /// Returns whether the table's result is final: the table accepted the signature, the signature is not due for a
    /// second verification, and tables are still in use. A rejection is never final.
    func isDecided(_ object: OpenedObject) -> Bool {
        guard object.isGoodByTable == true, let table = object.table, !isOff.load(ordering: .acquiring) else {
            return false
        }
        let isRechecked = table.accepted.add(1, ordering: .relaxed).oldValue % recheckedOneIn == 0
        if isRechecked { rechecked.add(1, ordering: .relaxed) }
        return !isRechecked
    }

    /// Compares OpenSSL's result with the table's, if there is one, and turns tables off if they disagree.
    func compare(_ object: OpenedObject, isGood: Bool) {
        guard let said = object.isGoodByTable, let table = object.table, said != isGood else { return }
        let disagreement = FixedKeyDisagreement(
            digest: object.digest.bytes, signature: object.signature, publicKey: table.publicKey, isGoodByTable: said)
        fail(.disagreement(disagreement))
    }

    /// Turns tables off for all threads.
    private func turnOff() {
        isOff.store(true, ordering: .releasing)
        state.withLock { $0 = State() }
    }

    private func fail(_ event: FixedKeyEvent) {
        turnOff()
        faults.add(1, ordering: .relaxed)
        report(event)
    }

    // MARK: Computation of tables

    /// Starts computing a table in the background for the key of a verified object. Does nothing if tables are turned
    /// off, the key already has a table, another table is being computed, or all tables are in use.
    /// - Parameter now: the current time, in milliseconds since 1970.
    func makeTable(for object: SignedObject, at now: Int64) {
        guard object.table == nil, !isOff.load(ordering: .acquiring) else { return }
        let path = object.header.path
        let isWanted = state.withLock { state -> Bool in
            guard !state.isMaking, !state.tables.contains(where: { $0.publicKey == path.publicKey }) else {
                return false
            }
            if state.tables.count >= Self.capacity, let oldest = Self.leastRecentlyUsed(state.tables) {
                let (unused, overflow) = now.subtractingReportingOverflow(
                    state.tables[oldest].lastUse.load(ordering: .relaxed))
                guard !overflow, unused >= Self.shortestUse else { return false }
            }
            state.isMaking = true
            return true
        }
        guard isWanted else { return }
        let (digest, signature) = (object.digest, object.signature)
        let isStarted = making.run { [self] in make(path, digest, signature, at: now) }
        if !isStarted { state.withLock { $0.isMaking = false } }
    }

    private func make(_ path: ValidatedPath, _ digest: SHA256Digest, _ signature: [UInt8], at now: Int64) {
        let multiples: P256FixedKeyTable
        do {
            multiples = try making.make(path.key)
        } catch {
            turnOff()
            return report(.unavailable(error.message))
        }
        guard making.passesTest(multiples, digest, signature) else {
            return fail(.testFailed(publicKey: path.publicKey))
        }
        let table = Table(multiples, of: path.publicKey, at: now)
        let isInUse = state.withLock { state -> Bool in
            state.isMaking = false
            guard !isOff.load(ordering: .acquiring) else { return false }
            if state.tables.count >= Self.capacity, let oldest = Self.leastRecentlyUsed(state.tables) {
                state.tables.remove(at: oldest)
            }
            state.tables.append(table)
            return true
        }
        if isInUse { report(.ready(publicKey: path.publicKey)) }
    }

    private static func leastRecentlyUsed(_ tables: [Table]) -> Int? {
        tables.indices.min {
            tables[$0].lastUse.load(ordering: .relaxed) < tables[$1].lastUse.load(ordering: .relaxed)
        }
    }
}
