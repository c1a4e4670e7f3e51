internal import CSystem

/// A descriptor's readiness, or the events to watch for.
struct Readiness: OptionSet {
    let rawValue: UInt32
    static let input = Readiness(rawValue: UInt32(POLLIN))
    static let output = Readiness(rawValue: UInt32(POLLOUT))
    /// Error and hang-up, which epoll always reports.
    static let broken = Readiness(rawValue: UInt32(POLLERR) | UInt32(POLLHUP))
}

/// A level-triggered epoll instance.
struct Poller {
    let descriptor: Int32
    private var keys = [UInt64](repeating: 0, count: 256)
    private var events = [UInt32](repeating: 0, count: 256)

    init(descriptor: Int32) { self.descriptor = descriptor }

    func add(_ socket: Int32, _ readiness: Readiness, key: UInt64) -> Bool {
        cs_epoll_set(descriptor, socket, readiness.rawValue, key, 1) == 0
    }

    func change(_ socket: Int32, _ readiness: Readiness, key: UInt64) {
        // This cannot fail, because the socket is open and was added.
        _ = cs_epoll_set(descriptor, socket, readiness.rawValue, key, 0)
    }

    /// Waits for events and returns their number. A `milliseconds` of -1 waits indefinitely.
    mutating func wait(milliseconds: Int32) -> Int {
        Int(max(0, cs_epoll_wait(descriptor, &keys, &events, Int32(keys.count), milliseconds)))
    }

    func event(_ index: Int) -> (key: UInt64, readiness: Readiness) {
        (keys[index], Readiness(rawValue: events[index]))
    }
}
