import AppStoreSigning
import AppStoreTestSupport
import Cryptography
import Testing

@testable import AppStoreVerification

/// Check 14: rows H-60, H-105 to H-120. What Apple signed for us is never lost: odd, not refused.
@Suite struct ProfileTests {
    @Test(arguments: HostileNotification.criticalMembers)
    func `critical members make a notification odd`(_ row: HostileNotification) throws {
        try row.check()
    }

    @Test(arguments: HostileNotification.fields)
    func `fields outside the profile make a notification odd`(_ row: HostileNotification) throws {
        try row.check()
    }

    @Test(arguments: HostileNotification.forgedNumbers)
    func `no number of a stranger is looked at`(_ row: HostileNotification) throws {
        try row.check()
    }

    @Test(arguments: HostileNotification.texts)
    func `signed texts are bounded and without control characters`(_ row: HostileNotification) throws {
        try row.check()
    }

    @Test(arguments: HostileNotification.encodings)
    func `a signed payload that is no JSON object is kept aside`(_ row: HostileNotification) throws {
        try row.check()
    }

    private static let now = SigningKit.now
    private static let hour: Int64 = 3_600_000
}
