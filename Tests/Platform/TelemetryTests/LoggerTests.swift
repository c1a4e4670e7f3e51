import Foundation
import Testing

@testable import Telemetry

extension LogKey {
    fileprivate static let topic = LogKey(rawValue: "topic")
    fileprivate static let detail = LogKey(rawValue: "detail")
}

@Suite struct LoggerTests {
    private func line(_ format: Logger.Format, isColoured: Bool = false, _ fields: [LogField]) throws -> String {
        let sink = MemoryLogSink()
        let logger = Logger(
            label: "sluice-test", level: .info, format: format, sink: sink, isColoured: isColoured,
            now: { 1_735_689_599_007 })
        logger.info("record written", fields)
        return try #require(sink.lines.first)
    }

    @Test func `a JSON line is one object with time, level, logger, message and fields`() throws {
        let line = try line(
            .json,
            [LogField(.topic, "a"), LogField(.count, 3), .init(.detail, .real(0.5)), .init(.error, .texts(["x"]))])
        #expect(
            line == #"{"time":"2024-12-31T23:59:59.007Z","level":"info","logger":"sluice-test","#
                + #""message":"record written","topic":"a","count":3,"detail":0.5,"error":["x"]}"#)
    }

    @Test func `a text line is human-readable`() throws {
        let fields = [LogField(.topic, "a"), LogField(.detail, "two words"), LogField(.error, "")]
        #expect(
            try line(.text, fields)
                == #"2024-12-31T23:59:59.007Z INFO    sluice-test record written topic=a detail="two words" error="""#)
        #expect(try line(.text, isColoured: true, []).contains("\u{1B}[32mINFO   \u{1B}[0m"))
    }

    @Test(arguments: [
        "\"quoted\" \\ back", "line\nfeed\r\t", "\u{1B}[31mred", "\u{0}\u{7F}\u{9B}31m", "\u{202E}turned\u{2028}", "é😀",
        "a=b", "{\"level\":\"error\"}",
    ])
    func `no text can forge a line or a field`(text: String) throws {
        for format in Logger.Format.allCases {
            let line = try line(format, [LogField(.detail, text), LogField(.topic, "end")])
            #expect(!line.unicodeScalars.contains { $0.properties.generalCategory == .control })
            #expect(!line.unicodeScalars.contains("\u{202E}"))
            if format == .json {
                let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                #expect(object?["detail"] as? String == text)
                #expect(object?["level"] as? String == "info")
            } else {
                #expect(line.hasSuffix(" topic=end"))
            }
        }
    }

    @Test func `a long text is truncated at a character boundary`() throws {
        let line = try line(.json, [LogField(.detail, String(repeating: "é", count: 1_000_000))])
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        let text = try #require(object?["detail"] as? String)
        #expect(text == String(repeating: "é", count: LogValue.maximumTextBytes / 2) + "…")
    }

    @Test func `a field cannot replace the line's own members`() throws {
        let line = try line(.json, [LogField(LogKey(rawValue: "level"), "error")])
        #expect(line.contains(#""level":"info""#))
        #expect(line.contains(#""field.level":"error""#))
    }

    @Test func `numbers that JSON cannot express are written as text`() throws {
        let line = try line(
            .json, [.init(.detail, .real(.nan)), .init(.topic, .real(-.infinity)), .init(.count, .integer(UInt64.max))])
        #expect(line.contains(#""detail":"nan","topic":"-inf","count":"18446744073709551615""#))
    }

    @Test func `lines below the level are not formatted`() {
        let sink = MemoryLogSink()
        let logger = Logger(label: "l", level: .warning, format: .json, sink: sink)
        func fields() -> [LogField] {
            Issue.record("fields of a line that is not written")
            return []
        }
        logger.debug("no", fields())
        logger.info("no", fields())
        logger.warning("yes")
        logger.error("yes")
        #expect(sink.lines.count == 2)
    }

    @Test func `a logger with fields writes them in every line`() {
        let sink = MemoryLogSink()
        let logger = Logger(label: "l", level: .info, format: .text, sink: sink).with([LogField(.topic, "t")])
        logger.info("a", [LogField(.count, 1)])
        #expect(sink.lines.first?.hasSuffix("l a topic=t count=1") == true)
    }
}

@Suite struct RateLimitedLoggerTests {
    @Test func `lines are rate-limited per key, and suppressed lines are counted`() {
        let sink = MemoryLogSink()
        let time = TestTime()
        let limited = RateLimitedLogger(
            Logger(label: "l", level: .info, format: .text, sink: sink), perSecond: 2,
            now: { UInt64(time.milliseconds) * 1_000_000 })
        for _ in 0..<10 { limited.log(.warning, key: "a", "refused") }
        limited.log(.warning, key: "b", "refused")
        #expect(sink.lines.count == 3)
        time.milliseconds = 1_000
        limited.log(.warning, key: "a", "refused")
        limited.log(.warning, key: "a", "refused")
        #expect(sink.lines.count == 5)
        #expect(sink.lines[3].hasSuffix("suppressed=8"))
        #expect(sink.lines[4].hasSuffix("refused"))
    }

    @Test func `keys over the limit share one entry`() {
        let sink = MemoryLogSink()
        let limited = RateLimitedLogger(
            Logger(label: "l", level: .info, format: .text, sink: sink), perSecond: 1, now: { 0 })
        for number in 0..<10_000 { limited.log(.warning, key: "\(number)", "refused") }
        #expect(sink.lines.count == 257)
    }
}
