public import AppStoreModel
public import JSON

/// A version 1 or status update notification as received: what decides whose it is, before anything else is read.
public struct LegacyBody: Sendable {
    let document: JSONDocument
    let root: LegacyObject

    /// - Parameter document: the whole body, an object with `notification_type`.
    public init(_ document: JSONDocument) {
        self.document = document
        root = LegacyObject(document.root)
    }

    /// Version 1 has the object `unified_receipt`; the receipts of the older form that it may have too are ignored.
    public var source: LegacySource { root["unified_receipt"] == nil ? .v0 : .v1 }

    /// `password`, of whatever kind it is; nil where there is none.
    public var password: JSONElement? { document.root["password"] }

    /// The app that the body names: `bid`, of the oldest form that of its receipt. Absent in older bodies.
    public var bundleId: EnvelopeField<BundleId> {
        for object in [root] + (source == .v0 ? receipts : []) where object["bid"] != nil {
            guard let text = try? object.text("bid"), object["bid"]?.kind == .string else { return .malformed(.text) }
            return .value(BundleId(text))
        }
        return .absent
    }

    /// Production for `PROD`, or Sandbox; nil for anything else.
    public var environment: AppStoreEnvironment? {
        switch root["environment"]?.string {
        case "PROD": .production
        case "Sandbox": .sandbox
        default: nil
        }
    }

    /// The receipts of the oldest form: that of the newest transaction and that of one that has expired.
    var receipts: [LegacyObject] {
        [root["latest_receipt_info"], root["latest_expired_receipt_info"]].compactMap { $0 }
            .filter { $0.kind == .object }.map { LegacyObject($0) }
    }
}
