import Foundation
import TestSupport
import Testing

@testable import CommandLine
@testable import Configuration

@Suite struct ReloadedFileTests {
    private let directory: TemporaryDirectory
    private let clock = ManualClock()

    init() throws { directory = try TemporaryDirectory() }

    /// Returns a reloaded file that must contain a number.
    private func file(_ text: String, limit: Int = 16) throws -> ReloadedFile<Int> {
        try ReloadedFile(path: directory.write(text, to: "number"), limit: limit, now: clock.now) {
            bytes throws(FileError) in
            guard let number = Int(String(decoding: bytes, as: UTF8.self)) else {
                throw FileError(message: "is not a number")
            }
            return number
        }
    }

    private func write(_ text: String) throws { _ = try directory.write(text, to: "number") }

    @Test func `the file is checked once a second`() throws {
        let file = try file("1")
        try write("2")
        #expect(file.current(now: clock.now).value == 1)
        clock.advance(by: .milliseconds(999))
        #expect(file.current(now: clock.now).change == nil)
        clock.advance(by: .milliseconds(1))
        #expect(file.current(now: clock.now) == (2, .read))
        #expect(file.current(now: clock.now) == (2, nil))
    }

    @Test func `an unchanged file is not reread`() throws {
        let file = try file("1")
        clock.advance(by: .seconds(5))
        #expect(file.current(now: clock.now) == (1, nil))
    }

    @Test func `invalid content changes nothing and is reported once`() throws {
        let file = try file("1")
        let problem = ReloadedFile<Int>.Change.refused(FileError(message: "is not a number"))
        try write("one")
        clock.advance(by: .seconds(1))
        #expect(file.current(now: clock.now) == (1, problem))
        clock.advance(by: .seconds(1))
        #expect(file.current(now: clock.now) == (1, nil))
        try write("3")
        clock.advance(by: .seconds(1))
        #expect(file.current(now: clock.now) == (3, .read))
    }

    @Test func `a missing or oversized file changes nothing`() throws {
        let file = try file("1")
        try FileManager.default.removeItem(atPath: file.path)
        clock.advance(by: .seconds(1))
        let (value, change) = file.current(now: clock.now)
        #expect(value == 1)
        #expect(change == .refused(FileError(message: "No such file or directory")))
        try write("00000000000000002")
        clock.advance(by: .seconds(1))
        #expect(
            file.current(now: clock.now) == (1, .refused(FileError(message: "the file has more than 16 bytes"))))
    }

    @Test func `an unreadable file is reported once for each reason`() throws {
        let file = try file("1")
        let missing = ReloadedFile<Int>.Change.refused(FileError(message: "No such file or directory"))
        func next() -> ReloadedFile<Int>.Change? {
            clock.advance(by: .seconds(1))
            return file.current(now: clock.now).change
        }
        try FileManager.default.removeItem(atPath: file.path)
        #expect(next() == missing)
        #expect(next() == nil)
        try write("00000000000000002")
        #expect(next() == .refused(FileError(message: "the file has more than 16 bytes")))
        #expect(next() == nil)
        // If the file can be read in between, even without a change, the same reason is reported again.
        try write("1")
        #expect(next() == nil)
        try FileManager.default.removeItem(atPath: file.path)
        #expect(next() == missing)
    }

    @Test(arguments: ["", "one"])
    func `the file must be valid at startup`(text: String) {
        #expect(throws: FileError(message: "is not a number")) { try file(text) }
    }
}
