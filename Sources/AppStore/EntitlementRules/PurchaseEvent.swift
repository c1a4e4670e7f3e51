package import AppStoreModel
package import JSON

/// A notification as an event. A purchase's history is the set of its events.
package struct PurchaseEvent: Hashable, Sendable {
    /// A type and subtype. In a stored row, events with equal values share one object.
    final class Kind: Hashable, Sendable {
        let type: NotificationType
        let subtype: Subtype?

        init(_ type: NotificationType, _ subtype: Subtype?) {
            self.type = type
            self.subtype = subtype
        }

        static func == (one: Kind, other: Kind) -> Bool {
            one === other || one.type == other.type && one.subtype == other.subtype
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(type)
            hasher.combine(subtype)
        }
    }

    package let signedDate: AppStoreInstant
    let isSigned: Bool
    let uuid: CompactUUID?
    let kind: Kind
    let key: TransactionKey?
    /// The subscription status at the time of the event.
    package let status: SubscriptionStatus?

    init(
        signedDate: AppStoreInstant, isSigned: Bool, uuid: CompactUUID?, kind: Kind, key: TransactionKey?,
        status: SubscriptionStatus?
    ) {
        self.signedDate = signedDate
        self.isSigned = isSigned
        self.uuid = uuid
        self.kind = kind
        self.key = key
        self.status = status
    }

    package init(
        version: FactVersion, notificationType: NotificationType, subtype: Subtype? = nil,
        transactionId: TransactionId? = nil, status: SubscriptionStatus? = nil
    ) {
        self.init(
            signedDate: version.signedDate, isSigned: version.isSigned,
            uuid: version.uuid, kind: Kind(notificationType, subtype),
            key: transactionId.map { TransactionKey($0) }, status: status)
    }

    package var version: FactVersion {
        FactVersion(signedDate: signedDate, isSigned: isSigned, uuid: uuid)
    }
    package var notificationType: NotificationType { kind.type }
    package var subtype: Subtype? { kind.subtype }
    package var transactionId: TransactionId? { key?.id }

    /// Writes the members of an object, using Apple's names.
    package func write(to object: inout JSONWriter) {
        object.set("notificationType", notificationType)
        object.set("subtype", subtype)
        object.set("transactionId", transactionId)
        object.set("status", status)
        object.set(version)
    }

    /// Returns whether one event is older than another. Events are ordered by signedDate, then by ``FactVersion``.
    static func isOlder(_ one: PurchaseEvent, than other: PurchaseEvent) -> Bool {
        if one.signedDate != other.signedDate { return one.signedDate < other.signedDate }
        return one.version < other.version
    }

    /// Returns whether an event replaces another with the same version, that is, whether its content is greater.
    static func isGreater(_ one: PurchaseEvent, than other: PurchaseEvent) -> Bool {
        one != other && other.orderedContent.lexicographicallyPrecedes(one.orderedContent)
    }

    /// Whether both events come from the same notification.
    static func haveEqualVersions(_ one: PurchaseEvent, _ other: PurchaseEvent) -> Bool {
        one.signedDate == other.signedDate && one.isSigned == other.isSigned && one.uuid == other.uuid
    }

    private var orderedContent: [UInt8] {
        var writer = JSONWriter()
        writer.object { write(to: &$0) }
        return writer.bytes
    }
}

/// The notifications about a purchase, oldest first. Only the latest are stored. See ``FactsBounds``.
struct PurchaseEvents: Hashable, Sendable {
    private(set) var values: [PurchaseEvent] = []

    /// Inserts an event.
    ///
    /// - Returns: whether the event was added or replaced an event with lesser content.
    mutating func take(_ event: PurchaseEvent, atMost bound: Int = FactsBounds.events) -> Bool {
        var index = values.count
        while index > 0, PurchaseEvent.isOlder(event, than: values[index - 1]) { index -= 1 }
        if index > 0, PurchaseEvent.haveEqualVersions(values[index - 1], event) {
            guard PurchaseEvent.isGreater(event, than: values[index - 1]) else { return false }
            values[index - 1] = event
            return true
        }
        guard values.count >= bound else {
            if index == values.count { values.append(event) } else { values.insert(event, at: index) }
            return true
        }
        guard index > 0 else { return false }
        values.insert(event, at: index)
        values.removeFirst()
        return true
    }

    /// Allocates memory for this number of events.
    mutating func reserveCapacity(_ count: Int) { values.reserveCapacity(count) }

    mutating func removeUnsigned() {
        guard values.contains(where: { !$0.isSigned }) else { return }
        values.removeAll { !$0.isSigned }
    }

    mutating func removeAll(signedUpTo moment: AppStoreInstant) {
        values.removeAll { $0.signedDate <= moment }
    }
}
