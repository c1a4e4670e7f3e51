internal import Cryptography
internal import Glibc

extension DirectoryStore {
    func readNow(_ name: ObjectName) throws(ObjectStoreError) -> StoredObject? {
        guard let file = try opened(name), let bytes = try bytes(of: file, name, in: 0..<Int.max) else { return nil }
        return StoredObject(bytes: bytes, version: Self.version(of: bytes))
    }

    func readNow(_ name: ObjectName, _ range: Range<Int>) throws(ObjectStoreError) -> [UInt8]? {
        guard let file = try opened(name) else { return nil }
        return try bytes(of: file, name, in: range)
    }

    static func version(of bytes: [UInt8]) -> ObjectVersion { ObjectVersion(text: SHA256.digest(of: bytes).hex) }

    /// Opens an object's file. Returns nil if it does not exist.
    private func opened(_ name: ObjectName) throws(ObjectStoreError) -> OpenFile? {
        if let folder = try tree.existing(name.folder), let file = try opened(name, in: folder) { return file }
        // Another process may have removed and recreated a folder that this store keeps open, so open the folder again.
        guard name.folder != nil, let folder = try tree.existing(name.folder, fresh: true) else { return nil }
        return try opened(name, in: folder)
    }

    func opened(_ name: ObjectName, in folder: Folder) throws(ObjectStoreError) -> OpenFile? {
        do throws(SystemError) {
            return OpenFile(try calls.open(String(name.lastComponent), in: folder.descriptor, .reading), calls)
        } catch {
            if error.number == ENOENT { return nil }
            throw DirectoryProblem.error(error, "read \(tree.path(name))")
        }
    }

    /// Reads to the end of the range or of the file, which may change its size during the call. Returns nil for a
    /// folder.
    func bytes(of file: OpenFile, _ name: ObjectName, in range: Range<Int>) throws(ObjectStoreError) -> [UInt8]? {
        let status: FileStatus
        do throws(SystemError) {
            status = try calls.status(file.descriptor)
        } catch {
            throw DirectoryProblem.error(error, "read \(tree.path(name))")
        }
        if status.kind == .folder { return nil }
        guard status.kind == .file else {
            throw ObjectStoreError(
                .unsafePath, "cannot read \(tree.path(name)): it is not a regular file; find out what created it")
        }
        let wanted = range.clamped(to: 0..<max(0, status.byteCount))
        guard wanted.count <= Self.maximumObjectBytes else {
            throw ObjectStoreError(
                .tooLarge, "cannot read \(tree.path(name)): \(wanted.count) bytes exceed the maximum object size")
        }
        return try read(wanted, of: file, name)
    }

    private func read(
        _ range: Range<Int>, of file: OpenFile, _ name: ObjectName
    ) throws(ObjectStoreError) -> [UInt8] {
        do {
            return try [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
                while count < range.count {
                    let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
                    let read = try calls.read(file.descriptor, into: rest, at: range.lowerBound + count)
                    if read == 0 { return }
                    count += read
                }
            }
        } catch let error as SystemError {
            throw DirectoryProblem.error(error, "read \(tree.path(name))")
        } catch {
            throw ObjectStoreError(.failed, "cannot read \(tree.path(name)): \(error)")
        }
    }
}
