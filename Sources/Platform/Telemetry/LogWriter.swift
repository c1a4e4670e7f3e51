internal import Dispatch
internal import Glibc
internal import Primitives
internal import Synchronization

/// Writes log lines to a descriptor on a separate thread, so that a blocked reader never blocks a caller.
///
/// The queue is limited to ``maximumLines`` lines and ``maximumBytes`` bytes. When it is full, new lines are dropped
/// and counted, and a notice reports the number of dropped lines.
package final class LogWriter: LogSink {
    /// The maximum number of queued lines.
    package let maximumLines: Int
    /// The maximum number of queued bytes.
    package let maximumBytes: Int
    private let descriptor: Int32
    private let notice: @Sendable (Int) -> [UInt8]
    private let state = Mutex(State())
    /// Signaled when the queue becomes non-empty and when the writer must stop.
    private let wakeUp = DispatchSemaphore(value: 0)

    private struct State {
        var lines: [[UInt8]] = []
        var bytes = 0
        /// Lines dropped since the last notice.
        var unreported = 0
        var dropped = 0
        /// Whether the thread has lines that it has not written yet.
        var isWriting = false
        var isStopped = false
        /// Signaled when everything has been written.
        var waiters: [DispatchSemaphore] = []

        var isIdle: Bool { lines.isEmpty && !isWriting && unreported == 0 }
    }

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - descriptor: the descriptor to write to; the writer does not close it.
    ///   - maximumLines: the maximum number of queued lines.
    ///   - maximumBytes: the maximum number of queued bytes.
    ///   - notice: creates the line that reports the number of dropped lines.
    package init(
        descriptor: Int32, maximumLines: Int = 8_192, maximumBytes: Int = 4 << 20,
        notice: @escaping @Sendable (Int) -> [UInt8]
    ) {
        self.descriptor = descriptor
        self.maximumLines = maximumLines
        self.maximumBytes = maximumBytes
        self.notice = notice
        startThread()
    }

    package var droppedLines: Int { state.withLock { $0.dropped } }

    package func write(_ line: [UInt8]) {
        let wasEmpty = state.withLock { state -> Bool in
            guard !state.isStopped, state.lines.count < maximumLines, state.bytes + line.count <= maximumBytes else {
                state.dropped += 1
                state.unreported += 1
                return false
            }
            state.lines.append(line)
            state.bytes += line.count
            return state.lines.count == 1
        }
        if wasEmpty { wakeUp.signal() }
    }

    package func flush(within limit: Duration) -> Bool {
        let done = DispatchSemaphore(value: 0)
        let isIdle = state.withLock { state -> Bool in
            if state.isIdle { return true }
            state.waiters.append(done)
            return false
        }
        if isIdle { return true }
        wakeUp.signal()
        let nanoseconds = min(limit.clampedNanoseconds, 86_400_000_000_000)
        return done.wait(timeout: .now() + .nanoseconds(Int(nanoseconds))) == .success
    }

    /// Stops the thread after it has written the queued lines. Later lines are dropped. For tests that create many
    /// writers.
    package func stop() {
        state.withLock { $0.isStopped = true }
        wakeUp.signal()
    }

    // MARK: Writer thread

    private func startThread() {
        let error = OwnThread.start(name: "log") { self.run() }
        // Without a thread, nothing can be written, so count every line as dropped.
        if error != 0 { state.withLock { $0.isStopped = true } }
    }

    private func run() {
        while true {
            wakeUp.wait()
            while writeWaiting() {}
            if state.withLock({ $0.isStopped && $0.isIdle }) { return }
        }
    }

    /// Writes the queued lines, followed by a notice if lines were dropped.
    ///
    /// - Returns: whether there was anything to write.
    private func writeWaiting() -> Bool {
        // Lines are dropped only while the queue is full, so dropped lines are newer than queued ones.
        let (lines, unreported) = state.withLock { state -> ([[UInt8]], Int) in
            let taken = (state.lines, state.unreported)
            state.lines = []
            state.bytes = 0
            state.unreported = 0
            state.isWriting = !taken.0.isEmpty || taken.1 > 0
            return taken
        }
        var batch: [UInt8] = []
        for line in lines {
            batch.append(contentsOf: line)
            if batch.count >= 64 * 1024 {
                writeAll(batch)
                batch.removeAll(keepingCapacity: true)
            }
        }
        writeAll(batch)
        if unreported > 0 { writeAll(notice(unreported)) }
        let waiters = state.withLock { state -> [DispatchSemaphore] in
            state.isWriting = false
            guard state.isIdle else { return [] }
            let waiters = state.waiters
            state.waiters = []
            return waiters
        }
        for waiter in waiters { waiter.signal() }
        return !lines.isEmpty || unreported > 0
    }

    /// Writes all bytes. If the descriptor has no reader, the bytes are lost, and there is nowhere to report the loss.
    private func writeAll(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&entry, 1, -1)
            } else if errno != EINTR {
                return
            }
        }
    }
}
