internal import AppStoreModel
internal import JSON

/// The members of a transaction payload from which facts are created.
enum TransactionMember: Int, ScannedName {
    case transactionId, originalTransactionId, bundleId, productId, subscriptionGroupIdentifier
    case purchaseDate, originalPurchaseDate, expiresDate, quantity, type, appAccountToken, inAppOwnershipType
    case signedDate, revocationReason, revocationDate, revocationType, revocationPercentage, isUpgraded
    case offerType, offerIdentifier, offerDiscountType, environment, transactionReason, additionalTransactionReason
    case storefront, price, currency, appTransactionId, previousOriginalTransactionId, billingPlanType
    case advancedCommerceInfo, commitmentInfo, multiSeatInfo

    static let table = ScannedTable(Self.self)

    var form: ScannedForm {
        switch self {
        case .purchaseDate, .originalPurchaseDate, .expiresDate, .signedDate, .revocationDate: .instant
        case .quantity: .number(1...Int64(Int32.max))
        case .revocationPercentage: .number(0...100_000)
        case .revocationReason, .offerType: .number32
        case .price: .number64
        case .isUpgraded: .bool
        case .appAccountToken: .token
        case .offerIdentifier, .storefront, .currency: .keptText
        // These members are rare. Records that contain them are decoded into the full model types.
        case .additionalTransactionReason, .advancedCommerceInfo, .commitmentInfo, .multiSeatInfo: .absent
        default: .text
        }
    }

    /// The members that are copied into the text of ``TransactionDetails``, in the order in which they are written. The
    /// version, which is written after them, is not in this list.
    static let details: [TransactionMember] = [
        .transactionId, .productId, .type, .subscriptionGroupIdentifier, .purchaseDate, .expiresDate, .quantity,
        .inAppOwnershipType, .isUpgraded, .revocationDate, .revocationType, .revocationPercentage, .appAccountToken,
        .appTransactionId, .transactionReason, .previousOriginalTransactionId, .billingPlanType, .storefront,
        .originalPurchaseDate, .revocationReason, .offerType, .offerIdentifier, .offerDiscountType, .price, .currency,
    ]

    /// The members that are copied into the text of ``TransactionTraits``, in the order in which they are written.
    static let traits: [TransactionMember] = [
        .productId, .type, .quantity, .inAppOwnershipType, .isUpgraded, .revocationPercentage, .appAccountToken,
        .appTransactionId, .previousOriginalTransactionId, .billingPlanType, .originalPurchaseDate, .revocationReason,
        .offerType, .offerIdentifier, .offerDiscountType, .price, .currency,
    ]
}

extension TransactionDetailsContent {
    /// Creates the content from a scanned payload. The result is the same as from the payload's model type. Returns nil
    /// if there is no transactionId.
    init?(_ scan: ScannedMembers<TransactionMember>, _ version: FactVersion) {
        guard let transactionId: TransactionId = scan.identifier(.transactionId) else { return nil }
        self.init(transactionId: transactionId, version: version)
        productId = scan.identifier(.productId)
        type = scan.productType
        subscriptionGroupIdentifier = scan.identifier(.subscriptionGroupIdentifier)
        purchaseDate = scan.instant(.purchaseDate)
        originalPurchaseDate = scan.instant(.originalPurchaseDate)
        expiresDate = scan.instant(.expiresDate)
        quantity = scan.int32(.quantity)
        inAppOwnershipType = scan.enumeration(.inAppOwnershipType)
        isUpgraded = scan.bool(.isUpgraded) ?? false
        revocationDate = scan.instant(.revocationDate)
        revocationReason = scan.enumeration(.revocationReason)
        revocationType = scan.enumeration(.revocationType)
        revocationPercentage = scan.int32(.revocationPercentage)
        appAccountToken = scan.identifier(.appAccountToken)
        appTransactionId = scan.identifier(.appTransactionId)
        offerType = scan.enumeration(.offerType)
        offerIdentifier = scan.string(.offerIdentifier)
        offerDiscountType = scan.enumeration(.offerDiscountType)
        transactionReason = scan.enumeration(.transactionReason)
        previousOriginalTransactionId = scan.identifier(.previousOriginalTransactionId)
        billingPlanType = scan.enumeration(.billingPlanType)
        price = scan.integer(.price)
        currency = scan.string(.currency)
        storefront = scan.string(.storefront)
    }
}

extension ScannedMembers<TransactionMember> {
    private static let subscription = ProductType.autoRenewableSubscription

    /// The type. No text is allocated for an auto-renewable subscription.
    fileprivate var productType: ProductType? {
        guard let bytes = bytes(.type) else { return nil }
        return bytes.elementsEqual(Self.subscription.rawValue.utf8) ? Self.subscription : enumeration(.type)
    }
}
