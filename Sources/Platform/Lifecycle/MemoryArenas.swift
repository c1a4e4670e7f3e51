internal import CSystem
internal import Glibc
internal import Primitives

/// Settings for glibc's malloc in a process that allocates on many threads. They have no effect on other C libraries.
package enum MemoryArenas {
    /// Limits malloc to four arenas, which return memory to the system only in large blocks. Records are allocated on
    /// one thread and freed on another. With one arena per thread, 25% more memory stays resident after a backlog; with
    /// two arenas, threads contend for locks. Blocks of at least 512 KiB, such as a fetch response, are returned at
    /// once.
    ///
    /// Call this function before other threads exist. A thread keeps the arena of its first allocation, and unused
    /// arenas are assigned first, so the threads that allocate most should start first.
    package static func limit() { ct_limit_arenas() }

    /// Periodically releases free pages while the process is busy. During a long backlog, arenas would otherwise
    /// accumulate more fragmented free memory than memory in use.
    package static func giveBack() {
        // Ignore failures: without this thread, more memory stays resident, but nothing else changes.
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
