import AppStoreModel
import Foundation
import HTTPClient
import Kafka
import Records
import TestSupport
import Testing

extension EndToEnd {
    /// The shared secret in version 1 bodies is not retained anywhere: neither in stored data nor in the process.
    @Suite struct LegacySecrets {
        private static let secret = "canary0f1e2d3c4b5a69788796a5b4c3"
        private static let guess = "wrongcanary1d3c4b5a69788796a5b4c"

        @Test func `the secret in bodies is not in any topic, log line or metric, or in the ingress's memory`()
            async throws
        {
            let bodies = TestScale.isLong ? 10_000 : 500
            try await Harness.open { harness in
                let broker = try await harness.embeddedBroker()
                let file = try harness.write("\(Self.secret)\n", to: "secrets")
                let ingress = try await harness.ingress(
                    on: broker, for: try await harness.simulatedApp(),
                    settings: ["--apps.com.example.app.shared.secret.file", file])
                let client = HTTPClient()
                defer { client.close() }
                for index in 0..<bodies {
                    let response = try await client.send(request(index, to: ingress.url))
                    #expect(response.status == Self.status(of: index), "\(index)")
                }
                let memory = try ProcessMemory(ingress.process.id)
                #expect(memory.bytesRead > 10 << 20)
                // Proves that the search works: it finds the name of the app.
                #expect(memory.count(of: "com.example.app") > 0)
                for text in [Self.secret, Self.guess] { #expect(memory.count(of: text) == 0, "\(text)") }

                let metrics = try await client.send(
                    HTTPClientRequest(url: "http://127.0.0.1:\(ingress.adminPort)/metrics"))
                var kept = ingress.process.errors + ingress.process.output
                kept += String(decoding: metrics.body, as: UTF8.self)
                var records = 0
                for topic in [
                    broker.notifications(.production), broker.notifications(.sandbox), broker.quarantine,
                ] {
                    for record in try await broker.records(of: topic) {
                        records += 1
                        kept += String(decoding: (record.key ?? []) + (record.value ?? []), as: UTF8.self)
                        for header in record.headers { kept += String(decoding: header.value ?? [], as: UTF8.self) }
                    }
                }
                #expect(records > bodies / 2)
                for text in [Self.secret, Self.guess] { #expect(!kept.contains(text), "\(text)") }
            }
        }

        private static func status(of index: Int) -> Int {
            switch index % 10 {
            case 3: 401
            case 6: 400
            default: 200
            }
        }

        /// Returns a request with the secret in one of the possible positions.
        private func request(_ index: Int, to url: String) -> HTTPClientRequest {
            var password = "\"password\":\"\(Self.secret)\""
            var further = ""
            var query = ""
            var headers = [(name: "Content-Type", value: "application/json")]
            switch index % 10 {
            case 1: password = "\"p\\u0061ssword\":\"\(Self.secret)\""
            case 2:
                let escaped = Self.secret.utf8.map { "\\u00" + String($0, radix: 16) }.joined()
                password = "\"password\":\"\(escaped)\""
            case 3: password = "\"password\":\"\(Self.guess)\""
            case 4:
                further = "\"nested\":{\"Password\":\"\(Self.secret)\",\"list\":[{\"password\":\"\(Self.guess)\"}]},"
            case 5: query = "?password=\(Self.secret)"
            // The end of the JSON is invalid.
            case 6: further = "\"torn\":\"\(Self.guess)\",,"
            case 7: headers.append((name: "Password", value: Self.secret))
            case 8: further = "\"latest_receipt\":\"\(String(repeating: "A", count: 100_000))\","
            case 9: further = "\"copy\":\"\(Self.secret)\","
            default: break
            }
            let id = 100_000 + index
            let body =
                #"{"notification_type":"INITIAL_BUY","environment":"PROD",\#(password),"bid":"com.example.app","#
                + further + #""original_transaction_id":"\#(id)","unified_receipt":{"environment":"Production","#
                + #""latest_receipt_info":[{"transaction_id":"\#(id)","original_transaction_id":"\#(id)","#
                + #""product_id":"com.example.pro.month","purchase_date_ms":"1789900000000","#
                + #""expires_date_ms":"1792500000000"}]}}"#
            return HTTPClientRequest(
                method: "POST", url: url + query, headers: headers, body: Array(body.utf8), timeout: .seconds(30))
        }
    }
}
