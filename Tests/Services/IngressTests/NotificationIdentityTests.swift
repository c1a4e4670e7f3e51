import Bytes
import Testing

@testable import Ingress

@Suite struct NotificationIdentityTests {
    private func identity(_ text: String, environment: UInt8 = 0) -> NotificationIdentity? {
        NotificationIdentity(notificationUUID: text.utf8, environment: environment)
    }

    @Test func `all thirty-two digits count`() throws {
        let identity = try #require(self.identity("01234567-89ab-cdef-0123-456789abcdef"))
        #expect(identity.uuid.high == 0x0123_4567_89ab_cdef)
        #expect(identity.uuid.low == 0x0123_4567_89ab_cdef)
        let zero = "00000000-0000-0000-0000-000000000000"
        for place in 0..<36 where ![8, 13, 18, 23].contains(place) {
            let other = String(zero.prefix(place)) + "f" + String(zero.dropFirst(place + 1))
            #expect(self.identity(other) != self.identity(zero), "digit \(place)")
        }
    }

    @Test func `letters of either case are the same identity`() {
        #expect(
            identity("002e14d5-51f5-4503-b5a8-c3a1af68eb20") == identity("002E14D5-51F5-4503-B5A8-C3A1AF68EB20"))
    }

    @Test func `the same UUID in another environment is another notification`() {
        let uuid = "002e14d5-51f5-4503-b5a8-c3a1af68eb20"
        #expect(identity(uuid, environment: 0) != identity(uuid, environment: 1))
    }

    @Test(arguments: [
        "", "-", "002e14d551f54503b5a8c3a1af68eb20", "002e14d5-51f5-4503-b5a8-c3a1af68eb2",
        "002e14d5-51f5-4503-b5a8-c3a1af68eb200", "002e14d5-51f5-4503-b5a8-c3a1af68eb2g",
        "002e14d5 51f5-4503-b5a8-c3a1af68eb20", "002e14d551f5--4503-b5a8-c3a1af68eb20",
        " 02e14d5-51f5-4503-b5a8-c3a1af68eb20", "{02e14d5-51f5-4503-b5a8-c3a1af68eb2}",
        "002e14d5-51f5-4503-b5a8-c3a1af68eb2\u{660}", "------------------------------------",
    ])
    func `no UUID, no identity`(text: String) {
        #expect(identity(text) == nil)
    }
}
