extension OpenAPIDocument {
    /// The schemas of request and response bodies.
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
            "description": "Milliseconds since 1970. The answer includes everything received until then: the input \#
        was read up to this moment in the partition that is furthest behind. The answer itself is for now, or for `at`."
          },
          "Version": {
            "type": "string",
            "description": "The same text as in records of the entitlement topic and in webhooks. A newer state of a \#
        purchase has a greater text."
          },
          "Stale": {
            "type": "boolean",
            "description": "Always true: `asOf` is longer ago than entitlements.staleness.limit, so later \#
        purchases may be missing. Absent otherwise."
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
            "description": "A purchase that grants an entitlement, or did or will. originalPurchaseDate, offer, price \#
        and currency are known only for the transaction in Apple's latest statement. `until` is the known end of \#
        access, present only while there is access.",
            "properties": {
              "entitlement": {
                "type": "string",
                "description": "The name in the products file; without a rule, the productId."
              },
              "isEntitled": {
                "type": "boolean",
                "description": "True in grants, false in inactive."
              },
              "state": {
                "type": "string",
                "description": "For a subscription: ACTIVE, RENEWING, GRACE, RETRY, STALE, EXPIRED, REVOKED. For \#
        another purchase: OWNED, ENDED, REVOKED. UNCONFIRMED: only version 1 notifications report it, and it grants \#
        nothing until Apple confirms it. Further states may be added."
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
                "description": "1: an issue in the app; 0: any other reason."
              },
              "until": {"$ref": "#/components/schemas/Instant"},
              "gracePeriodExpiresDate": {"$ref": "#/components/schemas/Instant"},
              "billingPlanType": {"type": "string", "description": "BILLED_UPFRONT or MONTHLY."},
              "billingPeriodNumber": {
                "type": "integer",
                "description": "Number of the period within a twelve-month commitment, starting at 1."
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
                "description": "Advanced Commerce: the current items, empty if all are revoked. Absent if the \#
        purchase has no items."
              },
              "needsStatusQuery": {
                "type": "boolean",
                "description": "The known facts do not explain Apple's statements: query the App Store Server API."
              },
              "unknown": {
                "type": "boolean",
                "description": "The period is over, but the input that may contain the renewal has not been read yet: \#
        access continues at most until `until`."
              },
              "trust": {
                "type": "string",
                "enum": ["signed", "shared-secret"],
                "description": "shared-secret if the deciding facts are from version 1 notifications, which only a \#
        shared secret authenticates. Absent: signed by Apple."
              },
              "awaitsConfirmation": {
                "type": "boolean",
                "description": "Version 1 notifications contain more about the purchase, which has no effect until \#
        Apple confirms it."
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
            "description": "A transaction that may grant less than intended.",
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
            "description": "Exactly one of these members.",
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
            "description": "`nextChange` is the time at which the answer changes without any notification. \#
        `knownSince` is present for a past moment for which not everything is kept.",
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
                "description": "False if the subject is unknown: as far as Sluice knows, it owns nothing."
              },
              "asOf": {"$ref": "#/components/schemas/AsOf"},
              "stale": {"$ref": "#/components/schemas/Stale"},
              "active": {
                "type": "array",
                "items": {"type": "string"},
                "description": "Names of the current entitlements, each once."
              },
              "grants": {
                "type": "array",
                "items": {"$ref": "#/components/schemas/Grant"},
                "description": "Purchases that grant an entitlement."
              },
              "inactive": {
                "type": "array",
                "items": {"$ref": "#/components/schemas/Grant"},
                "description": "Purchases that granted an entitlement before, or will grant one."
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
                "description": "shared-secret if version 1 notifications decided any part of the answer."
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
            "description": "Customers whose parent or guardian has withdrawn consent to the app. Absent if none are \#
        known.",
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
                "description": "`after` of the next page; absent on the last page."
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
          "Story": {
            "type": "object",
            "description": "The output of sluicectl explain --output json. Times are RFC 3339.",
            "properties": {
              "id": {"type": "string"},
              "kinds": {"type": "array", "items": {"type": "string"}},
              "environment": {"$ref": "#/components/schemas/Environment"},
              "found": {"type": "boolean"},
              "masked": {"type": "boolean", "description": "Always true: personal data is replaced by an ellipsis."},
              "purchases": {
                "type": "array",
                "items": {
                  "type": "object",
                  "properties": {
                    "bundleId": {"$ref": "#/components/schemas/Id"},
                    "originalTransactionId": {"$ref": "#/components/schemas/Id"},
                    "now": {
                      "type": "array",
                      "items": {"type": "object", "description": "A state with the rule that decided it."}
                    },
                    "nextChange": {"description": "When a state changes without further events; null if none does."}
                  },
                  "required": ["bundleId", "originalTransactionId", "now", "nextChange"]
                }
              },
              "timeline": {
                "type": "array",
                "items": {
                  "type": "object",
                  "description": "An event; further members depend on its kind.",
                  "required": ["at", "kind", "title", "purchase"]
                }
              },
              "searched": {
                "type": "array",
                "items": {"type": "object", "required": ["topic", "partitions", "partitionCount", "offsets"]}
              },
              "gaps": {
                "type": "array",
                "items": {"type": "object", "required": ["what", "fix"]}
              }
            },
            "required": [
              "id", "kinds", "environment", "found", "masked", "purchases", "timeline", "searched", "gaps"
            ]
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
                  "stories_are_off",
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
                "description": "A message for people that names the parameter or member."
              }
            },
            "required": ["error", "message"]
          }
        }
        """#
}
