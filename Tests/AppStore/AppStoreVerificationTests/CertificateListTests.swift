import AppStoreSigning
import AppStoreTestSupport
import Cryptography
import Testing

@testable import AppStoreVerification

/// Check 6: rows H-64 to H-68, H-83 and H-87.
@Suite struct CertificateListTests {
    @Test(arguments: HostileNotification.certificateLists)
    func `x5c contains two to four certificates of limited size`(_ row: HostileNotification) throws {
        try row.check()
    }
}
