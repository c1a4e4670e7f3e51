internal import COpenSSL

/// Initializes libcrypto. **Must be called first in every executable**, before librdkafka or libcurl use OpenSSL.
///
/// Prevents OpenSSL from freeing its tables at `exit()`; otherwise, threads that are still running would crash. This
/// must precede any other use of OpenSSL. Also fetches SHA-256 to detect a broken OpenSSL configuration.
///
/// - Throws: ``CryptographyError`` with code `unavailable`. The process should print the error and exit.
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
