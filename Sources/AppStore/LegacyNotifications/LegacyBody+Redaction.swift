internal import JSON

extension LegacyBody {
    /// Base64 receipts, which are large, and what identifies devices: personal data that consumers have no use for.
    package static let privateNames = [
        "latest_receipt", "latest_expired_receipt", "unique_identifier", "unique_vendor_identifier",
    ]

    /// The body as received, byte for byte, less its secret, the receipts in base64 and the identifiers of devices; see
    /// ``JSON/JSONDocument/redacted(_:)``. For the record, and for the quarantine of a body that cannot be read.
    package func redacted() -> [UInt8] {
        document.redacted(.init(names: Self.privateNames, secretNames: ["password"]))
    }
}
