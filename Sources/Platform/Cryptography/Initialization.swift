internal import COpenSSL

/// Makes libcrypto ready. **The first statement of every executable**, before librdkafka or libcurl touch OpenSSL.
///
/// It asks OpenSSL not to free its tables at `exit()`: without that, threads that still run at exit crash in them.
/// Called late, it has no effect on that. It also asks for SHA-256, so that a broken OpenSSL configuration shows here.
///
/// - Throws: ``CryptographyError`` with code `unavailable`; the process should print it and end.
package func initializeCryptography() throws(CryptographyError) {
    ErrorQueue.clear()
    guard shim_init_without_exit_handler() == 1 else {
        throw ErrorQueue.error(.unavailable, "libcrypto cannot be initialized")
    }
    guard SHA256.algorithm.handle != nil else {
        throw ErrorQueue.error(.unavailable, "libcrypto has no SHA-256; check the OpenSSL configuration file")
    }
}

/// The version of libcrypto that the process runs with, such as `OpenSSL 3.0.22 25 Aug 2026`.
package var cryptographyVersion: String {
    guard let text = OpenSSL_version(OPENSSL_VERSION) else { return "OpenSSL" }
    return String(cString: text)
}
