import AppStoreSigning
import AppStoreTestSupport
import Cryptography
import Testing

@testable import AppStoreVerification

/// Check 14: rows H-60 and H-105 to H-120. Notifications that Apple signed for us are never lost: they are quarantined
/// rather than rejected.
@Suite struct ProfileTests {
    @Test(arguments: HostileNotification.criticalMembers)
    func `critical members make a notification nonconforming`(_ row: HostileNotification) throws {
        try row.check()
    }

    @Test(arguments: HostileNotification.fields)
    func `fields outside the profile make a notification nonconforming`(_ row: HostileNotification) throws {
        try row.check()
    }

    @Test(arguments: HostileNotification.forgedNumbers)
    func `no number from an untrusted client is parsed`(_ row: HostileNotification) throws {
        try row.check()
    }

    @Test(arguments: HostileNotification.texts)
    func `signed texts are limited in length and have no control characters`(_ row: HostileNotification) throws {
        try row.check()
    }

    @Test(arguments: HostileNotification.encodings)
    func `a signed payload that is not a JSON object is quarantined`(_ row: HostileNotification) throws {
        try row.check()
    }

    private static let now = SigningKit.now
    private static let hour: Int64 = 3_600_000
}
