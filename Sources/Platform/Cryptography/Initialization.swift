internal import COpenSSL

/// Initializes libcrypto. **It must be the first statement in every executable**, before librdkafka or libcurl use
/// OpenSSL.
///
/// It prevents OpenSSL from freeing its tables at `exit()`, because threads that are still running would otherwise
/// crash. A late call cannot prevent this. It also fetches SHA-256 to detect a broken OpenSSL configuration.
///
/// - Throws: ``CryptographyError`` with code `unavailable`. The process should print it and exit.
package func initializeCryptography() throws(CryptographyError) {
    ErrorQueue.clear()
    guard shim_init_without_exit_handler() == 1 else {
        throw ErrorQueue.error(.unavailable, "failed to initialize libcrypto")
    }
    guard SHA256.algorithm.handle != nil else {
        throw ErrorQueue.error(.unavailable, "libcrypto has no SHA-256; check the OpenSSL configuration file")
    }
}

/// The version of the loaded libcrypto, such as `OpenSSL 3.0.22 25 Aug 2026`.
package var cryptographyVersion: String {
    guard let text = OpenSSL_version(OPENSSL_VERSION) else { return "OpenSSL" }
    return String(cString: text)
}
