import Primitives
import Testing

@Suite("Bytes") struct BytesTests {
    @Test func `hexadecimal digits have their values, and other bytes have none`() {
        for byte in UInt8.min...UInt8.max {
            let character = Character(Unicode.Scalar(byte))
            let expected = character.isASCII ? character.hexDigitValue.map { UInt8($0) } : nil
            #expect(byte.hexadecimalValue == expected, "\(byte)")
        }
    }

    @Test func `token characters match RFC 9110`() {
        let expected = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        for byte in UInt8.min...UInt8.max {
            #expect(byte.isHTTPTokenCharacter == expected.contains(byte), "\(byte)")
        }
    }

    @Test(
        arguments: [("", 0xCBF2_9CE4_8422_2325), ("a", 0xAF63_DC4C_8601_EC8C), ("foobar", 0x8594_4171_F739_67E8)]
            as [(String, UInt64)])
    func `FNV-1a matches its published values`(text: String, hash: UInt64) { #expect(FNV1a.hash(text.utf8) == hash) }

    @Test func `a UUID is parsed in either case`() {
        let upper = UUIDBytes(text: "00112233-4455-6677-8899-AABBCCDDEEFF".utf8)
        #expect(upper?.high == 0x0011_2233_4455_6677)
        #expect(upper?.low == 0x8899_AABB_CCDD_EEFF)
        #expect(UUIDBytes(text: "00112233-4455-6677-8899-aabbccddeeff".utf8) == upper)
    }

    @Test(arguments: [
        "", "00112233-4455-6677-8899-aabbccddeef", "00112233-4455-6677-8899-aabbccddeeff0",
        "00112233445566778899aabbccddeeff", "00112233-4455-6677-8899_aabbccddeeff",
        "0011223-34455-6677-8899-aabbccddeeff", "g0112233-4455-6677-8899-aabbccddeeff",
        "{0112233-4455-6677-8899-aabbccddeeff",
    ])
    func `a malformed UUID is refused`(text: String) { #expect(UUIDBytes(text: text.utf8) == nil) }
}
