internal import CThreads

/// How the C library keeps freed memory, in a process that allocates on many threads.
package enum MemoryArenas {
    /// Four arenas for all threads, which give memory back in large pieces only: records are allocated on one thread and
    /// freed on another. With an arena for each thread a backlog leaves a quarter more resident; with two, threads wait
    /// for each other's locks.
    ///
    /// Called before there are other threads. Without effect where the C library is not glibc.
    package static func limit() { ct_limit_arenas() }
}
