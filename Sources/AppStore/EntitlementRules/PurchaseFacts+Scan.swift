package import AppStoreModel
package import JSON

/// The members of a notification's payload from which facts are created.
private enum NotificationMember: Int, ScannedName {
    case notificationType, subtype, notificationUUID, signedDate, data
    case summary, externalPurchaseToken, appData, unclaimInfo

    static let table = ScannedTable(Self.self)

    var form: ScannedForm {
        switch self {
        case .signedDate: .instant
        case .data: .object
        // Present only in notifications without a purchase.
        case .summary, .externalPurchaseToken, .appData, .unclaimInfo: .absent
        default: .text
        }
    }
}

/// The members of a notification's data from which facts are created.
private enum DataMember: Int, ScannedName {
    case environment, bundleId, status

    static let table = ScannedTable(Self.self)

    var form: ScannedForm { self == .status ? .number32 : .text }
}

extension PurchaseFacts {
    /// Creates the facts from the record of a signed notification about a transaction, without decoding the record into
    /// the model types. The result is the same as that of
    /// ``init(notification:transaction:renewalInfo:appTransaction:isSigned:receivedAt:)``.
    ///
    /// Returns nil if the record must be decoded into the model types, which also report errors. This is the case if a
    /// required member is missing, undocumented or not in canonical form, if a rare object is present, or if the
    /// environment differs.
    /// - Parameters:
    ///   - notification: the JSON of the notification's payload. `transaction` and `renewalInfo` are JSON, too.
    ///   - environment: the environment that every payload with an environment must have.
    package init?(
        scanning notification: JSONElement, transaction: JSONElement, renewalInfo: JSONElement?,
        environment: AppStoreEnvironment
    ) {
        guard let head = ScannedMembers<NotificationMember>(notification),
            let data = head.element(.data).flatMap({ ScannedMembers<DataMember>($0) }),
            var details = ScannedMembers<TransactionMember>(transaction),
            let bundleId: BundleId = data.identifier(.bundleId), let signedDate = head.instant(.signedDate),
            data.enumeration(.environment) == environment,
            details.enumeration(.environment) ?? environment == environment
        else { return nil }
        var renewal: ScannedMembers<RenewalMember>?
        if let renewalInfo {
            guard let members = ScannedMembers<RenewalMember>(renewalInfo),
                members.enumeration(.environment) ?? environment == environment
            else { return nil }
            renewal = members
        }
        if details.bool(.isUpgraded) == false { details.remove(.isUpgraded) }
        let version = FactVersion(
            signedDate: signedDate, isSigned: true, uuid: head.bytes(.notificationUUID).map { CompactUUID(text: $0) })
        let status: SubscriptionStatus? = data.enumeration(.status)
        guard
            let originalTransactionId: OriginalTransactionId =
                details.identifier(.originalTransactionId) ?? renewal?.identifier(.originalTransactionId),
            let content = TransactionDetailsContent(details, version.signed(details.instant(.signedDate)))
        else { return nil }
        self.init(environment: environment, bundleId: bundleId, originalTransactionId: originalTransactionId)
        insert(content, texts: TransactionTexts(details, head))
        if let renewal {
            insert(
                RenewalFacts(
                    RenewalContent(renewal, version.signed(renewal.instant(.signedDate))),
                    text: Self.text(renewal, RenewalMember.facts, .signedDate, head)[...]))
        }
        if let status { insert(StatusFacts(version: version, status: status)) }
        guard let type: NotificationType = head.enumeration(.notificationType) else { return }
        insert(type, head.enumeration(.subtype), version, of: content, status: status)
    }

    /// Returns the JSON text of an object, with its members as in the record, followed by the version.
    fileprivate static func text<Name: ScannedName>(
        _ members: ScannedMembers<Name>, _ names: [Name], _ signedDate: Name,
        _ head: ScannedMembers<NotificationMember>
    ) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(1000)
        text.append(UInt8(ascii: "{"))
        members.copy(names, to: &text)
        if members.instant(signedDate) == nil {
            head.copy([.signedDate], to: &text)
        } else {
            members.copy([signedDate], to: &text)
        }
        head.copy([.notificationUUID], to: &text)
        text.append(UInt8(ascii: "}"))
        return text
    }
}

/// The JSON texts of a transaction, copied from its record.
struct TransactionTexts {
    /// The text of the transaction's ``TransactionDetails``.
    let details: [UInt8]
    /// The text of the transaction's ``TransactionTraits``.
    let traits: [UInt8]

    fileprivate init(_ members: ScannedMembers<TransactionMember>, _ head: ScannedMembers<NotificationMember>) {
        details = PurchaseFacts.text(members, TransactionMember.details, .signedDate, head)
        var traits: [UInt8] = []
        traits.reserveCapacity(700)
        traits.append(UInt8(ascii: "{"))
        members.copy(TransactionMember.traits, to: &traits)
        traits.append(UInt8(ascii: "}"))
        self.traits = traits
    }
}

extension FactVersion {
    /// Returns the version of an object in the notification. The object may have its own signedDate.
    fileprivate func signed(_ signedDate: AppStoreInstant?) -> FactVersion {
        var version = self
        if let signedDate { version.signedDate = signedDate }
        return version
    }
}
