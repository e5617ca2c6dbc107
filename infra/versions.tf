terraform {
  required_version = ">= 1.9"

  required_providers {
    google = {
      source  = "hashicorp/google"
      version = "~> 7.0"
    }
    # For the Firebase project and its web app, which the other provider does not know.
    google-beta = {
      source  = "hashicorp/google-beta"
      version = "~> 7.0"
    }
    archive = {
      source  = "hashicorp/archive"
      version = "~> 2.7"
    }
  }

  # The state names secrets' places and every account: it belongs into a versioned bucket that few may read.
  #   terraform init -backend-config="bucket=PROJECT-tfstate" -backend-config="prefix=cbot"
  backend "gcs" {}
}

provider "google" {
  project = var.project
  region  = var.region

  # The Billing Budgets API wants to know whose quota a person's own credentials use.
  user_project_override = true
  billing_project       = var.project
}

provider "google-beta" {
  project = var.project
  region  = var.region

  user_project_override = true
  billing_project       = var.project
}
