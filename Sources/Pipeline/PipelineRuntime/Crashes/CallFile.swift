internal import FoundationEssentials
internal import Glibc

/// A small memory-mapped file that lists the records being handled. Recording a call takes a few memory writes and no
/// system call. The file survives a process crash, but not necessarily a machine crash.
///
/// The file consists of 64-bit words: the layout version, the crash flag, one slot per call (topic hash, partition,
/// first offset + 1 or 0 if free, last offset, whether it runs alone), and the suspicions from earlier crashes.
package final class CallFile: @unchecked Sendable {
    // @unchecked Sendable because `begin` and `end` write only to the caller's own slot, `noteCrash` always writes the
    // same value to one word, and all other calls are made under the lock of `HandlerCalls`.
    static let slots = 1024
    static let maximumSuspicions = 1024
    private static let maximumCrashes: Int64 = 1_000_000

    /// The layout version. A file with a different version is cleared.
    package static let formatVersion: Int64 = 1
    private static let version: Int64 = 0x736C_7569_6365_0000 + formatVersion
    private static let header = 2
    private static let slotWords = 5
    private static let suspicionWords = 6
    private static let suspicionsAt = header + slots * slotWords
    private static let words = suspicionsAt + 1 + maximumSuspicions * suspicionWords

    private let descriptor: Int32
    private let memory: UnsafeMutablePointer<Int64>
    /// The suspicions from earlier crashes, as read when the file was opened.
    let suspicions: [Suspicion]

    /// Opens the first of these files that is not locked by a running process: `<directory>/<name>.calls`,
    /// `<name>.2.calls`, …
    ///
    /// - Throws: a file system error; `POSIXError` with `EBUSY` if all files are locked.
    package static func open(name: String, in directory: String) throws -> CallFile {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let plain = String(name.map { $0.isLetter || $0.isNumber || "-._".contains($0) ? $0 : "_" })
        for number in 1...64 {
            let path = "\(directory)/\(plain)\(number == 1 ? "" : ".\(number)").calls"
            let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                close(descriptor)
                continue
            }
            guard let file = CallFile(descriptor) else {
                close(descriptor)
                throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
            }
            return file
        }
        throw POSIXError(.EBUSY)
    }

    private init?(_ descriptor: Int32) {
        let bytes = Self.words * 8
        // Allocate the blocks on disk. A write through the mapping to an unallocated block could raise SIGBUS.
        let refusal = posix_fallocate(descriptor, 0, off_t(bytes))
        guard refusal == 0 else {
            errno = refusal
            return nil
        }
        guard let raw = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), raw != MAP_FAILED
        else { return nil }
        self.descriptor = descriptor
        memory = raw.bindMemory(to: Int64.self, capacity: Self.words)
        if memory[0] != Self.version {
            memset(raw, 0, bytes)
            memory[0] = Self.version
        }
        let known = Self.read(memory)
        suspicions = memory[1] == 0 ? known : Suspicion.merge(known, inWork: Self.inWork(memory))
        memory[1] = 0
        for index in Self.header..<Self.suspicionsAt { memory[index] = 0 }
        write(suspicions)
    }

    /// The file is closed and unlocked when the last reference is released.
    deinit {
        CrashSignals.forget(address: crashWord)
        munmap(memory, Self.words * 8)
        close(descriptor)
    }

    /// The address of the word that is set if the process crashes.
    var crashWord: UInt { UInt(bitPattern: memory + 1) }

    /// Makes the end of this process count as a crash.
    func noteCrash() { memory[1] = 1 }

    func begin(slot: Int, _ topicHash: Int64, _ partition: Int64, _ offsets: ClosedRange<Int64>, isAlone: Bool) {
        let words = memory + Self.header + slot * Self.slotWords
        words[0] = topicHash
        words[1] = partition
        words[3] = offsets.upperBound
        words[4] = isAlone ? 1 : 0
        words[2] = offsets.lowerBound &+ 1
    }

    func end(slot: Int) { memory[Self.header + slot * Self.slotWords + 2] = 0 }

    func write(_ suspicions: [Suspicion]) {
        let kept = suspicions.prefix(Self.maximumSuspicions)
        memory[Self.suspicionsAt] = Int64(kept.count)
        for (index, suspicion) in kept.enumerated() {
            let words = memory + Self.suspicionsAt + 1 + index * Self.suspicionWords
            words[0] = suspicion.topicHash
            words[1] = suspicion.partition
            words[2] = suspicion.first
            words[3] = suspicion.last
            words[4] = suspicion.crashes
            words[5] = suspicion.isCertain ? 1 : 0
        }
    }

    private static func inWork(_ memory: UnsafeMutablePointer<Int64>) -> [Suspicion] {
        (0..<slots).compactMap { slot in
            let words = memory + header + slot * slotWords
            guard words[2] > 0 else { return nil }
            return Suspicion(
                topicHash: words[0], partition: words[1], first: words[2] - 1, last: max(words[2] - 1, words[3]),
                crashes: 1, isCertain: words[4] == 1)
        }
    }

    private static func read(_ memory: UnsafeMutablePointer<Int64>) -> [Suspicion] {
        (0..<min(max(0, Int(memory[suspicionsAt])), maximumSuspicions)).map { index in
            let words = memory + suspicionsAt + 1 + index * suspicionWords
            // The count is limited, because a damaged file can contain any number.
            return Suspicion(
                topicHash: words[0], partition: words[1], first: words[2], last: words[3],
                crashes: min(max(0, words[4]), maximumCrashes), isCertain: words[5] == 1)
        }
    }
}
