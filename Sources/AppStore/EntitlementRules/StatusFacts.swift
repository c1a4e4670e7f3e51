package import AppStoreModel
package import JSON

/// Apple's latest statement about a subscription's status, as of the notification's signedDate.
package struct StatusFacts: VersionedFacts {
    package var version: FactVersion
    package var status: SubscriptionStatus
    package var unknownFields = JSONObject()

    package init(version: FactVersion, status: SubscriptionStatus) {
        self.version = version
        self.status = status
    }

    func writeObject(to writer: inout JSONWriter) {
        writer.object { object in
            object.set("status", status)
            object.set(version)
            object.add(unknownFields)
        }
    }

    /// Returns nil if there is no status or no signedDate.
    init?(_ element: JSONElement) {
        var fields = FieldReader(element)
        guard let version = fields.version(), let status: SubscriptionStatus = fields.enumeration("status") else {
            return nil
        }
        self.init(version: version, status: status)
        unknownFields = FactsBounds.members(fields.unknownFields)
    }
}
