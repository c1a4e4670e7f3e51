import Foundation
import Testing

@testable import CommandLine
@testable import Configuration

@Suite struct ConfigurationTests {
    @Test func `defaults apply when nothing is set`() throws {
        let configuration = try #require(try parse().configuration)
        #expect(configuration[TestSettings.port] == 8080)
        #expect(configuration[TestSettings.mode] == .soft)
        #expect(configuration[TestSettings.wait] == .seconds(5))
        #expect(configuration[TestSettings.roots] == nil)
        #expect(configuration[TestSettings.dryRun] == false)
        #expect(configuration[TestSettings.apps] == ["com.example.app:1"])
        #expect(configuration.value(TestSettings.environments, for: "com.example.app") == ["Production"])
        #expect(configuration.origin(of: "http.port") == .default)
        #expect(configuration.origin(of: "apps") == .flag("--apps"))
    }

    @Test func `flags override the environment, which overrides the file`() throws {
        let file = "http.port=1\nhttp.host=file\nrevocation=off\napps=com.example.app:1"
        let environment = ["SLUICE_HTTP_PORT": "2", "SLUICE_HTTP_HOST": "environment"]
        let outcome = try parse(file: file, environment: environment, flags: ["--http.port=3"])
        let configuration = try #require(outcome.configuration)
        #expect(configuration[TestSettings.port] == 3)
        #expect(configuration[TestSettings.host] == "environment")
        #expect(configuration[TestSettings.mode] == .off)
        #expect(configuration.origin(of: "http.host") == .environment(variable: "SLUICE_HTTP_HOST"))
    }

    @Test(arguments: [
        ("http.port", "SLUICE_HTTP_PORT"), ("request.time-out", "SLUICE_REQUEST_TIME___OUT"),
        ("body_limit", "SLUICE_BODY__LIMIT"),
    ])
    func `a key has exactly one environment variable`(key: String, variable: String) {
        #expect(EnvironmentVariables().variable(for: key) == variable)
        #expect(EnvironmentVariables().key(for: variable) == key)
        #expect(TestSettings.schema.key(ofVariable: variable) == key)
    }

    @Test func `an application chooses the prefix of its environment variables`() throws {
        let schema = ConfigurationSchema([TestSettings.port], variables: EnvironmentVariables(prefix: "ACME_"))
        let command = Command("acme", summary: "listens.", schema: schema)
        let environment = ["ACME_HTTP_PORT": "7", "SLUICE_HTTP_PORT": "8"]
        #expect(command.parse([], environment: environment).configuration?[TestSettings.port] == 7)
        #expect(command.parse([], environment: ["ACME_HTTP_PROT": "7"]).exitCode == 78)
        guard case .show(let help) = command.parse(["--help"], environment: [:]) else {
            Issue.record("no help")
            return
        }
        #expect(help.contains("ACME_HTTP_PORT") && help.contains("ACME_CONFIG") && !help.contains("SLUICE"))
    }

    @Test func `every property under an open prefix is passed on`() throws {
        let configuration = try #require(
            try parse(
                file: "kafka.bootstrap.servers=a:1\nkafka.linger.ms=5",
                environment: ["SLUICE_KAFKA_SECURITY_PROTOCOL": "SSL", "SLUICE_KAFKA_LINGER_MS": "6"]
            ).configuration)
        #expect(
            configuration.prefixed("kafka.") == [
                "bootstrap.servers": "a:1", "linger.ms": "6", "security.protocol": "SSL",
            ])
    }

    @Test(arguments: [
        ("http.prot=1", "http.prot (FILE:1): unknown key. Did you mean http.port?"),
        ("x=1", "x (FILE:1): unknown key. Remove it; --help lists the keys."),
        (
            "http.port=abc",
            "http.port (FILE:1): \"abc\" must be an integer from 0 to 65535. For example: http.port=8080"
        ),
        ("http.port=65536", "\"65536\" must be an integer from 0 to 65535"),
        ("http.port=+1", "\"+1\" must be an integer"),
        ("http.port=99999999999999999999999", "must be an integer"),
        ("revocation=sotf", "\"sotf\" must be one of strict, soft, off; did you mean soft?"),
        ("request.time-out=5", "\"5\" must be a duration such as 500ms, 5s"),
        ("request.time-out=99999999999999999h", "must be a duration"),
        ("request.time-out=2m", "from 1ms to 1m"),
        ("body_limit=1MB", "must be a size such as 512KiB"),
        ("verbose=yes", "\"yes\" must be true or false"),
        ("root.certificates=/no/such/file", "has the element \"/no/such/file\", which cannot be read: No such file"),
        ("root.certificates=/etc", "not a regular file"),
        ("root.certificates=/etc/hostname,,b", "has an empty element"),
        ("http.host=", "\"\" is empty"),
        ("dry-run=true", "dry-run (FILE:1): can only be set on the command line. Remove it and pass --dry-run."),
        ("apps.com.example.app.enviroments=Sandbox", "Did you mean apps.com.example.app.environments?"),
        (
            "apps.com.exmaple.app.environments=Sandbox",
            "apps.com.exmaple.app.environments (FILE:1): apps does not list \"com.exmaple.app\"; it lists "
                + "com.example.app. Did you mean apps.com.example.app.environments?"
        ),
        (
            "apps.org.other.environments=Sandbox",
            "it lists com.example.app. Add it to apps, or remove this key."
        ),
        ("kafka.sasl.password.file=/no/such/file", "cannot be used as a secret: No such file"),
        ("kafka.sasl.password.file=/etc/hostname\nkafka.sasl.password=x", "kafka.sasl.password is also set"),
        ("http.port=\u{1B}", "control character"),
        ("ht\\u001btp.port=1", "ht\\u{1b}tp.port (FILE:1): unknown key. Did you mean http.port?"),
    ])
    func `an invalid line of the file is reported in one line`(file: String, message: String) throws {
        let outcome = try parse(file: file)
        #expect(outcome.exitCode == 78)
        #expect(outcome.lines.count == 1)
        let line = try #require(outcome.lines.first)
        #expect(line.hasPrefix("sluice-test: configuration: "))
        let place = line.replacing(#/\/[^ ()]*sluice\.properties/#, with: "FILE")
        #expect(place.contains(message), "\(line)")
        #expect(!line.contains { $0.isNewline })
    }

    @Test(arguments: [
        ("SLUICE_HTTP_PROT", "unknown environment variable. Did you mean SLUICE_HTTP_PORT?"),
        ("SLUICE_FOO", "unknown environment variable. Remove it; --help lists the variables."),
        (
            "SLUICE_APPS_COM_EXAMPLE_APP_ENVIRONMENTS",
            "Set apps.<bundleId>.environments in the file or as a flag"
        ),
        ("SLUICE_DRY___RUN", "unknown environment variable"),
    ])
    func `an unknown variable is refused`(variable: String, message: String) throws {
        let outcome = try parse(environment: [variable: "x"])
        #expect(outcome.exitCode == 78)
        #expect(outcome.lines.count == 1)
        #expect(outcome.lines.first?.contains("\(variable): ") == true)
        #expect(outcome.lines.first?.contains(message) == true)
    }

    @Test(arguments: [
        ("SLUICE_TEST_KAFKA", "x"), ("PATH", "x"), ("SLUICE_REFUNDS_KEY_FILE", "x"),
        ("SLUICE_ENTITLEMENTS_URL", "x"), ("SLUICE_INGRESS_SERVICE_HOST", "10.0.0.1"),
        ("SLUICE_KAFKA_PORT", "tcp://10.0.0.1:9092"), ("SLUICE_KAFKA_PORT_9092_TCP_ADDR", "10.0.0.1"),
        ("SLUICE_INGRESS_SERVICE_PORT_HTTP", "8080"),
    ])
    func `an environment variable of another program is ignored`(variable: String, value: String) throws {
        let configuration = try #require(try parse(environment: [variable: value]).configuration)
        #expect(configuration.prefixed("kafka.").isEmpty)
    }

    @Test func `the file may contain keys of other executables`() throws {
        #expect(try parse(file: "refunds.issuer.id=1\nentitlements.url=http://x").configuration != nil)
        #expect(try parse(file: "entitlements.urls=http://x").exitCode == 78)
    }

    @Test(arguments: ["apps.com.example.app.enviroments", "apps.com.example.app", "apps.x"])
    func `a prefix shared with other programs does not hide an invalid key of this one`(key: String) throws {
        let schema = ConfigurationSchema(
            [TestSettings.apps, TestSettings.environments], alsoKnown: ["apps.", "refunds."])
        let command = Command("sluice-test", summary: "", schema: schema)
        let outcome = try parse(file: "\(key)=Sandbox\nrefunds.x=1", command: command)
        #expect(outcome.exitCode == 78)
        #expect(outcome.lines.count == 1)
        #expect(outcome.lines.first?.contains("\(key) (/") == true)
        #expect(outcome.lines.first?.contains("unknown key") == true)
    }

    @Test func `an environment variable of an app that is not configured is refused with its source`() throws {
        let schema = ConfigurationSchema([TestSettings.apps, TestSettings.environments], alsoKnown: ["apps."])
        let outcome = try parse(
            environment: ["SLUICE_APPS_COM_OTHER_ENVIRONMENTS": "Sandbox"],
            command: Command("sluice-test", summary: "", schema: schema))
        #expect(outcome.exitCode == 78)
        #expect(
            outcome.lines.first?.contains(
                "apps.com.other.environments (SLUICE_APPS_COM_OTHER_ENVIRONMENTS): apps does not list") == true)
    }

    @Test func `a setting of a named app is refused if no apps are declared`() throws {
        let optional = Setting.strings("apps", help: "Apps.", example: "a:1").optional
        for settings in [[optional, TestSettings.environments], [TestSettings.environments]] as [[any AnySetting]] {
            let command = Command("sluice-test", summary: "", schema: ConfigurationSchema(settings))
            let outcome = try parse(file: "apps.com.a.environments=Sandbox", flags: [], command: command)
            #expect(outcome.exitCode == 78)
            #expect(
                outcome.lines.first?.hasSuffix(
                    ":1): apps does not list \"com.a\", because apps is not set. Set apps, or remove this key.") == true
            )
        }
    }

    @Test func `a message lists only the first few of many declared names`() throws {
        let apps = (1...25).map { "com.example.number\($0):\($0)" }.joined(separator: ",")
        let line = try #require(
            try parse(file: "apps=\(apps)\napps.org.b.environments=Sandbox", flags: []).lines.first)
        #expect(line.contains("com.example.number10 and 15 more. Add it"))
        #expect(!line.contains("number11"))
    }

    @Test func `a long path is shown in full, a long value is truncated, and neither breaks the line`() throws {
        let directory = "/no/\u{1B}such/" + String(repeating: "directory/", count: 20)
        let missing = try parse(flags: ["--apps", "a:1", "--config", directory + "end"])
        #expect(missing.lines.first?.contains(directory.replacing("\u{1B}", with: "\\u{1b}") + "end\"") == true)
        var loader = ConfigurationLoader(schema: TestSettings.schema)
        loader.addFile(Array("http.port=\(String(repeating: "1", count: 200))\napps=a:1".utf8), path: directory + "f")
        let error = #expect(throws: ConfigurationErrors.self) { try loader.finish() }
        let line = try #require(error?.errors.first?.description)
        #expect(line.contains(directory.replacing("\u{1B}", with: "\\u{1b}") + "f:1)"))
        #expect(line.contains(String(repeating: "1", count: 80) + "…"))
        #expect(!line.contains("\u{1B}"))
    }

    @Test func `all errors are reported together`() throws {
        let outcome = try parse(
            file: "http.prot=1\nrevocation=x", environment: ["SLUICE_HTTP_PORT": "x", "SLUICE_FOO": "1"], flags: [])
        #expect(outcome.exitCode == 78)
        #expect(outcome.lines.count == 5)
        #expect(
            outcome.lines.contains(
                "sluice-test: configuration: apps is required: Apps whose notifications are accepted. "
                    + "Set apps=com.example.app:1 in the file, SLUICE_APPS, or --apps."))
    }

    @Test func `an unreadable configuration file is reported with the source of its path`() throws {
        let byFlag = try parse(flags: ["--apps", "a:1", "--config", "/no/such"])
        #expect(
            byFlag.lines == [
                "sluice-test: configuration: --config: cannot read the configuration file \"/no/such\": "
                    + "No such file or directory. Specify a readable file."
            ])
        let byVariable = try parse(environment: ["SLUICE_CONFIG": "/"])
        #expect(byVariable.lines.first?.contains("SLUICE_CONFIG: cannot read") == true)
        #expect(byVariable.exitCode == 78)
    }

    @Test func `each app can have its own value of a setting`() throws {
        let file =
            "apps=com.a.b:1,com.a:2\napps.com.a.b.environments=Sandbox, Production\napps.com.a.environments=Xcode"
        let configuration = try #require(try parse(file: file, flags: []).configuration)
        #expect(configuration.value(TestSettings.environments, for: "com.a.b") == ["Sandbox", "Production"])
        #expect(configuration.value(TestSettings.environments, for: "com.a") == ["Xcode"])
        #expect(configuration.value(TestSettings.environments, for: "com.c") == ["Production"])
        #expect(configuration.value(TestSettings.secret, for: "com.a")?.path == nil)
    }
}

@Suite struct SecretTests {
    @Test func `a secret is never printed`() throws {
        let canary = "canary-4711"
        try withFile(Array((canary + "\n").utf8)) { path in
            let outcome = try parse(
                file: "apps.com.example.app.shared.secret.file=\(path)\nkafka.sasl.password.file=\(path)\n"
                    + "kafka.ssl.key.password=\(canary)\nhttp.host=http://user:\(canary)@host/x",
                environment: ["SLUICE_KAFKA_SSL_KEYSTORE_PASSWORD": canary])
            let configuration = try #require(outcome.configuration)
            let file = try #require(configuration.value(TestSettings.secret, for: "com.example.app"))
            #expect(file.contents.revealedBytes == Array(canary.utf8))
            #expect(configuration.prefixed("kafka.")["sasl.password"] == canary)
            var dumped = ""
            dump(configuration, to: &dumped)
            dump(file, to: &dumped)
            dumped += "\(configuration) \(file) \(file.contents) \(String(reflecting: file))"
            dumped += configuration.describe(.text) + configuration.describe(.json)
            #expect(!dumped.contains(canary))
            #expect(dumped.contains("kafka.ssl.key.password=********"))
            #expect(dumped.contains("http.host=http://********@host/x"))
        }
    }

    @Test func `a secret is not accepted on the command line`() throws {
        let outcome = try parse(flags: ["--apps", "a:1", "--kafka.sasl.password", "canary"])
        #expect(outcome.exitCode == 78)
        #expect(outcome.lines.first?.contains("kafka.sasl.password.file") == true)
        #expect(outcome.lines.first?.contains("canary") == false)
    }

    @Test(arguments: [0, 65_600]) func `an empty or huge secret file is refused`(count: Int) throws {
        try withFile([UInt8](repeating: 0x61, count: count)) { path in
            let outcome = try parse(file: "apps.com.example.app.shared.secret.file=\(path)")
            #expect(outcome.lines.first?.contains("cannot be used as a secret: the file") == true)
        }
    }
}

@Suite struct DescriptionTests {
    @Test func `the effective configuration is shown with its origins`() throws {
        let environment = ["SLUICE_HTTP_PORT": "81", "SLUICE_KAFKA_CLIENT_ID": "me"]
        let configuration = try #require(try parse(environment: environment).configuration)
        let lines = configuration.describe().split(separator: "\n")
        func has(_ line: String, _ origin: String) -> Bool {
            lines.contains { $0.hasPrefix(line) && $0.hasSuffix("# \(origin)") }
        }
        #expect(has("http.port=81 ", "SLUICE_HTTP_PORT"))
        #expect(has("kafka.client.id=me ", "SLUICE_KAFKA_CLIENT_ID"))
        #expect(has("apps=com.example.app:1 ", "--apps"))
        #expect(has("request.time-out=5s ", "default"))
        #expect(has("# root.certificates is not set", "default"))
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(configuration.describe(.json).utf8)) as? [String: [String: Any]]
        )
        #expect(json["http.port"]?["value"] as? String == "81")
        #expect(json["http.port"]?["origin"] as? String == "SLUICE_HTTP_PORT")
        #expect(json["root.certificates"]?["value"] is NSNull)
    }

    @Test func `the displayed configuration can be read again`() throws {
        let flags = ["--apps", "a:1", "--request.time-out", "30s"]
        let configuration = try #require(try parse(flags: flags).configuration)
        let text = configuration.describe().split(separator: "\n").map { $0.split(separator: "  #")[0] }
        let again = try #require(try parse(file: text.joined(separator: "\n"), flags: []).configuration)
        #expect(again[TestSettings.wait] == configuration[TestSettings.wait])
        #expect(again[TestSettings.body] == configuration[TestSettings.body])
    }
}

@Suite struct ValueTextTests {
    @Test(arguments: [
        ("0s", 0), ("1ms", 1), ("1500ms", 1_500), ("5s", 5_000), ("1m", 60_000), ("12h", 43_200_000),
        ("30d", 2_592_000_000),
    ])
    func `a duration is parsed and formatted`(text: String, milliseconds: Int64) {
        #expect(DurationText.parse(text) == .milliseconds(milliseconds))
        #expect(DurationText.text(.milliseconds(milliseconds)) == text)
    }

    @Test(arguments: ["", "5", "s", "-5s", "5 s", "5S", "1.5s", "٥s", "9223372036854775807d", "1h30m"])
    func `any other text is not a duration`(text: String) {
        #expect(DurationText.parse(text) == nil)
    }

    @Test(arguments: [("0", 0), ("1000", 1_000), ("1KiB", 1_024), ("3MiB", 3 << 20), ("2GiB", 2 << 30)])
    func `a size is parsed and formatted`(text: String, bytes: Int) {
        #expect(ByteSizeText.parse(text) == bytes)
        #expect(ByteSizeText.text(bytes) == text)
    }

    @Test(arguments: ["", "1kb", "1K", "-1", "1 MiB", "9223372036854775807GiB", "0x10"])
    func `any other text is not a size`(text: String) {
        #expect(ByteSizeText.parse(text) == nil)
    }

    @Test(arguments: [("http.prot", "http.port"), ("HTTP.PORT", "http.port"), ("htp.hst", "http.host")])
    func `a misspelled name is matched to the nearest valid one`(wrong: String, right: String) {
        #expect(NearestName.of(wrong, in: ["http.port", "http.host", "revocation"]) == right)
    }

    @Test func `an unrelated name has no nearest match`() {
        #expect(NearestName.of("kafka", in: ["http.port", "http.host", "revocation"]) == nil)
        #expect(NearestName.of(String(repeating: "x", count: 1_000_000), in: ["http.port"]) == nil)
    }
}
