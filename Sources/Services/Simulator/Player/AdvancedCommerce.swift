/// The `advancedCommerceInfo` of a subscription that is managed through the Advanced Commerce API.
enum AdvancedCommerce {
    static func transaction(purchase: String, price: Int64) -> PayloadText {
        let taxExclusivePrice = price * 100 / 119
        var info = common(purchase: purchase, itemPrice: price)
        info.put("estimatedTax", price - taxExclusivePrice)
        info.put("taxExclusivePrice", taxExclusivePrice)
        info.put("taxRate", "0.19")
        return info
    }

    static func renewal(purchase: String, price: Int64) -> PayloadText {
        var generator = SeededGenerator(seed: 0, purpose: "consistency/\(purchase)/\(price)")
        var info = common(purchase: purchase, itemPrice: price)
        info.put("consistencyToken", generator.uuid())
        return info
    }

    private static func common(purchase: String, itemPrice: Int64) -> PayloadText {
        var generator = SeededGenerator(seed: 0, purpose: "request/\(purchase)")
        var descriptors = PayloadText()
        descriptors.put("description", "Everything of the studio")
        descriptors.put("displayName", "Studio bundle")
        var item = PayloadText()
        item.put("SKU", "studio.bundle")
        item.put("description", "Everything of the studio")
        item.put("displayName", "Studio bundle")
        item.put("price", itemPrice)
        var info = PayloadText()
        info.put("requestReferenceId", generator.uuid())
        info.put("taxCode", "C003-00-1")
        info.put("period", "P1M")
        info.put("descriptors", descriptors)
        info.put("items", [item])
        return info
    }
}
