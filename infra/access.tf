# Who may do what: an account a function, one for each kind of caller, one that builds. No keys are made for any.

locals {
  accounts = {
    chat              = "CBot: the function chat"
    supervisor        = "CBot: the function supervisor"
    planner           = "CBot: the function planner"
    session-manager   = "CBot: the function session_manager"
    tasks-invoker     = "CBot: signs Cloud Tasks' calls"
    eventarc-invoker  = "CBot: signs Eventarc's calls"
    scheduler-invoker = "CBot: signs Cloud Scheduler's calls"
    build             = "CBot: builds the functions' containers"
  }
  email = { for name, account in google_service_account.this : name => account.email }

  # Roles on the whole project; all others are for one resource.
  project_roles = {
    chat             = ["roles/logging.logWriter"]
    supervisor       = ["roles/logging.logWriter"]
    planner          = ["roles/logging.logWriter"]
    session-manager  = ["roles/logging.logWriter"]
    eventarc-invoker = ["roles/eventarc.eventReceiver"]
    # https://cloud.google.com/functions/docs/securing/build-custom-sa
    build = ["roles/logging.logWriter", "roles/artifactregistry.writer", "roles/storage.objectViewer"]
  }
  grants = merge([
    for account, roles in local.project_roles : { for role in roles : "${account} ${role}" => { account = account, role = role } }
  ]...)

  # Into which queues each function puts tasks: chat what a turn makes due, the sweep whatever was left undone.
  enqueues = {
    chat            = ["supervisor", "planner", "session-manager"]
    session-manager = ["chat", "supervisor", "planner", "session-manager"]
  }
  enqueuers = merge([
    for account, queues in local.enqueues : { for queue in queues : "${account} ${queue}" => { account = account, queue = queue } }
  ]...)
}

resource "google_service_account" "this" {
  for_each = local.accounts

  account_id   = "cbot-${each.key}"
  display_name = each.value

  depends_on = [google_project_service.required]
}

resource "google_project_iam_member" "granted" {
  for_each = local.grants

  project = var.project
  role    = each.value.role
  member  = "serviceAccount:${local.email[each.value.account]}"
}

# A database has no policy of its own; a condition narrows the project's to it:
# https://firebase.google.com/docs/firestore/manage-databases#configure_per-database_access_permissions
resource "google_project_iam_member" "database" {
  for_each = toset(values(local.account_of))

  project = var.project
  role    = "roles/datastore.user"
  member  = "serviceAccount:${local.email[each.value]}"

  condition {
    title       = "cbot-database"
    description = "Documents of CBot's database, and of no other in the project"
    expression  = "resource.name == \"projects/${var.project}/databases/${var.firestore_database}\""
  }
}

resource "google_project_iam_member" "vertex" {
  for_each = var.use_vertex ? toset(values(local.account_of)) : toset([])

  project = var.project
  role    = "roles/aiplatform.user"
  member  = "serviceAccount:${local.email[each.value]}"
}

resource "google_cloud_tasks_queue_iam_member" "enqueuer" {
  for_each = local.enqueuers

  name     = google_cloud_tasks_queue.this[each.value.queue].name
  location = var.region
  role     = "roles/cloudtasks.enqueuer"
  member   = "serviceAccount:${local.email[each.value.account]}"
}

# To have a task signed as an account is to act as it.
resource "google_service_account_iam_member" "signs_tasks" {
  for_each = local.enqueues

  service_account_id = google_service_account.this["tasks-invoker"].name
  role               = "roles/iam.serviceAccountUser"
  member             = "serviceAccount:${local.email[each.key]}"
}

resource "google_secret_manager_secret" "gemini_api_key" {
  secret_id = "gemini-api-key"

  # The value is added by hand (docs/operations.md), so that it stands in no state and no variable file.
  replication {
    auto {}
  }

  depends_on = [google_project_service.required]
}

resource "google_secret_manager_secret_iam_member" "gemini_api_key" {
  for_each = var.use_vertex ? toset([]) : toset(values(local.account_of))

  secret_id = google_secret_manager_secret.gemini_api_key.id
  role      = "roles/secretmanager.secretAccessor"
  member    = "serviceAccount:${local.email[each.value]}"
}
