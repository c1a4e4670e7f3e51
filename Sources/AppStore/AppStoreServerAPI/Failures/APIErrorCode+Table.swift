extension APIErrorCode {
    /// All documented error codes of the endpoints that Sluice uses, each with a fix. The codes of the Retention
    /// Messaging API are not included. Source: Apple, "App Store Server API", "Error codes".
    static let entries: [Entry] = badRequests + refusedConsumption + conflicts + notFound + later

    private static let badRequests: [Entry] = [
        Entry(4_000_000, "GeneralBadRequest", "compare the request with Apple's documentation for the endpoint"),
        Entry(4_000_002, "InvalidAppIdentifier", "use the app's bundle id exactly as in App Store Connect"),
        Entry(4_000_005, "InvalidRequestRevision", "request the history again from the start, without a revision"),
        Entry(4_000_006, "InvalidTransactionId", "use a transaction id as Apple sent it, digits only"),
        Entry(4_000_008, "InvalidOriginalTransactionId", "use an original transaction id as Apple sent it"),
        Entry(4_000_009, "InvalidExtendByDays", "extend by 1 to 90 days"),
        Entry(4_000_010, "InvalidExtendReasonCode", "use a reason code from 0 to 3"),
        Entry(4_000_011, "InvalidRequestIdentifier", "use a UUID as the request identifier"),
        Entry(4_000_012, "StartDateTooFarInPast", "start within the last 180 days (30 in the sandbox)"),
        Entry(4_000_013, "StartDateAfterEndDate", "use an end date after the start date"),
        Entry(4_000_014, "InvalidPaginationToken", "request the window again without a pagination token"),
        Entry(4_000_015, "InvalidStartDate", "use milliseconds since 1970 for the start date"),
        Entry(4_000_016, "InvalidEndDate", "use milliseconds since 1970 for the end date"),
        Entry(4_000_017, "PaginationTokenExpired", "restart without a token, with a shorter window"),
        Entry(4_000_018, "InvalidNotificationType", "use a documented type and one of its subtypes"),
        Entry(4_000_019, "MultipleFiltersSupplied", "use a transaction id or a notification type, not both"),
        Entry(
            4_000_020, "InvalidTestNotificationToken", "use the token exactly as Apple returned it"),
        Entry(4_000_021, "InvalidSort", "use ASCENDING or DESCENDING as the sort order"),
        Entry(4_000_022, "InvalidProductType", "use AUTO_RENEWABLE, NON_RENEWABLE, CONSUMABLE or NON_CONSUMABLE"),
        Entry(4_000_023, "InvalidProductId", "use one of the app's product ids"),
        Entry(4_000_024, "InvalidSubscriptionGroupIdentifier", "use one of the app's subscription groups"),
        Entry(4_000_025, "InvalidExcludeRevoked", "use revoked instead"),
        Entry(4_000_026, "InvalidInAppOwnershipType", "use PURCHASED or FAMILY_SHARED"),
        Entry(
            4_000_027, "InvalidEmptyStorefrontCountryCodeList",
            "list at least one storefront, or omit the list for all storefronts"),
        Entry(4_000_028, "InvalidStorefrontCountryCode", "use three-letter storefronts, such as USA"),
        Entry(4_000_030, "InvalidRevoked", "use true or false"),
        Entry(4_000_031, "InvalidStatus", "use statuses from 1 to 5"),
        Entry(
            4_000_183, "InvalidAppAccountTokenUUID", "use a UUID with hyphens as the app account token"),
        Entry(
            4_000_185, "FamilyTransactionNotSupported",
            "use the purchaser's transaction; a family member's is not accepted"),
        Entry(
            4_000_187, "TransactionIdIsNotOriginalTransactionId",
            "use the originalTransactionId instead of the transactionId"),
    ]

    /// The codes for Send Consumption Information.
    private static let refusedConsumption: [Entry] = [
        Entry(4_000_032, "InvalidAccountTenure", "use an accountTenure from 0 to 7"),
        Entry(4_000_033, "InvalidAppAccountToken", "use a UUID or an empty string as the app account token"),
        Entry(4_000_034, "InvalidConsumptionStatus", "use a consumptionStatus value from 0 to 3"),
        Entry(
            4_000_035, "InvalidCustomerConsented", "send an answer only with consent: customerConsented must be true"),
        Entry(
            4_000_036, "InvalidDeliveryStatus",
            "use a deliveryStatus that this version of the request body supports"),
        Entry(4_000_037, "InvalidLifetimeDollarsPurchased", "use a lifetimeDollarsPurchased value from 0 to 7"),
        Entry(4_000_038, "InvalidLifetimeDollarsRefunded", "use a lifetimeDollarsRefunded value from 0 to 7"),
        Entry(4_000_039, "InvalidPlatform", "use a platform value from 0 to 2"),
        Entry(4_000_040, "InvalidPlayTime", "use a playTime value from 0 to 7"),
        Entry(4_000_041, "InvalidSampleContentProvided", "use true or false for sampleContentProvided"),
        Entry(4_000_042, "InvalidUserStatus", "use a userStatus value from 0 to 4"),
        Entry(4_000_043, "InvalidTransactionNotConsumable", "send answers for consumables only"),
        Entry(
            4_000_044, "InvalidRefundPreference",
            "use a refundPreference that this version of the request body supports"),
        Entry(4_000_047, "InvalidTransactionTypeNotSupported", "this endpoint does not accept this product type"),
        Entry(4_000_048, "AppTransactionIdNotSupported", "use a transactionId instead of the appTransactionId"),
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
            4_030_005, "SubscriptionMaxExtension",
            "the subscription has been extended twice within 365 days: wait before extending it again"),
        Entry(
            4_030_007, "FamilySharedSubscriptionExtensionIneligible",
            "extend the purchaser's subscription, not a family member's"),
        Entry(
            4_030_028, "AssignedSubscriptionExtensionIneligible",
            "extend the purchaser's subscription, not an assigned one"),
    ]

    private static let notFound: [Entry] = [
        Entry(
            4_040_001, "AccountNotFound",
            "the customer has no Apple Account in this environment: try the other environment"),
        Entry(4_040_002, "AccountNotFoundRetryable", retriable: true, "try again later"),
        Entry(
            4_040_003, "AppNotFound",
            "the key's account has no app with this bundle id in this environment: check bundle id and environment"
        ),
        Entry(4_040_004, "AppNotFoundRetryable", retriable: true, "try again later"),
        Entry(
            4_040_005, "OriginalTransactionIdNotFound",
            "the app has no such purchase in this environment: try the other environment once"),
        Entry(4_040_006, "OriginalTransactionIdNotFoundRetryable", retriable: true, "try again later"),
        Entry(
            4_040_007, "ServerNotificationURLNotFound",
            "set this environment's URL for App Store Server Notifications in App Store Connect"),
        Entry(
            4_040_008, "TestNotificationNotFound",
            "the token has expired or its status is not available yet: retry after a minute, or request a new one"),
        Entry(4_040_009, "StatusRequestNotFound", "no extension exists for this product and request identifier"),
        Entry(
            4_040_010, "TransactionIdNotFound",
            "the app has no such transaction in this environment: try the other environment once"),
        Entry(4_040_019, "AppTransactionDoesNotExist", "the customer has no app transaction for this app"),
    ]

    private static let later: [Entry] = [
        Entry(4_290_000, "RateLimitExceeded", retriable: true, "wait until the time in Retry-After"),
        Entry(5_000_000, "GeneralInternal", retriable: true, "error on Apple's server: try again later"),
        Entry(5_000_001, "GeneralInternalRetryable", retriable: true, "error on Apple's server: try again later"),
    ]
}
