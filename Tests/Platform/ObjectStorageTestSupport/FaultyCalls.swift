import Foundation
package import ObjectStorage
import Synchronization

/// Makes system calls fail according to a list of faults, and counts all calls.
package final class FaultyCalls: FileCalls {
    package enum Call: String, Sendable, CaseIterable {
        case open, status, read, write, synchronize, lock, makeFolder, rename, remove, removeFolder, entries
    }

    package struct Fault: Sendable {
        /// The kind of system call; nil for any.
        package var call: Call?
        /// The number of the first call that fails, starting at 1.
        package var number: Int
        package var error: Int32
        /// Whether all later calls also fail.
        package var lasts: Bool
        /// Whether the process ends at this call, so that no later call of any kind has an effect.
        package var kills: Bool

        package init(_ call: Call?, number: Int, error: Int32 = EIO, lasts: Bool = false, kills: Bool = false) {
            self.call = call
            self.number = number
            self.error = error
            self.lasts = lasts
            self.kills = kills
        }
    }

    private struct State {
        var faults: [Fault]
        var counts: [Call: Int] = [:]
        var total = 0
        var isDead = false
    }

    private let calls: any FileCalls
    private let state: Mutex<State>

    package init(_ calls: any FileCalls, _ faults: [Fault] = []) {
        self.calls = calls
        state = Mutex(State(faults: faults))
    }

    package func count(of call: Call) -> Int { state.withLock { $0.counts[call] ?? 0 } }

    /// The number of calls of all kinds.
    package var total: Int { state.withLock { $0.total } }

    package var isDead: Bool { state.withLock { $0.isDead } }

    /// Replaces the faults and resets the counters.
    package func reset(_ faults: [Fault] = []) { state.withLock { $0 = State(faults: faults) } }

    /// - Returns: the fault for this call, or nil if there is none.
    private func counted(_ call: Call) -> Fault? {
        state.withLock { state in
            if state.isDead { return Fault(call, number: 0) }
            state.total += 1
            let count = (state.counts[call] ?? 0) + 1
            state.counts[call] = count
            let fault = state.faults.first { fault in
                guard fault.call == nil || fault.call == call else { return false }
                let reached = fault.call == nil ? state.total : count
                return fault.lasts ? reached >= fault.number : reached == fault.number
            }
            if fault?.kills == true { state.isDead = true }
            return fault
        }
    }

    private func check(_ call: Call) throws(SystemError) {
        if let fault = counted(call) { throw SystemError(number: fault.error) }
    }

    package func openFolder(path: String) throws(SystemError) -> Int32 {
        try check(.open)
        return try calls.openFolder(path: path)
    }

    package func makeFolder(path: String) throws(SystemError) {
        try check(.makeFolder)
        try calls.makeFolder(path: path)
    }

    package func open(_ name: String, in folder: Int32, _ opening: FileOpening) throws(SystemError) -> Int32 {
        try check(.open)
        return try calls.open(name, in: folder, opening)
    }

    package func close(_ file: Int32) { calls.close(file) }

    package func status(_ file: Int32) throws(SystemError) -> FileStatus {
        try check(.status)
        return try calls.status(file)
    }

    package func status(_ name: String, in folder: Int32) throws(SystemError) -> FileStatus {
        try check(.status)
        return try calls.status(name, in: folder)
    }

    package func read(
        _ file: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(SystemError) -> Int {
        try check(.read)
        return try calls.read(file, into: buffer, at: offset)
    }

    /// Writes bytes. A failing call first writes a part of them, as on a full disk.
    package func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int {
        let isDead = isDead
        if let fault = counted(.write) {
            if !isDead, bytes.count > 1 {
                _ = try calls.write(file, UnsafeRawBufferPointer(rebasing: bytes.prefix(bytes.count / 2)))
            }
            throw SystemError(number: fault.error)
        }
        return try calls.write(file, bytes)
    }

    package func synchronize(_ file: Int32) throws(SystemError) {
        try check(.synchronize)
        try calls.synchronize(file)
    }

    package func lock(_ file: Int32, waiting: Bool) throws(SystemError) {
        try check(.lock)
        try calls.lock(file, waiting: waiting)
    }

    package func unlock(_ file: Int32) { calls.unlock(file) }

    package func makeFolder(_ name: String, in folder: Int32) throws(SystemError) {
        try check(.makeFolder)
        try calls.makeFolder(name, in: folder)
    }

    package func rename(_ name: String, to newName: String, in folder: Int32) throws(SystemError) {
        try check(.rename)
        try calls.rename(name, to: newName, in: folder)
    }

    package func remove(_ name: String, in folder: Int32) throws(SystemError) {
        try check(.remove)
        try calls.remove(name, in: folder)
    }

    package func removeFolder(_ name: String, in folder: Int32) throws(SystemError) {
        try check(.removeFolder)
        try calls.removeFolder(name, in: folder)
    }

    package func entries(of folder: Int32) throws(SystemError) -> [FolderEntry] {
        try check(.entries)
        return try calls.entries(of: folder)
    }
}
