# What the project must have before anything else can stand in it.

data "google_project" "this" {
  project_id = var.project
}

resource "google_project_service" "required" {
  for_each = toset(concat([
    "apikeys.googleapis.com",
    "artifactregistry.googleapis.com",
    "billingbudgets.googleapis.com",
    "cloudbuild.googleapis.com",
    "cloudfunctions.googleapis.com",
    "cloudscheduler.googleapis.com",
    "cloudtasks.googleapis.com",
    "eventarc.googleapis.com",
    "eventarcpublishing.googleapis.com",
    "firebase.googleapis.com",
    "firebasehosting.googleapis.com",
    "firebaserules.googleapis.com",
    "firestore.googleapis.com",
    "iam.googleapis.com",
    "identitytoolkit.googleapis.com",
    "logging.googleapis.com",
    "monitoring.googleapis.com",
    "pubsub.googleapis.com",
    "run.googleapis.com",
    "secretmanager.googleapis.com",
    "securetoken.googleapis.com",
    "storage.googleapis.com",
    ],
    var.app_check_site_key == "" ? [] : ["firebaseappcheck.googleapis.com", "recaptchaenterprise.googleapis.com"],
    var.use_vertex ? ["aiplatform.googleapis.com"] : ["generativelanguage.googleapis.com"],
  ))

  project            = var.project
  service            = each.value
  disable_on_destroy = false
}
