import AppStoreModel
import Testing

@testable import Publication

@Suite struct DuplicateKeyTests {
    private func identity(_ text: String, environment: AppStoreEnvironment = .production) -> DuplicateKey? {
        DuplicateKey(notificationUUID: text, environment: environment)
    }

    @Test func `a key depends on all thirty-two digits of a UUID`() throws {
        let identity = try #require(self.identity("01234567-89ab-cdef-0123-456789abcdef"))
        #expect(identity.high == 0x0123_4567_89ab_cdef)
        #expect(identity.low == 0x0123_4567_89ab_cdef)
        let zero = "00000000-0000-0000-0000-000000000000"
        for place in 0..<36 where ![8, 13, 18, 23].contains(place) {
            let other = String(zero.prefix(place)) + "f" + String(zero.dropFirst(place + 1))
            #expect(self.identity(other) != self.identity(zero), "digit \(place)")
        }
    }

    @Test func `uppercase and lowercase letters yield the same identity`() {
        #expect(
            identity("002e14d5-51f5-4503-b5a8-c3a1af68eb20") == identity("002E14D5-51F5-4503-B5A8-C3A1AF68EB20"))
    }

    @Test func `the same UUID in another environment is another notification`() {
        let uuid = "002e14d5-51f5-4503-b5a8-c3a1af68eb20"
        #expect(identity(uuid, environment: .production) != identity(uuid, environment: .sandbox))
    }

    @Test(arguments: [
        "", "-", "002e14d551f54503b5a8c3a1af68eb20", "002e14d5-51f5-4503-b5a8-c3a1af68eb2",
        "002e14d5-51f5-4503-b5a8-c3a1af68eb200", "002e14d5-51f5-4503-b5a8-c3a1af68eb2g",
        "002e14d5 51f5-4503-b5a8-c3a1af68eb20", "002e14d551f5--4503-b5a8-c3a1af68eb20",
        " 02e14d5-51f5-4503-b5a8-c3a1af68eb20", "{02e14d5-51f5-4503-b5a8-c3a1af68eb2}",
        "002e14d5-51f5-4503-b5a8-c3a1af68eb2\u{660}", "------------------------------------",
    ])
    func `text that is not a UUID has no identity`(text: String) {
        #expect(identity(text) == nil)
    }

    @Test func `a key depends on the first thirty-two digits of an event id`() throws {
        let text = "0123456789abcdef0123456789ABCDEF" + String(repeating: "7", count: 32)
        let key = try #require(DuplicateKey(eventId: text, environment: .production))
        #expect(key.high == 0x0123_4567_89ab_cdef)
        #expect(key.low == 0x0123_4567_89ab_cdef)
        #expect(key != DuplicateKey(eventId: text, environment: .sandbox))
        #expect(key != identity("01234567-89ab-cdef-0123-456789abcdef"))
        #expect(DuplicateKey(eventId: String(text.dropLast()), environment: .production) == nil)
        #expect(DuplicateKey(eventId: "g" + text.dropFirst(), environment: .production) == nil)
    }

    @Test func `a key depends on the first sixteen bytes of a digest, and a shorter digest has none`() throws {
        let digest = Array(UInt8(1)...32)
        let key = try #require(DuplicateKey(contentDigest: digest))
        #expect(key.high == 0x0102_0304_0506_0708 && key.low == 0x090A_0B0C_0D0E_0F10)
        for index in 0..<16 {
            var other = digest
            other[index] ^= 0x80
            #expect(DuplicateKey(contentDigest: other) != key, "\(index)")
        }
        #expect(DuplicateKey(contentDigest: Array(digest.prefix(15))) == nil)
    }

    @Test func `the key of a content digest never equals the key of a UUID or event id with the same digits`() {
        let content = DuplicateKey(contentDigest: [UInt8](repeating: 0, count: 32))
        #expect(content != identity("00000000-0000-0000-0000-000000000000"))
        #expect(
            content != DuplicateKey(eventId: String(repeating: "0", count: 64), environment: .production))
    }
}
