public import JSON

/// The notification fields from which the ingress determines the audience and the topic.
///
/// A malformed field is reported as malformed and does not affect the others.
public struct NotificationEnvelope: Sendable {
    /// The objects that a notification can contain. Apple sends exactly one of them.
    public enum Container: String, Sendable, CaseIterable {
        case data, summary, externalPurchaseToken, appData, unclaimInfo
        /// An unknown object with a bundleId and an environment.
        case other
    }

    /// The containers that are present, in the order of the ``Container`` cases; `null` is treated as absent. Apple
    /// sends exactly one.
    public let containers: [Container]
    /// The bundleId of each element of ``containers``, or nil for an element without a well-formed one.
    public let containerBundleIds: [BundleId?]
    /// Whether a container is present but not an object.
    public let hasMalformedContainer: Bool

    public let notificationType: EnvelopeField<NotificationType>
    public let subtype: EnvelopeField<Subtype>
    public let notificationUUID: EnvelopeField<NotificationUUID>
    public let version: EnvelopeField<String>
    public let signedDate: EnvelopeField<AppStoreInstant>

    /// The environment of the first container. For an external purchase token, the environment is derived from the
    /// token ID. See ``NotificationEnvelope/environment(ofToken:)``.
    public let environment: EnvelopeField<AppStoreEnvironment>
    public let bundleId: EnvelopeField<BundleId>
    public let appAppleId: EnvelopeField<AppAppleId>

    public let externalPurchaseId: EnvelopeField<ExternalPurchaseId>
    public let requestIdentifier: EnvelopeField<RequestIdentifier>

    /// Byte ranges of the compact JWS strings in the payload, without quotes.
    public let signedTransactionInfo: EnvelopeField<Range<Int>>
    public let signedRenewalInfo: EnvelopeField<Range<Int>>
    public let signedAppTransactionInfo: EnvelopeField<Range<Int>>

    /// Reads a scanned payload whose root is an object.
    public init(_ document: JSONDocument) {
        let root = EnvelopeReader(document: document, object: 0)
        notificationType = root.boundedText("notificationType").map { NotificationType($0) }
        subtype = root.boundedText("subtype").map { Subtype($0) }
        notificationUUID = root.boundedText("notificationUUID").map { NotificationUUID($0) }
        version = root.boundedText("version")
        signedDate = root.instant("signedDate")

        let data = root.container("data")
        let summary = root.container("summary")
        let token = root.container("externalPurchaseToken")
        let appData = root.container("appData")
        var present: [(container: Container, reader: EnvelopeReader)] = []
        func note(_ container: Container, _ reader: EnvelopeReader?) {
            if let reader { present.append((container, reader)) }
        }
        note(.data, data)
        note(.summary, summary)
        note(.externalPurchaseToken, token)
        note(.appData, appData)
        note(.unclaimInfo, root.container("unclaimInfo"))
        for reader in root.objects(without: Self.knownMembers) where reader.namesApp { note(.other, reader) }
        containers = present.map { $0.container }
        containerBundleIds = present.map { $0.reader.boundedText("bundleId").value.map { BundleId($0) } }
        hasMalformedContainer = present.contains { !$0.reader.isObject }
        let identity = present.first?.reader

        bundleId = identity?.boundedText("bundleId").map { BundleId($0) } ?? .absent
        appAppleId = identity?.wholeNumber("appAppleId").map { AppAppleId($0) } ?? .absent
        externalPurchaseId = token?.boundedText("externalPurchaseId").map { ExternalPurchaseId($0) } ?? .absent
        requestIdentifier = summary?.boundedText("requestIdentifier").map { RequestIdentifier($0) } ?? .absent
        environment =
            containers.first == .externalPurchaseToken
            ? Self.environment(ofToken: externalPurchaseId)
            : identity?.boundedText("environment").map { AppStoreEnvironment($0) } ?? .absent

        signedTransactionInfo = data?.jwsRange("signedTransactionInfo") ?? .absent
        signedRenewalInfo = data?.jwsRange("signedRenewalInfo") ?? .absent
        signedAppTransactionInfo = appData?.jwsRange("signedAppTransactionInfo") ?? .absent
    }

    /// The names of payload members that are known containers.
    private static let knownMembers: Set<String> = Set(
        Container.allCases.filter { $0 != .other }.map(\.rawValue))

    /// Returns the environment of an external purchase token. According to Apple, sandbox token IDs begin with
    /// `SANDBOX`. A token without an ID is treated as a production token. An ID with the prefix in any other letter
    /// case is treated as malformed, because a sandbox token must never pass for a production token.
    public static func environment(
        ofToken externalPurchaseId: EnvelopeField<ExternalPurchaseId>
    ) -> EnvelopeField<AppStoreEnvironment> {
        switch externalPurchaseId {
        case .malformed(let fault): .malformed(fault)
        case .absent: .value(.production)
        case .value(let id):
            if id.rawValue.hasPrefix("SANDBOX") {
                .value(.sandbox)
            } else if id.rawValue.utf8.prefix(7).elementsEqual("sandbox".utf8, by: { $0 | 0x20 == $1 }) {
                .malformed(.ambiguous)
            } else {
                .value(.production)
            }
        }
    }
}

extension NotificationEnvelope {
    /// Byte ranges of the nested compact JWS strings in the payload, without quotes, in ascending order and without
    /// overlaps.
    public var nestedJWSTexts: [Range<Int>] {
        var texts: [Range<Int>] = []
        texts.reserveCapacity(3)
        if let text = signedTransactionInfo.value { texts.append(text) }
        if let text = signedRenewalInfo.value { texts.append(text) }
        if let text = signedAppTransactionInfo.value { texts.append(text) }
        texts.sort { $0.lowerBound < $1.lowerBound }
        return texts
    }
}
