internal import COpenSSL

/// The pinned roots, which are the only trust anchors. Neither the operating system's store nor a root in a message is
/// trusted. A store can be shared between threads. Changing the roots requires a new store, and every path cache then
/// starts empty.
package final class TrustStore: @unchecked Sendable {
    // @unchecked Sendable because the store is complete after init, and OpenSSL locks it during reads.

    /// The roots, in the given order.
    package let roots: [Certificate]
    // Owned; freed in deinit. The store has its own references to the roots.
    private let store: OpaquePointer

    /// - Throws: ``CryptographyError``: `untrustworthyRoot` if a root is not self-signed or has malformed extensions,
    ///   `invalidArgument` if there are no roots, `unavailable` if OpenSSL fails. Verifying the roots' own signatures
    ///   also tests libcrypto, so a process must not start if this throws.
    package init(roots: [Certificate]) throws(CryptographyError) {
        ErrorQueue.clear()
        guard !roots.isEmpty else { throw CryptographyError(.invalidArgument, "a trust store needs at least one root") }
        guard let store = X509_STORE_new() else {
            throw ErrorQueue.error(.unavailable, "failed to create the certificate store")
        }
        do throws(CryptographyError) {
            try Self.configure(store)
            for root in roots { try Self.add(root, to: store) }
        } catch {
            X509_STORE_free(store)
            throw error
        }
        self.roots = roots
        self.store = store
    }

    deinit {
        X509_STORE_free(store)
    }

    private static func configure(_ store: OpaquePointer) throws(CryptographyError) {
        let parameters = X509_VERIFY_PARAM_new()
        defer { X509_VERIFY_PARAM_free(parameters) }
        // NO_CHECK_TIME, because OpenSSL would check a certificate's validity period before the signatures below it,
        // and because OpenSSL versions disagree on whether a certificate is valid exactly at notAfter. The depth is the
        // maximum number of intermediates; callers with a lower limit reject longer paths themselves. Level 3 (128
        // bits) rejects SHA-1, MD5, SHA-224 and RSA keys below 3,072 bits. X509_STRICT stays off, because its meaning
        // differs between OpenSSL versions.
        let flags = UInt(X509_V_FLAG_TRUSTED_FIRST | X509_V_FLAG_NO_CHECK_TIME)
        guard X509_VERIFY_PARAM_set_flags(parameters, flags) == 1 else {
            throw ErrorQueue.error(.unavailable, "failed to configure the certificate store")
        }
        X509_VERIFY_PARAM_set_depth(parameters, 2)
        X509_VERIFY_PARAM_set_auth_level(parameters, 3)
        guard X509_STORE_set1_param(store, parameters) == 1 else {
            throw ErrorQueue.error(.unavailable, "failed to configure the certificate store")
        }
    }

    private static func add(_ root: Certificate, to store: OpaquePointer) throws(CryptographyError) {
        guard X509_self_signed(root.handle, 1) == 1 else {
            throw ErrorQueue.error(.untrustworthyRoot, "the root \(root.subject) is not self-signed")
        }
        guard root.extensionFlags & UInt32(EXFLAG_INVALID) == 0 else {
            throw ErrorQueue.error(.untrustworthyRoot, "the root \(root.subject) has a malformed extension")
        }
        guard X509_STORE_add_cert(store, root.handle) == 1 else {
            throw ErrorQueue.error(.unavailable, "failed to add the root \(root.subject)")
        }
    }

    /// Returns the path from `chain[0]` to a pinned root. The other certificates in `chain` are possible intermediates.
    /// Synchronous; takes about 1 ms of CPU time, including two P-384 verifications.
    package func validate(chain: [Certificate]) -> ChainResult {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        let outOfMemory = ChainError(code: X509_V_ERR_OUT_OF_MEM, depth: 0)
        guard let leaf = chain.first else { return .failure(ChainError(code: X509_V_ERR_INVALID_CALL, depth: 0)) }
        // The context borrows the store, the leaf and the stack, and the stack borrows its certificates. All of them
        // outlive the context.
        return withExtendedLifetime((self, chain)) {
            guard let untrusted = shim_stack_new() else { return .failure(outOfMemory) }
            defer { shim_stack_free(untrusted) }
            for certificate in chain.dropFirst() {
                guard shim_stack_push(untrusted, certificate.handle) > 0 else { return .failure(outOfMemory) }
            }
            guard let context = X509_STORE_CTX_new() else { return .failure(outOfMemory) }
            defer { X509_STORE_CTX_free(context) }
            guard X509_STORE_CTX_init(context, store, leaf.handle, untrusted) == 1 else { return .failure(outOfMemory) }
            let verdict = X509_verify_cert(context)
            let code = X509_STORE_CTX_get_error(context)
            guard verdict == 1, code == X509_V_OK else {
                // A negative verdict without an error code is an internal failure, never a valid path.
                let known = code == X509_V_OK ? X509_V_ERR_INVALID_CALL : code
                return .failure(ChainError(code: known, depth: X509_STORE_CTX_get_error_depth(context)))
            }
            guard let path = path(of: context, among: chain) else { return .failure(outOfMemory) }
            return .success(CertificatePath(certificates: path))
        }
    }

    /// Returns the verified path. OpenSSL frees the path with the context, so each certificate is replaced by one from
    /// `chain` or the roots, or gets an additional reference.
    private func path(of context: OpaquePointer, among chain: [Certificate]) -> [Certificate]? {
        guard let stack = X509_STORE_CTX_get0_chain(context) else { return nil }
        var path: [Certificate] = []
        for index in 0..<max(0, shim_stack_count(stack)) {
            guard let handle = shim_stack_at(stack, index) else { return nil }
            if let known = chain.first(where: { $0.handle == handle }) ?? roots.first(where: { $0.handle == handle }) {
                path.append(known)
            } else if let copy = Certificate(sharing: handle) {
                path.append(copy)
            } else {
                return nil
            }
        }
        return path.isEmpty ? nil : path
    }
}

extension Certificate {
    /// Creates a certificate with its own reference to `handle`. Returns nil if memory is exhausted.
    fileprivate convenience init?(sharing handle: OpaquePointer) {
        guard let der = Self.encoding(of: handle), X509_up_ref(handle) == 1 else { return nil }
        self.init(owning: handle, der: der)
    }
}
