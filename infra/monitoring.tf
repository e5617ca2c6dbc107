# What is counted from the log lines (docs/observability.md), and when somebody is told (docs/operations.md, "Alarms").

locals {
  service = "resource.type=\"cloud_run_revision\""

  # filter   beside the resource; labels are fields of the line
  log_metrics = {
    turns = {
      description = "Turns that were answered"
      filter      = "jsonPayload.event=\"turn\""
      labels      = []
    }
    sessions_completed = {
      description = "Sessions that their users ended, by talking or by the button"
      filter      = "jsonPayload.event=\"session_completed\""
      labels      = []
    }
    degraded_turns = {
      description = "Turns answered without the model that should have answered"
      filter      = "jsonPayload.event=\"turn\" AND jsonPayload.degraded=true"
      labels      = []
    }
    safe_defaults = {
      description = "Agents whose model failed and whose safe default held"
      filter      = "jsonPayload.event=\"agent\" AND jsonPayload.decided_by=\"safe_default\""
      labels      = ["agent"]
    }
    model_refusals = {
      description = "The provider refuses a model, a request, the key or the location: somebody must change a setting"
      filter      = "jsonPayload.event=\"model_refused\""
      labels      = ["model"]
    }
    crises = {
      description = "Turns that the crisis protocol answered, and messages of danger after a session's end"
      filter      = "jsonPayload.event=\"crisis_detected\""
      labels      = ["level"]
    }
    red_items = {
      description = "Replies that the supervisor says must not happen"
      filter      = "jsonPayload.event=\"red_item\""
      labels      = []
    }
    given_up = {
      description = "Jobs that were given up: no answer of the model was of use"
      filter      = "jsonPayload.event=\"job\" AND jsonPayload.result=\"given_up\""
      labels      = ["kind"]
    }
    left_due = {
      description = "Jobs that their last attempt did not get done and that are left to the sweep"
      filter      = "jsonPayload.event=\"job\" AND jsonPayload.result=\"left_due\""
      labels      = ["kind"]
    }
    poison = {
      description = "Tasks and events that no attempt could do"
      filter      = "jsonPayload.event=(\"task_poison\" OR \"event_poison\" OR \"transition_unknown\")"
      labels      = ["kind"]
    }
    defects = {
      description = "Errors that the code did not foresee"
      filter      = "jsonPayload.event=(\"turn_broke\" OR \"flow_broke\" OR \"commit_broke\" OR \"request_broke\" OR \"job_broke\" OR \"misconfigured\")"
      labels      = ["event"]
    }
    unstructured_errors = {
      description = "Errors of the platform or of a start that failed: memory, settings, imports"
      filter      = "severity>=ERROR AND NOT jsonPayload.event:*"
      labels      = []
    }
    sweeps = {
      description = "Sweeps that came to their end"
      filter      = "jsonPayload.event=\"sweep\""
      labels      = []
    }
  }

  user_metric = {
    for name, metric in google_logging_metric.this : name => "metric.type=\"logging.googleapis.com/user/${metric.name}\" AND ${local.service}"
  }

  # above      opens the alarm when the value stays over it for `lasting`; of a count within `window`, or of its share in `of`
  # aligner    how points become one a window; reducer: how series become one, by `by`
  alarms = {
    server-errors = {
      severity = "CRITICAL"
      filter   = "metric.type=\"run.googleapis.com/request_count\" AND ${local.service} AND resource.labels.service_name=\"chat\" AND metric.labels.response_code_class=\"5xx\""
      of       = "metric.type=\"run.googleapis.com/request_count\" AND ${local.service} AND resource.labels.service_name=\"chat\""
      aligner  = "ALIGN_DELTA"
      by       = []
      above    = 0.02
      window   = "300s"
      lasting  = "300s"
    }
    degraded-turns = {
      severity = "CRITICAL"
      filter   = local.user_metric["degraded_turns"]
      of       = local.user_metric["turns"]
      aligner  = "ALIGN_DELTA"
      by       = []
      above    = 0.05
      window   = "300s"
      lasting  = "300s"
    }
    safe-defaults = {
      severity = "WARNING"
      filter   = local.user_metric["safe_defaults"]
      of       = local.user_metric["turns"]
      aligner  = "ALIGN_DELTA"
      by       = []
      above    = 0.2
      window   = "600s"
      lasting  = "600s"
    }
    model-refused = {
      severity = "CRITICAL"
      filter   = local.user_metric["model_refusals"]
      of       = null
      aligner  = "ALIGN_DELTA"
      by       = ["metric.label.model"]
      above    = 0
      window   = "3600s" # the line comes again every half hour while the problem lasts
      lasting  = "0s"
    }
    slow-turns = {
      severity = "WARNING"
      filter   = "metric.type=\"logging.googleapis.com/user/${google_logging_metric.turn_ms.name}\" AND ${local.service}"
      of       = null
      aligner  = "ALIGN_PERCENTILE_95"
      by       = []
      above    = 20000
      window   = "600s"
      lasting  = "600s"
    }
    defects = {
      severity = "ERROR"
      filter   = local.user_metric["defects"]
      of       = null
      aligner  = "ALIGN_DELTA"
      by       = ["metric.label.event"]
      above    = 0
      window   = "300s"
      lasting  = "0s"
    }
    unstructured-errors = {
      severity = "ERROR"
      filter   = local.user_metric["unstructured_errors"]
      of       = null
      aligner  = "ALIGN_DELTA"
      by       = ["resource.label.service_name"]
      above    = 2
      window   = "300s"
      lasting  = "0s"
    }
    given-up = {
      severity = "ERROR"
      filter   = local.user_metric["given_up"]
      of       = null
      aligner  = "ALIGN_DELTA"
      by       = ["metric.label.kind"]
      above    = 0
      window   = "600s"
      lasting  = "0s"
    }
    left-due = {
      severity = "WARNING"
      filter   = local.user_metric["left_due"]
      of       = null
      aligner  = "ALIGN_DELTA"
      by       = ["metric.label.kind"]
      above    = 20
      window   = "600s"
      lasting  = "0s"
    }
    poison = {
      severity = "ERROR"
      filter   = local.user_metric["poison"]
      of       = null
      aligner  = "ALIGN_DELTA"
      by       = ["metric.label.kind"]
      above    = 0
      window   = "600s"
      lasting  = "0s"
    }
    queue-depth = {
      severity = "WARNING"
      filter   = "metric.type=\"cloudtasks.googleapis.com/queue/depth\" AND resource.type=\"cloud_tasks_queue\""
      of       = null
      aligner  = "ALIGN_MAX"
      by       = ["resource.label.queue_id"]
      above    = 500
      window   = "300s"
      lasting  = "600s"
    }
    # Cloud Tasks tells no age of its oldest task: how late attempts begin is the nearest it has.
    queue-delay = {
      severity = "WARNING"
      filter   = "metric.type=\"cloudtasks.googleapis.com/queue/task_attempt_delays\" AND resource.type=\"cloud_tasks_queue\""
      of       = null
      aligner  = "ALIGN_PERCENTILE_95"
      by       = ["resource.label.queue_id"]
      above    = 300000
      window   = "300s"
      lasting  = "600s"
    }
    crises = {
      severity = "WARNING"
      filter   = local.user_metric["crises"]
      of       = null
      aligner  = "ALIGN_DELTA"
      by       = []
      above    = var.crises_an_hour
      window   = "3600s"
      lasting  = "0s"
    }
    red-items = {
      severity = "WARNING"
      filter   = local.user_metric["red_items"]
      of       = null
      aligner  = "ALIGN_DELTA"
      by       = []
      above    = 0
      window   = "600s"
      lasting  = "0s"
    }
  }
}

resource "google_logging_metric" "this" {
  for_each = local.log_metrics

  name        = "cbot/${each.key}"
  description = each.value.description
  filter      = "${local.service} AND ${each.value.filter}"

  metric_descriptor {
    metric_kind = "DELTA"
    value_type  = "INT64"

    dynamic "labels" {
      for_each = each.value.labels
      content {
        key        = labels.value
        value_type = "STRING"
      }
    }
  }

  label_extractors = { for label in each.value.labels : label => "EXTRACT(jsonPayload.${label})" }

  depends_on = [google_project_service.required]
}

resource "google_logging_metric" "turn_ms" {
  name            = "cbot/turn_ms"
  description     = "Milliseconds of a turn, from its claim to its commit"
  filter          = "${local.service} AND jsonPayload.event=\"turn\""
  value_extractor = "EXTRACT(jsonPayload.total_ms)"

  metric_descriptor {
    metric_kind = "DELTA"
    value_type  = "DISTRIBUTION"
    unit        = "ms"
  }

  bucket_options {
    exponential_buckets {
      num_finite_buckets = 24
      growth_factor      = 1.5
      scale              = 100
    }
  }

  depends_on = [google_project_service.required]
}

# A distribution, since a counter only counts lines: its sum is the money.
resource "google_logging_metric" "cost_krw" {
  name            = "cbot/cost_krw"
  description     = "Won of the model's calls, turns and background jobs, at the prices of shared/config/models.yaml"
  filter          = "${local.service} AND jsonPayload.event=\"agent\" AND jsonPayload.cost_krw>0"
  value_extractor = "EXTRACT(jsonPayload.cost_krw)"

  metric_descriptor {
    metric_kind = "DELTA"
    value_type  = "DISTRIBUTION"
    unit        = "{KRW}" # an annotation: UCUM has no unit of money

    labels {
      key        = "agent"
      value_type = "STRING"
    }
  }

  label_extractors = { agent = "EXTRACT(jsonPayload.agent)" }

  bucket_options {
    exponential_buckets {
      num_finite_buckets = 20
      growth_factor      = 2
      scale              = 0.1
    }
  }

  depends_on = [google_project_service.required]
}

# What one looks at beside the alarms; dashboard.json is the API's own form (projects.dashboards, v1).
resource "google_monitoring_dashboard" "overview" {
  dashboard_json = file("${path.module}/dashboard.json")

  depends_on = [google_logging_metric.this, google_logging_metric.turn_ms, google_logging_metric.cost_krw]
}

resource "google_monitoring_notification_channel" "email" {
  for_each = var.alert_emails

  display_name = "CBot: ${each.value}"
  type         = "email"
  labels = {
    email_address = each.value
  }
}

resource "google_monitoring_alert_policy" "alarm" {
  for_each = local.alarms

  display_name          = "CBot: ${each.key}"
  combiner              = "OR"
  severity              = each.value.severity
  notification_channels = [for channel in google_monitoring_notification_channel.email : channel.id]

  documentation {
    mime_type = "text/markdown"
    content   = "docs/operations.md, \"${each.key}\" under \"Alarms\", says what to do."
  }

  conditions {
    display_name = each.key

    condition_threshold {
      filter                  = each.value.filter
      denominator_filter      = each.value.of
      comparison              = "COMPARISON_GT"
      threshold_value         = each.value.above
      duration                = each.value.lasting
      evaluation_missing_data = each.value.lasting == "0s" ? null : "EVALUATION_MISSING_DATA_INACTIVE"

      aggregations {
        alignment_period     = each.value.window
        per_series_aligner   = each.value.aligner
        cross_series_reducer = each.value.aligner == "ALIGN_DELTA" ? "REDUCE_SUM" : "REDUCE_MAX"
        group_by_fields      = each.value.by
      }

      dynamic "denominator_aggregations" {
        for_each = each.value.of == null ? [] : [1]
        content {
          alignment_period     = each.value.window
          per_series_aligner   = "ALIGN_DELTA"
          cross_series_reducer = "REDUCE_SUM"
        }
      }
    }
  }

  alert_strategy {
    auto_close = "3600s"
  }
}

resource "google_monitoring_alert_policy" "silent_sweep" {
  display_name          = "CBot: silent-sweep"
  combiner              = "OR"
  severity              = "ERROR"
  notification_channels = [for channel in google_monitoring_notification_channel.email : channel.id]

  documentation {
    mime_type = "text/markdown"
    content   = "docs/operations.md, \"silent-sweep\" under \"Alarms\", says what to do."
  }

  conditions {
    display_name = "silent-sweep"

    # Six sweeps missed.
    condition_absent {
      filter   = local.user_metric["sweeps"]
      duration = "1800s"

      aggregations {
        alignment_period     = "300s"
        per_series_aligner   = "ALIGN_DELTA"
        cross_series_reducer = "REDUCE_SUM"
      }
    }
  }
}

resource "google_billing_budget" "month" {
  billing_account = var.billing_account
  display_name    = "CBot ${var.project}"

  budget_filter {
    projects        = ["projects/${data.google_project.this.number}"]
    calendar_period = "MONTH"
  }

  amount {
    specified_amount {
      currency_code = "KRW"
      units         = tostring(var.monthly_budget_won)
    }
  }

  threshold_rules {
    threshold_percent = 0.5
  }
  threshold_rules {
    threshold_percent = 0.9
  }
  threshold_rules {
    threshold_percent = 1.0
  }
  threshold_rules {
    threshold_percent = 1.0
    spend_basis       = "FORECASTED_SPEND"
  }

  # A budget takes five channels at most: https://cloud.google.com/billing/docs/how-to/budgets-notification-recipients
  all_updates_rule {
    monitoring_notification_channels = slice([for channel in google_monitoring_notification_channel.email : channel.id], 0, min(5, length(var.alert_emails)))
  }

  depends_on = [google_project_service.required]
}
