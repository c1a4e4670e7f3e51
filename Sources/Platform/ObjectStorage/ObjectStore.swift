/// A store of objects: named byte sequences, most of them written once, a few replaced as a whole.
///
/// There are two implementations: a directory (``DirectoryStore``) and a bucket of an S3-compatible service
/// (``S3Store``). All operations may run concurrently; a process must have only one store for each location. The name
/// of an object must not be a folder of another name: a directory cannot contain both.
package protocol ObjectStore: Sendable {
    /// Whether ``lock(_:)`` excludes other writers. If not, only the conditions of ``create(_:_:)`` and
    /// ``replace(_:_:expected:)`` detect them, and another writer may write at any time.
    var hasLocks: Bool { get }

    /// Reads a whole object; nil when there is none.
    ///
    /// - Throws: ``ObjectStoreError``: `corrupt` when the store has a checksum of the object that does not match.
    func read(_ name: ObjectName) async throws(ObjectStoreError) -> StoredObject?

    /// Reads the bytes of a range: fewer, or none, where the object ends earlier; nil when there is no object.
    func read(_ name: ObjectName, range: Range<Int>) async throws(ObjectStoreError) -> [UInt8]?

    /// Creates an object. It is durable only after ``synchronize()``: a power loss before that may leave it missing or
    /// truncated.
    ///
    /// - Throws: ``ObjectStoreError``: `exists` when the name exists. After any other error the object may exist;
    ///   delete it before creating it again.
    func create(_ name: ObjectName, _ bytes: [UInt8]) async throws(ObjectStoreError)

    /// Creates an object like ``create(_:_:)``, but without the service's object lock, because it will soon be deleted.
    func createTemporary(_ name: ObjectName, _ bytes: [UInt8]) async throws(ObjectStoreError)

    /// Replaces an object as a whole. Readers always see either the old bytes or the new ones, also after a crash; on
    /// return the new ones are durable.
    ///
    /// - Parameter expected: the version to replace; nil when the object must not exist.
    /// - Returns: the new version.
    /// - Throws: ``ObjectStoreError``: `changed` when the object has another version, or does not exist. After an error
    ///   with ``ObjectStoreError/isRetriable``, the object may be the old one or the new one: read it.
    func replace(
        _ name: ObjectName, _ bytes: [UInt8], expected: ObjectVersion?
    ) async throws(ObjectStoreError) -> ObjectVersion

    /// Deletes an object, if it exists. Durable after ``synchronize()``.
    func delete(_ name: ObjectName) async throws(ObjectStoreError)

    /// Lists objects in ascending order of their names, in all folders.
    ///
    /// - Parameters:
    ///   - prefix: only objects below it, as files are below a folder; nil for all.
    ///   - after: only greater names; pass the last name of the previous page.
    ///   - limit: the maximum number of objects; fewer are returned only at the end.
    func list(
        _ prefix: ObjectName?, after: ObjectName?, limit: Int
    ) async throws(ObjectStoreError) -> [ListedObject]

    /// Lists the folders directly below a prefix, in ascending order; each name includes the prefix.
    func folders(in prefix: ObjectName?) async throws(ObjectStoreError) -> [ObjectName]

    /// Makes everything durable that this store created or deleted before the call.
    ///
    /// - Throws: ``ObjectStoreError``: `notDurable` when this fails for an object. It is not retried, because the
    ///   system may have dropped the unwritten bytes: every further call fails until that object is deleted.
    func synchronize() async throws(ObjectStoreError)

    /// Makes this process the only writer below a prefix. Objects that an earlier writer replaced directly below it are
    /// durable on return. Where writes are conditional (S3), no lock is needed and every caller succeeds.
    ///
    /// - Throws: ``ObjectStoreError``: `locked` when another writer, in this process or another one, has the lock.
    func lock(_ prefix: ObjectName) async throws(ObjectStoreError) -> any ObjectStoreLock
}

extension ObjectStore {
    /// The safe default.
    package var hasLocks: Bool { false }

    package func createTemporary(_ name: ObjectName, _ bytes: [UInt8]) async throws(ObjectStoreError) {
        try await create(name, bytes)
    }
}

/// The exclusive right to write below a prefix. It ends with ``release()``, with the last reference, and with the
/// process.
package protocol ObjectStoreLock: Sendable {
    /// Releases the lock; further calls do nothing. Failures to make objects below the prefix durable are discarded:
    /// they no longer fail ``ObjectStore/synchronize()``, and the next writer must not rely on data that no signature
    /// covers.
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

/// Identifies the content of an object. Comparable only with versions of the same store.
package struct ObjectVersion: Sendable, Hashable {
    /// A SHA-256 digest in a directory, the entity tag in S3.
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
