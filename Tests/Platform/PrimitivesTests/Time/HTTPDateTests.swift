import Foundation
import Primitives
import TestSupport
import Testing

@Suite("HTTP dates") struct HTTPDateTests {
    private func text(_ seconds: Int64) -> String { String(decoding: HTTPDate.bytes(seconds: seconds), as: UTF8.self) }

    @Test(
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
        ] as [(Int64, String)])
    func `a date is parsed and formatted`(seconds: Int64, date: String) {
        #expect(text(seconds) == date)
        #expect(HTTPDate.seconds(date) == seconds)
    }

    @Test func `dates agree with Foundation's`() {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = .gmt
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<500 {
            let seconds = Int64.random(in: 0...253_402_300_799, using: &generator)
            let expected = format.string(from: Date(timeIntervalSince1970: Double(seconds)))
            #expect(text(seconds) == expected)
            #expect(HTTPDate.seconds(expected) == seconds)
        }
    }

    @Test func `a time outside the four-digit years is formatted as the nearest valid time`() {
        #expect(text(.max) == "Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(text(.min) == "Sat, 01 Jan 0000 00:00:00 GMT")
    }

    @Test(arguments: [
        "", "06 Nov 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 GMT ",
        "Sunday, 06-Nov-94 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37",
    ])
    func `any other text is refused`(date: String) { #expect(HTTPDate.seconds(date) == nil) }
}
