import HTTPServer

/// Requests of every kind that the listener distinguishes. The limits are low enough to be reached.
enum RequestSeeds {
    static let limits: Limits = {
        var limits = Limits()
        limits.headBytes = 512
        limits.headFields = 8
        limits.requestLineBytes = 128
        limits.readAheadBytes = 64
        limits.lingerBytes = 256
        return limits
    }()

    static let bodyLimit = 100

    static let requests: [[UInt8]] = [
        "POST /n HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}",
        "POST /n HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        "POST /n HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}POST /n HTTP/1.1\r\nHost: b\r\nContent-Length: 3\r\n\r\n{ }",
        "GET /livez?x=1 HTTP/1.1\r\nhost: a.example\r\nConnection: close\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\nHEAD /c HTTP/1.1\r\nHost: a\r\n\r\n",
        "POST /n HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nhello",
        "POST /n HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx",
        "PUT /n HTTP/1.1\r\nHost: a\r\nContent-Length: 101\r\n\r\n",
        "POST /n HTTP/1.1\r\nHost:\t\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    ].map { Array($0.utf8) }

    static let tokens = [
        "\r\n", "\r\n\r\n", "Host: a\r\n", "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n", "chunked",
        "close",
        "Connection: ", "Expect: 100-continue\r\n", "Content-Encoding: identity\r\n", "GET ", "POST /n HTTP/1.1\r\n",
        "HEAD ", " HTTP/1.1\r\n", "HTTP/1.0", "0\r\n\r\n", "5\r\nhello\r\n", "ffffffff\r\n", "000000005\r\n", ";x=1",
        "999999999999999999", "9223372036854775808", "-1", "+5", ", ", " \t",
    ]
}
