internal import Glibc
internal import Synchronization

/// Notes in a word of memory that this process ends by a fault of its own: a trap, a failed assertion, a bad address, a
/// stack that is too deep. An end from outside (SIGKILL, the machine) leaves the word as it is.
enum CrashSignals {
    private static let signals = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]
    private static let stackBytes = 65_536

    /// The address of the word; 0 while there is none.
    private static let word = Atomic<UInt>(0)
    /// What was in place before, by signal number, as the address of a table: a signal handler may not allocate, lock or
    /// initialize anything.
    private static let previousActions = UInt(
        bitPattern: UnsafeMutablePointer<sigaction>.allocate(capacity: 65))
    private static let isInstalled = Atomic(false)

    /// - Parameter address: of a word that stays mapped until the process ends.
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

    /// The word at this address is going to be unmapped.
    static func forget(address: UInt) {
        _ = word.compareExchange(expected: address, desired: 0, ordering: .sequentiallyConsistent)
    }

    /// Sets the word, and lets the signal do what it would have done.
    private static func receive(_ signal: Int32) {
        noteCrash()
        if let table = UnsafeMutablePointer<sigaction>(bitPattern: previousActions) {
            sigaction(signal, table + Int(signal), nil)
        }
        // Blocked until this returns.
        raise(signal)
    }

    /// As if the process had ended by a fault.
    static func noteCrash() {
        UnsafeMutablePointer<Int64>(bitPattern: word.load(ordering: .sequentiallyConsistent))?.pointee = 1
    }

    /// Has the calling thread take these signals, on a stack of their own, so that one that has used up its stack is
    /// noted too. The stack is kept as long as the process.
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
