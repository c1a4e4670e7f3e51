internal import COpenSSL
internal import Primitives

extension Certificate {
    /// Parses all certificates in a file: one in DER, or any number in PEM, in order.
    ///
    /// Text around the PEM blocks is skipped, including a leading byte order mark and whitespace. A block of any other
    /// type is an error.
    ///
    /// - Throws: ``CryptographyError`` with code `malformedCertificate`, including when the file contains no
    ///   certificate.
    package static func certificates(encoded bytes: [UInt8]) throws(CryptographyError) -> [Certificate] {
        // DER begins with the tag of a SEQUENCE and a long-form length, which never occur at the start of text.
        if bytes.starts(with: [0x30, 0x82]) || bytes.starts(with: [0x30, 0x81]) {
            return [try Certificate(der: bytes)]
        }
        return try bytes.span.withUnsafeBytes { (bytes) throws(CryptographyError) in
            try certificates(pem: PEMText.trimmed(bytes))
        }
    }

    /// Checks a file of root certificates that another library will read with OpenSSL. Unlike
    /// ``certificates(encoded:)``, it rejects DER, and any leading whitespace or byte order mark that OpenSSL does not
    /// skip.
    ///
    /// - Throws: ``CryptographyError`` with code `malformedCertificate` and a message that describes the problem and
    ///   the fix.
    package static func checkRoots(pem bytes: [UInt8]) throws(CryptographyError) {
        let all = try certificates(encoded: bytes)
        do throws(CryptographyError) {
            _ = try bytes.span.withUnsafeBytes { (bytes) throws(CryptographyError) in try certificates(pem: bytes) }
        } catch {
            let isDER = all.count == 1 && bytes.first == 0x30
            throw CryptographyError(
                .malformedCertificate,
                isDER
                    ? "it is DER; convert it with: openssl x509 -inform DER -in FILE -out NEW"
                    : "remove the whitespace or byte order mark before -----BEGIN CERTIFICATE-----")
        }
    }

    /// The certificate as a PEM block.
    package var pem: [UInt8] {
        var text = Array("-----BEGIN CERTIFICATE-----\n".utf8)
        let characters = Base64.encode(der)
        for start in stride(from: 0, to: characters.count, by: 64) {
            text += characters[start..<min(start + 64, characters.count)]
            text.append(UInt8(ascii: "\n"))
        }
        return text + "-----END CERTIFICATE-----\n".utf8
    }

    private static func certificates(pem: UnsafeRawBufferPointer) throws(CryptographyError) -> [Certificate] {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        guard let length = Int32(exactly: pem.count), let memory = BIO_new_mem_buf(pem.baseAddress, length) else {
            throw ErrorQueue.error(.malformedCertificate, "the file is too large")
        }
        defer { BIO_free(memory) }
        var certificates: [Certificate] = []
        while let block = try nextBlock(memory) {
            guard block.name == "CERTIFICATE" else {
                throw CryptographyError(
                    .malformedCertificate, "unexpected PEM block \(block.name), expected CERTIFICATE")
            }
            certificates.append(try Certificate(der: block.bytes))
        }
        guard !certificates.isEmpty else { throw CryptographyError(.malformedCertificate, "no certificate found") }
        return certificates
    }

    /// Reads the next PEM block. Returns nil at the end of the text.
    private static func nextBlock(
        _ memory: OpaquePointer
    ) throws(CryptographyError) -> (name: String, bytes: [UInt8])? {
        ErrorQueue.clear()
        var name: UnsafeMutablePointer<CChar>?
        var header: UnsafeMutablePointer<CChar>?
        var bytes: UnsafeMutablePointer<UInt8>?
        var count = 0
        guard PEM_read_bio(memory, &name, &header, &bytes, &count) == 1 else {
            if shim_error_is_end_of_pem(ERR_peek_last_error()) == 1 { return nil }
            throw ErrorQueue.error(.malformedCertificate, "not PEM")
        }
        defer {
            shim_free(name)
            shim_free(header)
            shim_free(bytes)
        }
        guard let name, let bytes, count >= 0 else { return nil }
        return (String(cString: name), Array(UnsafeBufferPointer(start: bytes, count: count)))
    }
}
