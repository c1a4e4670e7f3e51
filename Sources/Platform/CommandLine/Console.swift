internal import CSystem
internal import Dispatch
internal import Glibc

/// A command's output: results go to standard output, everything else to standard error.
package struct Console: Sendable {
    private let output: @Sendable ([UInt8]) async -> Bool
    private let complaint: @Sendable (String) -> Void
    /// Returns the terminal size, or nil if the output is not a terminal.
    package let size: @Sendable () -> (columns: Int, rows: Int)?

    /// - Parameters:
    ///   - output: writes the bytes of a result; returns false if the reader has closed the stream.
    ///   - complaint: writes a line to standard error.
    ///   - size: returns the terminal size, or nil if the output is not a terminal.
    package init(
        output: @escaping @Sendable ([UInt8]) async -> Bool, complaint: @escaping @Sendable (String) -> Void,
        size: @escaping @Sendable () -> (columns: Int, rows: Int)? = { nil }
    ) {
        self.output = output
        self.complaint = complaint
        self.size = size
    }

    /// A console for the process's own streams. SIGPIPE is ignored, because the reader may close a stream early.
    package static let standard: Console = {
        signal(SIGPIPE, SIG_IGN)
        // A stalled reader blocks only this queue.
        let queue = DispatchQueue(label: "standard output")
        return Console(
            output: { bytes in
                await withCheckedContinuation { continuation in
                    queue.async { continuation.resume(returning: write(bytes, to: STDOUT_FILENO)) }
                }
            },
            complaint: { _ = write(Array(($0 + "\n").utf8), to: STDERR_FILENO) },
            size: {
                var size = winsize()
                guard isatty(STDOUT_FILENO) == 1, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0,
                    size.ws_row > 1
                else { return nil }
                return (Int(size.ws_col), Int(size.ws_row))
            })
    }()

    /// Prints text unchanged.
    ///
    /// - Returns: false if the reader has closed the stream.
    @discardableResult
    package func write(_ text: String) async -> Bool { await output(Array(text.utf8)) }

    /// Prints a JSON value and a newline.
    ///
    /// - Returns: false if the reader has closed the stream.
    @discardableResult
    package func write(line json: [UInt8]) async -> Bool { await output(json + [UInt8(ascii: "\n")]) }

    /// Prints bytes unchanged.
    ///
    /// - Returns: false if the reader has closed the stream.
    package func write(_ bytes: [UInt8]) async -> Bool { await output(bytes) }

    /// Prints a line to standard error.
    package func complain(_ line: String) { complaint(line) }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
