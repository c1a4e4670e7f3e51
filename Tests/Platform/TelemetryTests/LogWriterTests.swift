import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Telemetry

/// A time controlled by the test.
final class TestTime: Sendable {
    private let value = Mutex<Int64>(0)
    var milliseconds: Int64 {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}

/// Both ends of a pipe, closed when the object is released.
final class TestPipe {
    let reading: Int32
    let writing: Int32

    init(isBlocking: Bool = true) throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        reading = ends[0]
        writing = ends[1]
        if !isBlocking { _ = fcntl(writing, F_SETFL, O_NONBLOCK) }
    }

    deinit {
        close(reading)
        close(writing)
    }

    func read() -> String {
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        let count = Foundation.read(reading, &buffer, buffer.count)
        return String(decoding: buffer[..<max(0, count)], as: UTF8.self)
    }
}

@Suite(.timeLimit(.minutes(5))) struct LogWriterTests {
    private func writer(_ descriptor: Int32, maximumLines: Int = 8_192, maximumBytes: Int = 1 << 20) -> LogWriter {
        LogWriter(descriptor: descriptor, maximumLines: maximumLines, maximumBytes: maximumBytes) { dropped in
            Array("dropped \(dropped)\n".utf8)
        }
    }

    @Test func `lines are written in order`() throws {
        let pipe = try TestPipe()
        let writer = writer(pipe.writing)
        defer { writer.stop() }
        for number in 0..<100 { writer.write(Array("\(number)\n".utf8)) }
        #expect(writer.flush(within: .seconds(30)))
        #expect(pipe.read() == (0..<100).map { "\($0)\n" }.joined())
        #expect(writer.droppedLines == 0)
    }

    @Test(arguments: [true, false])
    func `a pipe without a reader never blocks a caller, and dropped lines are reported`(isBlocking: Bool) throws {
        let pipe = try TestPipe(isBlocking: isBlocking)
        let writer = writer(pipe.writing, maximumLines: 50)
        defer { writer.stop() }
        let line = [UInt8](repeating: UInt8(ascii: "x"), count: 4_095) + [UInt8(ascii: "\n")]
        let clock = ContinuousClock()
        let start = clock.now
        for _ in 0..<10_000 { writer.write(line) }
        #expect(start.duration(to: clock.now) < .seconds(5).scaled)
        let dropped = writer.droppedLines
        #expect(dropped > 9_000)
        #expect(!writer.flush(within: .milliseconds(1)))
        var text = ""
        // The writer may accept some lines while it drops others, and then reports dropped lines more than once.
        func told() -> (written: Int, dropped: Int) {
            let whole = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            let notices = whole.filter { $0.hasPrefix("dropped ") }
            return (whole.count - notices.count, notices.compactMap { Int($0.dropFirst(8)) }.reduce(0, +))
        }
        while told().written + told().dropped < 10_000 { text += pipe.read() }
        #expect(told().dropped == dropped)
        #expect(told().written == 10_000 - dropped)
        #expect(writer.flush(within: .seconds(30)))
    }

    @Test func `the bytes in the queue are also limited`() throws {
        let pipe = try TestPipe()
        let writer = writer(pipe.writing, maximumBytes: 1_000)
        defer { writer.stop() }
        writer.write([UInt8](repeating: 0x61, count: 1_001))
        #expect(writer.droppedLines == 1)
        #expect(writer.flush(within: .seconds(30)))
        #expect(pipe.read() == "dropped 1\n")
    }

    @Test func `a disconnected reader loses lines, but the process continues`() throws {
        let pipe = try TestPipe()
        let other = dup(pipe.writing)
        defer { close(other) }
        let writer = writer(other)
        defer { writer.stop() }
        close(pipe.reading)
        writer.write(Array("x\n".utf8))
        #expect(writer.flush(within: .seconds(30)))
    }

    @Test func `lines from many threads are never interleaved`() async throws {
        let pipe = try TestPipe()
        let writer = writer(pipe.writing)
        defer { writer.stop() }
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask { for number in 0..<200 { writer.write(Array("\(thread) \(number)\n".utf8)) } }
            }
        }
        #expect(writer.flush(within: .seconds(30)))
        let lines = pipe.read().split(separator: "\n")
        #expect(lines.count == 800)
        for thread in 0..<4 {
            #expect(lines.filter { $0.hasPrefix("\(thread) ") } == (0..<200).map { "\(thread) \($0)" })
        }
    }
}
