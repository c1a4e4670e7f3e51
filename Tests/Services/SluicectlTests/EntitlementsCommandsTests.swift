import Kafka
import KafkaDevBroker
import TestSupport
import Testing

@testable import Sluicectl

/// The other commands of `sluicectl entitlements`.
@Suite(.timeLimit(.minutes(5)))
struct EntitlementsCommandsTests {
    private static let account = "7e3fb204-2ab3-4c5f-8f0e-0d9c1b6a7e55"
    private static let found = """
        {"environment":"Production","originalTransactionId":"1","purchases":[{"bundleId":"com.example.app",\
        "originalTransactionId":"1"},{"bundleId":"com.example.app","originalTransactionId":"2"}]}
        """

    @Test func `a history is printed as tables of changes and notifications`() async throws {
        let body = """
            {"environment":"Production","originalTransactionId":"1","purchases":[{"bundleId":"com.example.app",\
            "originalTransactionId":"1","transitions":[{"to":"ACTIVE","at":1793491200000,"cause":\
            {"notificationType":"SUBSCRIBED","subtype":"INITIAL_BUY","signedDate":1793491200000,\
            "notificationUUID":"u1"}}],"events":[{"notificationType":"SUBSCRIBED","subtype":"INITIAL_BUY",\
            "transactionId":"1","status":1,"signedDate":1793491200000,"notificationUUID":"u1"}]}]}
            """
        let api = try FakeReadAPI(status: 200, body: body)
        let (exitCode, printed) = await sluicectl(["entitlements", "history", "1"] + api.flag)
        #expect(exitCode == 0, "\(printed.complaints)")
        #expect(
            printed.output == """
                bundleId               com.example.app
                originalTransactionId  1

                AT                    FROM  TO      BY                      NOTIFICATION
                2026-11-01T00:00:00Z  -     ACTIVE  SUBSCRIBED/INITIAL_BUY  u1

                SIGNED                TYPE                    STATUS  TRANSACTION  NOTIFICATION
                2026-11-01T00:00:00Z  SUBSCRIBED/INITIAL_BUY  1       1            u1

                """)
        #expect(api.seen == ["/v1/history?originalTransactionId=1&environment=Production"])
        let (_, json) = await sluicectl(["entitlements", "history", "1", "--output", "json"] + api.flag)
        #expect(json.output == body + "\n")
        await api.stop()
    }

    @Test func `a list shows where the next page begins`() async throws {
        let api = try FakeReadAPI(
            status: 200,
            body: """
                {"environment":"Sandbox","asOf":1793491200000,"purchases":[{"bundleId":"com.example.app",\
                "originalTransactionId":"1","productId":"monthly","state":"ACTIVE","active":["pro","plus"],\
                "latestSignedDate":1793491200000}],"next":"com.example.app/1"}
                """)
        let (exitCode, printed) = await sluicectl(
            ["entitlements", "list", "--unclaimed", "--limit", "1", "--after-key", "a/0", "--environment", "sandbox"]
                + api.flag)
        #expect(exitCode == 0, "\(printed.complaints)")
        #expect(
            printed.output == """
                APP              PURCHASE  ACCOUNT  STATE   PRODUCT  ACTIVE     LAST SIGNED
                com.example.app  1         -        ACTIVE  monthly  pro, plus  2026-11-01T00:00:00Z

                more after  com.example.app/1

                """)
        #expect(api.seen == ["/v1/purchases?environment=Sandbox&limit=1&unclaimed=true&after=a%2F0"])
        await api.stop()
    }

    @Test func `a claim determines the app itself`() async throws {
        let api = try FakeReadAPI { path in
            path == "/v1/claims"
                ? (200, #"{"environment":"Production","originalTransactionId":"1","appAccountToken":"a"}"#)
                : (200, #"{"purchases":[{"bundleId":"com.example.app","originalTransactionId":"1"}]}"#)
        }
        let (exitCode, printed) = await sluicectl(["entitlements", "claim", "1", Self.account] + api.flag)
        #expect(exitCode == 0, "\(printed.complaints)")
        #expect(printed.output.hasPrefix("claimed\n\nenvironment            Production\n"))
        #expect(api.seen == ["/v1/entitlements?originalTransactionId=1&environment=Production", "/v1/claims"])
        #expect(
            api.bodies == [
                #"{"environment":"Production","bundleId":"com.example.app","originalTransactionId":"1","#
                    + #""appAccountToken":"\#(Self.account)"}"#
            ])
        await api.stop()
    }

    @Test func `a transfer sends the signed transaction of the file`() async throws {
        let api = try FakeReadAPI { path in
            path == "/v1/claims"
                ? (200, #"{"environment":"Production","originalTransactionId":"1","appAccountToken":"a"}"#)
                : (200, #"{"purchases":[{"bundleId":"com.example.app","originalTransactionId":"1"}]}"#)
        }
        let directory = try TemporaryDirectory()
        let file = try directory.write("a.b\n.c\n", to: "transaction.jws")
        let flags = ["--transfer", "--signed-transaction", file]
        let (exitCode, printed) = await sluicectl(["entitlements", "claim", "1", Self.account] + flags + api.flag)
        #expect(exitCode == 0, "\(printed.complaints)")
        #expect(
            api.bodies == [
                #"{"environment":"Production","bundleId":"com.example.app","originalTransactionId":"1","#
                    + #""appAccountToken":"\#(Self.account)","transfer":true,"signedTransactionInfo":"a.b.c"}"#
            ])
        let (missing, complaint) = await sluicectl(
            ["entitlements", "claim", "1", Self.account, "--signed-transaction", file + "x"] + api.flag)
        #expect(missing != 0 && complaint.complaints.count == 1)
        await api.stop()
    }

    @Test func `a claim of an id in several apps requires the app`() async throws {
        let api = try FakeReadAPI(status: 200, body: Self.found)
        let (exitCode, printed) = await sluicectl(["entitlements", "claim", "1", Self.account] + api.flag)
        #expect(exitCode == 1)
        #expect(printed.complaints.first?.contains("--app") == true)
        await api.stop()
    }

    @Test func `an erasure lists its purchases first, and erases them with --yes`() async throws {
        let api = try FakeReadAPI { path in
            path == "/v1/erasures"
                ? (200, #"{"originalTransactionId":"1","erasedAt":1793491200000}"#) : (200, Self.found)
        }
        let (exitCode, printed) = await sluicectl(["entitlements", "erase", Self.account] + api.flag)
        #expect(exitCode == 1)
        #expect(printed.output == "would erase\n\ncom.example.app/1\ncom.example.app/2\n")
        #expect(printed.complaints.first?.contains("--yes") == true)
        let (planned, plan) = await sluicectl(
            ["entitlements", "erase", Self.account, "--output", "json"] + api.flag)
        #expect(planned == 1)
        #expect(
            plan.output == """
                {"ok":false,"purchases":[{"bundleId":"com.example.app","originalTransactionId":"1"},\
                {"bundleId":"com.example.app","originalTransactionId":"2"}]}

                """)
        #expect(api.bodies.isEmpty)
        let (done, output) = await sluicectl(["entitlements", "erase", Self.account, "--yes"] + api.flag)
        #expect(done == 0)
        #expect(output.output.contains("erasedAt               2026-11-01T00:00:00Z"))
        #expect(api.bodies.count == 2)
        await api.stop()
    }

    @Test(arguments: [
        (
            403, #"{"error":"changes_are_off","message":"set entitlements.changes to allow changes"}"#,
            "entitlements.changes=true"
        ),
        (409, #"{"error":"belongs_to_another","message":"made with another"}"#, "made with another"),
    ])
    func `a refused change is reported in one line`(_ status: Int, _ body: String, _ expected: String) async throws {
        let api = try FakeReadAPI { path in
            path == "/v1/claims"
                ? (status, body) : (200, #"{"purchases":[{"bundleId":"b","originalTransactionId":"1"}]}"#)
        }
        let (exitCode, printed) = await sluicectl(["entitlements", "claim", "1", Self.account] + api.flag)
        #expect(exitCode == 1)
        #expect(printed.complaints.count == 1 && printed.complaints.first?.contains(expected) == true)
        await api.stop()
    }

    @Test func `a rebuild resets the group to the beginning`() async throws {
        let broker = try DevBroker()
        for topic in ["appstore.notifications.production", "appstore.notifications.sandbox"] {
            try broker.createTopic(KafkaTopic(rawValue: topic), partitions: 1)
        }
        let kafka = try KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded)
        let admin = try KafkaAdmin(kafka)
        let place = KafkaTopicPartition(topic: "appstore.notifications.production", partition: 0)
        try await admin.alterOffsets(of: "sluice-entitlements", to: [place: 7])
        let flags = ["--kafka.bootstrap.servers", broker.bootstrapServers]
        let (refused, plan) = await sluicectl(["entitlements", "rebuild"] + flags)
        #expect(refused == 1)
        #expect(plan.output.contains("group sluice-entitlements would read from the beginning"))
        #expect(plan.output.contains("appstore.notifications.production  0          7     0"))
        let (exitCode, printed) = await sluicectl(["entitlements", "rebuild", "--yes", "--output", "json"] + flags)
        #expect(exitCode == 0, "\(printed.complaints)")
        #expect(
            printed.output == """
                {"ok":true,"group":"sluice-entitlements","partitions":[{"topic":"appstore.notifications.production",\
                "partition":0,"from":7,"to":0},{"topic":"appstore.notifications.sandbox","partition":0,"to":0}]}

                """)
        let committed = try await admin.committedOffsets(of: "sluice-entitlements", partitions: [place])
        #expect(committed == [place: 0])
        await admin.close(within: .seconds(1))
        await broker.stop()
    }
}
