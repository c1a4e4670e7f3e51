internal import ArchiveLog
internal import Glibc
internal import Primitives
internal import Synchronization

/// A progress bar for reading a log, shown if standard error is a terminal.
final class ArchiveProgress: Sendable {
    private static let width = 30
    private static let interval: Int64 = 200

    private let clocks: Clocks
    private let write: @Sendable (String) -> Void
    private let last = Mutex<Int64?>(nil)

    init(clocks: Clocks, write: @escaping @Sendable (String) -> Void) {
        self.clocks = clocks
        self.write = write
    }

    /// Returns a progress bar, or nil if standard error is not a terminal.
    static func onTerminal(_ clocks: Clocks) -> ArchiveProgress? {
        guard isatty(STDERR_FILENO) == 1 else { return nil }
        return ArchiveProgress(clocks: clocks) { try? FileDescriptor.standardError.write($0.utf8) }
    }

    @Sendable func show(_ log: LogNames, _ done: Int, _ all: Int) {
        let now = clocks.monotonicMilliseconds()
        let isDue = last.withLock { last in
            guard done == all || last.map({ now - $0 >= Self.interval }) ?? true else { return false }
            last = now
            return true
        }
        guard isDue else { return }
        let share = all > 0 ? Double(done) / Double(all) : 1
        let full = Int(share * Double(Self.width))
        let bar = String(repeating: "#", count: full) + String(repeating: ".", count: Self.width - full)
        write("\r\u{1B}[K[\(bar)] \(Int(share * 100))% of \(all) leaves of \(log.prefix)")
    }

    /// Removes the bar.
    func end() { write("\r\u{1B}[K") }
}
