import HTTPServer
import Testing

/// Tests that a field that frames the body may occur only once, even with equal values, because an intermediary might
/// use a different occurrence.
struct FramingFieldTests {
    @Test(arguments: [
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\ntransfer-encoding:chunked\r\n",
        "Content-Length: 12\r\nContent-Length: 12\r\n",
        "Content-Length: 12\r\ncontent-length:12\r\n",
    ])
    func `a repeated framing field is refused`(_ fields: String) {
        let bytes = Array("POST /notifications HTTP/1.1\r\nHost: a\r\n\(fields)\r\n2\r\nab\r\n0\r\n\r\n".utf8)
        #expect(Wire.verdicts(bytes) == ["400 framing", "closed"])
    }
}
