internal import Glibc
internal import Synchronization

/// Sets a word in memory when this process crashes through its own fault: a trap, a failed assertion, an invalid
/// address or a stack overflow. The word is not set if the process is ended from outside (SIGKILL, power loss).
enum CrashSignals {
    private static let signals = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]
    private static let stackBytes = 65_536

    /// The address of the word, or 0 if there is none.
    private static let word = Atomic<UInt>(0)
    /// The address of a table with the previous action for each signal number. It is a plain address because a signal
    /// handler must not allocate, lock or initialize anything.
    private static let previousActions = UInt(
        bitPattern: UnsafeMutablePointer<sigaction>.allocate(capacity: 65))
    private static let isInstalled = Atomic(false)

    /// - Parameter address: the address of a word that stays mapped until the process ends or ``forget(address:)`` is
    ///   called.
    static func note(at address: UInt) {
        word.store(address, ordering: .sequentiallyConsistent)
        guard address != 0, !isInstalled.exchange(true, ordering: .sequentiallyConsistent),
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
        _ = word.compareExchange(expected: address, desired: 0, ordering: .sequentiallyConsistent)
    }

    /// Sets the word, then lets the previous action handle the signal.
    private static func receive(_ signal: Int32) {
        noteCrash()
        if let table = UnsafeMutablePointer<sigaction>(bitPattern: previousActions) {
            sigaction(signal, table + Int(signal), nil)
        }
        // The signal is blocked until this function returns; the previous action then handles it.
        raise(signal)
    }

    /// Sets the word as a crash would.
    static func noteCrash() {
        UnsafeMutablePointer<Int64>(bitPattern: word.load(ordering: .sequentiallyConsistent))?.pointee = 1
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
