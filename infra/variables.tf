variable "project" {
  description = "Google Cloud project id; the Firebase project is the same. One project an environment."
  type        = string

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{4,28}[a-z0-9]$", var.project))
    error_message = "A project id has 6 to 30 lower-case letters, digits and hyphens, beginning with a letter."
  }
}

variable "environment" {
  description = "dev or prod: prod keeps the database from being deleted and its past readable for seven days."
  type        = string

  validation {
    condition     = contains(["dev", "prod"], var.environment)
    error_message = "dev or prod."
  }
}

variable "region" {
  description = "Where functions, queues, schedule and sources are."
  type        = string
  default     = "asia-northeast3"

  validation {
    condition     = can(regex("^[a-z]+-[a-z]+[0-9]+$", var.region))
    error_message = "A region such as asia-northeast3; no zone, no multi-region."
  }
}

variable "firestore_location" {
  description = "Where the database is; cannot be changed later. A region, or the multi-region nam5 or eur3. The triggers live there too."
  type        = string
  default     = "asia-northeast3"

  validation {
    condition     = can(regex("^([a-z]+-[a-z]+[0-9]+|nam5|eur3)$", var.firestore_location))
    error_message = "A region such as asia-northeast3, or nam5 or eur3."
  }
}

variable "firestore_database" {
  description = "The database's id. A named one is not covered by `firebase deploy` and the Firebase console's default view."
  type        = string
  default     = "(default)"
}

variable "origins" {
  description = "Web origins that may call chat from a browser, e.g. https://PROJECT.web.app."
  type        = list(string)

  validation {
    condition     = alltrue([for origin in var.origins : can(regex("^https://[^/*]+$", origin))])
    error_message = "Each is https:// and a host, without path or wildcard."
  }
}

variable "app_check" {
  description = "Whether chat refuses callers that are not the registered apps (Firebase App Check). The page sends its token if app_check_site_key is set."
  type        = bool
  default     = false
}

variable "app_check_site_key" {
  description = "The page's site key of reCAPTCHA Enterprise, as registered in App Check; empty: the page sends no App Check token."
  type        = string
  default     = ""

  validation {
    condition     = can(regex("^[A-Za-z0-9_-]*$", var.app_check_site_key))
    error_message = "Letters, digits, - and _, or empty."
  }
}

variable "google_sign_in" {
  description = "Whether the page offers to link a Google account; the provider is enabled by hand (docs/operations.md)."
  type        = bool
  default     = false
}

variable "app_ids" {
  description = "With app_check, the registered apps that may call, e.g. 1:123456789012:web:0123456789abcdef; empty for all of the project."
  type        = list(string)
  default     = []

  validation {
    condition     = alltrue([for id in var.app_ids : can(regex("^1:[0-9]+:(web|ios|android):[0-9a-f]+$", id))])
    error_message = "Each is an app's id as Firebase shows it: 1:PROJECT_NUMBER:web:HASH."
  }
}

variable "use_vertex" {
  description = "Call the model through Vertex AI with the functions' own accounts; otherwise with the key in Secret Manager."
  type        = bool
  default     = false
}

variable "vertex_location" {
  description = "Where Vertex AI serves the model; looked at with use_vertex only."
  type        = string
  default     = "global"
}

variable "gemini_api_key_version" {
  description = "Which version of the secret gemini-api-key the functions use. A number, so that a rotation is a revision that can be rolled back."
  type        = string
  default     = "1"

  validation {
    condition     = can(regex("^[1-9][0-9]*$", var.gemini_api_key_version))
    error_message = "A version number; `latest` would change under running instances."
  }
}

variable "model" {
  description = "One model for all agents; empty for shared/config/agents.yaml."
  type        = string
  default     = ""
}

variable "fallback_model" {
  description = "A second model for the Counselor when the first fails; empty for none."
  type        = string
  default     = ""
}

variable "model_patience" {
  description = "Factor of every deadline that waits for a model, for a slow one; above 1 no reply begins early. A function ends after 540 s."
  type        = number
  default     = 1

  validation {
    condition     = var.model_patience >= 1 && var.model_patience <= 4
    error_message = "From 1 to 4."
  }
}

variable "limits" {
  description = "What is refused politely. Of a conversation: messages waiting, messages a minute, model calls. Of a user: new conversations an hour; messages and reads a minute (an instance); messages, won of model calls and exports a day (Asia/Seoul). Of an instance: turns at a time."
  type = object({
    waiting_messages         = optional(number, 5)
    messages_per_minute      = optional(number, 30)
    calls_per_conversation   = optional(number, 3000)
    conversations_per_hour   = optional(number, 30)
    user_messages_per_minute = optional(number, 60)
    user_messages_per_day    = optional(number, 500)
    user_won_per_day         = optional(number, 5000)
    user_exports_per_day     = optional(number, 20)
    user_reads_per_minute    = optional(number, 300)
    turns_per_instance       = optional(number, 40)
  })
  default = {}
}

variable "operator" {
  description = "Who runs the service, and how to reach whoever answers for people's data: both are named in what people consent to (PIPA art. 15, 28-8)."
  type        = object({ name = string, contact = string })

  validation {
    condition     = trimspace(var.operator.name) != "" && trimspace(var.operator.contact) != ""
    error_message = "A name and a contact: people are told whom they trust with what they say."
  }
}

variable "otlp_endpoint" {
  description = "An OpenTelemetry collector for spans and metrics, OTLP over HTTP, that takes them without a token; empty for log lines only."
  type        = string
  default     = ""

  validation {
    condition     = var.otlp_endpoint == "" || can(regex("^https?://[^/]+(/.*)?$", var.otlp_endpoint))
    error_message = "An http or https address, or empty."
  }
}

variable "sampled_traces" {
  description = "Share of the traces whose spans are exported, 0 to 1."
  type        = number
  default     = 0.1

  validation {
    condition     = var.sampled_traces >= 0 && var.sampled_traces <= 1
    error_message = "From 0 to 1."
  }
}

variable "chat_min_instances" {
  description = "Instances of chat that are always warm; 0 pays nothing at night and lets the first person wait for a cold start."
  type        = number
  default     = 0

  validation {
    condition     = var.chat_min_instances >= 0
    error_message = "0 or more."
  }
}

variable "chat_max_instances" {
  description = "The most instances of chat; with 40 turns each it bounds the model's quota and the bill."
  type        = number
  default     = 10

  validation {
    condition     = var.chat_max_instances >= 1
    error_message = "1 or more."
  }
}

variable "queue_rates" {
  description = "How fast each queue hands out its tasks: what the model's quota leaves to background work."
  type = map(object({
    per_second = number
    concurrent = number
  }))
  default = {
    chat            = { per_second = 5, concurrent = 10 }
    supervisor      = { per_second = 5, concurrent = 20 }
    planner         = { per_second = 2, concurrent = 10 }
    session-manager = { per_second = 5, concurrent = 20 }
  }

  validation {
    condition     = toset(keys(var.queue_rates)) == toset(["chat", "supervisor", "planner", "session-manager"])
    error_message = "One entry each for chat, supervisor, planner and session-manager."
  }
}

variable "alert_emails" {
  description = "Who is told when an alarm opens."
  type        = set(string)

  validation {
    condition     = length(var.alert_emails) > 0 && alltrue([for email in var.alert_emails : can(regex("^[^@\\s]+@[^@\\s]+$", email))])
    error_message = "At least one e-mail address."
  }
}

variable "billing_account" {
  description = "The billing account the project is charged to, XXXXXX-XXXXXX-XXXXXX; it must bill in won."
  type        = string

  validation {
    condition     = can(regex("^[0-9A-F]{6}-[0-9A-F]{6}-[0-9A-F]{6}$", var.billing_account))
    error_message = "XXXXXX-XXXXXX-XXXXXX, in capitals and digits."
  }
}

variable "monthly_budget_won" {
  description = "Korean won a month; told at half, at nine tenths, when reached, and when the forecast passes it. A budget warns, it stops nothing."
  type        = number

  validation {
    condition     = var.monthly_budget_won >= 1000 && floor(var.monthly_budget_won) == var.monthly_budget_won
    error_message = "A whole number of won, 1,000 or more."
  }
}

variable "crises_an_hour" {
  description = "More turns that the crisis protocol answered within an hour than this are told: an event outside, or a rule gone wrong."
  type        = number
  default     = 20

  validation {
    condition     = var.crises_an_hour >= 1
    error_message = "1 or more."
  }
}
