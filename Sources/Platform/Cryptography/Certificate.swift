internal import COpenSSL

/// An X.509 certificate, parsed but not verified. Can be shared between threads.
package final class Certificate: @unchecked Sendable {
    // @unchecked Sendable because the X509 does not change after init, and init also fills its extension cache.

    // Owned (one reference); freed in deinit.
    let handle: OpaquePointer
    // The EXFLAG_… flags from X509_get_extension_flags.
    let extensionFlags: UInt32
    /// The certificate's exact encoding.
    package let der: [UInt8]

    /// Parses a certificate in DER. Trailing bytes are an error.
    ///
    /// - Throws: ``CryptographyError`` with code `malformedCertificate`. Limit the size before the call, because
    ///   parsing time grows faster than the size: see ``recommendedMaximumByteCount``.
    package convenience init(der: UnsafeRawBufferPointer) throws(CryptographyError) {
        self.init(owning: try Self.parse(der), der: Array(der))
    }

    /// Parses a certificate in DER. Trailing bytes are an error.
    ///
    /// - Throws: the same errors as ``init(der:)-(UnsafeRawBufferPointer)``.
    package convenience init(der: [UInt8]) throws(CryptographyError) {
        let parsed = try der.span.withUnsafeBytes { (bytes) throws(CryptographyError) in try Self.parse(bytes) }
        self.init(owning: parsed, der: der)
    }

    private static func parse(_ der: UnsafeRawBufferPointer) throws(CryptographyError) -> OpaquePointer {
        ErrorQueue.clear()
        var cursor = der.assumingMemoryBound(to: UInt8.self).baseAddress
        let end = cursor?.advanced(by: der.count)
        guard der.count > 0, let handle = d2i_X509(nil, &cursor, der.count) else {
            throw ErrorQueue.error(.malformedCertificate, "not a certificate")
        }
        guard cursor == end else {
            X509_free(handle)
            throw CryptographyError(.malformedCertificate, "trailing bytes after the certificate")
        }
        return handle
    }

    /// Returns the DER encoding of `handle`, or nil if it cannot be encoded. The caller still owns `handle`.
    static func encoding(of handle: OpaquePointer) -> [UInt8]? {
        var start: UnsafeMutablePointer<UInt8>?
        let count = i2d_X509(handle, &start)
        guard let start, count > 0 else { return nil }
        defer { shim_free(start) }
        return Array(UnsafeBufferPointer(start: start, count: Int(count)))
    }

    /// Takes ownership of one reference to `handle`.
    init(owning handle: OpaquePointer, der: [UInt8]) {
        self.handle = handle
        self.der = der
        extensionFlags = X509_get_extension_flags(handle)
        ErrorQueue.clear()
    }

    deinit {
        X509_free(handle)
    }

    /// The recommended maximum size of an untrusted DER certificate, in bytes. Some OpenSSL versions need seconds to
    /// parse a 50 KB certificate. Certificates from public authorities are about 1,000 bytes long.
    package static let recommendedMaximumByteCount = 3_072
}
