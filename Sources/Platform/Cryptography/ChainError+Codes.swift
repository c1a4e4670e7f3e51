internal import COpenSSL

extension ChainError {
    init(code: Int32, depth: Int32) {
        self.init(
            kind: Self.kind(of: code, depth: depth), code: code, depth: depth,
            message: X509_verify_cert_error_string(Int(code)).map { String(cString: $0) } ?? "unknown")
    }

    /// Maps OpenSSL's code to a kind. Fails closed: an unlisted code means that there is no trusted path.
    private static func kind(of code: Int32, depth: Int32) -> Kind {
        switch code {
        case X509_V_ERR_CERT_SIGNATURE_FAILURE:
            // At depth 1 and above, the root did not sign the certificate. At depth 0, the issuer did not sign the
            // leaf.
            depth > 0 ? .noTrustedRoot : .signature
        case X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_EC_KEY_EXPLICIT_PARAMS:
            depth > 0 ? .signature : .leafKey
        case X509_V_ERR_CA_MD_TOO_WEAK, X509_V_ERR_CA_KEY_TOO_SMALL, X509_V_ERR_UNSUPPORTED_SIGNATURE_ALGORITHM,
            X509_V_ERR_SIGNATURE_ALGORITHM_MISMATCH, X509_V_ERR_SIGNATURE_ALGORITHM_INCONSISTENCY,
            X509_V_ERR_UNABLE_TO_DECRYPT_CERT_SIGNATURE, X509_V_ERR_UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY:
            .signature
        case X509_V_ERR_INVALID_CA, X509_V_ERR_PATH_LENGTH_EXCEEDED, X509_V_ERR_KEYUSAGE_NO_CERTSIGN,
            X509_V_ERR_INVALID_NON_CA:
            .notCertificateAuthority
        case X509_V_ERR_UNHANDLED_CRITICAL_EXTENSION, X509_V_ERR_PROXY_CERTIFICATES_NOT_ALLOWED,
            X509_V_ERR_INVALID_EXTENSION, X509_V_ERR_INVALID_POLICY_EXTENSION, X509_V_ERR_UNNESTED_RESOURCE,
            X509_V_ERR_PERMITTED_VIOLATION, X509_V_ERR_EXCLUDED_VIOLATION, X509_V_ERR_SUBTREE_MINMAX,
            X509_V_ERR_UNSUPPORTED_EXTENSION_FEATURE, X509_V_ERR_UNSUPPORTED_CONSTRAINT_TYPE,
            X509_V_ERR_UNSUPPORTED_CONSTRAINT_SYNTAX, X509_V_ERR_UNSUPPORTED_NAME_SYNTAX:
            .certificateExtension
        case X509_V_ERR_CERT_NOT_YET_VALID, X509_V_ERR_CERT_HAS_EXPIRED, X509_V_ERR_ERROR_IN_CERT_NOT_BEFORE_FIELD,
            X509_V_ERR_ERROR_IN_CERT_NOT_AFTER_FIELD:
            .time
        case X509_V_ERR_OUT_OF_MEM, X509_V_ERR_INVALID_CALL, X509_V_ERR_STORE_LOOKUP:
            .internalFailure
        default:
            .noTrustedRoot
        }
    }
}
