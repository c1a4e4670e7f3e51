import AppStoreSigning
import AppStoreTestSupport
import Cryptography
import Synchronization
import TestSupport
import Testing

@testable import AppStoreVerification

/// A damaged table must be detected and dropped together with all others, and must never cause a wrong verdict.
@Suite struct FixedKeyFaultTests {
    private static let memoryIsKnown: Bool = {
        guard let kit = try? SigningKit.shared(), let key = P256PublicKey(certificate: kit.pki.leaf),
            let table = try? P256FixedKeyTable(key)
        else { return false }
        return TableMemory(of: table.group) != nil
    }()

    private let now = SigningKit.now

    /// The 18th entry of the sixth window, which every 64th signature needs.
    private let bit = (5 * 64 + 17) * 64 * 8 + 3
    /// One bit in each entry of the window. A signature avoids the window only if its digit is zero, so one of the
    /// first notifications hits the damage, regardless of its nonces.
    private let bits = (0..<64).map { (5 * 64 + $0) * 64 * 8 + 3 }

    @Test(.enabled(if: memoryIsKnown, "this libcrypto keeps its tables in a form that the test does not know"))
    func `a table corrupted before its test is not used`() throws {
        let kit = try SigningKit.shared()
        let bit = bit
        let tabled = try TabledVerifier(kit) { making in
            making.make = { (key) throws(CryptographyError) in
                let table = try P256FixedKeyTable(key)
                TableMemory(of: table.group)?.flip(bit: bit)
                return table
            }
        }
        for _ in 0..<3 { #expect(tabled.verify(try kit.body()) == .accepted) }
        #expect(tabled.status == FixedKeyStatus(tables: 0, judged: 0, rechecked: 0, faults: 1))
        let key = try #require(P256PublicKey(certificate: kit.pki.leaf))
        #expect(tabled.events == [.testFailed(publicKey: key.uncompressedPoint)])
    }

    @Test(.enabled(if: memoryIsKnown, "this libcrypto keeps its tables in a form that the test does not know"))
    func `a table corrupted while in use is detected within 256 notifications and changes no verdict`() throws {
        let kit = try SigningKit.shared()
        let bits = bits
        let tabled = try TabledVerifier(kit) { making in
            making.passesTest = { table, digest, signature in
                let isGood = table.passesSelfTest(digest: digest, rawSignature: signature)
                for bit in bits { TableMemory(of: table.group)?.flip(bit: bit) }
                return isGood
            }
        }
        #expect(tabled.verify(try kit.body()) == .accepted)
        #expect(tabled.status.tables == 1)
        var bodies = 0
        while bodies < 256, tabled.status.faults == 0 {
            bodies += 1
            #expect(tabled.verify(try kit.body()) == .accepted)
        }
        // One for each signature of the notification that hit the damage.
        let faults = tabled.status.faults
        #expect((1...3).contains(faults))
        #expect(tabled.status.tables == 0)
        guard case .disagreement(let disagreement) = tabled.events.last else {
            Issue.record("not reported")
            return
        }
        // The report must suffice to reproduce the disagreement.
        let key = try #require(P256PublicKey(uncompressedPoint: disagreement.publicKey))
        let digest = try #require(SHA256Digest(bytes: disagreement.digest))
        #expect(!disagreement.isGoodByTable)
        #expect(key.verify(digest: digest, rawSignature: disagreement.signature) == .valid)
        #expect(key.uncompressedPoint == P256PublicKey(certificate: kit.pki.leaf)?.uncompressedPoint)

        let judged = tabled.status.judged
        for hostile in HostileNotification.signatures {
            #expect(tabled.verify(try kit.body()) == .accepted)
            #expect(tabled.verify(try hostile.body(kit)) == hostile.expected, "\(hostile)")
        }
        #expect(
            tabled.status
                == FixedKeyStatus(tables: 0, judged: judged, rechecked: tabled.status.rechecked, faults: faults))
        #expect(tabled.events.count == 1 + Int(faults))
    }

    /// Returns a verifier with a table of `key` for the kit's leaf.
    private func misled(
        _ kit: SigningKit, by key: PrivateKey, recheckedOneIn: Int = 256
    ) throws -> TabledVerifier {
        let table = try P256FixedKeyTable(try #require(key.publicKey))
        let tabled = try TabledVerifier(kit, recheckedOneIn: recheckedOneIn) { making in
            making.make = { (_) throws(CryptographyError) in table }
            making.passesTest = { _, _, _ in true }
        }
        #expect(tabled.verify(try kit.body()) == .accepted)
        #expect(tabled.status.tables == 1)
        return tabled
    }

    @Test func `the first signature accepted by a wrong table is rejected and disables all tables`() throws {
        let kit = try SigningKit.shared()
        let forger = try PrivateKey.generate(.p256)
        let tabled = try misled(kit, by: forger)
        let forged = SigningKit.body(try kit.jws(chain: kit.pki.chain, key: forger))
        #expect(tabled.verify(forged) == .forbidden(.signature))
        guard case .disagreement(let disagreement) = tabled.events.last else {
            Issue.record("not reported")
            return
        }
        #expect(disagreement.isGoodByTable)
        #expect(tabled.status.faults == 1)
        #expect(tabled.status.tables == 0)
        #expect(tabled.verify(forged) == .forbidden(.signature))
        #expect(tabled.verify(try kit.body()) == .accepted)
        #expect(tabled.status.judged == 1)
    }

    @Test func `a signature rejected by a wrong table is accepted and disables all tables`() throws {
        let kit = try SigningKit.shared()
        let tabled = try misled(kit, by: .generate(.p256))
        #expect(tabled.verify(try kit.body()) == .accepted)
        #expect(tabled.status.faults >= 1)
        #expect(tabled.status.tables == 0)
        #expect(tabled.verify(try kit.body()) == .accepted)
        #expect(tabled.status.judged == 1)
    }

    @Test func `a result from a table is discarded once the tables are disabled`() throws {
        let kit = try SigningKit.shared()
        let forger = try PrivateKey.generate(.p256)
        let tabled = try misled(kit, by: forger)
        let jws = Array(try kit.jws(chain: kit.pki.chain, key: forger).utf8)
        let objects = tabled.verifier.objects
        // Two workers query the table about the same text. The first one to verify it again drops the table.
        func judged() throws -> OpenedObject {
            let opened = try objects.open(jws[...], at: now)
            tabled.fixedKeys.judge([opened])
            #expect(opened.isGoodByTable == true)
            return opened
        }
        let (first, second) = (try judged(), try judged())
        for object in [first, second] {
            let refusal = #expect(throws: Refusal.self) { try objects.verify(object) }
            #expect(refusal?.reason == .signature)
        }
        #expect(!tabled.fixedKeys.isDecided(second))
    }

    @Test func `a table that becomes ready after a fault is not used`() throws {
        let kit = try SigningKit.shared()
        let threads = WaitingThreads()
        let wrong = try P256FixedKeyTable(try #require(try PrivateKey.generate(.p256).publicKey))
        let tabled = try TabledVerifier(kit) { making in
            making.run = { threads.start($0) }
            making.make = { (_) throws(CryptographyError) in wrong }
            making.passesTest = { _, _, _ in true }
        }
        #expect(tabled.verify(try kit.body()) == .accepted)
        threads.run()
        #expect(tabled.status.tables == 1)
        #expect(tabled.verify(SigningKit.body(try kit.jws(leaf: kit.leaf()))) == .accepted)
        #expect(threads.count == 1)
        #expect(tabled.verify(try kit.body()) == .accepted)
        #expect(tabled.status.faults >= 1)
        threads.run()
        #expect(tabled.status.tables == 0)
    }

    @Test func `a libcrypto that cannot create tables is reported once, and everything is verified without them`()
        throws
    {
        let kit = try SigningKit.shared()
        let attempts = Attempts()
        let tabled = try TabledVerifier(kit) { making in
            making.make = { (_) throws(CryptographyError) in
                attempts.count.add(1, ordering: .relaxed)
                throw CryptographyError(.unavailable, "no such function")
            }
        }
        for _ in 0..<3 { #expect(tabled.verify(try kit.body()) == .accepted) }
        #expect(attempts.count.load(ordering: .relaxed) == 1)
        #expect(tabled.events == [.unavailable("no such function")])
        #expect(tabled.status == FixedKeyStatus())
    }
}

private final class Attempts: Sendable {
    let count = Atomic<Int>(0)
}
