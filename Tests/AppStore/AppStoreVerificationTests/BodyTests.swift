import AppStoreTestSupport
import Testing

@testable import AppStoreVerification

/// Check 3: rows H-28 to H-42 of the threat model.
@Suite struct BodyTests {
    @Test(arguments: HostileNotification.bodies)
    func `the body is judged before anything else`(_ row: HostileNotification) throws {
        try row.check()
    }
}
