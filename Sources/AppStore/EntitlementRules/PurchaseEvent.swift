package import AppStoreModel
package import JSON

/// That a notification happened: the history of a purchase is the set of these.
package typealias PurchaseEvent = Facts<EventContent>

/// What a ``PurchaseEvent`` says.
package struct EventContent: FactsContent {
    package var version: FactVersion
    package var notificationType: NotificationType
    package var subtype: Subtype?
    package var transactionId: TransactionId?
    /// As of the event.
    package var status: SubscriptionStatus?
    package var unknownFields = JSONObject()

    fileprivate init(
        version: FactVersion, notificationType: NotificationType, subtype: Subtype? = nil,
        transactionId: TransactionId? = nil, status: SubscriptionStatus? = nil
    ) {
        self.version = version
        self.notificationType = notificationType
        self.subtype = subtype
        self.transactionId = transactionId
        self.status = status
    }

    /// Writes the members of an object: Apple's names.
    package func write(to object: inout JSONWriter) {
        object.set("notificationType", notificationType)
        object.set("subtype", subtype)
        object.set("transactionId", transactionId)
        object.set("status", status)
        object.set(version)
        object.add(unknownFields)
    }

    /// Nil without a type or a signedDate.
    fileprivate init?(_ element: JSONElement) {
        var fields = FieldReader(element)
        guard let version = fields.version(), let type: NotificationType = fields.enumeration("notificationType")
        else { return nil }
        self.init(version: version, notificationType: type)
        subtype = fields.enumeration("subtype")
        transactionId = fields.identifier("transactionId")
        status = fields.enumeration("status")
        unknownFields = fields.unknownFields
    }
}

extension PurchaseEvent {
    package init(
        version: FactVersion, notificationType: NotificationType, subtype: Subtype? = nil,
        transactionId: TransactionId? = nil, status: SubscriptionStatus? = nil
    ) {
        self =
            Facts(
                EventContent(
                    version: version, notificationType: notificationType, subtype: subtype,
                    transactionId: transactionId,
                    status: status)
            ).written
    }

    /// - Parameter keepsText: the text is one that this library wrote.
    init?(_ element: JSONElement, keepsText: Bool) {
        guard let content = EventContent(element) else { return nil }
        self.init(content, text: keepsText ? element.bytes : nil)
    }
}
