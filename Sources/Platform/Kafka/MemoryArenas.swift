internal import CRdKafka

/// How the C library keeps memory that was freed, in a process whose Kafka clients allocate on many threads.
package enum MemoryArenas {
    /// Two arenas for all threads, which give memory back in large pieces only: records are allocated on one thread and
    /// freed on another, and with arenas for each thread a backlog leaves a quarter more resident.
    ///
    /// Called before there are other threads. Without effect where the C library is not glibc.
    package static func bound() { crdkafka_bound_arenas() }
}
