/// A place for objects: named byte sequences that are written once, and few that are exchanged as a whole.
///
/// Two stores have this form: a directory (``DirectoryStore``) and a bucket of an S3-compatible service (``S3Store``).
/// All operations may run side by side; one process has one store for one place. No object has a name that is the folder of
/// another's: a directory cannot hold both.
package protocol ObjectStore: Sendable {
    /// Whether ``lock(_:)`` keeps other writers out. Where it does not, they are told apart by the conditions of
    /// ``create(_:_:)`` and ``replace(_:_:expected:)`` alone, and another one may write at any time.
    var hasLocks: Bool { get }

    /// The whole object; nil when there is none.
    ///
    /// - Throws: ``ObjectStoreError``: `corrupt` when the store keeps a checksum and it does not fit.
    func read(_ name: ObjectName) async throws(ObjectStoreError) -> StoredObject?

    /// The bytes of the range: fewer, or none, where the object ends before; nil when there is no object.
    func read(_ name: ObjectName, range: Range<Int>) async throws(ObjectStoreError) -> [UInt8]?

    /// Makes an object. It is durable only after ``synchronize()``: after a power loss before, it may be missing or cut.
    ///
    /// - Throws: ``ObjectStoreError``: `exists` when there is one of this name. After any other error there may be an
    ///   object of this name; it is to be deleted before it is created again.
    func create(_ name: ObjectName, _ bytes: [UInt8]) async throws(ObjectStoreError)

    /// Creates an object that is deleted soon, like ``create(_:_:)``: no lock of the service keeps it.
    func createTemporary(_ name: ObjectName, _ bytes: [UInt8]) async throws(ObjectStoreError)

    /// Exchanges an object as a whole. At every moment readers see the old bytes or the new ones, after a crash too; on
    /// return the new ones are durable.
    ///
    /// - Parameter expected: the version that is replaced; nil: there is none.
    /// - Returns: the new version.
    /// - Throws: ``ObjectStoreError``: `changed` when there is another version, or none. After an error for which
    ///   ``ObjectStoreError/isRetriable`` holds, the object may be the old one or the new one: read it.
    func replace(
        _ name: ObjectName, _ bytes: [UInt8], expected: ObjectVersion?
    ) async throws(ObjectStoreError) -> ObjectVersion

    /// Removes an object; nothing happens when there is none. Durable after ``synchronize()``.
    func delete(_ name: ObjectName) async throws(ObjectStoreError)

    /// Objects in ascending order of their names, in all folders.
    ///
    /// - Parameters:
    ///   - prefix: only objects below it, as files are below a folder; nil: all.
    ///   - after: only greater names; the last name of the page before.
    ///   - limit: so many at most; fewer than this means that there are no more.
    func list(
        _ prefix: ObjectName?, after: ObjectName?, limit: Int
    ) async throws(ObjectStoreError) -> [ListedObject]

    /// The names of the folders directly below a prefix, in ascending order; each begins with the prefix.
    func folders(in prefix: ObjectName?) async throws(ObjectStoreError) -> [ObjectName]

    /// On return everything created and deleted by this store before the call is durable.
    ///
    /// - Throws: ``ObjectStoreError``: `notDurable` when an object cannot be made so. It is not tried again, because a
    ///   system may have dropped what it could not write: every further call fails until that object is deleted.
    func synchronize() async throws(ObjectStoreError)

    /// Makes this process the only writer below a prefix. What an earlier writer replaced directly below it is durable on
    /// return. Where writes are conditional (S3) no lock is needed, and every caller gets one.
    ///
    /// - Throws: ``ObjectStoreError``: `locked` when another writer holds it, in this process or in another one.
    func lock(_ prefix: ObjectName) async throws(ObjectStoreError) -> any ObjectStoreLock
}

extension ObjectStore {
    /// The assumption that is safe.
    package var hasLocks: Bool { false }

    package func createTemporary(_ name: ObjectName, _ bytes: [UInt8]) async throws(ObjectStoreError) {
        try await create(name, bytes)
    }
}

/// The right to write below a prefix. It ends with ``release()``, with the last reference, and with the process.
package protocol ObjectStoreLock: Sendable {
    /// Gives the right back; further calls do nothing. What could not be made durable below the prefix is forgotten: it no
    /// longer fails ``ObjectStore/synchronize()``, and the next writer must not rely on what no signature covers.
    func release()
}

/// An object with the version that ``ObjectStore/replace(_:_:expected:)`` asks for.
package struct StoredObject: Sendable, Equatable {
    package let bytes: [UInt8]
    package let version: ObjectVersion

    package init(bytes: [UInt8], version: ObjectVersion) {
        self.bytes = bytes
        self.version = version
    }
}

/// Tells one content of an object from another. Comparable with versions of the same store only.
package struct ObjectVersion: Sendable, Hashable {
    /// A digest in a directory, the entity tag in S3.
    package let text: String

    package init(text: String) { self.text = text }
}

/// An object as a listing shows it.
package struct ListedObject: Sendable, Hashable {
    package let name: ObjectName
    package let byteCount: Int

    package init(name: ObjectName, byteCount: Int) {
        self.name = name
        self.byteCount = byteCount
    }
}
