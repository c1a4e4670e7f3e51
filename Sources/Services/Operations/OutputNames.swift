/// The member names of everything that `--output json` prints. A contract: names are added, never changed.
enum OutputName {
    // Everywhere.
    static let ok = "ok"
    static let error = "error"
    static let topic = "topic"

    // topics
    static let embeddedBroker = "embeddedBroker"
    static let topics = "topics"
    static let status = "status"
    static let partitions = "partitions"
    static let replicationFactor = "replicationFactor"
    static let differences = "differences"
    static let setting = "setting"
    static let found = "found"
    static let expected = "expected"
    static let corrections = "corrections"
    static let notes = "notes"

    // tap
    static let partition = "partition"
    static let offset = "offset"
    static let timestamp = "timestamp"
    static let kind = "kind"
    static let key = "key"
    static let headers = "headers"
    static let value = "value"
    static let base64 = "base64"

    // verify
    static let accepted = "accepted"
    static let verdict = "verdict"
    static let reason = "reason"
    static let at = "at"
    static let steps = "steps"
    static let number = "number"
    static let step = "step"
    static let outcome = "outcome"
    static let detail = "detail"
    static let certificates = "certificates"
    static let subject = "subject"
    static let issuer = "issuer"
    static let serial = "serial"
    static let notBefore = "notBefore"
    static let notAfter = "notAfter"
    static let payload = "payload"
    static let transaction = "transaction"
    static let renewalInfo = "renewalInfo"
    static let appTransaction = "appTransaction"

    // quarantine, dlq
    static let position = "position"
    static let receivedTime = "receivedTime"
    static let bundleId = "bundleId"
    static let environment = "environment"
    static let notificationUUID = "notificationUUID"
    static let bytes = "bytes"
    static let verification = "verification"
    static let replayed = "replayed"
    static let ready = "ready"
    static let left = "left"
    static let last = "last"
    static let input = "input"
    static let group = "group"
    static let message = "message"
    static let firstFailureTime = "firstFailureTime"
    static let omitted = "omitted"
    static let records = "records"

    // config
    static let executables = "executables"
    static let executable = "executable"
    static let errors = "errors"
    static let settings = "settings"

    // doctor
    static let findings = "findings"
    static let what = "what"
    static let fix = "fix"

    // webhooks
    static let attempts = "attempts"
    static let id = "id"
    static let type = "type"
    static let milliseconds = "milliseconds"

    // api
    static let transactions = "transactions"
    static let subscriptions = "subscriptions"
    static let subscriptionGroupIdentifier = "subscriptionGroupIdentifier"
    static let revision = "revision"
    static let hasMore = "hasMore"
    static let refused = "refused"
    static let testNotificationToken = "testNotificationToken"
    static let sendAttempts = "sendAttempts"
    static let attemptDate = "attemptDate"
    static let sendAttemptResult = "sendAttemptResult"

    // refunds
    static let groups = "groups"

    // archive
    static let action = "action"
    static let subjects = "subjects"
    static let keys = "keys"
    static let backupsUntil = "backupsUntil"

    // version
    static let sluice = "sluice"
    static let swift = "swift"
    static let librdkafka = "librdkafka"
    static let openssl = "openssl"
    static let sqlite = "sqlite"
    static let libcurl = "libcurl"
}
