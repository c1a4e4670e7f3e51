extension OpenAPIDocument {
    /// Requests by path, and their responses by status.
    static let paths = #"""
        {
          "/v1/entitlements": {
            "get": {
              "operationId": "getEntitlements",
              "summary": "What an account or a purchase may use, now or at a moment.",
              "parameters": [
                {"$ref": "#/components/parameters/appAccountToken"},
                {"$ref": "#/components/parameters/originalTransactionId"},
                {"$ref": "#/components/parameters/appTransactionId"},
                {"$ref": "#/components/parameters/transactionId"},
                {"$ref": "#/components/parameters/environment"},
                {"$ref": "#/components/parameters/bundleId"},
                {"$ref": "#/components/parameters/at"},
                {"$ref": "#/components/parameters/If-None-Match"}
              ],
              "responses": {
                "200": {
                  "description": "The answer; empty where nothing is known.",
                  "content": {
                    "application/json": {
                      "schema": {
                        "$ref": "#/components/schemas/Entitlements"
                      }
                    }
                  },
                  "headers": {
                    "ETag": {
                      "schema": {
                        "type": "string"
                      },
                      "required": true
                    }
                  }
                },
                "304": {
                  "$ref": "#/components/responses/NotModified"
                },
                "400": {"$ref": "#/components/responses/BadRequest"},
                "401": {
                  "$ref": "#/components/responses/Unauthorized"
                },
                "413": {"$ref": "#/components/responses/TooLarge"},
                "422": {
                  "$ref": "#/components/responses/TooManyPurchases"
                },
                "503": {
                  "$ref": "#/components/responses/Unavailable"
                }
              }
            }
          },
          "/v1/entitlements/query": {
            "post": {
              "operationId": "queryEntitlements",
              "summary": "The same of up to 100 subjects, of one state of the database.",
              "requestBody": {
                "required": true,
                "content": {
                  "application/json": {
                    "schema": {
                      "type": "object",
                      "properties": {
                        "subjects": {
                          "type": "array",
                          "items": {
                            "$ref": "#/components/schemas/Subject"
                          },
                          "minItems": 1,
                          "maxItems": 100
                        },
                        "environment": {
                          "type": "string",
                          "enum": [
                            "Production",
                            "Sandbox",
                            "all"
                          ],
                          "default": "Production"
                        },
                        "bundleId": {
                          "$ref": "#/components/schemas/Text"
                        },
                        "at": {
                          "anyOf": [
                            {"type": "string", "format": "date-time"},
                            {
                              "type": "integer",
                              "format": "int64",
                              "minimum": -62167219200000,
                              "maximum": 253402300799999
                            }
                          ]
                        }
                      },
                      "required": [
                        "subjects"
                      ],
                      "additionalProperties": false
                    }
                  }
                }
              },
              "responses": {
                "200": {
                  "description": "An answer for each subject, in their order.",
                  "content": {
                    "application/json": {
                      "schema": {
                        "type": "object",
                        "properties": {
                          "answers": {
                            "type": "array",
                            "items": {
                              "$ref": "#/components/schemas/Entitlements"
                            }
                          }
                        },
                        "required": [
                          "answers"
                        ]
                      }
                    }
                  }
                },
                "400": {
                  "$ref": "#/components/responses/BadRequest"
                },
                "401": {
                  "$ref": "#/components/responses/Unauthorized"
                },
                "413": {
                  "$ref": "#/components/responses/TooLarge"
                },
                "422": {
                  "$ref": "#/components/responses/TooManyPurchases"
                },
                "503": {
                  "$ref": "#/components/responses/Unavailable"
                }
              }
            }
          },
          "/v1/history": {
            "get": {
              "operationId": "getHistory",
              "summary": "What happened to the purchases of an account, and the last 12 notifications of each.",
              "parameters": [
                {"$ref": "#/components/parameters/appAccountToken"},
                {"$ref": "#/components/parameters/originalTransactionId"},
                {"$ref": "#/components/parameters/appTransactionId"},
                {"$ref": "#/components/parameters/transactionId"},
                {"$ref": "#/components/parameters/environment"},
                {"$ref": "#/components/parameters/bundleId"},
                {"$ref": "#/components/parameters/If-None-Match"}
              ],
              "responses": {
                "200": {
                  "description": "The history; empty where nothing is known.",
                  "content": {
                    "application/json": {
                      "schema": {
                        "$ref": "#/components/schemas/History"
                      }
                    }
                  },
                  "headers": {
                    "ETag": {
                      "schema": {
                        "type": "string"
                      },
                      "required": true
                    }
                  }
                },
                "304": {"$ref": "#/components/responses/NotModified"},
                "400": {"$ref": "#/components/responses/BadRequest"},
                "401": {"$ref": "#/components/responses/Unauthorized"},
                "413": {"$ref": "#/components/responses/TooLarge"},
                "422": {
                  "$ref": "#/components/responses/TooManyPurchases"
                },
                "503": {"$ref": "#/components/responses/Unavailable"}
              }
            }
          },
          "/v1/purchases": {
            "get": {
              "operationId": "listPurchases",
              "summary": "Purchases of one environment, page by page, by key.",
              "parameters": [
                {
                  "name": "environment",
                  "in": "query",
                  "schema": {"type": "string", "enum": ["Production", "Sandbox"], "default": "Production"}
                },
                {
                  "name": "unclaimed",
                  "in": "query",
                  "schema": {"type": "boolean", "default": false},
                  "description": "Only those that belong to no account."
                },
                {
                  "name": "after",
                  "in": "query",
                  "schema": {"$ref": "#/components/schemas/Text"},
                  "description": "Only after this key: `next` of the page before."
                },
                {
                  "name": "limit",
                  "in": "query",
                  "schema": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100}
                }
              ],
              "responses": {
                "200": {
                  "description": "A page.",
                  "content": {
                    "application/json": {
                      "schema": {
                        "$ref": "#/components/schemas/Purchases"
                      }
                    }
                  }
                },
                "400": {"$ref": "#/components/responses/BadRequest"},
                "401": {"$ref": "#/components/responses/Unauthorized"},
                "413": {"$ref": "#/components/responses/TooLarge"},
                "503": {"$ref": "#/components/responses/Unavailable"}
              }
            }
          },
          "/v1/transactions": {
            "post": {
              "operationId": "addTransaction",
              "summary": "Takes a transaction that Apple signed, from an app, and answers with what it gives.",
              "description": "Needs a full key, and apps in the configuration. The transaction is verified like a \#
        notification. One of an unknown purchase that was signed longer ago than entitlements.upload.age, or under a \#
        certificate that has expired, is confirmed by Apple where there is a key of its API. What is taken is in Kafka \#
        before the answer.",
              "requestBody": {
                "required": true,
                "content": {
                  "application/json": {
                    "schema": {
                      "type": "object",
                      "properties": {
                        "signedTransactionInfo": {
                          "type": "string",
                          "minLength": 1,
                          "description": "Compact JWS: StoreKit's jwsRepresentation of the transaction."
                        },
                        "signedRenewalInfo": {
                          "type": "string",
                          "minLength": 1,
                          "description": "Compact JWS of the same purchase."
                        },
                        "environment": {
                          "type": "string",
                          "enum": ["Production", "Sandbox", "all"],
                          "default": "Production",
                          "description": "The environments that the caller gives access for."
                        },
                        "appAccountToken": {
                          "type": "string",
                          "format": "uuid",
                          "description": "The account that the purchase is to belong to, where it belongs to none. \#
        Needs entitlements.changes=true."
                        }
                      },
                      "required": [
                        "signedTransactionInfo"
                      ],
                      "additionalProperties": false
                    }
                  }
                }
              },
              "responses": {
                "200": {
                  "description": "The entitlements of its purchase.",
                  "content": {
                    "application/json": {
                      "schema": {
                        "$ref": "#/components/schemas/Entitlements"
                      }
                    }
                  }
                },
                "400": {
                  "$ref": "#/components/responses/BadRequest"
                },
                "401": {
                  "$ref": "#/components/responses/Unauthorized"
                },
                "403": {"$ref": "#/components/responses/Forbidden"},
                "409": {"$ref": "#/components/responses/Conflict"},
                "413": {"$ref": "#/components/responses/TooLarge"},
                "422": {
                  "description": "Not signed by Apple for a configured app (not_verified), not as documented \#
        (not_readable), of an environment that the app or the request does not have (other_environment), too old \#
        (too_old), under an expired certificate (certificate_expired), or unknown to Apple (not_confirmed).",
                  "content": {
                    "application/json": {
                      "schema": {
                        "$ref": "#/components/schemas/Problem"
                      }
                    }
                  }
                },
                "503": {
                  "$ref": "#/components/responses/Unavailable"
                }
              }
            }
          },
          "/v1/claims": {
            "post": {
              "operationId": "claimPurchase",
              "summary": "Says to which account a purchase belongs.",
              "description": "Needs a full key and entitlements.changes=true. It may come before the first \#
        notification of the purchase. A purchase of another account moves only with transfer and \#
        signedTransactionInfo together.",
              "requestBody": {
                "required": true,
                "content": {
                  "application/json": {
                    "schema": {
                      "type": "object",
                      "properties": {
                        "environment": {
                          "$ref": "#/components/schemas/Environment"
                        },
                        "bundleId": {
                          "$ref": "#/components/schemas/Text"
                        },
                        "originalTransactionId": {
                          "$ref": "#/components/schemas/Text"
                        },
                        "appAccountToken": {
                          "type": "string",
                          "format": "uuid"
                        },
                        "transfer": {
                          "type": "boolean",
                          "default": false,
                          "description": "Whether the purchase moves from the account that it has."
                        },
                        "signedTransactionInfo": {
                          "type": "string",
                          "minLength": 1,
                          "description": "Compact JWS of a transaction of the purchase: the proof of possession that \#
        transfer needs."
                        }
                      },
                      "required": [
                        "bundleId",
                        "originalTransactionId",
                        "appAccountToken"
                      ],
                      "additionalProperties": false
                    }
                  }
                }
              },
              "responses": {
                "200": {
                  "description": "The purchase is the account's.",
                  "content": {
                    "application/json": {
                      "schema": {
                        "$ref": "#/components/schemas/Changed"
                      }
                    }
                  }
                },
                "400": {"$ref": "#/components/responses/BadRequest"},
                "401": {"$ref": "#/components/responses/Unauthorized"},
                "403": {"$ref": "#/components/responses/Forbidden"},
                "404": {"$ref": "#/components/responses/NotFound"},
                "409": {"$ref": "#/components/responses/Conflict"},
                "413": {"$ref": "#/components/responses/TooLarge"},
                "422": {
                  "description": "The signed transaction does not prove it: not Apple's, of another purchase \#
        (not_verified), or under an expired certificate (certificate_expired).",
                  "content": {
                    "application/json": {
                      "schema": {
                        "$ref": "#/components/schemas/Problem"
                      }
                    }
                  }
                },
                "503": {"$ref": "#/components/responses/Unavailable"}
              }
            }
          },
          "/v1/erasures": {
            "post": {
              "operationId": "erasePurchase",
              "summary": "Forgets everything about a purchase, permanently.",
              "description": "Needs a full key and entitlements.changes=true.",
              "requestBody": {
                "required": true,
                "content": {
                  "application/json": {
                    "schema": {
                      "type": "object",
                      "properties": {
                        "environment": {
                          "$ref": "#/components/schemas/Environment"
                        },
                        "bundleId": {
                          "$ref": "#/components/schemas/Text"
                        },
                        "originalTransactionId": {
                          "$ref": "#/components/schemas/Text"
                        }
                      },
                      "required": [
                        "bundleId",
                        "originalTransactionId"
                      ],
                      "additionalProperties": false
                    }
                  }
                }
              },
              "responses": {
                "200": {
                  "description": "Everything is erased.",
                  "content": {
                    "application/json": {
                      "schema": {
                        "$ref": "#/components/schemas/Changed"
                      }
                    }
                  }
                },
                "400": {"$ref": "#/components/responses/BadRequest"},
                "401": {"$ref": "#/components/responses/Unauthorized"},
                "403": {"$ref": "#/components/responses/Forbidden"},
                "404": {"$ref": "#/components/responses/NotFound"},
                "413": {"$ref": "#/components/responses/TooLarge"},
                "503": {"$ref": "#/components/responses/Unavailable"}
              }
            }
          },
          "/v1/openapi.json": {
            "get": {
              "operationId": "getOpenAPI",
              "summary": "This document. Needs no key.",
              "security": [],
              "parameters": [{"$ref": "#/components/parameters/If-None-Match"}],
              "responses": {
                "200": {
                  "description": "OpenAPI 3.1.",
                  "headers": {
                    "ETag": {
                      "schema": {
                        "type": "string"
                      },
                      "required": true
                    }
                  },
                  "content": {
                    "application/json": {
                      "schema": {
                        "type": "object"
                      }
                    }
                  }
                },
                "304": {
                  "$ref": "#/components/responses/NotModified"
                },
                "413": {
                  "description": "There is a body where none belongs."
                }
              }
            }
          }
        }
        """#
}
