internal import CThreads
internal import Concurrency
internal import Glibc

/// Tuning of glibc's malloc for a process that allocates on many threads. It has no effect with other C libraries.
package enum MemoryArenas {
    /// Limits malloc to four arenas, which release memory only in large blocks: records are allocated on one thread and
    /// freed on another. With one arena per thread, a backlog leaves a quarter more memory resident; with two arenas,
    /// threads contend for locks. Blocks of at least 512 KiB, such as a fetch response, are released at once.
    ///
    /// Must be called before other threads exist. A thread keeps the arena assigned at its first allocation, and unused
    /// arenas are assigned first, so the threads that allocate most should start first.
    package static func limit() { ct_limit_arenas() }

    /// Periodically releases free pages while the process is working: during a long backlog, arenas accumulate more
    /// fragmented free memory than is in use.
    package static func giveBack() {
        // Without this thread more memory stays resident; nothing else changes.
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
