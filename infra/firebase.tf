# What the page signs people in with: Identity Platform's settings, the web app, and its API key. Google as a provider is
# switched on by hand (docs/operations.md): its client secret would stand in the state.

locals {
  hosting = ["${var.project}.web.app", "${var.project}.firebaseapp.com"]

  # What the page's key may be used for. It identifies the project and opens nothing: tokens and rules do that.
  # https://firebase.google.com/docs/projects/api-keys
  key_services = concat(
    ["identitytoolkit.googleapis.com", "securetoken.googleapis.com", "firestore.googleapis.com"],
    var.app_check_site_key == "" ? [] : ["firebaseappcheck.googleapis.com"],
  )
}

resource "google_firebase_project" "this" {
  provider = google-beta

  project = var.project

  depends_on = [google_project_service.required]
}

resource "google_identity_platform_config" "this" {
  project = var.project

  # Without a name first; the firestore rules and chat know a user by the id, which stays when an account is linked.
  sign_in {
    allow_duplicate_emails = false

    anonymous {
      enabled = true
    }
    email {
      enabled           = true
      password_required = true
    }
  }

  # After 30 days an anonymous user could not return to conversations that are kept for longer.
  autodelete_anonymous_users = false

  # Where links in mails and providers may lead back to.
  authorized_domains = distinct(concat(local.hosting, [for origin in var.origins : trimprefix(origin, "https://")]))

  depends_on = [google_project_service.required]
}

resource "google_apikeys_key" "page" {
  name         = "cbot-page"
  display_name = "CBot: the page"
  project      = var.project

  # By service only, not by referrer: the page sends none, since a link that is followed must not tell where from.
  restrictions {
    dynamic "api_targets" {
      for_each = local.key_services
      content {
        service = api_targets.value
      }
    }
  }

  depends_on = [google_project_service.required]
}

resource "google_firebase_web_app" "page" {
  provider = google-beta

  project      = var.project
  display_name = "CBot"
  api_key_id   = google_apikeys_key.page.uid

  depends_on = [google_firebase_project.this]
}
