internal import AppStoreModel

extension ScenarioPlayer {
    /// Applies an event to the facts.
    mutating func apply(_ event: ScenarioEvent) {
        switch event {
        case .subscribes(let offer): subscribe(to: scenario.product, offer: offer)
        case .resubscribes(let product, let offer): resubscribe(to: product, offer: offer)
        case .renews: renew()
        case .renewalFails(let grace, let isDateSent): failRenewal(grace: grace, isDateSent: isDateSent)
        case .billingRecovers: recover()
        case .expires(let intent): expire(intent)
        case .turnsRenewalOff, .cancelsAfterPriceIncrease: turnRenewal(on: false)
        case .turnsRenewalOn: turnRenewal(on: true)
        case .upgrades(let product): change(to: product, offer: nil)
        case .redeemsUpgrading(let offer, let product): change(to: product, offer: offer)
        case .downgrades(let product): planChange(to: product, offer: nil)
        case .redeemsDowngrading(let offer, let product): planChange(to: product, offer: offer)
        case .staysWithCurrentProduct: stay()
        case .redeems(let offer): planOffer(offer)
        case .priceIncreaseAnnounced(let percent): announcePrice(percent: percent, consent: 0)
        case .acceptsPriceIncrease: renewal?.priceIncreaseStatus = 1
        case .priceChanged(let percent): announcePrice(percent: percent, consent: nil)
        case .renewalExtended(let length): extend(by: length)
        case .buys(let quantity, let offer): buy(quantity: quantity, offer: offer)
        case .refunded(let percent): refund(percent: percent)
        case .formerPeriodRefunded(let percent): refundFormer(percent: percent)
        case .seatsRefunded(let count): transaction?.revokedSeats = count
        case .refundReversed: transaction?.revocation = nil
        case .losesFamilyAccess: loseFamilyAccess()
        case .addsSeats(let count): addSeats(count)
        case .dropsSeats(let count): renewal?.quantity -= count
        case .migrates(let product): migrate(to: product)
        case .externalPurchaseToken: tokenCreationDate = tokenCreationDate ?? now - Duration.days(1).milliseconds
        case .graceEnds, .massExtensionFails, .massExtensionFinished, .asksForRefund, .refundDeclined,
            .seatsUnclaimed, .metadataUpdated, .consentRescinded, .testRequested:
            break
        }
    }

    // MARK: Purchases

    private mutating func buy(quantity: Int64, offer: Offer?) {
        let transactionId = nextTransactionId()
        transaction = Transaction(
            transactionId: transactionId, originalTransactionId: transactionId, product: scenario.product,
            ownership: scenario.ownership, purchaseDate: now, originalPurchaseDate: now, quantity: quantity,
            price: price(of: scenario.product, offer: offer) * quantity, offer: offer)
    }

    private mutating func subscribe(to product: Product, offer: Offer?) {
        let seats: Int64 = product.isMultiSeat ? 5 : 1
        begin(product, offer: offer, at: now, quantity: seats, isRenewal: false)
        guard let transaction else { return }
        renewal = Renewal(
            originalTransactionId: transaction.originalTransactionId, product: product, nextProduct: product,
            renewalPrice: price(of: product, offer: nil), quantity: seats, recentSubscriptionStartDate: now)
    }

    private mutating func resubscribe(to product: Product?, offer: Offer?) {
        guard let lapsed = transaction, var renewal else { return }
        let product = product ?? lapsed.product
        begin(product, offer: offer, at: now, quantity: lapsed.quantity, isRenewal: false)
        // Apple ignores a lapse of less than 60 days and keeps `recentSubscriptionStartDate`.
        if let expiresDate = lapsed.expiresDate, now - expiresDate >= Duration.days(60).milliseconds {
            renewal.recentSubscriptionStartDate = now
        }
        renewal.product = product
        renewal.nextProduct = product
        renewal.renewsAutomatically = true
        renewal.commitmentRenews = true
        renewal.isInBillingRetry = false
        renewal.gracePeriodExpiresDate = nil
        renewal.endedGracePeriodDate = nil
        renewal.expirationIntent = nil
        renewal.priceIncreaseStatus = nil
        renewal.renewalPrice = price(of: product, offer: nil)
        renewal.offer = nil
        self.renewal = renewal
    }

    /// Creates a new current transaction for the subscription.
    private mutating func begin(_ product: Product, offer: Offer?, at start: Int64, quantity: Int64, isRenewal: Bool) {
        former = transaction
        let transactionId = nextTransactionId()
        let commitmentPeriod = isRenewal ? (former?.commitmentPeriod ?? 0) % max(product.committedPeriods, 1) + 1 : 1
        let commitmentLength = Duration.month.milliseconds * product.committedPeriods
        transaction = Transaction(
            transactionId: transactionId,
            originalTransactionId: former?.originalTransactionId ?? transactionId,
            previousOriginalTransactionId: former?.previousOriginalTransactionId,
            webOrderLineItemId: webOrderLineItemId(), product: product, ownership: scenario.ownership,
            purchaseDate: start, originalPurchaseDate: former?.originalPurchaseDate ?? start,
            expiresDate: start + (offer?.firstPeriod ?? product.period).milliseconds, quantity: quantity,
            price: price(of: product, offer: offer), offer: offer, isRenewal: isRenewal,
            commitmentPeriod: commitmentPeriod,
            commitmentExpiresDate: commitmentPeriod == 1 ? start + commitmentLength : former?.commitmentExpiresDate)
    }

    private func price(of product: Product, offer: Offer?) -> Int64 {
        account.storefront.price(fromDollars: product.price) * (offer?.percentCharged ?? 100) / 100
    }

    // MARK: Renewals

    private mutating func renew() {
        guard let expiresDate = transaction?.expiresDate else { return }
        renew(from: expiresDate)
    }

    private mutating func renew(from start: Int64) {
        guard var renewal else { return }
        begin(renewal.nextProduct, offer: renewal.offer, at: start, quantity: renewal.quantity, isRenewal: true)
        if renewal.offer == nil {
            transaction?.price = renewal.renewalPrice
        }
        renewal.product = renewal.nextProduct
        if renewal.offer != nil {
            renewal.renewalPrice = price(of: renewal.product, offer: nil)
        }
        renewal.offer = nil
        renewal.priceIncreaseStatus = nil
        renewal.isInBillingRetry = false
        renewal.gracePeriodExpiresDate = nil
        renewal.endedGracePeriodDate = nil
        self.renewal = renewal
    }

    private mutating func failRenewal(grace: Duration?, isDateSent: Bool) {
        renewal?.isInBillingRetry = true
        renewal?.sendsGracePeriodDate = isDateSent
        if let grace, let expiresDate = transaction?.expiresDate {
            renewal?.gracePeriodExpiresDate = expiresDate + grace.milliseconds
        }
    }

    /// Renews after a late charge. If the charge succeeds during the grace period, the new period begins where the old
    /// one ended; otherwise, it begins with the charge.
    private mutating func recover() {
        guard let expiresDate = transaction?.expiresDate else { return }
        let isInGrace = (renewal?.gracePeriodExpiresDate).map { $0 > now } ?? false
        renew(from: isInGrace ? expiresDate : now)
    }

    /// Turns renewal on or off. Within a commitment, the remaining months renew in any case; only the renewal at the
    /// end of the commitment changes.
    private mutating func turnRenewal(on isOn: Bool) {
        renewal?.commitmentRenews = isOn
        if isOn || transaction?.product.committedPeriods == 0 { renewal?.renewsAutomatically = isOn }
    }

    private mutating func expire(_ intent: ExpirationIntent) {
        if let grace = renewal?.gracePeriodExpiresDate, grace > now { renewal?.endedGracePeriodDate = grace }
        renewal?.commitmentRenews = false
        renewal?.renewsAutomatically = false
        renewal?.isInBillingRetry = false
        renewal?.gracePeriodExpiresDate = nil
        renewal?.expirationIntent = intent
        if let product = renewal?.product { renewal?.nextProduct = product }
    }

    private mutating func extend(by length: Duration) {
        guard let expiresDate = transaction?.expiresDate else { return }
        transaction?.expiresDate = expiresDate + length.milliseconds
    }

    // MARK: Plans, offers and prices

    private mutating func change(to product: Product, offer: Offer?) {
        transaction?.isUpgraded = true
        transaction?.upgradeDate = now
        renewalStatusChangeDate = now
        begin(product, offer: offer, at: now, quantity: transaction?.quantity ?? 1, isRenewal: false)
        let price = price(of: product, offer: nil)
        renewal?.product = product
        renewal?.nextProduct = product
        renewal?.renewalPrice = price
    }

    private mutating func planChange(to product: Product, offer: Offer?) {
        let price = price(of: product, offer: offer)
        renewal?.nextProduct = product
        renewal?.offer = offer
        renewal?.renewalPrice = price
    }

    private mutating func stay() {
        guard let product = renewal?.product else { return }
        planChange(to: product, offer: nil)
    }

    private mutating func planOffer(_ offer: Offer) {
        guard let product = renewal?.product else { return }
        planChange(to: product, offer: offer)
    }

    private mutating func announcePrice(percent: Int64, consent: Int64?) {
        guard let price = renewal?.renewalPrice else { return }
        renewal?.renewalPrice = price * percent / 100
        renewal?.priceIncreaseStatus = consent
    }

    // MARK: Refunds, Family Sharing, seats, migration

    private func refundRevocation(percent: Int64) -> Transaction.Revocation {
        Transaction.Revocation(
            date: now - 1000, reason: percent == 100 ? 0 : 1,
            type: percent == 100 ? "REFUND_FULL" : "REFUND_PRORATED", percentage: percent * 1000)
    }

    private mutating func refund(percent: Int64) {
        let revocation = refundRevocation(percent: percent)
        transaction?.revocation = revocation
        renewal?.renewsAutomatically = false
        // If a future period is refunded, the previous one becomes current again.
        if let refunded = transaction, refunded.purchaseDate > now, former != nil {
            subject = refunded
            swap(&transaction, &former)
        }
    }

    private mutating func refundFormer(percent: Int64) {
        let revocation = refundRevocation(percent: percent)
        former?.revocation = revocation
        subject = former
    }

    private mutating func loseFamilyAccess() {
        let date = now - 1000
        transaction?.revocation = Transaction.Revocation(date: date, reason: 0, type: "FAMILY_REVOKE", percentage: nil)
        renewal?.renewsAutomatically = false
    }

    /// Adds seats as a separate transaction for the rest of the period. The current transaction remains current.
    private mutating func addSeats(_ count: Int64) {
        transaction?.hasAddedSeats = true
        guard var seats = transaction else { return }
        seats.transactionId = nextTransactionId()
        seats.webOrderLineItemId = webOrderLineItemId()
        seats.purchaseDate = now
        seats.quantity = count
        seats.isRenewal = false
        subject = seats
        renewal?.quantity += count
    }

    private mutating func migrate(to product: Product) {
        guard let previous = transaction?.originalTransactionId else { return }
        let transactionId = nextTransactionId()
        let price = price(of: product, offer: nil)
        transaction?.previousOriginalTransactionId = previous
        transaction?.transactionId = transactionId
        transaction?.originalTransactionId = transactionId
        transaction?.product = product
        renewal?.originalTransactionId = transactionId
        renewal?.product = product
        renewal?.nextProduct = product
        renewal?.renewalPrice = price
    }
}
