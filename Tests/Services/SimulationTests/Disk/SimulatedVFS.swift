import CSQLite
import Glibc
import Synchronization

/// Lets SQLite read and write simulated disks. It becomes the default VFS of the process and passes all other paths to
/// the original one.
enum SimulatedVFS {
    /// The disks of open databases. Each disk is used by one thread only.
    private struct Registry: @unchecked Sendable {
        // @unchecked Sendable because the registry passes each disk only to the thread that registered it.
        var disks: [String: SimulatedDisk] = [:]
    }

    private static let registry = Mutex(Registry())

    private static let installed: Bool = {
        guard let original = sqlite3_vfs_find(nil) else { return false }
        let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        vfs.initialize(to: original.pointee)
        vfs.pointee.pNext = nil
        vfs.pointee.zName = UnsafePointer(strdup("simulated"))
        vfs.pointee.szOsFile = max(original.pointee.szOsFile, SimulatedHandle.size)
        vfs.pointee.xOpen = { _, name, file, flags, outFlags in
            if let name, let (disk, suffix) = SimulatedVFS.find(String(cString: name)), let file {
                return SimulatedHandle.open(disk, suffix, file, flags, outFlags)
            }
            guard let original = SimulatedVFS.original else { return SQLITE_CANTOPEN }
            return original.pointee.xOpen(original, name, file, flags, outFlags)
        }
        vfs.pointee.xDelete = { _, name, syncs in
            if let name, let (disk, suffix) = SimulatedVFS.find(String(cString: name)) {
                disk.remove(suffix)
                return SQLITE_OK
            }
            guard let original = SimulatedVFS.original else { return SQLITE_ERROR }
            return original.pointee.xDelete(original, name, syncs)
        }
        vfs.pointee.xAccess = { _, name, flags, result in
            if let name, let (disk, suffix) = SimulatedVFS.find(String(cString: name)) {
                result?.pointee = disk.file(suffix) == nil ? 0 : 1
                return SQLITE_OK
            }
            guard let original = SimulatedVFS.original else { return SQLITE_ERROR }
            return original.pointee.xAccess(original, name, flags, result)
        }
        return sqlite3_vfs_register(vfs, 1) == SQLITE_OK
    }()

    /// The VFS of the system; it remains registered.
    private static var original: UnsafeMutablePointer<sqlite3_vfs>? { sqlite3_vfs_find("unix") }

    /// Makes the database at a path use a disk until ``unregister(_:)``.
    static func register(_ path: String, _ disk: SimulatedDisk) {
        precondition(installed, "SQLite refuses the simulated VFS")
        registry.withLock { [disk = Unchecked(value: disk)] in $0.disks[path] = disk.value }
    }

    static func unregister(_ path: String) { registry.withLock { $0.disks[path] = nil } }

    private static func find(_ name: String) -> (SimulatedDisk, String)? {
        let found: Unchecked<(SimulatedDisk, String)>? = registry.withLock { registry in
            for suffix in ["", "-wal", "-journal"] where name.hasSuffix(suffix) {
                if let disk = registry.disks[String(name.dropLast(suffix.count))] {
                    return Unchecked(value: (disk, suffix))
                }
            }
            return nil
        }
        return found?.value
    }

    private struct Unchecked<Value>: @unchecked Sendable {
        // @unchecked Sendable because each disk is used by one thread only.
        let value: Value
    }
}
