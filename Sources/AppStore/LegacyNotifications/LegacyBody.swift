public import AppStoreModel
public import JSON

/// A version 1 notification or status update as received. The fields that identify the app and the sender are read
/// first.
public struct LegacyBody: Sendable {
    let document: JSONDocument
    let root: LegacyObject

    /// - Parameter document: the complete body, an object with `notification_type`.
    public init(_ document: JSONDocument) {
        self.document = document
        root = LegacyObject(document.root)
    }

    /// The format of the body: version 1 if the body has `unified_receipt`, in which case receipts in the older format
    /// are ignored.
    public var source: LegacySource { root["unified_receipt"] == nil ? .v0 : .v1 }

    /// The `password`, which may have any JSON type, or nil if absent.
    public var password: JSONElement? { document.root["password"] }

    /// The app in `bid`, which is in the body or, in the oldest format, in a receipt. Absent if there is no `bid`, as
    /// in some old bodies.
    public var bundleId: EnvelopeField<BundleId> {
        for object in [root] + (source == .v0 ? receipts : []) where object["bid"] != nil {
            guard let text = try? object.text("bid"), object["bid"]?.kind == .string else { return .malformed(.text) }
            return .value(BundleId(text))
        }
        return .absent
    }

    /// Production for `PROD` and Sandbox for `Sandbox`, or nil for any other value.
    public var environment: AppStoreEnvironment? {
        switch root["environment"]?.string {
        case "PROD": .production
        case "Sandbox": .sandbox
        default: nil
        }
    }

    /// The receipts in the oldest format: one for the newest transaction, and one for an expired transaction.
    var receipts: [LegacyObject] {
        [root["latest_receipt_info"], root["latest_expired_receipt_info"]].compactMap { $0 }
            .filter { $0.kind == .object }.map { LegacyObject($0) }
    }
}
