/// A store of objects, which are named byte sequences. Most objects are written once; a few are replaced as a whole.
///
/// There are two implementations: a directory (``DirectoryStore``) and a bucket in an S3-compatible service
/// (``S3Store``). All operations can run concurrently, but a process must have only one store for each location. If
/// there is an object `a/b`, no object may have the name `a`, because a directory cannot contain both a file and a
/// folder with the same name.
package protocol ObjectStore: Sendable {
    /// Whether ``lock(_:)`` excludes other writers. If not, another writer may write at any time, and only the
    /// conditions of ``create(_:_:)`` and ``replace(_:_:expected:)`` detect this.
    var hasLocks: Bool { get }

    /// Reads a whole object. Returns nil if it does not exist.
    ///
    /// - Throws: ``ObjectStoreError``: `corrupt` if the store's checksum for the object does not match.
    func read(_ name: ObjectName) async throws(ObjectStoreError) -> StoredObject?

    /// Reads the bytes in a range, or fewer or none if the object ends earlier. Returns nil if the object does not
    /// exist.
    func read(_ name: ObjectName, range: Range<Int>) async throws(ObjectStoreError) -> [UInt8]?

    /// Creates an object. It is durable only after ``synchronize()``; after an earlier power loss, it may be missing or
    /// truncated.
    ///
    /// - Throws: ``ObjectStoreError``: `exists` if the name exists. After any other error, the object may exist; delete
    ///   it before creating it again.
    func create(_ name: ObjectName, _ bytes: [UInt8]) async throws(ObjectStoreError)

    /// Creates an object as ``create(_:_:)`` does, but without the service's object lock, because the object will soon
    /// be deleted.
    func createTemporary(_ name: ObjectName, _ bytes: [UInt8]) async throws(ObjectStoreError)

    /// Replaces an object as a whole. Readers always receive either the old or the new bytes, even after a crash. When
    /// this returns, the new bytes are durable.
    ///
    /// - Parameter expected: the version to replace; nil if the object must not exist.
    /// - Returns: the new version.
    /// - Throws: ``ObjectStoreError``: `changed` if the object's version is not `expected`; a missing object has the
    ///   version nil. After a retriable error (``ObjectStoreError/isRetriable``), the object may have the old or the
    ///   new content; read it to find out.
    func replace(
        _ name: ObjectName, _ bytes: [UInt8], expected: ObjectVersion?
    ) async throws(ObjectStoreError) -> ObjectVersion

    /// Deletes an object if it exists. The deletion is durable after ``synchronize()``.
    func delete(_ name: ObjectName) async throws(ObjectStoreError)

    /// Lists objects in all folders, in ascending order of the objects' names.
    ///
    /// - Parameters:
    ///   - prefix: lists only objects below this name, like files below a folder; nil lists all objects.
    ///   - after: lists only greater names. Pass the last name of the previous page.
    ///   - limit: the maximum number of objects. Only the last page has fewer.
    func list(
        _ prefix: ObjectName?, after: ObjectName?, limit: Int
    ) async throws(ObjectStoreError) -> [ListedObject]

    /// Lists the folders directly below a prefix in ascending order. Each name includes the prefix.
    func folders(in prefix: ObjectName?) async throws(ObjectStoreError) -> [ObjectName]

    /// Makes all earlier creations and deletions by this store durable.
    ///
    /// - Throws: ``ObjectStoreError``: `notDurable` if this fails for an object. Synchronizing the object is not
    ///   retried, because the system may have dropped its unwritten bytes. Every further call fails until the object is
    ///   deleted.
    func synchronize() async throws(ObjectStoreError)

    /// Makes this process the only writer below a prefix. When this returns, objects that an earlier writer replaced
    /// directly below the prefix are durable. With conditional writes (S3), no lock is needed, and every caller
    /// succeeds.
    ///
    /// - Throws: ``ObjectStoreError``: `locked` if another writer, in this process or another, has the lock.
    func lock(_ prefix: ObjectName) async throws(ObjectStoreError) -> any ObjectStoreLock
}

extension ObjectStore {
    /// False by default, which is always safe.
    package var hasLocks: Bool { false }

    package func createTemporary(_ name: ObjectName, _ bytes: [UInt8]) async throws(ObjectStoreError) {
        try await create(name, bytes)
    }
}

/// The exclusive right to write below a prefix. It ends when ``release()`` is called, when the last reference is
/// released, or when the process ends.
package protocol ObjectStoreLock: Sendable {
    /// Releases the lock. Further calls have no effect. Earlier durability failures below the prefix are discarded, so
    /// ``ObjectStore/synchronize()`` no longer reports them. Therefore, the next writer must not rely on objects that
    /// the log's latest signed checkpoint does not cover.
    func release()
}

/// An object and its version, for ``ObjectStore/replace(_:_:expected:)``.
package struct StoredObject: Sendable, Equatable {
    package let bytes: [UInt8]
    package let version: ObjectVersion

    package init(bytes: [UInt8], version: ObjectVersion) {
        self.bytes = bytes
        self.version = version
    }
}

/// Identifies an object's content. Compare it only with versions from the same store.
package struct ObjectVersion: Sendable, Hashable {
    /// A SHA-256 digest in a directory, or an entity tag in S3.
    package let text: String

    package init(text: String) { self.text = text }
}

/// An object in a listing.
package struct ListedObject: Sendable, Hashable {
    package let name: ObjectName
    package let byteCount: Int

    package init(name: ObjectName, byteCount: Int) {
        self.name = name
        self.byteCount = byteCount
    }
}
