internal import COpenSSL
internal import Primitives

/// AES-256 in Galois/Counter Mode (NIST SP 800-38D) with a 96-bit nonce and a 128-bit tag.
///
/// **Never use a key and nonce pair twice**: encrypting two messages with the same pair compromises both. Each call
/// creates and wipes its own context, so that no copy of a key outlives its ``SecretKey``.
package enum AES256GCM {
    package static let keyByteCount = 32
    package static let nonceByteCount = 12
    package static let tagByteCount = 16

    /// The cipher, fetched once.
    private final class Algorithm: @unchecked Sendable {
        // @unchecked Sendable because an EVP_CIPHER is immutable after it has been fetched.

        // Lives as long as the process. Nil if libcrypto has no AES-256-GCM.
        let handle = EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)
    }

    private static let algorithm = Algorithm()

    /// Writes the ciphertext, which is as long as `plaintext`, and the tag into `out`.
    ///
    /// - Parameter authenticated: data that is authenticated but not encrypted. It must be the same when opening.
    /// - Throws: ``CryptographyError``: `invalidArgument` if the key, the nonce or `out` has the wrong length, or the
    ///   input has 2 GiB or more; `unavailable` if libcrypto fails.
    package static func seal(
        _ plaintext: UnsafeRawBufferPointer, key: SecretKey, nonce: UnsafeRawBufferPointer,
        authenticated: UnsafeRawBufferPointer, into out: UnsafeMutableRawBufferPointer
    ) throws(CryptographyError) {
        guard out.count - plaintext.count == tagByteCount else {
            throw CryptographyError(
                .invalidArgument, "\(out.count) bytes of output for a \(plaintext.count)-byte plaintext and a tag")
        }
        let text = UnsafeMutableRawBufferPointer(rebasing: out[..<plaintext.count])
        let tag = UnsafeMutableRawBufferPointer(rebasing: out[plaintext.count...])
        let isSealed = try run(
            .seal, plaintext, key: key, nonce: nonce, authenticated: authenticated, into: text, tag: tag)
        guard isSealed else { throw ErrorQueue.error(.unavailable, "AES-256-GCM failed") }
    }

    /// Writes the plaintext, which is 16 bytes shorter than `sealed`, into `out`. Returns false and wipes `out` if the
    /// key, the nonce, the authenticated data or any byte of `sealed` is wrong.
    ///
    /// - Throws: ``CryptographyError``: `invalidArgument` if the key, the nonce or `out` has the wrong length, or the
    ///   input has 2 GiB or more.
    package static func open(
        _ sealed: UnsafeRawBufferPointer, key: SecretKey, nonce: UnsafeRawBufferPointer,
        authenticated: UnsafeRawBufferPointer, into out: UnsafeMutableRawBufferPointer
    ) throws(CryptographyError) -> Bool {
        guard sealed.count - out.count == tagByteCount else {
            throw CryptographyError(.invalidArgument, "\(out.count) bytes of output for a \(sealed.count)-byte message")
        }
        let text = UnsafeRawBufferPointer(rebasing: sealed[..<out.count])
        // OpenSSL requires a mutable pointer to the tag but only reads it.
        let tag = UnsafeMutableRawBufferPointer(mutating: UnsafeRawBufferPointer(rebasing: sealed[out.count...]))
        let isAuthentic = try run(
            .open, text, key: key, nonce: nonce, authenticated: authenticated, into: out, tag: tag)
        ErrorQueue.clear()
        if !isAuthentic { wipe(out) }
        return isAuthentic
    }

    private enum Direction: Int32 {
        case open = 0
        case seal = 1
    }

    private static func run(
        _ direction: Direction, _ input: UnsafeRawBufferPointer, key: SecretKey, nonce: UnsafeRawBufferPointer,
        authenticated: UnsafeRawBufferPointer, into out: UnsafeMutableRawBufferPointer,
        tag: UnsafeMutableRawBufferPointer
    ) throws(CryptographyError) -> Bool {
        guard key.byteCount == keyByteCount, nonce.count == nonceByteCount,
            let inputCount = Int32(exactly: input.count), let authenticatedCount = Int32(exactly: authenticated.count)
        else { throw CryptographyError(.invalidArgument, "AES-256-GCM does not support this key, nonce or text size") }
        ErrorQueue.clear()
        guard let cipher = algorithm.handle, let context = EVP_CIPHER_CTX_new() else {
            throw ErrorQueue.error(.unavailable, "AES-256-GCM is not available")
        }
        defer { EVP_CIPHER_CTX_free(context) }
        let isReady = key.withUnsafeBytes { key in
            EVP_CipherInit_ex2(context, cipher, bytes(key), bytes(nonce), direction.rawValue, nil) == 1
        }
        guard isReady else { throw ErrorQueue.error(.unavailable, "AES-256-GCM is not available") }
        var written: Int32 = 0
        if authenticatedCount > 0 {
            guard EVP_CipherUpdate(context, nil, &written, bytes(authenticated), authenticatedCount) == 1 else {
                return false
            }
        }
        let start = out.assumingMemoryBound(to: UInt8.self).baseAddress
        if inputCount > 0 {
            guard EVP_CipherUpdate(context, start, &written, bytes(input), inputCount) == 1, written == inputCount
            else {
                return false
            }
        }
        if direction == .open {
            guard EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagByteCount), tag.baseAddress) == 1 else {
                return false
            }
        }
        // GCM writes nothing here, but OpenSSL requires an address.
        var nothing: UInt64 = 0
        let isDone = withUnsafeMutableBytes(of: &nothing) { nothing in
            EVP_CipherFinal_ex(context, nothing.assumingMemoryBound(to: UInt8.self).baseAddress, &written) == 1
        }
        guard isDone, direction == .seal else { return isDone }
        return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tagByteCount), tag.baseAddress) == 1
    }

    private static func bytes(_ buffer: UnsafeRawBufferPointer) -> UnsafePointer<UInt8>? {
        buffer.assumingMemoryBound(to: UInt8.self).baseAddress
    }
}

extension AES256GCM {
    /// Returns the ciphertext followed by the tag.
    ///
    /// - Throws: the same errors as ``seal(_:key:nonce:authenticated:into:)``.
    package static func seal(
        _ plaintext: [UInt8], key: SecretKey, nonce: [UInt8], authenticated: [UInt8]
    ) throws(CryptographyError) -> [UInt8] {
        var out = [UInt8](repeating: 0, count: plaintext.count + tagByteCount)
        var failure: CryptographyError?
        plaintext.withUnsafeBytes { plaintext in
            nonce.withUnsafeBytes { nonce in
                authenticated.withUnsafeBytes { authenticated in
                    out.withUnsafeMutableBytes { out in
                        do throws(CryptographyError) {
                            try seal(plaintext, key: key, nonce: nonce, authenticated: authenticated, into: out)
                        } catch { failure = error }
                    }
                }
            }
        }
        if let failure { throw failure }
        return out
    }

    /// Returns the plaintext, or nil if the key, the nonce, the authenticated data or any byte of `sealed` is wrong, or
    /// if `sealed` is shorter than a tag.
    ///
    /// - Throws: the same errors as ``open(_:key:nonce:authenticated:into:)``.
    package static func open(
        _ sealed: [UInt8], key: SecretKey, nonce: [UInt8], authenticated: [UInt8]
    ) throws(CryptographyError) -> [UInt8]? {
        guard sealed.count >= tagByteCount else { return nil }
        var out = [UInt8](repeating: 0, count: sealed.count - tagByteCount)
        var outcome: Result<Bool, CryptographyError> = .success(false)
        sealed.withUnsafeBytes { sealed in
            nonce.withUnsafeBytes { nonce in
                authenticated.withUnsafeBytes { authenticated in
                    out.withUnsafeMutableBytes { out in
                        do throws(CryptographyError) {
                            outcome = .success(
                                try open(sealed, key: key, nonce: nonce, authenticated: authenticated, into: out))
                        } catch { outcome = .failure(error) }
                    }
                }
            }
        }
        return try outcome.get() ? out : nil
    }
}
