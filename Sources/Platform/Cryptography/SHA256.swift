internal import COpenSSL

/// Incremental SHA-256 (FIPS 180-4). Call `update` any number of times, and then `finish`, which also resets the state.
///
/// Reuse one instance for many small inputs; use ``digest(of:)`` for a single input. An instance must not be shared
/// between threads.
package struct SHA256: ~Copyable {
    // Owned; freed in deinit.
    private let context: OpaquePointer

    package init() {
        context = Self.makeContext()
        Self.begin(context)
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        Self.update(context, bytes)
    }

    package mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { Self.update(context, $0) }
    }

    /// Returns the digest of all bytes since `init` or the last `finish`.
    package mutating func finish() -> SHA256Digest {
        let digest = Self.finish(context)
        Self.begin(context)
        return digest
    }

    /// Writes the 32 bytes of the digest to `out` and resets the state, like ``finish()``.
    ///
    /// - Precondition: `out` has 32 bytes.
    package mutating func finish(into out: UnsafeMutableRawBufferPointer) {
        // Callers allocate `out` for a digest, so a failure is a programming error.
        precondition(out.count == SHA256Digest.byteCount)
        Self.finish(context, into: out)
        Self.begin(context)
    }

    package static func digest(of bytes: UnsafeRawBufferPointer) -> SHA256Digest {
        let context = makeContext()
        defer { EVP_MD_CTX_free(context) }
        begin(context)
        update(context, bytes)
        return finish(context)
    }

    package static func digest(of bytes: [UInt8]) -> SHA256Digest {
        bytes.withUnsafeBytes { digest(of: $0) }
    }
}

extension SHA256 {
    /// The algorithm, fetched once, because fetching takes a lock and does not scale.
    final class Algorithm: @unchecked Sendable {
        // @unchecked Sendable because an EVP_MD is immutable after it has been fetched.

        // Lives as long as the process. Nil if libcrypto has no SHA-256.
        let handle = EVP_MD_fetch(nil, "SHA256", nil)
    }

    static let algorithm = Algorithm()

    fileprivate static func makeContext() -> OpaquePointer {
        guard let context = EVP_MD_CTX_new() else {
            // Only exhausted memory can cause this, and Swift also ends the process in that case.
            fatalError("failed to create a SHA-256 context")
        }
        return context
    }

    fileprivate static func begin(_ context: OpaquePointer) {
        guard EVP_DigestInit_ex2(context, algorithm.handle, nil) == 1 else {
            // initializeCryptography() rejects an OpenSSL without SHA-256. It was not called or its error was ignored,
            // which is a programming error.
            fatalError("SHA-256 is not available")
        }
    }

    fileprivate static func update(_ context: OpaquePointer, _ bytes: UnsafeRawBufferPointer) {
        guard EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1 else {
            // This fails only for an uninitialized context, which is a programming error.
            fatalError("SHA-256 update failed")
        }
    }

    fileprivate static func finish(_ context: OpaquePointer) -> SHA256Digest {
        SHA256Digest { finish(context, into: $0) }
    }

    fileprivate static func finish(_ context: OpaquePointer, into out: UnsafeMutableRawBufferPointer) {
        guard EVP_DigestFinal_ex(context, out.assumingMemoryBound(to: UInt8.self).baseAddress, nil) == 1 else {
            // This fails only for an uninitialized context, which is a programming error.
            fatalError("SHA-256 final failed")
        }
    }
}

/// SHA-256 after a fixed prefix: hashing `prefix + suffix` costs only as much as hashing the suffix. Can be shared
/// between threads.
package final class SHA256Midstate: @unchecked Sendable {
    // @unchecked Sendable because the context is only copied, with EVP_MD_CTX_copy_ex.

    // Owned; freed in deinit.
    private let context: OpaquePointer
    /// Contexts for copies of the prefix's context. Each copy overwrites the previous one.
    private let copies = ContextPool { EVP_MD_CTX_free($0) }

    package init(prefix: UnsafeRawBufferPointer) {
        context = SHA256.makeContext()
        SHA256.begin(context)
        SHA256.update(context, prefix)
    }

    package init(prefix: [UInt8]) {
        context = SHA256.makeContext()
        SHA256.begin(context)
        prefix.withUnsafeBytes { SHA256.update(context, $0) }
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    /// Returns the digest of the prefix followed by `suffix`.
    package func digest(suffix: UnsafeRawBufferPointer) -> SHA256Digest {
        let copy = copies.take() ?? ContextPool.Context(raw: SHA256.makeContext())
        defer { copies.giveBack(copy) }
        guard EVP_MD_CTX_copy_ex(copy.raw, context) == 1 else {
            // The source was initialized in init, so only exhausted memory can cause this.
            fatalError("SHA-256 copy failed")
        }
        SHA256.update(copy.raw, suffix)
        return SHA256.finish(copy.raw)
    }

    package func digest(suffix: [UInt8]) -> SHA256Digest {
        suffix.withUnsafeBytes { digest(suffix: $0) }
    }
}
