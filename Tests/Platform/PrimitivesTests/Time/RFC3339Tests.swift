import Foundation
import Primitives
import TestSupport
import Testing

@Suite("RFC 3339") struct RFC3339Tests {
    private func milliseconds(_ text: String) -> Int64? { RFC3339.milliseconds(Array(text.utf8)) }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1_698_148_900_000, "2023-10-24T12:01:40.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"), (951_782_400_001, "2000-02-29T00:00:00.001Z"),
            (-62_135_769_600_000, "0000-12-30T00:00:00.000Z"), (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"), (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
        ] as [(Int64, String)])
    func `an instant is parsed and formatted`(instant: Int64, text: String) {
        #expect(RFC3339.text(milliseconds: instant) == text)
        #expect(milliseconds(text) == instant)
    }

    @Test func `an instant outside the years 0000 to 9999 is formatted as the nearest valid instant`() {
        #expect(RFC3339.text(milliseconds: .min) == "0000-01-01T00:00:00.000Z")
        #expect(RFC3339.text(milliseconds: .max) == "9999-12-31T23:59:59.999Z")
    }

    @Test func `days agree with Foundation's calendar`() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<2000 {
            // Start at 1600, because Foundation uses the Julian calendar for earlier dates.
            let instant = Int64.random(in: -11_676_096_000_000...253_402_300_799_999, using: &generator)
            let seconds = Double((instant - ((instant % 1000) + 1000) % 1000) / 1000)
            let parts = calendar.dateComponents(
                [.year, .month, .day, .hour, .minute, .second], from: Date(timeIntervalSince1970: seconds))
            let expected = String(
                format: "%04d-%02d-%02dT%02d:%02d:%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0,
                parts.hour ?? 0, parts.minute ?? 0, parts.second ?? 0)
            let text = RFC3339.text(milliseconds: instant)
            #expect(text.hasPrefix(expected))
            #expect(milliseconds(text) == instant)
        }
    }

    @Test(
        arguments: [
            ("2023-10-24t12:01:40z", 1_698_148_900_000), ("2023-10-24T14:01:40.5+02:00", 1_698_148_900_500),
            ("2023-10-24T12:01:40.123999Z", 1_698_148_900_123), ("2023-10-24T06:31:40-05:30", 1_698_148_900_000),
            ("2023-10-24T12:01:40.07Z", 1_698_148_900_070),
        ] as [(String, Int64)])
    func `other valid formats are parsed`(text: String, instant: Int64) { #expect(milliseconds(text) == instant) }

    @Test(arguments: [
        "", "2023-10-24", "2023-10-24T12:01:40", "2023-13-01T00:00:00Z", "2023-02-29T00:00:00Z",
        "2023-00-01T00:00:00Z", "2023-01-00T00:00:00Z", "2023-01-01T24:00:00Z", "2023-01-01T00:60:00Z",
        "2023-01-01T00:00:60Z", "2023-01-01T00:00:00.Z", "2023-01-01T00:00:00Zx", "2023-01-01 00:00:00Z",
        "-023-01-01T00:00:00Z", "2023-01-01T00:00:00+24:00", "2023-01-01T00:00:00+0100", "２023-01-01T00:00:00Z",
        "9999-12-31T23:59:59-00:01", "0000-01-01T00:00:00+00:01",
    ])
    func `any other text is refused`(text: String) { #expect(milliseconds(text) == nil) }
}
