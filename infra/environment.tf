# The environment variables of the functions, in groups that follow the settings of shared/config. Secrets are not
# among them, nor is anything that loosens a check: emulators and unsigned tokens belong to local runs.

locals {
  # functions-framework's own. The platform sets it to true unless told otherwise, and the framework then puts its handler
  # in place of ours and switches off every logger that is there: nothing would be logged.
  # https://cloud.google.com/functions/docs/monitoring/logging
  framework = {
    LOG_EXECUTION_ID = "false"
  }

  environment = {
    database = {
      CBOT_PROJECT            = var.project
      CBOT_FIRESTORE_DATABASE = var.firestore_database
    }

    queues = {
      CBOT_TASKS_LOCATION        = var.region
      CBOT_TASKS_SERVICE_ACCOUNT = local.email["tasks-invoker"]
      CBOT_CHAT_QUEUE            = "chat"
      CBOT_SUPERVISOR_QUEUE      = "supervisor"
      CBOT_PLANNER_QUEUE         = "planner"
      CBOT_SESSION_MANAGER_QUEUE = "session-manager"
      CBOT_ANSWER_URL            = local.url["chat-answer-waiting"]
      CBOT_SUPERVISOR_URL        = local.url["supervisor"]
      CBOT_PLANNER_URL           = local.url["planner"]
      CBOT_SESSION_MANAGER_URL   = local.url["session-manager"]
    }

    people = {
      CBOT_ORIGINS                  = join(",", var.origins)
      CBOT_APP_CHECK                = tostring(var.app_check)
      CBOT_APP_IDS                  = join(",", var.app_ids)
      CBOT_PROJECT_NUMBER           = tostring(data.google_project.this.number)
      CBOT_MAX_WAITING_MESSAGES     = tostring(var.limits.waiting_messages)
      CBOT_MESSAGES_PER_MINUTE      = tostring(var.limits.messages_per_minute)
      CBOT_CALLS_PER_CONVERSATION   = tostring(var.limits.calls_per_conversation)
      CBOT_CONVERSATIONS_PER_HOUR   = tostring(var.limits.conversations_per_hour)
      CBOT_USER_MESSAGES_PER_MINUTE = tostring(var.limits.user_messages_per_minute)
      CBOT_USER_MESSAGES_PER_DAY    = tostring(var.limits.user_messages_per_day)
      CBOT_USER_WON_PER_DAY         = tostring(var.limits.user_won_per_day)
      CBOT_USER_EXPORTS_PER_DAY     = tostring(var.limits.user_exports_per_day)
      CBOT_USER_READS_PER_MINUTE    = tostring(var.limits.user_reads_per_minute)
      CBOT_MAX_TURNS                = tostring(var.limits.turns_per_instance)
      CBOT_OPERATOR_NAME            = var.operator.name
      CBOT_OPERATOR_CONTACT         = var.operator.contact
    }

    model = {
      GOOGLE_GENAI_USE_VERTEXAI = tostring(var.use_vertex)
      GOOGLE_CLOUD_PROJECT      = var.use_vertex ? var.project : ""
      GOOGLE_CLOUD_LOCATION     = var.use_vertex ? var.vertex_location : ""
      CBOT_MODEL                = var.model
      CBOT_FALLBACK_MODEL       = var.fallback_model
      CBOT_MODEL_PATIENCE       = tostring(var.model_patience)
    }

    telemetry = {
      CBOT_LOG_LEVEL              = "INFO" # what is counted are lines of INFO
      OTEL_EXPORTER_OTLP_ENDPOINT = var.otlp_endpoint
      OTEL_TRACES_SAMPLER_ARG     = tostring(var.sampled_traces)
    }
  }

  environment_of = {
    chat            = ["database", "queues", "people", "model", "telemetry"]
    supervisor      = ["database", "model", "telemetry"]
    planner         = ["database", "model", "telemetry"]
    session_manager = ["database", "queues", "model", "telemetry"]
  }
}
