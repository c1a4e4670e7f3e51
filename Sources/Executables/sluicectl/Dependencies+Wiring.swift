internal import Archive
internal import Configuration
internal import Entitlements
internal import FoundationEssentials
internal import Ingress
internal import PipelineRuntime
internal import Refunds
internal import ServiceKit
internal import Sluicectl
internal import Webhooks

/// The dependencies of each executable, for `sluicectl doctor`.
extension SluicectlParts.Dependencies {
    static func ingress(_ configuration: Configuration) throws -> Self {
        let plan = try IngressConfiguration(configuration)
        var needs = Self()
        needs.verifies = true
        needs.topics = plan.requiredTopics
        needs.listeners = [
            Listener("http.port", host: plan.host, port: plan.port),
            Listener("admin.port", host: plan.adminHost, port: plan.adminPort),
        ]
        return needs
    }

    /// The dependencies of every consumer.
    static func consumer(
        _ application: ConsumerApplication, _ configuration: Configuration, verifies: Bool
    ) throws -> Self {
        var needs = Self()
        needs.verifies = verifies
        needs.topics = try application.requiredTopics(configuration)
        needs.listeners = [
            Listener(
                "admin.port", host: configuration[ApplicationSettings.adminHost],
                port: application.adminPort(configuration))
        ]
        let directory = ConsumerSettings.dataDirectory
        needs.directories = [Directory(directory.key, configuration[directory], isCreated: true)]
        return needs
    }

    static func entitlements(_ configuration: Configuration) throws -> Self {
        var needs = try consumer(EntitlementsApplication.application, configuration, verifies: true)
        needs.listeners.append(
            Listener(
                EntitlementsSettings.port.key, host: configuration[EntitlementsSettings.host],
                port: configuration[EntitlementsSettings.port]))
        return needs
    }

    static func refunds(_ configuration: Configuration) throws -> Self {
        var needs = try consumer(RefundsApplication.application, configuration, verifies: true)
        let provider = RefundsSettings.providerURL
        needs.endpoints = [configuration[provider].map { Endpoint(provider.key, $0) }].compactMap { $0 }
        return needs
    }

    static func archive(_ configuration: Configuration) throws -> Self {
        var needs = try consumer(ArchiveApplication.application, configuration, verifies: false)
        for store in ArchiveSettings.stores(configuration) {
            if store.isBucket {
                needs.buckets.append(Bucket(store.setting, store.location, check: store.check))
            } else {
                needs.directories.append(Directory(store.setting, store.location, isCreated: true))
            }
        }
        let witnesses = try ArchiveSettings.witnessURLs(configuration)
        needs.endpoints = witnesses.urls.map { Endpoint(witnesses.setting, $0) }
        let keys = ArchiveSettings.keyStore(configuration)
        let folder = URL(fileURLWithPath: keys.path).deletingLastPathComponent().path
        needs.directories.append(Directory(keys.setting, folder, isCreated: false))
        return needs
    }

    static func webhooks(_ configuration: Configuration) throws -> Self {
        var needs = try consumer(WebhooksApplication.application, configuration, verifies: false)
        needs.endpoints = WebhooksSettings.urls(configuration).map { Endpoint($0.setting, $0.url) }
        return needs
    }
}
