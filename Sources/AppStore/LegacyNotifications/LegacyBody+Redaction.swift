internal import JSON

extension LegacyBody {
    /// The members that contain large base64 receipts or device identifiers, which are personal data that consumers do
    /// not need.
    package static let privateNames = [
        "latest_receipt", "latest_expired_receipt", "unique_identifier", "unique_vendor_identifier",
    ]

    /// Returns the body without the secret, the base64 receipts and the device identifiers; all other bytes are as
    /// received. See ``JSON/JSONDocument/redacted(_:)``. Used for the record, and for quarantining an unreadable body.
    package func redacted() -> [UInt8] {
        document.redacted(.init(names: Self.privateNames, secretNames: ["password"]))
    }
}
