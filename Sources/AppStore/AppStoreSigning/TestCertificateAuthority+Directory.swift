internal import Cryptography
internal import FoundationEssentials
internal import Primitives

extension TestCertificateAuthority {
    private enum FileName {
        static let root = "root.pem"
        static let intermediate = "intermediate.pem"
        static let leaf = "leaf.pem"
        static let leafKey = "leaf.key"
    }

    /// Writes `root.pem`, `intermediate.pem`, `leaf.pem` and `leaf.key` (readable only by the owner) to a directory,
    /// which is created if necessary. The authorities' keys are not written.
    ///
    /// - Throws: ``AppStoreSigningError`` with code `directory` or `cryptography`.
    package func save(to directory: String) throws(AppStoreSigningError) {
        let key: [UInt8]
        do throws(CryptographyError) { key = try leafKey.pem() } catch {
            throw AppStoreSigningError(.cryptography, "the leaf's key cannot be written", cause: error)
        }
        let folder = URL(fileURLWithPath: directory, isDirectory: true)
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for (name, certificate) in [
                (FileName.root, root), (FileName.intermediate, intermediate), (FileName.leaf, leaf),
            ] {
                try Data(certificate.pem).write(to: folder.appendingPathComponent(name), options: .atomic)
            }
        } catch {
            throw AppStoreSigningError(.directory, "\(directory) cannot be written: \(error)")
        }
        // Create the file with its final mode, so that it is never readable by others.
        let path = folder.appendingPathComponent(FileName.leafKey).path
        try? FileManager.default.removeItem(atPath: path)
        do throws(FileDescriptor.Failure) {
            try FileDescriptor(replacing: path, mode: 0o600).write(key)
        } catch { throw AppStoreSigningError(.directory, "\(path) cannot be written: \(error)") }
    }

    /// Loads the files written by ``save(to:)``.
    ///
    /// - Throws: ``AppStoreSigningError``: `directory` if a file is missing or the key does not match the leaf;
    ///   `cryptography` if the content of a file is not the certificate or key that its name implies.
    package static func load(from directory: String) throws(AppStoreSigningError) -> TestCertificateAuthority {
        let folder = URL(fileURLWithPath: directory, isDirectory: true)
        let root = try certificate(folder, FileName.root)
        let intermediate = try certificate(folder, FileName.intermediate)
        let leaf = try certificate(folder, FileName.leaf)
        let path = folder.appendingPathComponent(FileName.leafKey).path
        let key: PrivateKey
        do throws(CryptographyError) { key = try PrivateKey(contentsOf: path) } catch {
            throw AppStoreSigningError(.cryptography, "\(path) is not usable", cause: error)
        }
        guard let certified = P256PublicKey(certificate: leaf),
            certified.uncompressedPoint == key.publicKey?.uncompressedPoint
        else { throw AppStoreSigningError(.directory, "\(path) is not the key of \(FileName.leaf)") }
        return TestCertificateAuthority(
            root: root, intermediate: intermediate, leaf: leaf, leafKey: key, authorityKeys: nil)
    }

    private static func certificate(_ folder: URL, _ name: String) throws(AppStoreSigningError) -> Certificate {
        let path = folder.appendingPathComponent(name).path
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw AppStoreSigningError(.directory, "\(path) cannot be read")
        }
        let all: [Certificate]
        do throws(CryptographyError) { all = try Certificate.certificates(encoded: Array(bytes)) } catch {
            throw AppStoreSigningError(.cryptography, "\(path) is not a certificate", cause: error)
        }
        guard all.count == 1 else { throw AppStoreSigningError(.directory, "\(path) has \(all.count) certificates") }
        return all[0]
    }
}
