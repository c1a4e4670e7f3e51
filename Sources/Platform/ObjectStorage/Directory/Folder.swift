internal import Synchronization

/// An open folder in a ``DirectoryStore``.
final class Folder: Sendable, Hashable {
    /// The folder's name, or nil for the root.
    let name: ObjectName?
    let parent: Folder?
    let file: OpenFile
    /// Whether the folder's entry in its parent is registered for the next synchronization.
    let isNoted = Atomic(false)
    /// Whether the folder's entry in its parent, and the entries of all folders above it, are known to be durable.
    let isDurable = Atomic(false)
    /// Locked while an object in this folder is being replaced. Contains the lock file that excludes other processes.
    let exchange = Mutex<OpenFile?>(nil)

    init(_ name: ObjectName?, in parent: Folder?, _ file: OpenFile) {
        self.name = name
        self.parent = parent
        self.file = file
    }

    var descriptor: Int32 { file.descriptor }

    static func == (left: Folder, right: Folder) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
