internal import COpenSSL

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension PrivateKey {
    /// Reads a P-256 key from an App Store Connect `.p8` file: unencrypted PKCS#8 in PEM. The buffer is wiped.
    ///
    /// - Throws: ``CryptographyError``: `unreadableFile`, or the same errors as ``init(pem:)``.
    package convenience init(contentsOf path: String) throws(CryptographyError) {
        self.init(owning: try Self.read(path, kind: .p256))
    }

    /// Parses a P-256 key from unencrypted PKCS#8 in PEM.
    ///
    /// - Throws: ``CryptographyError``: `unsupportedKey` for a different kind of key; `malformedKey` for any other
    ///   text, for an encrypted key (there is no password prompt), and if the two halves do not match.
    package convenience init(pem: [UInt8]) throws(CryptographyError) {
        self.init(owning: try Self.parse(pem, kind: .p256))
    }

    /// Reads an Ed25519 key from a file with unencrypted PKCS#8 in PEM. The buffer is wiped.
    ///
    /// - Throws: ``CryptographyError``: `unreadableFile`, or the same errors as ``init(pem:)``.
    package convenience init(ed25519ContentsOf path: String) throws(CryptographyError) {
        self.init(owning: try Self.read(path, kind: .ed25519))
    }

    /// Parses an Ed25519 key from unencrypted PKCS#8 in PEM.
    ///
    /// - Throws: the same errors as ``init(pem:)``.
    package convenience init(ed25519PEM pem: [UInt8]) throws(CryptographyError) {
        self.init(owning: try Self.parse(pem, kind: .ed25519))
    }

    /// The kind of key that a file must contain.
    private enum WantedKind {
        case p256, ed25519

        var name: String { self == .p256 ? "an EC key on P-256" : "an Ed25519 key" }

        func matches(_ handle: OpaquePointer) -> Bool {
            switch self {
            case .p256: KeyFacts.kind(of: handle) == .p256
            case .ed25519: EVP_PKEY_is_a(handle, "ED25519") == 1
            }
        }
    }

    private static func read(_ path: String, kind: WantedKind) throws(CryptographyError) -> OpaquePointer {
        // A private buffer, so that wiping it leaves no copy. A key file is about 260 bytes long.
        let capacity = 16 * 1024
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 1)
        defer {
            OPENSSL_cleanse(buffer.baseAddress, buffer.count)
            buffer.deallocate()
        }
        let count = try read(path, into: buffer)
        return try parse(UnsafeRawBufferPointer(rebasing: buffer[..<count]), kind: kind)
    }

    /// Encodes the key as unencrypted PKCS#8 in PEM. A file that contains it must be readable only by its owner.
    ///
    /// - Throws: ``CryptographyError`` with code `unavailable`.
    package func pem() throws(CryptographyError) -> [UInt8] {
        ErrorQueue.clear()
        guard let memory = BIO_new(BIO_s_mem()) else {
            throw ErrorQueue.error(.unavailable, "failed to create a memory buffer for the key")
        }
        defer { BIO_free(memory) }
        guard PEM_write_bio_PKCS8PrivateKey(memory, handle, nil, nil, 0, nil, nil) == 1 else {
            throw ErrorQueue.error(.unavailable, "failed to encode the key")
        }
        return MemoryBIO.bytes(of: memory)
    }

    private static func parse(_ pem: [UInt8], kind: WantedKind) throws(CryptographyError) -> OpaquePointer {
        try pem.span.withUnsafeBytes { (bytes) throws(CryptographyError) in try parse(bytes, kind: kind) }
    }

    /// Returns an error that describes the text found instead of a key.
    private static func refusal(of text: UnsafeRawBufferPointer) -> CryptographyError {
        func begins(_ name: String) -> Bool { text.starts(with: "-----BEGIN \(name)-----".utf8) }
        let found =
            if begins("ENCRYPTED PRIVATE KEY") {
                "an encrypted key; decrypt it with: openssl pkcs8 -in FILE -out NEW"
            } else if begins("EC PRIVATE KEY") || begins("EC PARAMETERS") || begins("RSA PRIVATE KEY") {
                "a key in the traditional format; convert it with: openssl pkcs8 -topk8 -nocrypt -in FILE -out NEW"
            } else if begins("CERTIFICATE") {
                "a certificate"
            } else if begins("PUBLIC KEY") {
                "a public key"
            } else if text.first == 0x30 {
                "DER; convert it with: openssl pkcs8 -inform DER -nocrypt -in FILE -out NEW"
            } else {
                "text that is not PEM"
            }
        return CryptographyError(
            .malformedKey, "not an unencrypted PKCS#8 key in PEM (-----BEGIN PRIVATE KEY-----), but \(found)")
    }

    private static func parse(_ bytes: UnsafeRawBufferPointer, kind: WantedKind) throws(CryptographyError)
        -> OpaquePointer
    {
        ErrorQueue.clear()
        let pem = PEMText.trimmed(bytes)
        guard pem.starts(with: "-----BEGIN PRIVATE KEY-----".utf8), let length = Int32(exactly: pem.count) else {
            throw refusal(of: pem)
        }
        // The BIO borrows the bytes and does not outlive this function.
        guard let memory = BIO_new_mem_buf(pem.baseAddress, length) else {
            throw ErrorQueue.error(.unavailable, "failed to create a memory buffer for the key")
        }
        defer { BIO_free(memory) }
        guard let handle = shim_pem_private_key(memory) else {
            throw ErrorQueue.error(.malformedKey, "not a private key")
        }
        do throws(CryptographyError) {
            guard kind.matches(handle) else {
                throw CryptographyError(
                    .unsupportedKey, "the key is \(KeyFacts.kind(of: handle).name), not \(kind.name)")
            }
            guard isConsistent(handle) else {
                throw ErrorQueue.error(.malformedKey, "the public key does not match the private key")
            }
        } catch {
            EVP_PKEY_free(handle)
            throw error
        }
        return handle
    }

    private static func isConsistent(_ handle: OpaquePointer) -> Bool {
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, handle, nil) else { return false }
        defer { EVP_PKEY_CTX_free(context) }
        return EVP_PKEY_check(context) == 1
    }

    private static func read(_ path: String, into buffer: UnsafeMutableRawBufferPointer) throws(CryptographyError)
        -> Int
    {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            throw CryptographyError(.unreadableFile, "\(path) cannot be opened: \(String(cString: strerror(errno)))")
        }
        defer { close(file) }
        var count = 0
        while count < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let got = Self.read(file, into: rest)
            guard got >= 0 else {
                throw CryptographyError(.unreadableFile, "\(path) cannot be read: \(String(cString: strerror(errno)))")
            }
            if got == 0 { return count }
            count += got
        }
        throw CryptographyError(.unreadableFile, "\(path) is too large for a private key")
    }

    /// Calls `read(2)`, and retries if a signal interrupts the call.
    private static func read(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            #if canImport(Glibc)
                let got = Glibc.read(file, buffer.baseAddress, buffer.count)
            #elseif canImport(Musl)
                let got = Musl.read(file, buffer.baseAddress, buffer.count)
            #elseif canImport(Darwin)
                let got = Darwin.read(file, buffer.baseAddress, buffer.count)
            #endif
            if got >= 0 || errno != EINTR { return got }
        }
    }
}
