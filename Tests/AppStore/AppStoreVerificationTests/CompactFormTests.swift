import AppStoreSigning
import AppStoreTestSupport
import Cryptography
import Testing

@testable import AppStoreVerification

/// Checks 4 and 5: rows H-43 to H-58.
@Suite struct CompactFormTests {
    @Test(arguments: HostileNotification.compactForms)
    func `a compact JWS has three segments of strict base64url`(_ row: HostileNotification) throws {
        try row.check()
    }

    @Test(arguments: HostileNotification.headers)
    func `the header is a single unambiguous JSON object`(_ row: HostileNotification) throws {
        try row.check()
    }

    @Test(arguments: HostileNotification.algorithms)
    func `ES256 is the only accepted algorithm`(_ row: HostileNotification) throws {
        try row.check()
    }
}
