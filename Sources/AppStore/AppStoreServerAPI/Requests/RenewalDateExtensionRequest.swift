package import AppStoreModel
internal import JSON

/// The reason and duration of a renewal date extension. Apple: ExtendRenewalDateRequest.
package struct RenewalDateExtensionRequest: Sendable, Hashable {
    /// The number of days, from 1 to 90.
    package var extendByDays: Int32
    package var reason: ExtendReasonCode
    /// A UUID chosen by the caller.
    package var requestIdentifier: RequestIdentifier

    package init(extendByDays: Int32, reason: ExtendReasonCode, requestIdentifier: RequestIdentifier) {
        self.extendByDays = extendByDays
        self.reason = reason
        self.requestIdentifier = requestIdentifier
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.set("extendByDays", extendByDays)
        writer.set("extendReasonCode", reason.rawValue)
        writer.set("requestIdentifier", requestIdentifier.rawValue)
    }

    var body: [UInt8] {
        var writer = JSONWriter()
        writer.object { write(to: &$0) }
        return writer.bytes
    }

    /// Returns the request body for all active subscribers of a product, in all storefronts if `storefronts` is nil.
    func body(productId: ProductId, storefronts: [String]?) -> [UInt8] {
        var writer = JSONWriter()
        writer.object {
            write(to: &$0)
            if let storefronts {
                $0.array("storefrontCountryCodes") { for storefront in storefronts { $0.string(storefront) } }
            }
            $0.set("productId", productId.rawValue)
        }
        return writer.bytes
    }
}

/// The reason for an extension. Apple: extendReasonCode.
package struct ExtendReasonCode: OpenEnumeration {
    package var rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let undeclared = ExtendReasonCode(0)
    package static let customerSatisfaction = ExtendReasonCode(1)
    package static let other = ExtendReasonCode(2)
    package static let serviceIssue = ExtendReasonCode(3)

    package static let known: Set<ExtendReasonCode> = [.undeclared, .customerSatisfaction, .other, .serviceIssue]
}
