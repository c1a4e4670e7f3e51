internal import AppStoreModel
internal import AppStoreSigning
internal import Cryptography
internal import Foundation
internal import Simulator

/// Apple's own `app-store-server-library` for Python on the same notifications, in rounds that alternate with ours. It
/// verifies the notification, its transaction and its renewal info, as ours does.
struct ApplePythonBenchmark {
    /// As on PyPI.
    private static let requirement = "app-store-server-library==3.1.2"
    private static let bodiesPerRound = 40

    let probe: VerificationProbe
    let pki: TestCertificateAuthority
    let app: SimulatedApp
    let rounds: Int
    /// Where its virtual environment is made, and kept for the next time.
    let environment: String

    /// The ways in which it can run: it remembers a chain only in the second.
    private enum Mode: String, CaseIterable {
        case offline, online
    }

    func run(into report: inout BenchReport) {
        report.section("Apple's \(Self.requirement), one core, same notifications")
        do {
            let python = try preparedPython()
            let directory = FileManager.default.temporaryDirectory
                .appendingPathComponent("sluice-bench-python-\(getpid())")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: directory) }
            try Data(pki.root.der).write(to: directory.appendingPathComponent("root.der"))
            try Data(probe.bodies.prefix(200).joined(separator: [UInt8(ascii: "\n")]))
                .write(to: directory.appendingPathComponent("bodies"))
            try Data(ApplePythonProgram.text.utf8).write(to: directory.appendingPathComponent("verify.py"))
            let programs = try Mode.allCases.map { try Conversation(python, arguments($0, in: directory)) }
            defer { for program in programs { program.end() } }
            try measure(programs, into: &report)
        } catch {
            report.skip("apple_python", because: "\(error)")
        }
    }

    private func measure(_ programs: [Conversation], into report: inout BenchReport) throws {
        var ratios = [[Double]](repeating: [], count: programs.count)
        var costs = ratios
        for round in 0..<rounds {
            for (index, program) in programs.enumerated() {
                let ours = try probe.whole(round: round)
                let answer = try program.ask("\(Self.bodiesPerRound)")
                guard let seconds = Double(answer) else { throw BenchFailure("it answered \(answer)") }
                let theirs = seconds * 1e6 / Double(Self.bodiesPerRound)
                costs[index].append(theirs)
                ratios[index].append(theirs / ours)
            }
        }
        for (index, mode) in Mode.allCases.enumerated() {
            let name = "apple_python.\(mode.rawValue)"
            report.add("\(name).cpu_us", Distribution(costs[index]).median, "us CPU each")
            report.add("\(name).ratio", Distribution(ratios[index]).median, "x ours", bar: .atLeast(10))
        }
    }

    private func arguments(_ mode: Mode, in directory: URL) -> [String] {
        ["verify.py", "root.der", "bodies"].map { directory.appendingPathComponent($0).path }
            + [app.bundleId.rawValue, "\(app.appAppleId.rawValue)", mode.rawValue]
    }

    /// The interpreter of an environment that has the library; made from PyPI when it is not there.
    private func preparedPython() throws -> String {
        let python = environment + "/bin/python3"
        if (try? Command.run(python, ["-c", "import appstoreserverlibrary"])) != nil { return python }
        guard (try? Command.run("/usr/bin/env", ["python3", "-m", "venv", environment])) != nil else {
            throw BenchFailure("python3 with venv is not installed")
        }
        let install = [
            "-m", "pip", "install", "-q", "--disable-pip-version-check", "--timeout", "10", "--retries", "1",
        ]
        guard (try? Command.run(python, install + [Self.requirement])) != nil else {
            throw BenchFailure("pip cannot install it: is PyPI reachable?")
        }
        return python
    }
}

/// A program to its end, without its output.
private enum Command {
    static func run(_ executable: String, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        let deadline = Date() + 180
        while process.isRunning {
            if Date() > deadline { process.terminate() }
            Thread.sleep(forTimeInterval: 0.05)
        }
        guard process.terminationStatus == 0 else { throw BenchFailure("\(executable) failed") }
    }
}

/// A program that answers each line with a line.
private final class Conversation {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    /// Starts it, and waits until it says that it is ready.
    init(_ executable: String, _ arguments: [String]) throws {
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        guard try line() == "ready" else { throw BenchFailure("it did not start") }
    }

    func ask(_ question: String) throws -> String {
        try input.fileHandleForWriting.write(contentsOf: Data((question + "\n").utf8))
        return try line()
    }

    func end() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    private func line() throws -> String {
        var bytes = Data()
        while bytes.last != UInt8(ascii: "\n") {
            let chunk = output.fileHandleForReading.availableData
            guard !chunk.isEmpty else { throw BenchFailure("it ended: it refused a notification") }
            bytes += chunk
        }
        return String(decoding: bytes.dropLast(), as: UTF8.self)
    }
}
