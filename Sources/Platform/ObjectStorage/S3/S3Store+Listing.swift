internal import HTTPClient
internal import Primitives

extension S3Store {
    /// The service's maximum page size.
    private static let pageLength = 1_000

    package func list(
        _ prefix: ObjectName?, after: ObjectName?, limit: Int
    ) async throws(ObjectStoreError) -> [ListedObject] {
        var found: [ListedObject] = []
        var token: String?
        while found.count < limit {
            var query = [("max-keys", String(min(Self.pageLength, limit - found.count)))]
            if let after, token == nil { query.append(("start-after", client.key(after))) }
            let page = try await page(prefix, query, token)
            for entry in page.children where entry.name == "Contents" {
                guard let name = name(entry.text("Key")), let size = entry.text("Size").flatMap({ Int($0) }), size >= 0
                else { continue }
                // Pages must be in ascending order. Otherwise, objects could be returned twice.
                guard found.last.map({ $0.name < name }) ?? true, after.map({ $0 < name }) ?? true else {
                    throw ObjectStoreError(.corrupt, "the listing of \(client.url(prefix)) is not in order")
                }
                found.append(ListedObject(name: name, byteCount: size))
            }
            token = try next(page, after: token, prefix)
            if token == nil { break }
        }
        return Array(found.prefix(max(0, limit)))
    }

    package func folders(in prefix: ObjectName?) async throws(ObjectStoreError) -> [ObjectName] {
        var found: [ObjectName] = []
        var token: String?
        repeat {
            let page = try await page(prefix, [("delimiter", "/"), ("max-keys", String(Self.pageLength))], token)
            for entry in page.children where entry.name == "CommonPrefixes" {
                guard let text = entry.text("Prefix"), text.hasSuffix("/"), let name = name(String(text.dropLast()))
                else { continue }
                found.append(name)
            }
            token = try next(page, after: token, prefix)
        } while token != nil
        return found.sorted()
    }

    private func page(
        _ prefix: ObjectName?, _ query: [(String, String)], _ token: String?
    ) async throws(ObjectStoreError) -> XMLElement {
        var query: [(name: String, value: String)] = query.map { (name: $0.0, value: $0.1) }
        query += [(name: "list-type", value: "2"), (name: "encoding-type", value: "url")]
        if let folder = prefix.map(client.key) ?? client.configuration.prefix?.text {
            query.append((name: "prefix", value: folder + "/"))
        }
        if let token { query.append((name: "continuation-token", value: token)) }
        let call = S3Call(method: "GET", name: nil, query: query, action: "list \(client.url(prefix))")
        let response = try await client.send(call).response
        guard (200..<300).contains(response.status) else { throw S3Problem(response).error(call.action) }
        guard let page = XMLElement(document: response.body), page.name == "ListBucketResult" else {
            throw malformed(call)
        }
        return page
    }

    /// Returns the continuation token, or nil after the last page.
    private func next(
        _ page: XMLElement, after token: String?, _ prefix: ObjectName?
    ) throws(ObjectStoreError) -> String? {
        guard page.text("IsTruncated") == "true" else { return nil }
        // A repeated token would cause an infinite loop.
        guard let next = page.text("NextContinuationToken"), !next.isEmpty, next != token else {
            throw ObjectStoreError(.corrupt, "the listing of \(client.url(prefix)) has no valid continuation token")
        }
        return next
    }

    /// Returns the name of the object with this key, or nil if the key does not belong to this store.
    private func name(_ key: String?) -> ObjectName? {
        guard let key, let text = Self.decoded(key) else { return nil }
        guard let prefix = client.configuration.prefix else { return try? ObjectName(text) }
        guard text.hasPrefix(prefix.text + "/") else { return nil }
        return try? ObjectName(String(text.dropFirst(prefix.text.count + 1)))
    }

    private static func decoded(_ key: String) -> String? {
        guard key.contains("%") else { return key }
        var bytes: [UInt8] = []
        var rest = Array(key.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst()?.hexadecimalValue, let low = rest.popFirst()?.hexadecimalValue else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
