import AppStoreModel
import AppStoreSigning
import AppStoreTestSupport
import Cryptography
import Synchronization
import TestSupport
import Testing

@testable import AppStoreVerification

/// Keys that get precomputed tables, and the verification of their signatures.
@Suite struct FixedKeysTests {
    private let now = SigningKit.now

    /// Returns a body signed under this leaf.
    private func body(_ kit: SigningKit, _ leaf: SigningKit.Holder) throws -> [UInt8] {
        SigningKit.body(try kit.jws(leaf: leaf))
    }

    @Test func `the key of an accepted notification gets a table, which verifies later notifications`() throws {
        let kit = try SigningKit.shared()
        let tabled = try TabledVerifier(kit)
        #expect(tabled.verify(try kit.body()) == .accepted)
        let key = try #require(P256PublicKey(certificate: kit.pki.leaf))
        #expect(tabled.events == [.ready(publicKey: key.uncompressedPoint)])
        #expect(tabled.status == FixedKeyStatus(tables: 1, judged: 0, rechecked: 0, faults: 0))
        #expect(tabled.verify(try kit.body()) == .accepted)
        #expect(tabled.status == FixedKeyStatus(tables: 1, judged: 3, rechecked: 1, faults: 0))
        #expect(tabled.verify(try kit.body(.test)) == .accepted)
        #expect(tabled.status == FixedKeyStatus(tables: 1, judged: 4, rechecked: 1, faults: 0))
        #expect(tabled.events.count == 1)
    }

    @Test func `a verified notification has the same bytes with a table as without`() throws {
        let kit = try SigningKit.shared()
        let tabled = try TabledVerifier.sharing(kit)
        let plain = try kit.verifier()
        for _ in 0..<2 {
            let body = try kit.body()
            guard case .accepted(let one) = tabled.verifier.verify(body: body, at: now),
                case .accepted(let other) = plain.verify(body: body, at: now)
            else {
                Issue.record("not accepted")
                return
            }
            #expect(one.signedText == other.signedText)
            #expect(one.notification == other.notification)
            #expect(one.transaction == other.transaction)
            #expect(one.renewalInfo == other.renewalInfo)
            #expect(one.certificates == other.certificates)
        }
    }

    @Test(arguments: [1, 4, 7, 256])
    func `the first signature of a key and every nth one are verified again`(_ recheckedOneIn: Int) throws {
        let kit = try SigningKit.shared()
        let tabled = try TabledVerifier(kit, recheckedOneIn: recheckedOneIn)
        for round in 0..<10 {
            #expect(tabled.verify(try kit.body()) == .accepted)
            #expect(tabled.status.judged == 3 * round)
            #expect(tabled.status.rechecked == (3 * round + recheckedOneIn - 1) / recheckedOneIn)
        }
    }

    @Test func `only the outer signature of a stored notification is checked by the table`() throws {
        let kit = try SigningKit.shared()
        let tabled = try TabledVerifier.sharing(kit)
        let body = try kit.body()
        #expect(tabled.verify(body) == .accepted)
        let verdict = tabled.verifier.verify(body: body, at: now) { _, _ in true }
        #expect(ExpectedVerdict(verdict) == .duplicate)
        #expect(tabled.status.judged == 1)
    }

    @Test func `only the outer signature of a forged notification is checked by the table`() throws {
        let kit = try SigningKit.shared()
        let tabled = try TabledVerifier.sharing(kit)
        #expect(tabled.verify(try kit.body()) == .accepted)
        let forged = SigningKit.body(try kit.jws(chain: kit.pki.chain, key: .generate(.p256)))
        #expect(tabled.verify(forged) == .forbidden(.signature))
        #expect(tabled.status.judged == 1)
    }

    @Test func `an acknowledged UUID without Apple's signature is not a duplicate`() throws {
        let kit = try SigningKit.shared()
        let tabled = try TabledVerifier.sharing(kit)
        #expect(tabled.verify(try kit.body()) == .accepted)
        let forged = SigningKit.body(try kit.jws(chain: kit.pki.chain, key: .generate(.p256)))
        let verdict = tabled.verifier.verify(body: forged, at: now) { _, _ in true }
        #expect(ExpectedVerdict(verdict) == .forbidden(.signature))
        #expect(tabled.status.faults == 0)
    }

    @Test func `notifications of one batch get the same verdicts as individually`() throws {
        let kit = try SigningKit.shared()
        let (tabled, alone) = (try TabledVerifier.sharing(kit), try TabledVerifier.sharing(kit))
        let stored = try kit.body()
        var storedId: NotificationUUID?
        for verifier in [tabled.verifier, alone.verifier] {
            guard case .accepted(let notification) = verifier.verify(body: stored, at: now) else { continue }
            storedId = notification.envelope.notificationUUID.value
        }
        let forged = SigningKit.body(try kit.jws(chain: kit.pki.chain, key: .generate(.p256)))
        let payload = try NotificationDraft().payload { try kit.sign($0, key: .generate(.p256)) }
        let bodies = [
            try kit.body(), forged, Array("{".utf8), Array(#"{"notification_type":"CANCEL"}"#.utf8), stored,
            SigningKit.body(try kit.sign(payload)), try kit.body(.test), try body(kit, kit.leaf()), try kit.body(),
        ]
        func isStored(_ id: NotificationUUID, _ environment: AppStoreEnvironment) -> Bool { id == storedId }
        let verdicts = tabled.verifier.verify(bodies: bodies, at: now, isAcknowledged: isStored)
            .map { ExpectedVerdict($0) }
        #expect(
            verdicts
                == bodies.map { ExpectedVerdict(alone.verifier.verify(body: $0, at: now, isAcknowledged: isStored)) })
        #expect(Set(verdicts.map { "\($0)" }).count >= 4)
        #expect(tabled.status.judged == alone.status.judged)
        #expect(tabled.status.faults == 0)
        #expect(tabled.verifier.verify(bodies: [], at: now).isEmpty)
    }

    @Test func `each notification of a batch contains its own bytes`() throws {
        let kit = try SigningKit.shared()
        let tabled = try TabledVerifier.sharing(kit)
        #expect(tabled.verify(try kit.body()) == .accepted)
        let bodies = try (0..<12).map { _ in try kit.body() }
        let verdicts = tabled.verifier.verify(bodies: bodies, at: now)
        for (body, verdict) in zip(bodies, verdicts) {
            guard case .accepted(let together) = verdict,
                case .accepted(let alone) = tabled.verifier.verify(body: body, at: now)
            else {
                Issue.record("not accepted")
                return
            }
            #expect(together.signedText == alone.signedText)
            #expect(together.notification == alone.notification)
            #expect(together.transaction == alone.transaction)
            #expect(together.renewalInfo == alone.renewalInfo)
        }
    }

    @Test func `nested objects with another key are verified by the table of that key`() throws {
        let kit = try SigningKit.shared()
        let leaf = try kit.leaf()
        let header = JWSSigner.header(chain: [leaf.certificate, kit.pki.intermediate, kit.pki.root])
        func body() throws -> [UInt8] {
            let payload = try NotificationDraft().payload { try kit.sign($0, header: header, key: leaf.key) }
            return SigningKit.body(try kit.sign(payload))
        }
        let tabled = try TabledVerifier(kit)
        #expect(tabled.verify(try body()) == .accepted)
        #expect(tabled.status.tables == 2)
        #expect(tabled.verify(try body()) == .accepted)
        #expect(tabled.status == FixedKeyStatus(tables: 2, judged: 3, rechecked: 2, faults: 0))
        // The other key did not sign this nested object.
        let payload = try NotificationDraft().payload { try kit.sign($0, header: header, key: .generate(.p256)) }
        let forged = SigningKit.body(try kit.sign(payload))
        #expect(tabled.verify(forged) == .nonconforming(.profileNested))
        #expect(tabled.status.faults == 0)
    }

    @Test func `only a notification for a configured app causes a table to be created`() throws {
        let kit = try SigningKit.shared()
        let tabled = try TabledVerifier(kit)
        let foreign = NotificationDraft.with { $0.identity["bundleId"] = "\"com.example.other\"" }
        #expect(tabled.verify(try kit.body(foreign)) == .notForUs(.audience))
        #expect(
            tabled.verify(try kit.body(.with { $0.outer["version"] = "\"1.0\"" })) == .nonconforming(.profileVersion))
        _ = tabled.verify(SigningKit.body(try kit.jws(chain: kit.pki.chain, key: .generate(.p256))))
        #expect(tabled.status.tables == 0)
        #expect(tabled.events.isEmpty)
    }

    @Test func `a fifth key replaces the least recently used one after a minute`() throws {
        let kit = try SigningKit.shared()
        let tabled = try TabledVerifier(kit)
        let leaves = try (0..<5).map { _ in try kit.leaf() }
        func points(_ indices: [Int]) throws -> [FixedKeyEvent] {
            try indices.map {
                .ready(publicKey: try #require(P256PublicKey(certificate: leaves[$0].certificate)).uncompressedPoint)
            }
        }
        for index in 0..<4 {
            #expect(tabled.verify(try body(kit, leaves[index]), at: now + Int64(index)) == .accepted)
        }
        // The first key is used again, so the second is evicted.
        #expect(tabled.verify(try body(kit, leaves[0]), at: now + 10) == .accepted)
        #expect(tabled.verify(try body(kit, leaves[4]), at: now + 60_000) == .accepted)
        #expect(tabled.events == (try points([0, 1, 2, 3])))
        #expect(tabled.verify(try body(kit, leaves[4]), at: now + 60_001) == .accepted)
        #expect(tabled.events == (try points([0, 1, 2, 3, 4])))
        #expect(tabled.status.tables == 4)
        let judged = tabled.status.judged
        for (index, isJudged) in [(1, false), (0, true)] {
            #expect(tabled.verify(try body(kit, leaves[index]), at: now + 60_002) == .accepted)
            #expect(tabled.status.judged == judged + (isJudged ? 1 : 0), "\(index)")
        }
    }

    @Test func `a table is created on its own thread while notifications are verified without it`() async throws {
        let kit = try SigningKit.shared()
        let verifier = try kit.verifier { $0.tables = FixedKeyTables(isOn: true) }
        verifier.verify(body: try kit.body(), at: now).expect(.accepted)
        verifier.verify(body: try kit.body(), at: now).expect(.accepted)
        try await waitUntil { verifier.tableStatus.tables == 1 }
        let before = verifier.tableStatus.judged
        verifier.verify(body: try kit.body(), at: now).expect(.accepted)
        #expect(verifier.tableStatus.judged == before + 3)
    }

    @Test func `one table is created at a time, and is retried if no thread was available`() throws {
        let kit = try SigningKit.shared()
        let waiting = WaitingThreads()
        let tabled = try TabledVerifier(kit) { making in making.run = { waiting.start($0) } }
        let other = try kit.leaf()
        #expect(tabled.verify(try kit.body()) == .accepted)
        #expect(tabled.verify(try body(kit, other)) == .accepted)
        #expect(waiting.count == 1)
        waiting.run()
        #expect(tabled.status.tables == 1)
        waiting.refuses.store(true, ordering: .relaxed)
        #expect(tabled.verify(try body(kit, other)) == .accepted)
        waiting.refuses.store(false, ordering: .relaxed)
        #expect(tabled.verify(try body(kit, other)) == .accepted)
        waiting.run()
        #expect(tabled.status.tables == 2)
    }

    @Test func `a key has one table, regardless of the number of requests`() throws {
        let kit = try SigningKit.shared()
        let tabled = try TabledVerifier(kit)
        // Two workers verify concurrently before a table exists.
        let object = try tabled.verifier.objects.verify(Array(try kit.jws().utf8)[...], at: now)
        for _ in 0..<2 { tabled.fixedKeys.makeTable(for: object, at: now) }
        #expect(tabled.status.tables == 1)
        #expect(tabled.events.count == 1)
    }

    @Test func `with a table, a certificate chain is still validated every fifteen minutes`() throws {
        let kit = try SigningKit.shared()
        let tabled = try TabledVerifier.sharing(kit)
        for (seconds, validations, judged) in [(0, 1, 0), (899, 1, 3), (900, 2, 6), (901, 2, 9)] as [(Int64, Int, Int)]
        {
            #expect(tabled.verify(try kit.body(), at: now + seconds * 1000) == .accepted)
            #expect(tabled.verifier.chainValidations == validations, "after \(seconds) s")
            #expect(tabled.status.judged == judged)
        }
        #expect(tabled.status.tables == 1)
    }

    @Test func `without the setting, there are no tables`() throws {
        let kit = try SigningKit.shared()
        let verifier = try kit.verifier()
        for _ in 0..<2 { verifier.verify(body: try kit.body(), at: now).expect(.accepted) }
        #expect(verifier.tableStatus == FixedKeyStatus())
    }

    @Test(arguments: [0, -1, 1_000_001])
    func `the recheck interval is limited`(_ recheckedOneIn: Int) throws {
        let kit = try SigningKit.shared()
        let error = #expect(throws: VerifierSetupError.self) {
            try kit.verifier { $0.tables = FixedKeyTables(isOn: true, recheckedOneIn: recheckedOneIn) }
        }
        #expect(error?.code == .settings)
    }
}

/// Threads that run only when the test starts them.
final class WaitingThreads: Sendable {
    private let bodies = Mutex<[@Sendable () -> Void]>([])
    let refuses = Atomic<Bool>(false)

    var count: Int { bodies.withLock { $0.count } }

    func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        guard !refuses.load(ordering: .relaxed) else { return false }
        bodies.withLock { $0.append(body) }
        return true
    }

    func run() {
        let bodies = bodies.withLock { bodies in
            defer { bodies = [] }
            return bodies
        }
        for body in bodies { body() }
    }
}
