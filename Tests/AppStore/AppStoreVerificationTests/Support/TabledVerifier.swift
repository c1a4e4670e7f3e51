import AppStoreSigning
import AppStoreTestSupport
import Cryptography
import Synchronization
import Testing

@testable import AppStoreVerification

/// A verifier that creates key tables synchronously on the calling thread, and the events that it reported.
final class TabledVerifier: Sendable {
    private final class Reports: Sendable {
        let events = Mutex<[FixedKeyEvent]>([])
    }

    let verifier: NotificationVerifier
    let fixedKeys: FixedKeys
    private let reports = Reports()

    var events: [FixedKeyEvent] { reports.events.withLock { $0 } }
    var status: FixedKeyStatus { verifier.tableStatus }

    init(
        _ kit: SigningKit, recheckedOneIn: Int = 256, _ change: (inout FixedKeys.Making) -> Void = { _ in }
    ) throws {
        var making = FixedKeys.Making()
        making.run = { make in
            make()
            return true
        }
        change(&making)
        let settings = FixedKeyTables(isOn: true, recheckedOneIn: recheckedOneIn)
        fixedKeys = FixedKeys(settings, making: making) { [reports] event in
            reports.events.withLock { $0.append(event) }
        }
        verifier = try NotificationVerifier(
            kit.configuration { $0.tables = settings }, requester: nil, fixedKeys: fixedKeys)
    }

    func verify(_ body: [UInt8], at now: Int64 = SigningKit.now) -> ExpectedVerdict {
        ExpectedVerdict(verifier.verify(body: body, at: now))
    }

    // MARK: The table of the kit's leaf

    private static let shared = Result {
        try P256FixedKeyTable(try #require(P256PublicKey(certificate: try SigningKit.shared().pki.leaf)))
    }

    /// Returns a verifier with a shared table for the leaf of the shared kit. The table is created and tested once for
    /// all tests, because this takes a tenth of a second.
    static func sharing(_ kit: SigningKit) throws -> TabledVerifier {
        let table = try shared.get()
        return try TabledVerifier(kit) { making in
            making.make = { (key) throws(CryptographyError) in
                key.uncompressedPoint == table.uncompressedPoint ? table : try P256FixedKeyTable(key)
            }
            making.passesTest = { _, _, _ in true }
        }
    }
}
