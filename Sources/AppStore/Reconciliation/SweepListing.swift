internal import JSON

/// The list of all sweeps in an installation, which `sluice-reconciler` serves to `sluicectl`: `{"sweeps":[…]}`.
package enum SweepListing {
    private static let member: StaticString = "sweeps"

    package static func json(_ sweeps: [Sweep]) -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: 1 << 12)
        writer.object {
            $0.array(member) { array in for sweep in sweeps { array.text(sweep.jsonText) } }
        }
        return writer.bytes
    }

    /// Parses a list, or returns nil for any other text. Sweeps that cannot be parsed are omitted.
    package static func sweeps(json: [UInt8]) -> [Sweep]? {
        guard let elements = (try? JSONValue(json: json))?.object?["sweeps"]?.array else { return nil }
        return elements.compactMap { try? Sweep(json: $0.json) }
    }

    /// The path of the list on the admin listener.
    package static let path = "/reconciliation"
}
