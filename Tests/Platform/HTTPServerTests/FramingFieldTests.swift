import HTTPServer
import Testing

/// The fields that say where a body ends stand once, also when both say the same: what is in between might go by another.
struct FramingFieldTests {
    @Test(arguments: [
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\ntransfer-encoding:chunked\r\n",
        "Content-Length: 12\r\nContent-Length: 12\r\n",
        "Content-Length: 12\r\ncontent-length:12\r\n",
    ])
    func `a framing field is not repeated`(_ fields: String) {
        let bytes = Array("POST /notifications HTTP/1.1\r\nHost: a\r\n\(fields)\r\n2\r\nab\r\n0\r\n\r\n".utf8)
        #expect(Wire.verdicts(bytes) == ["400 framing", "closed"])
    }
}
