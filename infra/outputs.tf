output "chat_url" {
  description = "What the web client calls: streams do not pass Firebase Hosting's rewrites unbroken."
  value       = local.url["chat"]
}

output "function_urls" {
  description = "Address of every function."
  value       = local.url
}

output "service_accounts" {
  description = "E-mail of every account, for audits."
  value       = local.email
}

output "gemini_api_key_secret" {
  description = "Where the model's key is put (docs/operations.md)."
  value       = google_secret_manager_secret.gemini_api_key.name
}

output "web" {
  description = "What the page is to know of this deployment; make stage reads it from build/web.json (docs/operations.md)."
  value = {
    api       = local.url["chat"]
    database  = var.firestore_database
    google    = var.google_sign_in
    app_check = var.app_check_site_key
    firebase = {
      apiKey     = google_apikeys_key.page.key_string
      appId      = google_firebase_web_app.page.app_id
      authDomain = "${var.project}.firebaseapp.com"
      projectId  = var.project
    }
  }

  # The provider marks every key so; this one is read by anybody who opens the page.
  sensitive = true
}
