import Foundation
import Testing

@testable import mutants

/// Mutants quote texts of the sources. `make mutants` takes long, so this suite checks the quotes first.
@Suite struct MutantTableTests {
    private let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    @Test func `the text of every mutant occurs in the sources exactly once`() throws {
        let files = try Instrumentation(root: root, copy: "").instrumented(allMutants)
        for mutant in allMutants {
            for edit in mutant.edits {
                #expect(files["Sources/\(edit.file)"]?.contains("MutantSwitch.isOn(") == true, "\(mutant.name)")
            }
        }
    }

    @Test func `each mutant's expression is complete, so the copy with all mutants compiles`() {
        for mutant in allMutants {
            for edit in mutant.edits where edit.kind == .expression {
                for text in [edit.text, edit.replacement] {
                    let isStatement = ["guard ", "case ", "if ", "let ", "var ", "return ", "|| ", "&& "].contains {
                        text.hasPrefix($0)
                    }
                    let isOperator = text.first.map { "<>=*/%&|?".contains($0) } ?? false
                    #expect(!isStatement && !isOperator && isWhole(text), "\(mutant.name): \(text)")
                }
            }
        }
    }

    /// With no suite, no test would run and the process would count as a failed test.
    @Test func `every mutant names suites of its test area`() throws {
        let tests = try #require(FileManager.default.enumerator(atPath: root + "/Tests"))
        // The names of suites, keyed by target.
        var declared: [String: Set<String>] = [:]
        for case let path as String in tests where path.hasSuffix("Tests.swift") {
            let text = try String(contentsOfFile: "\(root)/Tests/\(path)", encoding: .utf8)
            let names = text.matches(of: /(?:struct|class|enum|extension) (\w+)/).map { String($0.1) }
            for part in path.split(separator: "/") { declared[String(part), default: []].formUnion(names) }
        }
        for mutant in allMutants {
            let known = mutant.area.testTargets.reduce(into: Set<String>()) { $0.formUnion(declared[$1] ?? []) }
            for suite in mutant.suites.split(separator: "|") {
                let name = suite.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "_" }).last ?? ""
                let isKnown = known.contains(String(name))
                #expect(isKnown, "\(mutant.name): \(suite)")
            }
        }
    }

    /// Whether all brackets are closed and no comma is outside of them.
    private func isWhole(_ text: String) -> Bool {
        var (depth, isQuoted) = (0, false)
        for character in text {
            if character == "\"" { isQuoted.toggle() }
            guard !isQuoted else { continue }
            if "([{".contains(character) { depth += 1 }
            if ")]}".contains(character) { depth -= 1 }
            if depth < 0 || character == "," && depth == 0 { return false }
        }
        return depth == 0
    }

    @Test func `every test area and every check has a mutant`() {
        #expect(Set(allMutants.map(\.area)).union([.simulation]) == Set(TestArea.allCases))
        let checks = Set(
            allMutants.flatMap { $0.check.split(separator: ", ").compactMap { Int($0.prefix(while: \.isNumber)) } })
        #expect(checks.isSuperset(of: 1...14))
    }
}
