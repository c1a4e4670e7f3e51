import Foundation
import Testing

/// The alerts of `deploy/alerts.yml` and the pages that they reference.
@Suite struct AlertsTests {
    private struct Alert {
        let name: String
        var expression = ""
        var severity = ""
        var duration = "at once"
        var page = ""
    }

    private static let deploy = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../deploy").standardized

    private func text(_ path: String) throws -> String {
        try String(contentsOf: Self.deploy.appending(path: path), encoding: .utf8)
    }

    private func alerts() throws -> [Alert] {
        var alerts: [Alert] = []
        for line in try text("alerts.yml").split(separator: "\n") {
            let line = line.drop { $0 == " " }
            func value(_ name: String) -> String? {
                guard line.hasPrefix("\(name): ") else { return nil }
                let text = line.dropFirst(name.count + 2)
                guard text.hasPrefix("'"), text.hasSuffix("'") else { return String(text) }
                return String(text.dropFirst().dropLast()).replacing("''", with: "'")
            }
            if let name = value("- alert") { alerts.append(Alert(name: name)) }
            guard let last = alerts.indices.last else { continue }
            if let expression = value("expr") { alerts[last].expression = expression }
            if let severity = value("severity") { alerts[last].severity = severity }
            if let duration = value("for") { alerts[last].duration = duration }
            if let page = value("runbook") { alerts[last].page = page }
        }
        return alerts
    }

    @Test func `each alert has a page, and the list of pages matches the alert`() throws {
        let list = try text("runbooks/README.md")
        let alerts = try alerts()
        #expect(alerts.count > 40)
        #expect(Set(alerts.map(\.name)).count == alerts.count)
        for alert in alerts {
            let page = try #require(alert.page.split(separator: "/").last.map(String.init), "\(alert.name)")
            let title = try #require(try text(alert.page).split(separator: "\n").first, "\(alert.page)").dropFirst(2)
            let row =
                "| \(alert.name) (\(alert.severity)) | [\(title)](\(page)) | "
                + "`\(alert.expression.replacing("|", with: "\\|"))` | \(alert.duration) |"
            #expect(list.contains(row), "\(row)")
        }
    }

    @Test func `each page is linked from the list of pages`() throws {
        let list = try text("runbooks/README.md")
        let folder = Self.deploy.appending(path: "runbooks").path
        for page in try FileManager.default.contentsOfDirectory(atPath: folder) where page != "README.md" {
            #expect(list.contains("](\(page))"), "\(page)")
        }
    }

    @Test func `each paging alert has a fault in an existing scenario`() throws {
        let rows = try text("alerts-tests/README.md").split(separator: "\n").filter { $0.hasPrefix("| Sluice") }
            .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
        let paging = try alerts().filter { $0.severity == "page" }.map(\.name)
        #expect(rows.compactMap(\.first).sorted() == paging.sorted())
        for row in rows {
            try #require(row.count == 3, "\(row)")
            for scenario in row[1].components(separatedBy: ", ") {
                let faults = try text("alerts-tests/faults/\(scenario).py")
                #expect(faults.contains("\"\(row[0])\""), "\(scenario).py does not provoke \(row[0])")
            }
        }
    }

    @Test func `each metric of an alert is exported by an executable`() throws {
        let sources = Self.deploy.appending(path: "../Sources").standardized.path
        let files = try #require(FileManager.default.enumerator(atPath: sources)).compactMap { $0 as? String }
        let names = try files.filter { $0.hasSuffix("Names.swift") || $0.hasSuffix("Metrics.swift") }.map {
            try String(contentsOfFile: "\(sources)/\($0)", encoding: .utf8)
        }.joined()
        for alert in try alerts() {
            for match in alert.expression.matches(of: /sluice_[a-z_]+/) {
                #expect(names.contains("\"\(match.output)\""), "\(alert.name): \(match.output)")
            }
        }
    }
}
