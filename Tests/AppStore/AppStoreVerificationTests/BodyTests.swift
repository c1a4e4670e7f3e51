import AppStoreTestSupport
import Testing

@testable import AppStoreVerification

/// Check 3: rows H-28 to H-42 of the threat model.
@Suite struct BodyTests {
    @Test(arguments: HostileNotification.bodies)
    func `the form of the body is checked first`(_ row: HostileNotification) throws {
        try row.check()
    }

    /// Clients that do not know the password can also send this body, so its cost before the password check must be
    /// limited.
    @Test func `a version 1 body may have many members, but no object may have more than Apple's objects`() throws {
        func read(members: Int, elements: Int) throws(Refusal) -> Bool {
            let names = (0..<members).map { "\"\($0)\":0" }.joined(separator: ",")
            let numbers = Array(repeating: "0", count: elements).joined(separator: ",")
            let text = "{\"notification_type\":\"CANCEL\",\"a\":{\(names)},\"b\":[\(numbers)]}"
            switch try FormChecks.content(of: Array(text.utf8), BodyLimits(legacyEntries: 60_000)) {
            case .legacy: return true
            case .signedPayload: return false
            }
        }
        #expect(try read(members: 128, elements: 60_000))
        for (members, elements) in [(128, 60_001), (129, 1_001), (1_000, 0), (1, 1_000_000)] {
            let refusal = #expect(throws: Refusal.self) { try read(members: members, elements: elements) }
            #expect(refusal?.reason == .json)
        }
        // If only a few entries are permitted in total, one object may have all of them.
        #expect(try read(members: 990, elements: 1_000))
    }
}
