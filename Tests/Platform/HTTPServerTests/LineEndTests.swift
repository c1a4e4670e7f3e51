import HTTPServer
import Testing

/// Tests that only CR LF is a line ending, because all implementations must agree on the last byte of a request.
struct LineEndTests {
    private static let withLength = "POST /notifications HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab"
    private static let chunked =
        "POST /notifications HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n"
    private static let framing = ["400 framing", "closed"]

    private static func isOfLineEnd(_ byte: UInt8) -> Bool { byte == 13 || byte == 10 }

    @Test(arguments: [withLength, chunked])
    func `the unmodified request is accepted`(_ text: String) {
        #expect(Wire.verdicts(Array(text.utf8)) == ["200:2"])
    }

    @Test(arguments: [withLength, chunked])
    func `a line ending with any other byte is refused`(_ text: String) {
        let good = Array(text.utf8)
        for position in good.indices where Self.isOfLineEnd(good[position]) {
            for byte in UInt8.min...UInt8.max where byte != good[position] {
                var bytes = good
                bytes[position] = byte
                #expect(Wire.verdicts(bytes) == Self.framing, "byte \(byte) at \(position)")
            }
        }
    }

    @Test(arguments: [withLength, chunked])
    func `a line ending without one of the two bytes is refused`(_ text: String) {
        let good = Array(text.utf8)
        for position in good.indices where Self.isOfLineEnd(good[position]) {
            var bytes = good
            bytes.remove(at: position)
            // The first byte after the request replaces its last byte.
            #expect(Wire.verdicts(bytes + [UInt8(ascii: "P")]) == Self.framing, "at \(position)")
        }
    }

    @Test(arguments: ["", " ", "\t"])
    func `a request line without a method is refused`(_ method: String) {
        let bytes = Array("\(method)\(Self.withLength.dropFirst(4))".utf8)
        #expect(Wire.verdicts(bytes) == Self.framing)
    }

    @Test(arguments: ["", "2\r\nab\r\n"])
    func `a chunk without a size is refused`(_ chunks: String) {
        let bytes = Array(Self.chunked.replacing("2\r\nab\r\n0\r\n\r\n", with: "\(chunks)\r\n\r\n").utf8)
        #expect(Wire.verdicts(bytes) == Self.framing)
    }
}
