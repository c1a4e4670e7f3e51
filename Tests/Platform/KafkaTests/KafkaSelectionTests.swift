import Foundation
import TestSupport
import Testing

/// Tests of the names by which `make test-kafka` selects tests and `make test` excludes them.
struct KafkaSelectionTests {
    /// Fails on a machine without Kafka, so it runs only on request.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["SLUICE_TEST_KAFKA"] == "required", "for make test-kafka"))
    func `an Apache Kafka is available`() {
        #expect(
            ApacheKafka.isAvailable,
            """
            no Apache Kafka is here. Name one that runs: make test-kafka SLUICE_TEST_BOOTSTRAP_SERVERS=localhost:9092, \
            or have the tests start theirs: make test-kafka KAFKA_HOME=DIRECTORY, with Java and bin/test-cluster there
            """)
    }

    /// The name of a test that requires Apache Kafka, or of its suite, must contain the broker's name.
    @Test func `every test that requires a real broker is named after it`() throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let files = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)?.compactMap {
            $0 as? URL
        }
        var found = 0
        for file in try #require(files) where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            guard text.contains("ApacheKafka.") || text.contains("KafkaTools.") else { continue }
            for (place, name) in Self.namesThatNeedKafka(text) {
                found += 1
                #expect(name.contains("ApacheKafka") || name.contains("Apache Kafka"), "\(place) of \(file.path)")
            }
        }
        #expect(found > 10)
    }

    /// Returns the names of tests and suites with an attribute that requires Apache Kafka, each with its enclosing
    /// type.
    private static func namesThatNeedKafka(_ text: String) -> [(place: String, name: String)] {
        var holder = ""
        var attribute: String?
        var found: [(place: String, name: String)] = []
        for line in text.split(separator: "\n") {
            if line.contains("@Test") || line.contains("@Suite") { attribute = "" }
            attribute? += line
            let type = line.firstMatch(of: /(?:struct|enum|class|extension) ([A-Za-z.]+)[^{]*\{/).map { String($0.1) }
            let test = line.firstMatch(of: /func `([^`]+)`/).map { String($0.1) }
            if let asked = attribute, let name = type ?? test {
                let needsKafka = asked.contains(/enabled\(\s*if: (ApacheKafka|KafkaTools)\./)
                if needsKafka { found.append((name, type ?? "\(holder) \(name)")) }
                attribute = nil
            }
            if let type { holder = type }
        }
        return found
    }
}
