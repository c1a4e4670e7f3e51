import AppStoreModel
import JSON
import TestSupport
import Testing

@testable import Sluicectl

/// `sluicectl config`: the configuration as each executable would read it.
@Suite struct ConfigTests {
    @Test func `a valid configuration is reported for each executable`() async throws {
        let (exitCode, printed) = await sluicectl([
            "config", "check", "--apps", "com.example.app:1", "--for", "sluice-ingress",
        ])
        #expect(exitCode == 0)
        #expect(printed.output == "sluice-ingress: ok\n")
        #expect(printed.complaints.isEmpty)
    }

    @Test func `an error is reported by the executable that it concerns`() async throws {
        let (exitCode, printed) = await sluicectl(["config", "check"], environment: ["SLUICE_LOG_LEVEL": "debug"])
        #expect(exitCode == 78)
        #expect(printed.output == "sluice-other: ok\n" + Self.extraNotChecked)
        #expect(printed.complaints.count == 1)
        #expect(printed.complaints.first?.hasPrefix("sluice-ingress: configuration: apps is required") == true)
    }

    private static let extraNotChecked =
        "sluice-extra: not checked, none of its own settings is set; to check it anyway, use --for sluice-extra\n"

    @Test func `an optional executable is checked when it is named`() async throws {
        let (exitCode, printed) = await sluicectl(
            ["config", "check"], environment: ["SLUICE_APPS": "com.example.app:1"])
        #expect(exitCode == 0, "\(printed.complaints)")
        #expect(printed.output == "sluice-ingress: ok\nsluice-other: ok\n" + Self.extraNotChecked)
        let (named, complaints) = await sluicectl(["config", "check", "--for", "sluice-extra"])
        #expect(named == 78)
        #expect(complaints.complaints.first?.contains("extra.url is required") == true)
    }

    @Test(arguments: ["1", "none"])
    func `an optional executable is checked when one of its own settings is given`(
        _ count: String
    ) async throws {
        let (exitCode, printed) = await sluicectl(
            ["config", "check"], environment: ["SLUICE_APPS": "com.example.app:1", "SLUICE_EXTRA_COUNT": count])
        #expect(exitCode == 78)
        #expect(printed.complaints.contains { $0.contains("sluice-extra: configuration: extra.url is required") })
        #expect(printed.output == "sluice-ingress: ok\nsluice-other: ok\n")
    }

    @Test func `the JSON report lists unchecked executables with the reason`() async throws {
        let (_, printed) = await sluicectl(["config", "check", "--apps", "com.example.app:1", "--output", "json"])
        let skipped = try #require(try printed.objects.first?["notChecked"]?.array?.first?.object)
        #expect(skipped["executable"]?.string == "sluice-extra")
        #expect(
            skipped["reason"]?.string == "none of its own settings is set; to check it anyway, use --for sluice-extra")
    }

    @Test func `errors that only the executable detects are reported`() async throws {
        let (exitCode, printed) = await sluicectl(
            [
                "config", "check", "--for", "sluice-ingress", "--apps", "com.example.app:1,com.example.app:2",
                "--output", "json",
            ])
        #expect(exitCode == 78)
        #expect(
            printed.output
                == #"{"ok":false,"executables":[{"executable":"sluice-ingress","ok":false,"errors":["#
                + #""sluice-ingress: configuration: apps (--apps): com.example.app is listed twice."]}],"notChecked":[]}"#
                + "\n")
    }

    @Test func `one file serves all executables, and its errors name file and line`() async throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("apps=com.example.app:1\nhttp.prt=80\n", to: "sluice.properties")
        let (exitCode, printed) = await sluicectl(["config", "check"], environment: ["SLUICE_CONFIG": file])
        #expect(exitCode == 78)
        #expect(
            printed.complaints.contains(
                "sluice-ingress: configuration: http.prt (\(file):2): unknown key. Did you mean http.port?"))
    }

    @Test func `keys of other executables and of the tool may be in the same file`() async throws {
        let directory = try TemporaryDirectory()
        let lines = [
            "apps=com.example.app:1", "apps.com.example.app.environments=Production", "http.port=1",
            "entitlements.url=http://127.0.0.1:1", "topics.partitions=3", "kafka.security.protocol=SSL",
        ]
        let file = try directory.write(lines.joined(separator: "\n"), to: "sluice.properties")
        let (exitCode, printed) = await sluicectl(["config", "check", "--config", file])
        #expect(exitCode == 0, "\(printed.complaints)")
        #expect(printed.output == "sluice-ingress: ok\nsluice-other: ok\n" + Self.extraNotChecked)
    }

    @Test func `secrets are masked, and every value has its origin`() async throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("apps=com.example.app:1\nkafka.sasl.password=geheim\n", to: "a.properties")
        let secret = try directory.write("streng-geheim\n", to: "secret")
        let environment = ["SLUICE_KAFKA_SSL_KEY_PASSWORD_FILE": secret, "SLUICE_HTTP_PORT": "8443"]
        for output in ["text", "json"] {
            let (exitCode, printed) = await sluicectl(
                [
                    "config", "show", "--config", file, "--output", output, "--for=sluice-ingress", "--log.level",
                    "debug",
                ],
                environment: environment)
            #expect(exitCode == 0, "\(printed.complaints)")
            #expect(!printed.output.contains("geheim"))
            #expect(printed.output.contains("********"))
            #expect(printed.output.contains("\(file):2"))
            #expect(printed.output.contains("SLUICE_HTTP_PORT"))
            #expect(printed.output.contains("--log.level"))
            #expect(!printed.output.contains("output"))
        }
    }

    @Test func `the JSON of the effective configuration has stable names`() async throws {
        let (exitCode, printed) = await sluicectl(["config", "show", "--for", "sluice-other", "--output", "json"])
        #expect(exitCode == 0)
        let object = try #require(try printed.objects.first)
        #expect(object.names == ["executables"])
        let executable = try #require(object["executables"]?.array?.first?.object)
        #expect(executable.names == ["executable", "settings"])
        #expect(
            executable["settings"]?.object?["log.level"]?.object.map { Set($0.names) } == ["value", "origin"])
    }

    @Test func `a secret on the command line is refused`() async throws {
        let (exitCode, printed) = await sluicectl(["config", "show", "--kafka.sasl.password", "geheim"])
        #expect(exitCode == 78)
        #expect(!(printed.output + printed.complaints.joined()).contains("geheim"))
    }

    @Test func `an unknown executable is refused with the known names`() async throws {
        let (exitCode, printed) = await sluicectl(["config", "check", "--for", "sluice-egress"])
        #expect(exitCode == 78)
        #expect(printed.complaints.first?.contains("must be one of sluice-ingress, sluice-other") == true)
    }

    @Test(arguments: [
        (["config", "check", "--for", "a", "--apps", "b"], ["config", "check", "--apps", "b"]),
        (["--output=json", "config", "show", "--for=a"], ["config", "show"]),
        (["config", "check", "--output"], ["config", "check"]),
        (["config", "--", "--for", "a"], ["config", "--", "--for", "a"]),
    ])
    func `the executables never see the tool's own flags`(_ given: [String], _ left: [String]) {
        #expect(ConfigCommand.withoutOwnFlags(given) == left)
    }
}
