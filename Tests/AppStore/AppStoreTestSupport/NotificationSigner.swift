package import AppStoreSigning

/// Creates version 2 notifications from texts: signs the nested payloads, inserts them into the outer payload, signs
/// that, and wraps it in an HTTP body.
package struct NotificationSigner: Sendable {
    /// The JSON texts of one notification. Each nested text replaces its placeholder in `notification`.
    package struct Payloads: Sendable {
        /// The responseBodyV2DecodedPayload, with a placeholder such as
        /// `"signedTransactionInfo":"{signedTransactionInfo}"` for each nested text.
        package var notification: String
        package var transactionInfo: String?
        package var renewalInfo: String?
        package var appTransactionInfo: String?

        package init(
            notification: String, transactionInfo: String? = nil, renewalInfo: String? = nil,
            appTransactionInfo: String? = nil
        ) {
            self.notification = notification
            self.transactionInfo = transactionInfo
            self.renewalInfo = renewalInfo
            self.appTransactionInfo = appTransactionInfo
        }
    }

    /// A notification as Apple would send it.
    package struct SignedNotification: Sendable {
        /// The compact JWS.
        package let signedPayload: String
        /// The HTTP body: `{"signedPayload":"…"}`.
        package var body: [UInt8] { Array("{\"signedPayload\":\"\(signedPayload)\"}".utf8) }
    }

    /// A placeholder has no text, or a text has no placeholder.
    package struct PlaceholderError: Error, CustomStringConvertible {
        package let description: String
    }

    private let outer: JWSSigner
    private let nested: JWSSigner

    /// - Parameter nested: signs the nested payloads; nil selects `outer`.
    package init(_ outer: JWSSigner, nested: JWSSigner? = nil) {
        self.outer = outer
        self.nested = nested ?? outer
    }

    /// Signs one notification.
    ///
    /// - Throws: ``PlaceholderError`` if a placeholder has no text or a text has no placeholder; `AppStoreSigningError`
    ///   if signing fails.
    package func sign(_ payloads: Payloads) throws -> SignedNotification {
        var notification = payloads.notification
        let texts = [
            ("signedTransactionInfo", payloads.transactionInfo), ("signedRenewalInfo", payloads.renewalInfo),
            ("signedAppTransactionInfo", payloads.appTransactionInfo),
        ]
        for (name, text) in texts {
            let parts = notification.split(separator: "{\(name)}", omittingEmptySubsequences: false)
            switch (parts.count, text) {
            case (1, nil): continue
            case (2, .some(let text)): notification = "\(parts[0])\(try nested.sign(text))\(parts[1])"
            case (1, .some): throw PlaceholderError(description: "the notification has no {\(name)}")
            case (2, nil): throw PlaceholderError(description: "nothing is given for {\(name)}")
            default: throw PlaceholderError(description: "the notification has {\(name)} more than once")
            }
        }
        return SignedNotification(signedPayload: try outer.sign(notification))
    }
}
