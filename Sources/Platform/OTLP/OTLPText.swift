internal import JSON
internal import Telemetry

/// The common parts of OTLP's JSON: 64-bit integers are strings, ids are hexadecimal, and enumerations are numbers.
/// Source: OpenTelemetry protocol specification 1.8, "JSON Protobuf Encoding".
extension JSONWriter {
    /// Writes a 64-bit integer as a string.
    mutating func set64(_ name: StaticString, _ value: UInt64) { set(name, String(value)) }

    mutating func setId(_ name: StaticString, _ id: UInt64) { set(name, HexadecimalWord.text(id)) }

    mutating func double(_ name: StaticString, _ value: Double) {
        self.name(name)
        // Protobuf's JSON uses strings for numbers that JSON cannot represent.
        if value.isNaN {
            string("NaN")
        } else if value.isInfinite {
            string(value < 0 ? "-Infinity" : "Infinity")
        } else {
            text(Array(value.description.utf8))
        }
    }

    /// Writes an attribute with a string value as an element of an attribute list.
    mutating func attribute(_ key: String, _ value: String) {
        object {
            $0.set("key", key)
            $0.object("value") { $0.set("stringValue", value) }
        }
    }

    mutating func resource(_ attributes: [ResourceAttribute]) {
        object("resource") {
            $0.array("attributes") { for attribute in attributes { $0.attribute(attribute.key, attribute.value) } }
        }
    }

    mutating func scope() {
        object("scope") {
            $0.set("name", "sluice")
            $0.set("version", Build.version)
        }
    }
}
