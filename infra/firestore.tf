# The database: the only state there is.

# Indexes, exemptions from them, and expiry have one source, which the emulator and the tests read too.
locals {
  indexes   = jsondecode(file("${path.module}/firestore.indexes.json")).indexes
  overrides = jsondecode(file("${path.module}/firestore.indexes.json")).fieldOverrides
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

resource "google_firestore_field" "override" {
  for_each = { for field in local.overrides : "${field.collectionGroup}.${field.fieldPath}" => field }

  database   = google_firestore_database.this.name
  collection = each.value.collectionGroup
  field      = each.value.fieldPath

  # Without any inside, it takes the field out of all indexes.
  index_config {
    dynamic "indexes" {
      for_each = each.value.indexes
      content {
        order        = lookup(indexes.value, "order", null)
        array_config = lookup(indexes.value, "arrayConfig", null)
        query_scope  = indexes.value.queryScope
      }
    }
  }

  dynamic "ttl_config" {
    for_each = lookup(each.value, "ttl", false) ? [1] : []
    content {}
  }
}

resource "google_firestore_index" "this" {
  for_each = {
    for index in local.indexes :
    "${index.collectionGroup} ${join(", ", [for field in index.fields : "${field.fieldPath} ${lookup(field, "order", contains(keys(field), "vectorConfig") ? "VECTOR" : "CONTAINS")}"])}" => index
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

      dynamic "vector_config" {
        for_each = lookup(fields.value, "vectorConfig", null) == null ? [] : [fields.value.vectorConfig]
        content {
          dimension = vector_config.value.dimension
          flat {}
        }
      }
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
