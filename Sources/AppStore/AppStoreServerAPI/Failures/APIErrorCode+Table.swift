extension APIErrorCode {
    /// All codes that Apple documents for the endpoints that Sluice uses, each with a fix. The codes of the Retention
    /// Messaging API are not included. Source: Apple, "App Store Server API", "Error codes".
    static let entries: [Entry] = badRequests + refusedConsumption + conflicts + notFound + later

    private static let badRequests: [Entry] = [
        Entry(4_000_000, "GeneralBadRequest", "compare the request with Apple's documentation of the endpoint"),
        Entry(4_000_002, "InvalidAppIdentifier", "give the app's bundle id exactly as in App Store Connect"),
        Entry(4_000_005, "InvalidRequestRevision", "restart the history without a revision"),
        Entry(4_000_006, "InvalidTransactionId", "give a transaction id as Apple sent it: digits only"),
        Entry(4_000_008, "InvalidOriginalTransactionId", "give an original transaction id as Apple sent it"),
        Entry(4_000_009, "InvalidExtendByDays", "extend by 1 to 90 days"),
        Entry(4_000_010, "InvalidExtendReasonCode", "give a reason from 0 to 3"),
        Entry(4_000_011, "InvalidRequestIdentifier", "give a UUID as the request identifier"),
        Entry(4_000_012, "StartDateTooFarInPast", "begin within the last 180 days, in the sandbox 30 days"),
        Entry(4_000_013, "StartDateAfterEndDate", "give an end date after the start date"),
        Entry(4_000_014, "InvalidPaginationToken", "restart the window without a pagination token"),
        Entry(4_000_015, "InvalidStartDate", "give the start date in milliseconds since 1970"),
        Entry(4_000_016, "InvalidEndDate", "give the end date in milliseconds since 1970"),
        Entry(4_000_017, "PaginationTokenExpired", "restart without a token, with a shorter window"),
        Entry(4_000_018, "InvalidNotificationType", "give a documented type, and one of its subtypes"),
        Entry(4_000_019, "MultipleFiltersSupplied", "give a transaction id or a notification type, not both"),
        Entry(
            4_000_020, "InvalidTestNotificationToken", "give the token exactly as Apple returned it"),
        Entry(4_000_021, "InvalidSort", "sort ASCENDING or DESCENDING"),
        Entry(4_000_022, "InvalidProductType", "give AUTO_RENEWABLE, NON_RENEWABLE, CONSUMABLE or NON_CONSUMABLE"),
        Entry(4_000_023, "InvalidProductId", "give a product id of the app"),
        Entry(4_000_024, "InvalidSubscriptionGroupIdentifier", "give a subscription group of the app"),
        Entry(4_000_025, "InvalidExcludeRevoked", "use revoked instead"),
        Entry(4_000_026, "InvalidInAppOwnershipType", "give PURCHASED or FAMILY_SHARED"),
        Entry(4_000_027, "InvalidEmptyStorefrontCountryCodeList", "name a storefront, or omit the list for all"),
        Entry(4_000_028, "InvalidStorefrontCountryCode", "give storefronts as three letters, such as USA"),
        Entry(4_000_030, "InvalidRevoked", "give true or false"),
        Entry(4_000_031, "InvalidStatus", "give statuses from 1 to 5"),
        Entry(
            4_000_183, "InvalidAppAccountTokenUUID", "give the app account token as a UUID with hyphens"),
        Entry(
            4_000_185, "FamilyTransactionNotSupported",
            "use the purchaser's transaction; a family member's is not accepted"),
        Entry(
            4_000_187, "TransactionIdIsNotOriginalTransactionId",
            "give the originalTransactionId instead of the transactionId"),
    ]

    /// The codes of Send Consumption Information.
    private static let refusedConsumption: [Entry] = [
        Entry(4_000_032, "InvalidAccountTenure", "give accountTenure from 0 to 7"),
        Entry(4_000_033, "InvalidAppAccountToken", "give the app account token as a UUID, or an empty text"),
        Entry(4_000_034, "InvalidConsumptionStatus", "give consumptionStatus from 0 to 3"),
        Entry(
            4_000_035, "InvalidCustomerConsented", "send an answer only with consent: customerConsented must be true"),
        Entry(4_000_036, "InvalidDeliveryStatus", "give a deliveryStatus of this version of the body"),
        Entry(4_000_037, "InvalidLifetimeDollarsPurchased", "give lifetimeDollarsPurchased from 0 to 7"),
        Entry(4_000_038, "InvalidLifetimeDollarsRefunded", "give lifetimeDollarsRefunded from 0 to 7"),
        Entry(4_000_039, "InvalidPlatform", "give platform from 0 to 2"),
        Entry(4_000_040, "InvalidPlayTime", "give playTime from 0 to 7"),
        Entry(4_000_041, "InvalidSampleContentProvided", "give sampleContentProvided as true or false"),
        Entry(4_000_042, "InvalidUserStatus", "give userStatus from 0 to 4"),
        Entry(4_000_043, "InvalidTransactionNotConsumable", "send answers for consumables only"),
        Entry(4_000_044, "InvalidRefundPreference", "give a refundPreference of this version of the body"),
        Entry(4_000_047, "InvalidTransactionTypeNotSupported", "this endpoint does not accept this product type"),
        Entry(4_000_048, "AppTransactionIdNotSupported", "give a transactionId instead of the appTransactionId"),
        Entry(
            4_000_209, "ConsumptionPercentageAutoRenewableSubscription",
            "omit consumptionPercentage for an auto-renewable subscription"),
        Entry(
            4_000_227, "InvalidAssignedTransactionNotSupported",
            "omit transactions with inAppOwnershipType ASSIGNED; Apple does not accept them"),
    ]

    private static let conflicts: [Entry] = [
        Entry(
            4_030_004, "SubscriptionExtensionIneligible",
            "only a paid, active subscription can be extended, not one in billing retry or with a free offer"),
        Entry(
            4_030_005, "SubscriptionMaxExtension", "the subscription was already extended twice within 365 days: wait"),
        Entry(
            4_030_007, "FamilySharedSubscriptionExtensionIneligible",
            "extend the purchaser's subscription, not a family member's"),
        Entry(
            4_030_028, "AssignedSubscriptionExtensionIneligible",
            "extend the purchaser's subscription, not an assigned one"),
    ]

    private static let notFound: [Entry] = [
        Entry(4_040_001, "AccountNotFound", "the customer has no Apple Account here: try the other environment once"),
        Entry(4_040_002, "AccountNotFoundRetryable", retriable: true, "try again later"),
        Entry(
            4_040_003, "AppNotFound", "the key's account has no app with this bundle id in this environment: check both"
        ),
        Entry(4_040_004, "AppNotFoundRetryable", retriable: true, "try again later"),
        Entry(
            4_040_005, "OriginalTransactionIdNotFound",
            "no such purchase of this app in this environment: try the other environment once"),
        Entry(4_040_006, "OriginalTransactionIdNotFoundRetryable", retriable: true, "try again later"),
        Entry(
            4_040_007, "ServerNotificationURLNotFound",
            "set the URL for App Store Server Notifications of this environment in App Store Connect"),
        Entry(
            4_040_008, "TestNotificationNotFound",
            "the token has expired or its status is not available yet: retry after a minute, or request another"),
        Entry(4_040_009, "StatusRequestNotFound", "no extension exists for this product and request identifier"),
        Entry(
            4_040_010, "TransactionIdNotFound",
            "no such transaction of this app in this environment: try the other environment once"),
        Entry(4_040_019, "AppTransactionDoesNotExist", "the customer has no app transaction for this app"),
    ]

    private static let later: [Entry] = [
        Entry(4_290_000, "RateLimitExceeded", retriable: true, "wait until the time in Retry-After"),
        Entry(5_000_000, "GeneralInternal", retriable: true, "server error at Apple: try again later"),
        Entry(5_000_001, "GeneralInternalRetryable", retriable: true, "server error at Apple: try again later"),
    ]
}
