internal import Synchronization

/// An open folder of a ``DirectoryStore``.
final class Folder: Sendable, Hashable {
    /// Nil: the root.
    let name: ObjectName?
    let parent: Folder?
    let file: OpenFile
    /// Whether its entry in its parent was noted for the next synchronisation.
    let isNoted = Atomic(false)
    /// Whether its entry in its parent, and theirs up to the root, are known to be durable.
    let isDurable = Atomic(false)
    /// Held while an object of this folder is exchanged, with the lock file that keeps other processes out.
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
