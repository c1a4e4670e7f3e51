/// An error response from the App Store Server API: `errorCode` and `errorMessage`.
///
/// Equality compares the code. Source: Apple's list of error codes, API versions 1.19 to 1.23.
package struct ServerAPIError: Error, Sendable, CustomStringConvertible {
    /// The code, or nil if the response has an empty body, for example because the request was malformed.
    package let code: Int64?
    /// Apple's name for the error object, without the suffix `Error`.
    package let name: String
    package let message: String

    /// The HTTP status: the code's first three digits, or 400 without a code.
    package var status: Int { code.map { Int($0 / 10_000) } ?? 400 }

    package var description: String { "\(code.map { "\($0) " } ?? "")\(name)" }

    private init(_ code: Int64?, _ name: String, _ message: String) {
        self.code = code
        self.name = name
        self.message = message
    }

    /// A malformed request, to which Apple responds 400 without a code.
    package static let malformed = ServerAPIError(nil, "Malformed", "")

    /// Returns the error with this code, if there is one.
    package static func withCode(_ code: Int64) -> ServerAPIError? { byCode[code] }

    /// Every error that has a code.
    package static let all: [ServerAPIError] = requests + history + consumption + transactions + notFound + others

    private static let byCode = Dictionary(
        all.compactMap { error in error.code.map { ($0, error) } }, uniquingKeysWith: { first, _ in first })
}

extension ServerAPIError: Equatable {
    package static func == (one: ServerAPIError, other: ServerAPIError) -> Bool { one.code == other.code }
}

// Errors about identifiers and renewal date extensions.
extension ServerAPIError {
    static let generalBadRequest = ServerAPIError(4_000_000, "GeneralBadRequest", "Bad request.")
    static let invalidAppIdentifier = ServerAPIError(
        4_000_002, "InvalidAppIdentifier", "Invalid request app identifier.")
    static let invalidRequestRevision = ServerAPIError(
        4_000_005, "InvalidRequestRevision", "Invalid request revision.")
    static let invalidTransactionId = ServerAPIError(4_000_006, "InvalidTransactionId", "Invalid transaction id.")
    static let invalidOriginalTransactionId = ServerAPIError(
        4_000_008, "InvalidOriginalTransactionId", "Invalid original transaction id.")
    static let invalidExtendByDays = ServerAPIError(
        4_000_009, "InvalidExtendByDays", "Invalid extend by days value.")
    static let invalidExtendReasonCode = ServerAPIError(
        4_000_010, "InvalidExtendReasonCode", "Invalid extend reason code.")
    static let invalidRequestIdentifier = ServerAPIError(
        4_000_011, "InvalidRequestIdentifier", "Invalid request identifier.")
    static let emptyStorefrontCountryCodes = ServerAPIError(
        4_000_027, "InvalidEmptyStorefrontCountryCodeList",
        "Invalid request. If provided, the list of storefront country codes must not be empty.")
    static let invalidStorefrontCountryCode = ServerAPIError(
        4_000_028, "InvalidStorefrontCountryCode", "Invalid request. A storefront country code was invalid.")
    static let extensionIneligible = ServerAPIError(
        4_030_004, "SubscriptionExtensionIneligible", "Forbidden - subscription state ineligible for extension.")
    static let maximumExtensions = ServerAPIError(
        4_030_005, "SubscriptionMaxExtension", "Forbidden - subscription has reached maximum extension count.")
    static let familyExtensionIneligible = ServerAPIError(
        4_030_007, "FamilySharedSubscriptionExtensionIneligible",
        "Subscriptions that users obtain through Family Sharing can't get a renewal date extension directly.")

    static let assignedExtensionIneligible = ServerAPIError(
        4_030_028, "AssignedSubscriptionExtensionIneligible",
        "Forbidden - assigned subscriptions can't get a renewal date extension.")

    private static let requests = [
        generalBadRequest, invalidAppIdentifier, invalidRequestRevision, invalidTransactionId,
        invalidOriginalTransactionId, invalidExtendByDays, invalidExtendReasonCode, invalidRequestIdentifier,
        emptyStorefrontCountryCodes, invalidStorefrontCountryCode, extensionIneligible, maximumExtensions,
        familyExtensionIneligible, assignedExtensionIneligible,
    ]
}

// Errors about histories and statuses.
extension ServerAPIError {
    static let startDateTooFarInPast = ServerAPIError(
        4_000_012, "StartDateTooFarInPast", "Invalid request. The start date is earlier than the allowed start date.")
    static let startDateAfterEndDate = ServerAPIError(
        4_000_013, "StartDateAfterEndDate", "Invalid request. The end date precedes the start date or is the same.")
    static let invalidPaginationToken = ServerAPIError(
        4_000_014, "InvalidPaginationToken", "Invalid request. The pagination token is invalid.")
    static let invalidStartDate = ServerAPIError(
        4_000_015, "InvalidStartDate", "Invalid request. The start date is invalid.")
    static let invalidEndDate = ServerAPIError(
        4_000_016, "InvalidEndDate", "Invalid request. The end date is invalid.")
    static let paginationTokenExpired = ServerAPIError(
        4_000_017, "PaginationTokenExpired", "Invalid request. The pagination token is expired.")
    static let invalidNotificationType = ServerAPIError(
        4_000_018, "InvalidNotificationType", "Invalid request. The notification type or subtype is invalid.")
    static let multipleFilters = ServerAPIError(
        4_000_019, "MultipleFiltersSupplied",
        "Invalid request. Supply either a transaction id or a notification type, but not both.")
    static let invalidTestNotificationToken = ServerAPIError(
        4_000_020, "InvalidTestNotificationToken", "Invalid request. The test notification token is invalid.")
    static let invalidSort = ServerAPIError(4_000_021, "InvalidSort", "Invalid request. The sort is invalid.")
    static let invalidProductType = ServerAPIError(
        4_000_022, "InvalidProductType", "Invalid request. The product type parameter is invalid.")
    static let invalidProductId = ServerAPIError(
        4_000_023, "InvalidProductId", "Invalid request. The product id parameter is invalid.")
    static let invalidSubscriptionGroupIdentifier = ServerAPIError(
        4_000_024, "InvalidSubscriptionGroupIdentifier",
        "Invalid request. The subscription group identifier parameter is invalid.")
    static let invalidExcludeRevoked = ServerAPIError(
        4_000_025, "InvalidExcludeRevoked", "Invalid request. The exclude revoked parameter is invalid.")
    static let invalidOwnershipType = ServerAPIError(
        4_000_026, "InvalidInAppOwnershipType", "Invalid request. The in-app ownership type parameter is invalid.")
    static let invalidRevoked = ServerAPIError(
        4_000_030, "InvalidRevoked", "Invalid request. The revoked parameter is invalid.")
    static let invalidStatus = ServerAPIError(
        4_000_031, "InvalidStatus", "Invalid request. The status parameter is invalid.")

    private static let history = [
        startDateTooFarInPast, startDateAfterEndDate, invalidPaginationToken, invalidStartDate, invalidEndDate,
        paginationTokenExpired, invalidNotificationType, multipleFilters, invalidTestNotificationToken, invalidSort,
        invalidProductType, invalidProductId, invalidSubscriptionGroupIdentifier, invalidExcludeRevoked,
        invalidOwnershipType, invalidRevoked, invalidStatus,
    ]
}

// Errors about consumption information.
extension ServerAPIError {
    static let invalidAccountTenure = field(4_000_032, "InvalidAccountTenure", "account tenure")
    static let invalidAppAccountToken = ServerAPIError(
        4_000_033, "InvalidAppAccountToken",
        "Invalid request. The app account token field must contain a valid UUID or an empty string.")
    static let invalidConsumptionStatus = field(4_000_034, "InvalidConsumptionStatus", "consumption status")
    static let invalidCustomerConsented = ServerAPIError(
        4_000_035, "InvalidCustomerConsented",
        "Invalid request. The customer consented field is required and must indicate the customer consented.")
    static let invalidDeliveryStatus = field(4_000_036, "InvalidDeliveryStatus", "delivery status")
    static let invalidLifetimeDollarsPurchased = field(
        4_000_037, "InvalidLifetimeDollarsPurchased", "lifetime dollars purchased")
    static let invalidLifetimeDollarsRefunded = field(
        4_000_038, "InvalidLifetimeDollarsRefunded", "lifetime dollars refunded")
    static let invalidPlatform = field(4_000_039, "InvalidPlatform", "platform")
    static let invalidPlayTime = field(4_000_040, "InvalidPlayTime", "play time")
    static let invalidSampleContentProvided = field(
        4_000_041, "InvalidSampleContentProvided", "sample content provided")
    static let invalidUserStatus = field(4_000_042, "InvalidUserStatus", "user status")
    /// Apple no longer sends this error.
    static let transactionNotConsumable = ServerAPIError(
        4_000_043, "InvalidTransactionNotConsumable",
        "Invalid request. The transaction id parameter must represent a consumable in-app purchase.")
    static let invalidRefundPreference = field(4_000_044, "InvalidRefundPreference", "refund preference")
    static let transactionTypeNotSupported = ServerAPIError(
        4_000_047, "InvalidTransactionTypeNotSupported",
        "Invalid request. The transaction id doesn't represent a supported in-app purchase type.")
    static let appTransactionIdNotSupported = ServerAPIError(
        4_000_048, "AppTransactionIdNotSupported",
        "Invalid request. App transactions aren't supported by this endpoint.")
    static let percentageOfSubscription = ServerAPIError(
        4_000_209, "ConsumptionPercentageAutoRenewableSubscription",
        "Invalid request. The consumption percentage field is not supported for auto-renewable subscription "
            + "transactions.")

    // Apple documents only the names of these three errors. The numbers are the simulator's own and outside Apple's
    // range, so that they are not mistaken for Apple's. A client must work without knowing them.
    static let percentageOutOfRange = ServerAPIError(
        4_009_901, "ConsumptionPercentageOutOfRange", "Invalid request. The consumption percentage is out of range.")
    static let percentageOfUndelivered = ServerAPIError(
        4_009_902, "UndeliveredConsumptionPercentageNonZero",
        "Invalid request. The consumption percentage must be zero for the delivery status.")
    static let advancedCommerceNotSupported = ServerAPIError(
        4_009_903, "AdvancedCommerceTransactionNotSupported",
        "Invalid request. Advanced Commerce API transactions aren't supported by this endpoint.")

    private static let consumption = [
        invalidAccountTenure, invalidAppAccountToken, invalidConsumptionStatus, invalidCustomerConsented,
        invalidDeliveryStatus, invalidLifetimeDollarsPurchased, invalidLifetimeDollarsRefunded, invalidPlatform,
        invalidPlayTime, invalidSampleContentProvided, invalidUserStatus, transactionNotConsumable,
        invalidRefundPreference, transactionTypeNotSupported, appTransactionIdNotSupported, percentageOfSubscription,
        percentageOutOfRange, percentageOfUndelivered, advancedCommerceNotSupported,
    ]

    private static func field(_ code: Int64, _ name: String, _ field: String) -> ServerAPIError {
        ServerAPIError(code, name, "Invalid request. The \(field) field is invalid.")
    }
}

// Errors about account tokens, missing objects, limits and failures.
extension ServerAPIError {
    static let invalidAppAccountTokenUUID = ServerAPIError(
        4_000_183, "InvalidAppAccountTokenUUID",
        "Invalid request. The app account token field must be a valid UUID.")
    static let familyTransactionNotSupported = ServerAPIError(
        4_000_185, "FamilyTransactionNotSupported",
        "Invalid request. Family transactions aren't supported by this endpoint.")
    static let assignedTransactionNotSupported = ServerAPIError(
        4_000_227, "InvalidAssignedTransactionNotSupported",
        "Invalid request. Assigned transactions aren't supported by this endpoint.")
    static let notOriginalTransactionId = ServerAPIError(
        4_000_187, "TransactionIdIsNotOriginalTransactionId",
        "Invalid request. The transaction ID provided is not an original transaction ID.")
    private static let transactions = [
        invalidAppAccountTokenUUID, familyTransactionNotSupported, assignedTransactionNotSupported,
        notOriginalTransactionId,
    ]

    static let accountNotFound = ServerAPIError(4_040_001, "AccountNotFound", "Account not found.")
    static let accountNotFoundRetryable = ServerAPIError(
        4_040_002, "AccountNotFoundRetryable", "Account not found. Please try again.")
    static let appNotFound = ServerAPIError(4_040_003, "AppNotFound", "App not found.")
    static let appNotFoundRetryable = ServerAPIError(
        4_040_004, "AppNotFoundRetryable", "App not found. Please try again.")
    static let originalTransactionIdNotFound = ServerAPIError(
        4_040_005, "OriginalTransactionIdNotFound", "Original transaction id not found.")
    static let originalTransactionIdNotFoundRetryable = ServerAPIError(
        4_040_006, "OriginalTransactionIdNotFoundRetryable", "Original transaction id not found. Please try again.")
    static let notificationURLNotFound = ServerAPIError(
        4_040_007, "ServerNotificationURLNotFound", "No App Store Server Notification URL found for provided app.")
    static let testNotificationNotFound = ServerAPIError(
        4_040_008, "TestNotificationNotFound",
        "Either the test notification token is expired or the notification and status are not yet available.")
    static let statusRequestNotFound = ServerAPIError(
        4_040_009, "StatusRequestNotFound",
        "The server didn't find a subscription-renewal-date extension request for this requestIdentifier and "
            + "productId combination.")
    static let transactionIdNotFound = ServerAPIError(4_040_010, "TransactionIdNotFound", "Transaction id not found.")
    static let appTransactionDoesNotExist = ServerAPIError(
        4_040_019, "AppTransactionDoesNotExist", "No AppTransaction exists for the customer.")
    private static let notFound = [
        accountNotFound, accountNotFoundRetryable, appNotFound, appNotFoundRetryable, originalTransactionIdNotFound,
        originalTransactionIdNotFoundRetryable, notificationURLNotFound, testNotificationNotFound,
        statusRequestNotFound, transactionIdNotFound, appTransactionDoesNotExist,
    ]

    static let rateLimitExceeded = ServerAPIError(4_290_000, "RateLimitExceeded", "Rate limit exceeded.")
    static let generalInternal = ServerAPIError(5_000_000, "GeneralInternal", "An unknown error occurred.")
    static let generalInternalRetryable = ServerAPIError(
        5_000_001, "GeneralInternalRetryable", "An unknown error occurred. Please try again.")
    private static let others = [rateLimitExceeded, generalInternal, generalInternalRetryable]
}
