# One deployed function for each entry point of the four staged sources (docs/decisions/0013).

locals {
  # source, entry_point   a folder below build/stage, and a function of its main.py
  # invoker               who may call it; null for everybody: chat checks Firebase's tokens itself
  # document              created documents that it is called for; null for plain HTTP
  # timeout               seconds; above the code's own deadlines, below 540 (Eventarc's limit); times the model's patience
  # concurrency           requests an instance holds at a time: nearly all of them only wait for the model
  functions = {
    chat = {
      source        = "chat"
      entry_point   = "chat"
      invoker       = null
      document      = null
      timeout       = 180
      memory        = "512Mi"
      concurrency   = 60 # Cloud Run starts another instance at some 60 % of it, before the turns (limits.turns_per_instance) are full
      min_instances = var.chat_min_instances
      max_instances = var.chat_max_instances
    }
    # Turns of one conversation, one after another. After 120 s Cloud Tasks hangs up (DISPATCH_DEADLINE); messages that
    # still wait then are its next attempt's. Erasures that a request did not finish, too.
    chat-answer-waiting = {
      source        = "chat"
      entry_point   = "answer_waiting"
      invoker       = "tasks-invoker"
      document      = null
      timeout       = 180
      memory        = "512Mi"
      concurrency   = 10
      min_instances = 0
      max_instances = 2
    }
    supervisor = {
      source        = "supervisor"
      entry_point   = "supervise"
      invoker       = "tasks-invoker"
      document      = null
      timeout       = 180
      memory        = "512Mi"
      concurrency   = 10
      min_instances = 0
      max_instances = 4
    }
    planner = {
      source        = "planner"
      entry_point   = "plan"
      invoker       = "tasks-invoker"
      document      = null
      timeout       = 180
      memory        = "512Mi"
      concurrency   = 10
      min_instances = 0
      max_instances = 2
    }
    planner-on-part-transition = {
      source        = "planner"
      entry_point   = "on_part_transition"
      invoker       = "eventarc-invoker"
      document      = "sessions/{conversation_id}/part_transitions/{transition}"
      timeout       = 180
      memory        = "512Mi"
      concurrency   = 10
      min_instances = 0
      max_instances = 4
    }
    planner-on-planner-feedback = {
      source        = "planner"
      entry_point   = "on_planner_feedback"
      invoker       = "eventarc-invoker"
      document      = "sessions/{conversation_id}/planner_feedback/{feedback}"
      timeout       = 180
      memory        = "512Mi"
      concurrency   = 10
      min_instances = 0
      max_instances = 4
    }
    session-manager = {
      source        = "session_manager"
      entry_point   = "manage_session"
      invoker       = "tasks-invoker"
      document      = null
      timeout       = 180
      memory        = "512Mi"
      concurrency   = 10
      min_instances = 0
      max_instances = 4
    }
    # One at a time, and over before the next is due: what one sweep leaves, the next one finds.
    session-manager-sweep = {
      source        = "session_manager"
      entry_point   = "sweep"
      invoker       = "scheduler-invoker"
      document      = null
      timeout       = 270
      memory        = "512Mi"
      concurrency   = 1
      min_instances = 0
      max_instances = 1
    }
  }

  # Whose rights each source's functions have.
  account_of = {
    chat            = "chat"
    supervisor      = "supervisor"
    planner         = "planner"
    session_manager = "session-manager"
  }

  # Addresses that are known before the functions exist: https://cloud.google.com/run/docs/triggering/https-request
  # The run.app form, since internal ingress lets Cloud Tasks and Cloud Scheduler in through that one:
  # https://cloud.google.com/run/docs/securing/ingress
  url = { for name in keys(local.functions) : name => "https://${name}-${data.google_project.this.number}.${var.region}.run.app" }

  # What callers' tokens may be for: that address, the older one with a hash that Eventarc's pushes name, and the
  # function's cloudfunctions.net address.
  audiences = {
    for name in keys(local.functions) : name => join(",", [
      local.url[name],
      "https://${name}-*.a.run.app",
      "https://${var.region}-${var.project}.cloudfunctions.net/${name}",
    ])
  }
}

resource "google_storage_bucket" "sources" {
  name                        = "${var.project}-cbot-sources"
  location                    = var.region
  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"

  # Old sources are rolled back to by revision, not rebuilt.
  lifecycle_rule {
    condition {
      age = 90
    }
    action {
      type = "Delete"
    }
  }

  depends_on = [google_project_service.required]
}

data "archive_file" "source" {
  for_each = local.account_of

  type        = "zip"
  source_dir  = "${path.module}/../build/stage/${each.key}"
  output_path = "${path.module}/../build/${each.key}.zip"
}

resource "google_storage_bucket_object" "source" {
  for_each = data.archive_file.source

  # A new hash is a new name, and so a new build; the same sources are not built again.
  name   = "${each.key}/${each.value.output_sha256}.zip"
  bucket = google_storage_bucket.sources.name
  source = each.value.output_path
}

resource "google_cloudfunctions2_function" "this" {
  for_each = local.functions

  name        = each.key
  location    = var.region
  description = "CBot: ${each.value.entry_point} of ${each.value.source}"

  build_config {
    # The version that the sources are locked, tested and compiled for: staged byte code of another one is not used.
    runtime         = "python311"
    entry_point     = each.value.entry_point
    service_account = google_service_account.this["build"].id

    # Makes Google's builder, which compiles the sources once more, write byte code that is not bound to file times.
    environment_variables = {
      SOURCE_DATE_EPOCH = "315532800"
    }

    source {
      storage_source {
        bucket = google_storage_bucket.sources.name
        object = google_storage_bucket_object.source[each.value.source].name
      }
    }
  }

  service_config {
    service_account_email            = google_service_account.this[local.account_of[each.value.source]].email
    timeout_seconds                  = min(ceil(each.value.timeout * var.model_patience), 540)
    available_memory                 = each.value.memory
    available_cpu                    = "1" # more than one request at a time needs a whole one
    max_instance_request_concurrency = each.value.concurrency
    min_instance_count               = each.value.min_instances
    max_instance_count               = each.value.max_instances
    all_traffic_on_latest_revision   = true

    # Cloud Tasks, Cloud Scheduler and Eventarc of this project count as internal; nobody else reaches the rest.
    ingress_settings = each.value.invoker == null ? "ALLOW_ALL" : "ALLOW_INTERNAL_ONLY"

    # An empty value would be a set variable to some library.
    environment_variables = {
      for name, value in merge({
        CBOT_INVOKERS  = local.email[coalesce(each.value.invoker, "tasks-invoker")]
        CBOT_AUDIENCES = local.audiences[each.key]
        # Where IAM guards a service, Cloud Run checks a token's signature and takes it away. Never for the public one:
        # there a token without a signature could be anybody's.
        CBOT_INVOKERS_BEHIND_IAM = each.value.invoker == null ? "" : "true"
      }, local.framework, [for group in local.environment_of[each.value.source] : local.environment[group]]...) : name => value if value != ""
    }

    dynamic "secret_environment_variables" {
      for_each = var.use_vertex ? [] : ["GEMINI_API_KEY"]
      content {
        key        = secret_environment_variables.value
        project_id = var.project
        secret     = google_secret_manager_secret.gemini_api_key.secret_id
        version    = var.gemini_api_key_version
      }
    }
  }

  dynamic "event_trigger" {
    for_each = each.value.document == null ? [] : [each.value.document]
    content {
      # Eventarc takes Firestore's events where the database is, which need not be the functions' region.
      trigger_region        = var.firestore_location
      event_type            = "google.cloud.firestore.document.v1.created"
      retry_policy          = "RETRY_POLICY_RETRY"
      service_account_email = local.email[each.value.invoker]

      event_filters {
        attribute = "database"
        value     = google_firestore_database.this.name
      }
      event_filters {
        attribute = "namespace"
        value     = "(default)"
      }
      event_filters {
        attribute = "document"
        value     = event_trigger.value
        operator  = "match-path-pattern"
      }
    }
  }

  # A revision starts with its rights, or its first requests fail.
  depends_on = [
    google_project_iam_member.granted,
    google_project_iam_member.database,
    google_project_iam_member.vertex,
    google_secret_manager_secret_iam_member.gemini_api_key,
  ]
}

resource "google_cloud_run_v2_service_iam_member" "invoker" {
  for_each = local.functions

  name     = google_cloudfunctions2_function.this[each.key].name
  location = var.region
  role     = "roles/run.invoker"
  member   = each.value.invoker == null ? "allUsers" : "serviceAccount:${local.email[each.value.invoker]}"
}
