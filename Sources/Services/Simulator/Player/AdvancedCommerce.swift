internal import JSON

/// The `advancedCommerceInfo` of a subscription managed through the Advanced Commerce API.
enum AdvancedCommerce {
    static func transaction(of originalTransactionId: String, price: Int64) -> JSONObject {
        let taxExclusivePrice = price * 100 / 119
        var info = common(of: originalTransactionId, itemPrice: price)
        info.put("estimatedTax", price - taxExclusivePrice)
        info.put("taxExclusivePrice", taxExclusivePrice)
        info.put("taxRate", "0.19")
        return info
    }

    static func renewal(of originalTransactionId: String, price: Int64) -> JSONObject {
        var generator = SeededGenerator(seed: 0, purpose: "consistency/\(originalTransactionId)/\(price)")
        var info = common(of: originalTransactionId, itemPrice: price)
        info.put("consistencyToken", generator.uuid())
        return info
    }

    private static func common(of originalTransactionId: String, itemPrice: Int64) -> JSONObject {
        var generator = SeededGenerator(seed: 0, purpose: "request/\(originalTransactionId)")
        var descriptors = JSONObject()
        descriptors.put("description", "Everything from the studio")
        descriptors.put("displayName", "Studio bundle")
        var item = JSONObject()
        item.put("SKU", "studio.bundle")
        item.put("description", "Everything from the studio")
        item.put("displayName", "Studio bundle")
        item.put("price", itemPrice)
        var info = JSONObject()
        info.put("requestReferenceId", generator.uuid())
        info.put("taxCode", "C003-00-1")
        info.put("period", "P1M")
        info.put("descriptors", descriptors)
        info.put("items", [item])
        return info
    }
}
