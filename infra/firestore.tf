# The database: the only state there is.

locals {
  # Collection groups whose documents bear `expire_at`: what people said, and what follows from it.
  expiring = [
    "audit",
    "closings",
    "completions",
    "conversations",
    "failures",
    "mailboxes",
    "messages",
    "part_transitions",
    "planner_feedback",
    "ratings",
    "reviews",
    "sessions",
    "supervision",
    "turns",
  ]

  indexes = jsondecode(file("${path.module}/firestore.indexes.json")).indexes
}

resource "google_firestore_database" "this" {
  name        = var.firestore_database
  location_id = var.firestore_location
  type        = "FIRESTORE_NATIVE"

  # Seven days of the past, readable by the minute: the way back from a bad deployment or a wrong erasure script.
  point_in_time_recovery_enablement = var.environment == "prod" ? "POINT_IN_TIME_RECOVERY_ENABLED" : "POINT_IN_TIME_RECOVERY_DISABLED"
  delete_protection_state           = var.environment == "prod" ? "DELETE_PROTECTION_ENABLED" : "DELETE_PROTECTION_DISABLED"
  deletion_policy                   = var.environment == "prod" ? "ABANDON" : "DELETE"

  depends_on = [google_project_service.required]
}

resource "google_firestore_field" "expiry" {
  for_each = toset(local.expiring)

  database   = google_firestore_database.this.name
  collection = each.value
  field      = "expire_at"

  ttl_config {}
  # Nothing asks for documents by it, and an index over rising times is a hot spot.
  index_config {}
}

resource "google_firestore_index" "this" {
  for_each = {
    for index in local.indexes :
    "${index.collectionGroup} ${join(", ", [for field in index.fields : "${field.fieldPath} ${lookup(field, "order", "CONTAINS")}"])}" => index
  }

  database    = google_firestore_database.this.name
  collection  = each.value.collectionGroup
  query_scope = each.value.queryScope

  dynamic "fields" {
    for_each = each.value.fields
    content {
      field_path   = fields.value.fieldPath
      order        = lookup(fields.value, "order", null)
      array_config = lookup(fields.value, "arrayConfig", null)
    }
  }
}

resource "google_firebaserules_ruleset" "firestore" {
  source {
    files {
      name    = "firestore.rules"
      content = file("${path.module}/firestore.rules")
    }
  }

  # The released ruleset cannot be deleted: the next one is made and released first.
  lifecycle {
    create_before_destroy = true
  }

  depends_on = [google_firestore_database.this]
}

resource "google_firebaserules_release" "firestore" {
  name         = var.firestore_database == "(default)" ? "cloud.firestore" : "cloud.firestore/${var.firestore_database}"
  ruleset_name = google_firebaserules_ruleset.firestore.id
}
