extension OpenAPIDocument {
    /// Schemas of the bodies.
    static let schemas = #"""
        {
          "Instant": {
            "type": "integer",
            "format": "int64",
            "description": "Milliseconds since 1970-01-01T00:00:00Z."
          },
          "AsOf": {
            "type": "integer",
            "format": "int64",
            "description": "Milliseconds since 1970. What was received until then is part of the answer: how far the \#
        input was read, in the partition that is furthest behind. The answer itself is of now, or of `at`."
          },
          "Version": {
            "type": "string",
            "description": "As in records of the entitlement topic and in webhooks: of two states of a purchase the one \#
        with the greater text is newer."
          },
          "Stale": {
            "type": "boolean",
            "description": "Always true: `asOf` is longer ago than entitlements.staleness.limit, so that what was bought \#
        since may be missing. Absent elsewhere."
          },
          "Environment": {"type": "string", "enum": ["Production", "Sandbox"]},
          "Id": {"type": "string", "minLength": 1},
          "Account": {
            "type": "string",
            "format": "uuid",
            "description": "The appAccountToken, in lower case."
          },
          "Grant": {
            "type": "object",
            "description": "A purchase that grants an entitlement, or did or will. originalPurchaseDate, offer, \#
        price and currency are known of the transaction that Apple spoke of last. `until` is the end of access as \#
        far as it is known, and only where there is access.",
            "properties": {
              "entitlement": {
                "type": "string",
                "description": "As the products file names it; without a rule the productId."
              },
              "isEntitled": {
                "type": "boolean",
                "description": "True in grants, false in inactive."
              },
              "state": {
                "type": "string",
                "description": "Of a subscription: ACTIVE, RENEWING, GRACE, RETRY, STALE, EXPIRED, \#
        REVOKED. Of another purchase: OWNED, ENDED, REVOKED. UNCONFIRMED: only version 1 notifications tell of it, and \#
        it gives nothing until Apple confirms it. More may be added."
              },
              "environment": {"$ref": "#/components/schemas/Environment"},
              "bundleId": {"$ref": "#/components/schemas/Id"},
              "productId": {"$ref": "#/components/schemas/Id"},
              "originalTransactionId": {"$ref": "#/components/schemas/Id"},
              "transactionId": {"$ref": "#/components/schemas/Id"},
              "inAppOwnershipType": {
                "type": "string",
                "description": "PURCHASED or FAMILY_SHARED."
              },
              "purchaseDate": {"$ref": "#/components/schemas/Instant"},
              "originalPurchaseDate": {"$ref": "#/components/schemas/Instant"},
              "expiresDate": {"$ref": "#/components/schemas/Instant"},
              "offerType": {
                "type": "integer",
                "description": "1 introductory, 2 promotional, 3 offer code, 4 win-back."
              },
              "offerIdentifier": {"type": "string"},
              "offerDiscountType": {
                "type": "string",
                "description": "FREE_TRIAL, PAY_AS_YOU_GO, PAY_UP_FRONT or ONE_TIME."
              },
              "price": {
                "type": "integer",
                "format": "int64",
                "description": "Milliunits of the currency."
              },
              "currency": {"type": "string", "description": "ISO 4217."},
              "revocationDate": {"$ref": "#/components/schemas/Instant"},
              "revocationReason": {
                "type": "integer",
                "description": "1 an issue in the app, 0 another reason."
              },
              "until": {"$ref": "#/components/schemas/Instant"},
              "gracePeriodExpiresDate": {"$ref": "#/components/schemas/Instant"},
              "billingPlanType": {"type": "string", "description": "BILLED_UPFRONT or MONTHLY."},
              "billingPeriodNumber": {
                "type": "integer",
                "description": "Number of the period inside a commitment of twelve months, from 1."
              },
              "commitmentExpiresDate": {"$ref": "#/components/schemas/Instant"},
              "willRenew": {"type": "boolean"},
              "commitmentWillRenew": {
                "type": "boolean",
                "description": "Whether the commitment renews at its end; willRenew is about the next billing period."
              },
              "autoRenewProductId": {"$ref": "#/components/schemas/Id"},
              "pendingProductId": {"$ref": "#/components/schemas/Id"},
              "priceIncreaseStatus": {
                "type": "integer",
                "description": "0 while the customer has not answered."
              },
              "expirationIntent": {"type": "integer"},
              "seats": {"type": "integer", "format": "int64"},
              "skus": {
                "type": "array",
                "items": {"type": "string"},
                "description": "Advanced Commerce: the items that are held, empty where all are revoked. Absent: the \#
        purchase has no items."
              },
              "needsStatusQuery": {
                "type": "boolean",
                "description": "What is known does not explain what Apple said: ask the App Store Server API."
              },
              "unknown": {
                "type": "boolean",
                "description": "The period is over, and the input that would tell of its renewal is not read yet: access \#
        continues until `until` at most."
              },
              "trust": {
                "type": "string",
                "enum": ["signed", "shared-secret"],
                "description": "shared-secret where version 1 notifications decided, which only a shared secret \#
        vouches for. Absent: signed by Apple."
              },
              "awaitsConfirmation": {
                "type": "boolean",
                "description": "Version 1 notifications say more of the purchase, which does not count until Apple \#
        confirms it."
              }
            },
            "required": [
              "entitlement",
              "isEntitled",
              "state",
              "environment",
              "bundleId",
              "productId",
              "originalTransactionId",
              "transactionId"
            ]
          },
          "Balance": {
            "type": "object",
            "description": "Units of a consumable over all its transactions.",
            "properties": {
              "environment": {"$ref": "#/components/schemas/Environment"},
              "bundleId": {"$ref": "#/components/schemas/Id"},
              "productId": {"$ref": "#/components/schemas/Id"},
              "creditedUnits": {"type": "integer", "format": "int64", "minimum": 0},
              "debitedUnits": {"type": "integer", "format": "int64", "minimum": 0},
              "netUnits": {"type": "integer", "format": "int64", "minimum": 0}
            },
            "required": [
              "environment",
              "bundleId",
              "productId",
              "creditedUnits",
              "debitedUnits",
              "netUnits"
            ]
          },
          "Report": {
            "type": "object",
            "description": "A transaction that gives less than it may be meant to.",
            "properties": {
              "environment": {"$ref": "#/components/schemas/Environment"},
              "bundleId": {"$ref": "#/components/schemas/Id"},
              "transactionId": {"$ref": "#/components/schemas/Id"},
              "problem": {"type": "string"}
            },
            "required": ["environment", "bundleId", "transactionId", "problem"]
          },
          "Purchase": {
            "type": "object",
            "properties": {
              "environment": {"$ref": "#/components/schemas/Environment"},
              "version": {"$ref": "#/components/schemas/Version"},
              "bundleId": {"$ref": "#/components/schemas/Id"},
              "originalTransactionId": {"$ref": "#/components/schemas/Id"},
              "appAccountToken": {"$ref": "#/components/schemas/Account"},
              "appTransactionId": {"$ref": "#/components/schemas/Id"},
              "previousOriginalTransactionId": {"$ref": "#/components/schemas/Id"},
              "awaitsConfirmation": {"type": "boolean"},
              "migratedTo": {
                "type": "array",
                "items": {"$ref": "#/components/schemas/Id"}
              }
            },
            "required": ["environment", "bundleId", "originalTransactionId"]
          },
          "Subject": {
            "type": "object",
            "description": "Exactly one of these.",
            "properties": {
              "appAccountToken": {"type": "string", "format": "uuid"},
              "originalTransactionId": {"$ref": "#/components/schemas/Text"},
              "appTransactionId": {"$ref": "#/components/schemas/Text"},
              "transactionId": {"$ref": "#/components/schemas/Text"}
            },
            "minProperties": 1,
            "maxProperties": 1,
            "additionalProperties": false
          },
          "Text": {
            "type": "string",
            "minLength": 1,
            "maxLength": 256,
            "description": "At most 256 bytes of UTF-8, without control characters."
          },
          "Entitlements": {
            "type": "object",
            "description": "`nextChange` is when the answer becomes another without any notification. `knownSince` \#
        is there for a past moment from which not everything is kept.",
            "properties": {
              "environment": {
                "type": "string",
                "enum": ["Production", "Sandbox", "all"]
              },
              "appAccountToken": {"$ref": "#/components/schemas/Account"},
              "originalTransactionId": {"$ref": "#/components/schemas/Id"},
              "appTransactionId": {"$ref": "#/components/schemas/Id"},
              "transactionId": {"$ref": "#/components/schemas/Id"},
              "known": {
                "type": "boolean",
                "description": "False where nothing is known of the subject: it owns nothing, as far as Sluice was \#
        told."
              },
              "asOf": {"$ref": "#/components/schemas/AsOf"},
              "stale": {"$ref": "#/components/schemas/Stale"},
              "active": {
                "type": "array",
                "items": {"type": "string"},
                "description": "Names of the entitlements that hold, each once."
              },
              "grants": {
                "type": "array",
                "items": {"$ref": "#/components/schemas/Grant"},
                "description": "What holds."
              },
              "inactive": {
                "type": "array",
                "items": {"$ref": "#/components/schemas/Grant"},
                "description": "What held before, or will."
              },
              "balances": {
                "type": "array",
                "items": {"$ref": "#/components/schemas/Balance"}
              },
              "reports": {
                "type": "array",
                "items": {"$ref": "#/components/schemas/Report"}
              },
              "nextChange": {"$ref": "#/components/schemas/Instant"},
              "knownSince": {"$ref": "#/components/schemas/Instant"},
              "trust": {
                "type": "string",
                "enum": ["signed", "shared-secret"],
                "description": "shared-secret where version 1 notifications decided something of the answer."
              },
              "purchases": {
                "type": "array",
                "items": {
                  "$ref": "#/components/schemas/Purchase"
                }
              },
              "consents": {"$ref": "#/components/schemas/Consents"}
            },
            "required": ["environment", "known", "asOf", "active", "grants", "trust", "purchases"]
          },
          "Consents": {
            "type": "array",
            "description": "Customers whose parent or guardian has withdrawn the consent to the app. Absent: none is known \#
        of.",
            "items": {
              "type": "object",
              "properties": {
                "environment": {"$ref": "#/components/schemas/Environment"},
                "bundleId": {"$ref": "#/components/schemas/Id"},
                "appTransactionId": {"$ref": "#/components/schemas/Id"},
                "rescindedAt": {"$ref": "#/components/schemas/Instant"}
              },
              "required": ["environment", "bundleId", "appTransactionId", "rescindedAt"]
            }
          },
          "Transition": {
            "type": "object",
            "properties": {
              "from": {"type": "string"},
              "to": {"type": "string"},
              "at": {"$ref": "#/components/schemas/Instant"},
              "cause": {"$ref": "#/components/schemas/Event"}
            },
            "required": ["to", "at"]
          },
          "Event": {
            "type": "object",
            "properties": {
              "notificationType": {"type": "string"},
              "subtype": {"type": "string"},
              "transactionId": {"$ref": "#/components/schemas/Id"},
              "status": {"type": "integer"},
              "signedDate": {"$ref": "#/components/schemas/Instant"},
              "notificationUUID": {"type": "string"},
              "trust": {"type": "string"}
            },
            "required": ["notificationType", "signedDate"]
          },
          "PurchaseHistory": {
            "type": "object",
            "properties": {
              "environment": {"$ref": "#/components/schemas/Environment"},
              "version": {"$ref": "#/components/schemas/Version"},
              "bundleId": {"$ref": "#/components/schemas/Id"},
              "originalTransactionId": {"$ref": "#/components/schemas/Id"},
              "appAccountToken": {"$ref": "#/components/schemas/Account"},
              "appTransactionId": {"$ref": "#/components/schemas/Id"},
              "previousOriginalTransactionId": {
                "$ref": "#/components/schemas/Id"
              },
              "awaitsConfirmation": {"type": "boolean"},
              "migratedTo": {
                "type": "array",
                "items": {"$ref": "#/components/schemas/Id"}
              },
              "transitions": {
                "type": "array",
                "items": {
                  "$ref": "#/components/schemas/Transition"
                }
              },
              "events": {
                "type": "array",
                "items": {"$ref": "#/components/schemas/Event"}
              }
            },
            "required": [
              "environment",
              "bundleId",
              "originalTransactionId",
              "transitions",
              "events"
            ]
          },
          "History": {
            "type": "object",
            "properties": {
              "environment": {
                "type": "string",
                "enum": ["Production", "Sandbox", "all"]
              },
              "asOf": {"$ref": "#/components/schemas/AsOf"},
              "stale": {"$ref": "#/components/schemas/Stale"},
              "appAccountToken": {"$ref": "#/components/schemas/Account"},
              "originalTransactionId": {"$ref": "#/components/schemas/Id"},
              "appTransactionId": {"$ref": "#/components/schemas/Id"},
              "transactionId": {"$ref": "#/components/schemas/Id"},
              "known": {"type": "boolean"},
              "purchases": {
                "type": "array",
                "items": {
                  "$ref": "#/components/schemas/PurchaseHistory"
                }
              },
              "consents": {"$ref": "#/components/schemas/Consents"}
            },
            "required": ["environment", "known", "asOf", "purchases"]
          },
          "PurchaseSummary": {
            "type": "object",
            "properties": {
              "environment": {"$ref": "#/components/schemas/Environment"},
              "version": {"$ref": "#/components/schemas/Version"},
              "bundleId": {"$ref": "#/components/schemas/Id"},
              "originalTransactionId": {"$ref": "#/components/schemas/Id"},
              "appAccountToken": {"$ref": "#/components/schemas/Account"},
              "appTransactionId": {"$ref": "#/components/schemas/Id"},
              "previousOriginalTransactionId": {
                "$ref": "#/components/schemas/Id"
              },
              "awaitsConfirmation": {"type": "boolean"},
              "migratedTo": {
                "type": "array",
                "items": {"$ref": "#/components/schemas/Id"}
              },
              "productId": {"$ref": "#/components/schemas/Id"},
              "state": {"type": "string"},
              "active": {"type": "array", "items": {"type": "string"}},
              "latestSignedDate": {"$ref": "#/components/schemas/Instant"}
            },
            "required": [
              "environment",
              "bundleId",
              "originalTransactionId",
              "active",
              "latestSignedDate"
            ]
          },
          "Purchases": {
            "type": "object",
            "properties": {
              "environment": {"$ref": "#/components/schemas/Environment"},
              "asOf": {"$ref": "#/components/schemas/AsOf"},
              "stale": {"$ref": "#/components/schemas/Stale"},
              "purchases": {
                "type": "array",
                "items": {
                  "$ref": "#/components/schemas/PurchaseSummary"
                }
              },
              "next": {
                "type": "string",
                "description": "`after` of the next page; absent on the last."
              }
            },
            "required": ["environment", "asOf", "purchases"]
          },
          "Changed": {
            "type": "object",
            "properties": {
              "environment": {"$ref": "#/components/schemas/Environment"},
              "bundleId": {"$ref": "#/components/schemas/Id"},
              "originalTransactionId": {"$ref": "#/components/schemas/Id"},
              "appAccountToken": {"$ref": "#/components/schemas/Account"},
              "appTransactionId": {"$ref": "#/components/schemas/Id"},
              "previousOriginalTransactionId": {"$ref": "#/components/schemas/Id"},
              "awaitsConfirmation": {"type": "boolean"},
              "migratedTo": {
                "type": "array",
                "items": {"$ref": "#/components/schemas/Id"}
              },
              "erasedAt": {"$ref": "#/components/schemas/Instant"}
            },
            "required": ["environment", "bundleId", "originalTransactionId"]
          },
          "Problem": {
            "type": "object",
            "properties": {
              "error": {
                "type": "string",
                "enum": [
                  "bad_request",
                  "not_found",
                  "too_many_purchases",
                  "belongs_to_another",
                  "changes_are_off",
                  "uploads_are_off",
                  "read_only_key",
                  "not_verified",
                  "not_readable",
                  "other_environment",
                  "too_old",
                  "certificate_expired",
                  "not_confirmed",
                  "busy",
                  "unavailable",
                  "stale"
                ]
              },
              "message": {
                "type": "string",
                "description": "For people; names the parameter or member."
              }
            },
            "required": ["error", "message"]
          }
        }
        """#
}
