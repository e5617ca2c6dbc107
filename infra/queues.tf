# A queue a function. Its rate is what the model's quota leaves to that work; a task that is over it waits, none is lost.

locals {
  # first, longest   seconds before the second attempt, and at most; doubled in between
  queues = {
    # Somebody waits for these answers.
    chat = { first = "1s", longest = "30s" }
    # Nobody waits: the attempts span some ten minutes, so that an outage of the model is outlived.
    supervisor      = { first = "5s", longest = "300s" }
    planner         = { first = "5s", longest = "300s" }
    session-manager = { first = "5s", longest = "300s" }
  }
}

resource "google_cloud_tasks_queue" "this" {
  for_each = local.queues

  name     = each.key
  location = var.region

  rate_limits {
    max_dispatches_per_second = var.queue_rates[each.key].per_second
    max_concurrent_dispatches = var.queue_rates[each.key].concurrent
  }

  retry_config {
    # One above the attempts that the functions count (TASK_ATTEMPTS), so that giving up can be tried once more.
    max_attempts  = 8
    min_backoff   = each.value.first
    max_backoff   = each.value.longest
    max_doublings = 6
  }

  depends_on = [google_project_service.required]
}

# The sweep finds what a crash or a lost event left undone.
resource "google_cloud_scheduler_job" "sweep" {
  name             = "session-manager-sweep"
  region           = var.region
  description      = "Hands over work that fell due and was not queued, and messages that a crash left waiting"
  schedule         = "*/5 * * * *"
  time_zone        = "Etc/UTC"
  attempt_deadline = "280s"

  # The next run is the retry.
  retry_config {
    retry_count = 0
  }

  http_target {
    http_method = "POST"
    uri         = local.url["session-manager-sweep"]

    oidc_token {
      service_account_email = local.email["scheduler-invoker"]
      audience              = local.url["session-manager-sweep"]
    }
  }

  depends_on = [google_cloud_run_v2_service_iam_member.invoker]
}
