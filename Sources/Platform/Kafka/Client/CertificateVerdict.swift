internal import CRdKafka
internal import Synchronization

/// The reason for the most recent rejection of a broker's certificate. librdkafka's error does not contain it.
///
/// OpenSSL makes the decision; this type only records it.
final class CertificateVerdict: Sendable {
    static let expired = "the certificate has expired"
    static let notYetValid = "the certificate is not valid yet"
    static let otherName = "the certificate does not match the host name"

    private let reason = Mutex<String?>(nil)

    /// Descriptions of OpenSSL's error numbers (`X509_V_ERR_…`).
    private static let reasons: [Int32: String] = [
        9: notYetValid, 10: expired,
        18: "the certificate is self-signed", 19: "its certificate authority is not trusted",
        20: "its certificate authority is unknown", 21: "its certificate authority is unknown",
        23: "the certificate is revoked",
        62: otherName, 64: otherName,
    ]

    /// Makes librdkafka report each certificate verification to this object, which must outlive the client.
    func observe(_ configuration: OpaquePointer) {
        rd_kafka_conf_set_opaque(configuration, Unmanaged.passUnretained(self).toOpaque())
        rd_kafka_conf_set_ssl_cert_verify_cb(configuration) { _, _, _, code, _, _, _, text, size, opaque in
            guard let code, let opaque, code.pointee != 0 else { return 1 }
            let reason = Unmanaged<CertificateVerdict>.fromOpaque(opaque).takeUnretainedValue().refuse(code.pointee)
            if let text, size > 0 {
                let bytes = reason.utf8.prefix(size - 1).map { CChar(bitPattern: $0) } + [0]
                for (index, byte) in bytes.enumerated() { text[index] = byte }
            }
            return 0
        }
    }

    private func refuse(_ code: Int32) -> String {
        let reason = Self.reasons[code] ?? "OpenSSL verification error \(code)"
        self.reason.withLock { $0 = reason }
        return reason
    }

    /// Adds the reason to the text of an error about a broker's certificate.
    func explained(_ error: KafkaError) -> KafkaError {
        let text = "certificate verify failed"
        guard error.message.contains(text), let reason = reason.withLock({ $0 }) else { return error }
        // librdkafka adds a colon and advice that fits only one of the reasons. Replace the advice with the actual
        // reason.
        let end = error.message.ranges(of: text).first?.upperBound ?? error.message.endIndex
        return KafkaError(
            error.code, "\(error.message[..<end]): \(reason)", isRetriable: error.isRetriable, isFatal: error.isFatal)
    }
}
