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
