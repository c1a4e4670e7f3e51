internal import Glibc
internal import Synchronization

/// Sets words in memory when this process crashes through its own fault: a trap, a failed assertion, an invalid address
/// or a stack overflow. The words are not set if the process is ended from outside (SIGKILL, power loss). Each consumer
/// of the process has its own word.
enum CrashSignals {
    private static let signals = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]
    private static let stackBytes = 65_536

    /// A table with the addresses of the words, and 0 in each free entry.
    private struct Words: @unchecked Sendable {
        // @unchecked Sendable because the table is never freed, and its entries are atomic.
        let entries: UnsafeMutablePointer<Atomic<UInt>>
        let count = 1024

        init() {
            entries = .allocate(capacity: count)
            for index in 0..<count { (entries + index).initialize(to: Atomic(0)) }
        }
    }

    private static let words = Words()
    /// The address of a table with the previous action for each signal number. It is a plain address because a signal
    /// handler must not allocate, lock or initialize anything.
    private static let previousActions = UInt(
        bitPattern: UnsafeMutablePointer<sigaction>.allocate(capacity: 65))
    private static let isInstalled = Atomic(false)

    /// Adds a word. If the table is full, crashes are not recorded in it.
    ///
    /// - Parameter address: the address of a word that stays mapped until the process ends or ``forget(address:)`` is
    ///   called.
    static func note(at address: UInt) {
        guard address != 0 else { return }
        _ = (0..<words.count).first { replace(0, by: address, at: $0) }
        guard !isInstalled.exchange(true, ordering: .sequentiallyConsistent),
            let table = UnsafeMutablePointer<sigaction>(bitPattern: previousActions)
        else { return }
        for signal in signals {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { CrashSignals.receive($0) }
            action.sa_flags = SA_ONSTACK
            sigaction(signal, &action, table + Int(signal))
        }
    }

    /// Stops using the word at this address. Call this before the word is unmapped.
    static func forget(address: UInt) {
        _ = (0..<words.count).first { replace(address, by: 0, at: $0) }
    }

    /// Replaces an entry of the table. Returns false if the entry is not `current`.
    private static func replace(_ current: UInt, by new: UInt, at index: Int) -> Bool {
        words.entries[index].compareExchange(
            expected: current, desired: new, ordering: .sequentiallyConsistent
        ).exchanged
    }

    /// Sets the words, then lets the previous action handle the signal.
    private static func receive(_ signal: Int32) {
        noteCrash()
        if let table = UnsafeMutablePointer<sigaction>(bitPattern: previousActions) {
            sigaction(signal, table + Int(signal), nil)
        }
        // The signal is blocked until this function returns; the previous action then handles it.
        raise(signal)
    }

    /// Sets the words as a crash would.
    static func noteCrash() {
        var index = 0
        while index < words.count {
            let address = words.entries[index].load(ordering: .sequentiallyConsistent)
            UnsafeMutablePointer<Int64>(bitPattern: address)?.pointee = 1
            index += 1
        }
    }

    /// Makes the calling thread handle these signals on a separate stack, so that stack overflows are also recorded.
    /// The stack is never freed.
    static func receiveOnThisThread() {
        var faults = sigset_t()
        sigemptyset(&faults)
        for signal in signals { sigaddset(&faults, signal) }
        pthread_sigmask(SIG_UNBLOCK, &faults, nil)
        var stack = stack_t()
        stack.ss_sp = UnsafeMutableRawPointer.allocate(byteCount: stackBytes, alignment: 16)
        stack.ss_size = stackBytes
        if sigaltstack(&stack, nil) != 0 { stack.ss_sp.deallocate() }
    }
}
