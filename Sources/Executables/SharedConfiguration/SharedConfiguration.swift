/// The settings of all executables of this installation, which share one properties file and one environment.
///
/// Each executable reads its own settings, tolerates these beside them, and refuses every other key with the nearest one
/// that it knows. A test compares the list with the schemas of all executables.
package enum SharedConfiguration {
    /// Keys, also with a placeholder, and prefixes that end with a dot.
    package static let keys = [
        "admin.host", "admin.port", "apps", "apps.<bundleId>.api.issuer.id", "apps.<bundleId>.api.key.file",
        "apps.<bundleId>.api.key.id", "apps.<bundleId>.environments", "apps.<bundleId>.legacy.trust",
        "apps.<bundleId>.refunds",
        "apps.<bundleId>.shared.secret.file", "appstore.api.issuer.id", "appstore.api.key.file", "appstore.api.key.id",
        "appstore.api.sandbox.url", "appstore.api.url",
        "archive.anchor.interval", "archive.anchor.kafka", "archive.anchor.s3.credentials.file",
        "archive.anchor.s3.endpoint", "archive.anchor.s3.object.lock", "archive.anchor.s3.object.lock.days",
        "archive.anchor.s3.region", "archive.anchor.s3.trust.roots.file", "archive.anchor.url",
        "archive.anchor.witnesses.file",
        "archive.dead.letter.topics", "archive.flush.interval", "archive.flush.records", "archive.index",
        "archive.key.encryption.key.file", "archive.key.store", "archive.origin", "archive.retention",
        "archive.s3.credentials.file", "archive.s3.endpoint", "archive.s3.object.lock", "archive.s3.object.lock.days",
        "archive.s3.region", "archive.s3.trust.roots.file", "archive.signing.key.file", "archive.url",
        "consumer.attempts", "consumer.drain.limit",
        "consumer.record.deadline", "consumer.shutdown.limit", "data.dir", "duplicates.remembered",
        "entitlements.changes", "entitlements.grace.fallback", "entitlements.key.file",
        "entitlements.outage.leeway", "entitlements.renewal.leeway", "entitlements.stale.answers",
        "entitlements.stale.tolerance", "entitlements.staleness.limit", "entitlements.upload.age", "entitlements.url",
        "http.access.log",
        "http.client.no.proxy", "http.client.proxy", "http.client.proxy.credentials.file", "http.forwarded",
        "http.host", "http.idle", "http.keys.file",
        "http.port", "http.proxies", "kafka.", "legacy.trust", "log.format", "log.level", "products", "profile",
        "quarantine.bytes.per.hour", "reconciler.admin.url", "reconciler.calls.per.second",
        "reconciler.everything.interval", "reconciler.everything.range", "reconciler.failures.interval",
        "reconciler.failures.range", "reconciler.outage", "reconciler.settle", "reconciler.statuses.interval",
        "refunds.concurrency", "refunds.fallback", "refunds.fallback.before", "refunds.mode",
        "refunds.provider.ca.file", "refunds.provider.insecure",
        "refunds.provider.secret.file", "refunds.provider.timeout", "refunds.provider.url", "refunds.round.gap",
        "refunds.rules",
        "revocation", "root.certificates", "state.lag.limit", "state.republish.rate", "state.role", "state.standbys",
        "topics.partitions", "topics.prefix", "verification.tables", "verification.tables.recheck",
        "verification.workers",
        "webhooks.admin.url", "webhooks.apps",
        "webhooks.ca.file", "webhooks.concurrency", "webhooks.content", "webhooks.environments", "webhooks.failures",
        "webhooks.failures.time", "webhooks.gone", "webhooks.insecure", "webhooks.secret.file", "webhooks.timeout",
        "webhooks.types", "webhooks.url",
    ]
}
