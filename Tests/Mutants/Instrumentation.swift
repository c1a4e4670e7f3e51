import Foundation

/// A copy of the sources in which an environment variable selects the mutant, so that one build serves all of them.
struct Instrumentation {
    /// The directories of the project and of the copy.
    let root: String
    let copy: String

    /// Updates the copy; unchanged files are not rewritten, so that the next build is incremental.
    ///
    /// - Parameter areas: the areas whose tests are built.
    func write(_ mutants: [Mutant], areas: Set<TestArea>) throws(Failure) {
        try replaceCopy(with: instrumented(mutants, areas: areas))
    }

    /// Returns the files of the copy, keyed by path below the project.
    ///
    /// - Throws: ``Failure`` when the text of a mutant is not in its file exactly once.
    func instrumented(
        _ mutants: [Mutant], areas: Set<TestArea> = Set(TestArea.allCases)
    ) throws(Failure) -> [String: String] {
        let names = Dictionary(grouping: mutants, by: \.name).filter { $1.count > 1 }.keys
        guard names.isEmpty else { throw Failure("two mutants of one name: \(names.sorted().joined(separator: ", "))") }
        var files = try sources()
        var edits: [String: [Numbered]] = [:]
        for (index, mutant) in mutants.enumerated() {
            for edit in mutant.edits {
                edits[edit.file, default: []].append(Numbered(number: index + 1, mutant: mutant.name, edit: edit))
            }
        }
        var problems: [String] = []
        for (file, edits) in edits {
            do throws(Failure) {
                guard let text = files["Sources/\(file)"] else {
                    throw Failure("\(edits[0].mutant): Sources/\(file) does not exist")
                }
                files["Sources/\(file)"] = try Self.switched(text, by: edits)
            } catch {
                problems.append(error.message)
            }
            // The first two path components are layer and module: each module has its own switch.
            let module = file.split(separator: "/").prefix(2).joined(separator: "/")
            files["Sources/\(module)/MutantSwitch.swift"] = MutantSwitchText.text
        }
        guard problems.isEmpty else { throw Failure(problems.sorted().joined(separator: "\n")) }
        files["Package.swift"]?.append(Self.onlyWhatIsTested(areas))
        return files
    }

    // MARK: texts

    private struct Numbered {
        let number: Int
        let mutant: String
        let edit: Edit
    }

    private struct Found {
        let range: Range<String.Index>
        let numbered: Numbered
    }

    private static func switched(_ text: String, by edits: [Numbered]) throws(Failure) -> String {
        var found: [Found] = []
        var problems: [String] = []
        for edit in edits {
            do throws(Failure) {
                found.append(Found(range: try range(of: edit, in: text), numbered: edit))
            } catch {
                problems.append(error.message)
            }
        }
        guard problems.isEmpty else { throw Failure(problems.joined(separator: "\n")) }
        // Outer edits first, so that an inner text is switched inside the outer one.
        found.sort { left, right in
            left.range.lowerBound != right.range.lowerBound
                ? left.range.lowerBound < right.range.lowerBound : left.range.upperBound > right.range.upperBound
        }
        return try switched(text, text.startIndex..<text.endIndex, found[...])
    }

    private static func range(of numbered: Numbered, in text: String) throws(Failure) -> Range<String.Index> {
        let edit = numbered.edit
        var start = text.startIndex
        if let anchor = edit.anchor {
            let anchors = text.ranges(of: anchor)
            guard anchors.count == 1 else {
                throw Failure("\(numbered.mutant): \(anchors.count) times in \(edit.file), not once: \(anchor)")
            }
            start = anchors[0].upperBound
        }
        let ranges = text[start...].ranges(of: edit.text)
        guard let first = ranges.first, ranges.count == 1 || edit.anchor != nil else {
            throw Failure("\(numbered.mutant): \(ranges.count) times in \(edit.file), not once: \(edit.text)")
        }
        // The copy would compile, and its string would contain the conditional.
        guard text[..<first.lowerBound].ranges(of: "\"\"\"").count.isMultiple(of: 2) else {
            throw Failure("\(numbered.mutant): inside a string of several lines in \(edit.file): \(edit.text)")
        }
        return first
    }

    private static func switched(
        _ text: String, _ range: Range<String.Index>, _ found: ArraySlice<Found>
    ) throws(Failure) -> String {
        var result = ""
        var at = range.lowerBound
        var rest = found
        while let next = rest.popFirst() {
            let inner = rest.prefix { $0.range.lowerBound < next.range.upperBound }
            rest = rest.dropFirst(inner.count)
            guard inner.allSatisfy({ $0.range.upperBound <= next.range.upperBound }) else {
                throw Failure("\(next.numbered.mutant) overlaps another mutant: \(next.numbered.edit.text)")
            }
            result += text[at..<next.range.lowerBound]
            let original = try switched(text, next.range, inner)
            let (edit, number) = (next.numbered.edit, next.numbered.number)
            switch edit.kind {
            case .expression: result += "(MutantSwitch.isOn(\(number)) ? (\(edit.replacement)) : (\(original)))"
            case .statement:
                result += "if MutantSwitch.isOn(\(number)) { \(edit.replacement) } else { \(original) }"
            }
            at = next.range.upperBound
        }
        return result + text[at..<range.upperBound]
    }

    // Other targets would only take time, and warnings are expected in instrumented code.
    private static func onlyWhatIsTested(_ areas: Set<TestArea>) -> String {
        """


        var needed = Set(\(Set(areas.flatMap(\.testTargets)).sorted()))
        for _ in package.targets {
            for target in package.targets where needed.contains(target.name) {
                for case .byNameItem(let name, _) in target.dependencies { needed.insert(name) }
            }
        }
        package.targets.removeAll { !needed.contains($0.name) }
        package.products = []
        for target in package.targets where target.swiftSettings != nil {
            target.swiftSettings?.append(.treatAllWarnings(as: .warning))
        }
        """
    }

    // MARK: files

    /// Returns the files that the tests need, keyed by path below the project.
    private func sources() throws(Failure) -> [String: String] {
        var files: [String: String] = [:]
        do {
            files["Package.swift"] = try String(contentsOfFile: root + "/Package.swift", encoding: .utf8)
            for folder in ["Sources", "Tests", "deploy"] {
                for path in try FileManager.default.subpathsOfDirectory(atPath: "\(root)/\(folder)") {
                    var isFolder: ObjCBool = false
                    let name = "\(folder)/\(path)"
                    guard FileManager.default.fileExists(atPath: "\(root)/\(name)", isDirectory: &isFolder),
                        !isFolder.boolValue
                    else { continue }
                    // These tests do not need files other than text.
                    files[name] = try? String(contentsOfFile: "\(root)/\(name)", encoding: .utf8)
                }
            }
        } catch {
            throw Failure("\(error.localizedDescription)")
        }
        return files
    }

    private func replaceCopy(with files: [String: String]) throws(Failure) {
        do {
            for folder in ["Sources", "Tests"] {
                let path = "\(copy)/\(folder)"
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
                for old in try FileManager.default.subpathsOfDirectory(atPath: path)
                where old.hasSuffix(".swift") && files["\(folder)/\(old)"] == nil {
                    try FileManager.default.removeItem(atPath: "\(path)/\(old)")
                }
            }
            for (name, text) in files {
                let path = "\(copy)/\(name)"
                if (try? String(contentsOfFile: path, encoding: .utf8)) == text { continue }
                let folder = path[..<(path.lastIndex(of: "/") ?? path.endIndex)]
                try FileManager.default.createDirectory(atPath: String(folder), withIntermediateDirectories: true)
                try text.write(toFile: path, atomically: true, encoding: .utf8)
            }
        } catch {
            throw Failure("\(error.localizedDescription)")
        }
    }
}

/// An error that ends the run before there is a result.
struct Failure: Error {
    let message: String

    init(_ message: String) { self.message = message }
}
