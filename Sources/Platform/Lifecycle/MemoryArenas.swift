internal import CThreads
internal import Concurrency
internal import Glibc

/// How the C library keeps freed memory, in a process that allocates on many threads. Without effect where it is not
/// glibc.
package enum MemoryArenas {
    /// Four arenas for all threads, which give memory back in large pieces only: records are allocated on one thread and
    /// freed on another. With an arena for each thread a backlog leaves a quarter more resident; with two, threads wait
    /// for each other's locks. Blocks of half a mebibyte, such as what a fetch brings, are given back at once.
    ///
    /// Called before there are other threads. A thread has the arena that was new when it first allocated, as long as
    /// there are new ones: those that allocate most should begin first.
    package static func limit() { ct_limit_arenas() }

    /// Gives free pages back from time to time while the process works: over a long backlog arenas come to hold more
    /// free memory, in pieces, than there is in use.
    package static func giveBack() {
        // Without a thread more stays resident, and nothing else changes.
        _ = OwnThread.start(name: "memory") {
            var worked = clock()
            while true {
                usleep(500_000)
                let now = clock()
                guard now - worked >= CLOCKS_PER_SEC / 2 else { continue }
                worked = now
                ct_trim_arenas()
            }
        }
    }
}
