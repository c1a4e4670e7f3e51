import ArchiveLog
import Cryptography
import KafkaModel
import ObjectStorage
import Testing
import TransparencyLog

@Suite("Witnesses of an archive") struct WitnessPolicyTests {
    private let witnesses: [NoteSigner]

    init() throws {
        witnesses = try ["one", "two", "three"].map {
            try NoteSigner(name: "witness.example/\($0)", type: .cosignature, key: PrivateKey.generate(.ed25519))
        }
    }

    private func policy(_ quorum: Int? = nil, of count: Int = 3) throws -> WitnessPolicy {
        try WitnessPolicy(witnesses.prefix(count).map(\.verifier), quorum: quorum)
    }

    /// Stores a cosigned checkpoint as the service does.
    private func cosign(_ note: SignedNote, by witness: Int, of names: LogNames, in store: any ObjectStore) async throws
    {
        var cosigned = note
        try cosigned.sign(with: witnesses[witness], 1_800_000_060)
        let name = try names.cosigned(by: witnesses[witness].verifier)
        let found = try await store.read(name)
        _ = try await store.replace(name, cosigned.bytes, expected: found?.version)
    }

    @Test func `as many witnesses as the policy requires must have cosigned the checkpoint log`() async throws {
        let archive = try SampleArchive()
        let log = try LogNames.checkpointLog()
        try await archive.write([300])
        let first = try await archive.logCheckpoints()
        try await cosign(first, by: 0, of: log, in: archive.store)
        try await archive.write([20], at: 1_800_000_100)
        let second = try await archive.logCheckpoints()
        try await cosign(second, by: 1, of: log, in: archive.store)
        let unsigned = try policy().cosignatures(on: first)
        #expect(unsigned == 0)
        for (quorum, anchored) in [(1, 320), (2, 300)] {
            let report = try await archive.verify { $0.witnesses = try policy(quorum) }
            #expect(report.findings.isEmpty && report.isAnchored, "\(quorum)")
            #expect(report.checkpointLog?.cosignedSizes == [2, 1])
            #expect(report.logs.map(\.anchoredSize) == [anchored])
        }
        let report = try await archive.verify { $0.witnesses = try policy(3) }
        #expect(report.verdict == .unanchored && !report.isAnchored)
        #expect(try await archive.verify { $0.witnesses = try policy(of: 2) }.findings.isEmpty)
        // Without a policy no cosignature is required.
        #expect(try await archive.verify().findings.isEmpty)
    }

    @Test func `the groups of a policy file determine the size up to which the log is anchored`() async throws {
        let archive = try SampleArchive()
        let log = try LogNames.checkpointLog()
        try await archive.write([300])
        try await cosign(try await archive.logCheckpoints(), by: 0, of: log, in: archive.store)
        try await archive.write([20], at: 1_800_000_100)
        try await cosign(try await archive.logCheckpoints(), by: 1, of: log, in: archive.store)
        let names = ["a", "b", "c"]
        let lines = zip(names, witnesses).map { "witness \($0) \($1.verifier.text)\n" }.joined()
        for (rule, anchored) in [
            ("group g all a b\nquorum g\n", 300), ("group g any b c\ngroup h all g a\nquorum h\n", 300),
            ("group g any a b\nquorum g\n", 320), ("quorum b\n", 320), ("quorum c\n", nil),
            ("group g all b c\ngroup h all g a\nquorum h\n", nil),
        ] as [(String, Int?)] {
            let policy = try #require(WitnessPolicy(try TlogPolicy(bytes: Array((lines + rule).utf8))))
            let report = try await archive.verify { $0.witnesses = policy }
            #expect(report.isAnchored == (anchored != nil), "\(rule)")
            #expect(report.verdict == (anchored == nil ? .unanchored : nil), "\(rule)")
            if let anchored { #expect(report.logs.map(\.anchoredSize) == [anchored], "\(rule)") }
        }
        #expect(WitnessPolicy(try TlogPolicy(bytes: Array((lines + "quorum none\n").utf8))) == nil)
    }

    @Test func `a larger checkpoint that a witness has cosigned proves a rollback`() async throws {
        let store = MemoryStore()
        let archive = try SampleArchive(store: store)
        let log = try LogNames.checkpointLog()
        try await archive.write([300])
        try await archive.logCheckpoints()
        let earlier = store.objects
        try await archive.write([20], at: 1_800_000_100)
        try await cosign(archive.logCheckpoints(), by: 0, of: log, in: store)
        let cosigned = store.objects.filter { $0.key.hasPrefix("checkpoint-log/cosigned/") }
        let rolledBack = MemoryStore(earlier.merging(cosigned) { $1 })
        #expect(try await archive.verify(rolledBack) { $0.witnesses = try policy(1) }.verdict == .rolledBack)
        for (name, bytes) in cosigned {
            store.objects[name]?[bytes.count - 40] ^= 1
            let report = try await archive.verify { $0.witnesses = try policy(1) }
            #expect(report.verdict == .tampered)
            #expect(report.findings.first?.object?.text == name)
        }
    }

    @Test func `in an archive without a checkpoint log each log has its own cosignatures`() async throws {
        let archive = try SampleArchive()
        let note = try await archive.write([300]).checkpoint
        try await cosign(note, by: 0, of: archive.names(), in: archive.store)
        #expect(try await archive.verify { $0.witnesses = try policy(1) }.findings.isEmpty)
        try await archive.write([5], to: archive.names("appstore.notifications", 1))
        let report = try await archive.verify { $0.witnesses = try policy(1) }
        #expect(report.findings.map(\.kind) == [.unanchored])
        #expect(report.findings.first?.log.partition == 1)
    }

    @Test func `a policy requires distinct witnesses that cosign and a quorum within range`() throws {
        let keys = witnesses.map(\.verifier)
        #expect(try WitnessPolicy(keys).demand == "3 must")
        let log = try NoteSigner(name: "log.example", key: PrivateKey.generate(.ed25519)).verifier
        let again = try keys[0].with(name: "another.example")
        for (wrong, quorum) in [([], nil), ([log], nil), ([keys[0], again], nil), (keys, 4), (keys, 0)] as [(_, Int?)] {
            #expect(throws: TransparencyLogError.self) { try WitnessPolicy(wrong, quorum: quorum) }
        }
        let archive = try SampleArchive()
        let own = try #require(try archive.verifiers.verifiers.first).with(type: .cosignature)
        #expect(try WitnessPolicy([keys[0], own]).own(archive.verifiers) == own)
        #expect(try WitnessPolicy(keys).own(archive.verifiers) == nil)
    }
}
