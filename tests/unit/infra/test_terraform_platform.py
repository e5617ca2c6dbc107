"""Queues, database, logs and alarms against the code and the runbook."""

import json
import pkgutil
import re
import shutil
import subprocess
from collections.abc import Iterator
from importlib import import_module

import pytest

import functions
import shared.domain
import shared.engine
from local.embedded.delivery import DeliveryPolicy
from shared.adapters.documents import paths
from shared.config.platform import QueueSettings
from shared.domain.conversation import Message, Role
from shared.domain.records import AuditEntry, Record
from shared.domain.turn import DecidedBy
from shared.observability.events import SEVERITY, LogEvent
from shared.observability.fields import Fields
from shared.web.background import TASK_ATTEMPTS
from shared.web.requests import APP_CHECK_HEADER
from tests.support.process import ROOT
from tests.support.terraform import block, infrastructure

INFRA = infrastructure()
RATES = INFRA.variables["queue_rates"]["default"]
INDEXES = json.loads((ROOT / "infra" / "firestore.indexes.json").read_text("utf-8"))
RUNBOOK = (ROOT / "docs" / "operations.md").read_text("utf-8")


def records(kind: type[Record] = Record) -> Iterator[type[Record]]:
    for below in kind.__subclasses__():
        yield below
        yield from records(below)


def test_the_queues_are_those_that_the_code_fills():
    named = {
        field.alias: field.default for name, field in QueueSettings.model_fields.items() if name.endswith("_queue")
    }
    environment = INFRA.locals["environment"]["queues"]
    assert INFRA.locals["queues"].keys() == set(named.values()) == RATES.keys()
    assert {alias: environment[alias] for alias in named} == named


def test_a_queue_tries_once_more_than_the_functions_count():
    retries = block(INFRA.resources["google_cloud_tasks_queue.this"], "retry_config")
    assert retries["max_attempts"] == TASK_ATTEMPTS + 1 == DeliveryPolicy().max_attempts
    assert "max_retry_duration" not in retries, "attempts decide, not time"


def test_background_work_outlives_an_outage_of_ten_minutes_and_an_answer_that_somebody_waits_for_does_not_dawdle():
    attempts = block(INFRA.resources["google_cloud_tasks_queue.this"], "retry_config")["max_attempts"]

    def span(queue):
        first, longest = (int(INFRA.locals["queues"][queue][name].removesuffix("s")) for name in ("first", "longest"))
        return sum(min(first * 2**failure, longest) for failure in range(attempts - 1))

    assert all(span(queue) >= 600 for queue in ("supervisor", "planner", "session-manager"))
    assert 60 <= span("chat") <= 180


def test_a_queue_hands_out_no_more_than_its_function_can_hold(subtests):
    for queue in RATES:
        with subtests.test(queue=queue):
            function = INFRA.locals["functions"]["chat-answer-waiting" if queue == "chat" else queue]
            assert RATES[queue]["concurrent"] <= function["concurrency"] * function["max_instances"]


def test_every_collection_whose_documents_expire_has_a_policy():
    for package in (functions, shared.domain, shared.engine):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)  # defines its records
    entry = Message(seq=1, role=Role.USER, text="", created_at="2026-01-01T00:00:00Z")
    documents = [
        paths.view("c"), paths.message("c", entry), paths.session("c"), paths.mailbox("c"), paths.erasure("c"),
        paths.withdrawal("w"), paths.turn("c", "m"), paths.user("u"), paths.usage("d"),
    ]  # fmt: skip
    fixed = {path.split("/")[-2] for path in documents}
    audited = {paths.audit("a").split("/")[0]} if "expire_at" in AuditEntry.model_fields else set()
    # those that only a test defines have a module of the tests
    recorded = {kind.collection for kind in records() if not kind.__module__.startswith("tests")}

    expiring = [override["collectionGroup"] for override in INDEXES["fieldOverrides"] if override.get("ttl")]
    assert sorted(expiring) == sorted(fixed | audited | recorded)


def test_expiry_is_by_the_field_that_the_documents_bear_and_costs_no_index():
    expiry = [override for override in INDEXES["fieldOverrides"] if "ttl" in override]
    assert {override["fieldPath"] for override in expiry} == {"expire_at"}
    assert all(override["ttl"] is True and override["indexes"] == [] for override in expiry)


def test_indexes_exemptions_expiry_and_rules_have_one_source():
    field, index = INFRA.resources["google_firestore_field.override"], INFRA.resources["google_firestore_index.this"]
    release = INFRA.resources["google_firebaserules_release.firestore"]
    for name, part in {"indexes": "indexes", "overrides": "fieldOverrides"}.items():
        assert INFRA.locals[name] == f'${{jsondecode(file("${{path.module}}/firestore.indexes.json")).{part}}}'
        assert f"in local.{name} :" in field["for_each"] + index["for_each"]
    assert [*field["dynamic"][0]] == ["ttl_config"]
    assert field["dynamic"][0]["ttl_config"]["for_each"] == '${lookup(each.value, "ttl", false) ? [1] : []}'
    assert 'file("${path.module}/firestore.rules")' in INFRA.text
    assert release["ruleset_name"] == "${google_firebaserules_ruleset.firestore.id}"


def test_terraform_reads_every_key_of_the_indexes_file():
    assert INDEXES.keys() == {"indexes", "fieldOverrides"}
    for index in INDEXES["indexes"]:
        assert index.keys() == {"collectionGroup", "queryScope", "fields"}
        assert all({*field} <= {"fieldPath", "order", "arrayConfig"} for field in index["fields"])
    for override in INDEXES["fieldOverrides"]:
        assert override.keys() - {"ttl"} == {"collectionGroup", "fieldPath", "indexes"}
        assert all({"queryScope"} < {*index} <= {"queryScope", "order", "arrayConfig"} for index in override["indexes"])


def test_the_database_of_production_cannot_be_deleted_and_can_be_read_as_it_was():
    database = INFRA.resources["google_firestore_database.this"]
    production = 'var.environment == "prod" ?'
    assert database["delete_protection_state"].startswith(f'${{{production} "DELETE_PROTECTION_ENABLED"')
    assert database["point_in_time_recovery_enablement"].startswith(f'${{{production} "POINT_IN_TIME_RECOVERY_ENABLED"')
    assert database["deletion_policy"].startswith(f'${{{production} "ABANDON"')


def test_a_metric_counts_lines_that_the_code_writes(subtests):
    for name in INFRA.locals["log_metrics"]:
        with subtests.test(name=name):
            metric = INFRA.locals["log_metrics"][name]
            events = re.findall(
                r'"([a-z_]+)"', re.sub(r'.*jsonPayload\.event=(\([^)]*\)|"[a-z_]+").*', r"\1", metric["filter"])
            )
            fields = set(re.findall(r"jsonPayload\.([a-z_]+)", metric["filter"])) | set(metric["labels"])
            assert set(events) <= {event.value for event in LogEvent}
            assert fields <= {"event", *Fields.__annotations__}
            assert events or name == "unstructured_errors"


def test_the_values_that_metrics_filter_by_are_the_codes():
    metrics = INFRA.locals["log_metrics"]
    assert f'decided_by="{DecidedBy.SAFE_DEFAULT.value}"' in metrics["safe_defaults"]["filter"]
    for result in ("given_up", "left_due"):
        assert metrics[result]["filter"].endswith(f'jsonPayload.result="{result}"')
        assert f'"{result}"' in (ROOT / "shared" / "web" / "background.py").read_text("utf-8")
    turn = INFRA.resources["google_logging_metric.turn_ms"]
    assert turn["value_extractor"] == "EXTRACT(jsonPayload.total_ms)"
    assert "total_ms" in Fields.__annotations__


def test_whatever_the_code_calls_an_error_opens_an_alarm():
    counted = " ".join(metric["filter"] for metric in INFRA.locals["log_metrics"].values())
    for event, severity in SEVERITY.items():
        if severity >= 40:
            assert f'"{event.value}"' in counted, event


def test_every_alarm_has_its_page_in_the_runbook_and_every_page_its_alarm():
    alarms = {*INFRA.locals["alarms"], "silent-sweep"}
    _, _, after = RUNBOOK.partition("\n## Alarms\n")
    pages = set(re.findall(r"^### ([a-z0-9-]+)$", after.partition("\n## ")[0], re.MULTILINE))
    assert pages == alarms


def test_every_counted_metric_is_looked_at():
    used = set(re.findall(r'local\.user_metric\["([a-z_]+)"\]', INFRA.text))
    assert used == INFRA.locals["log_metrics"].keys()


def test_an_alarm_reaches_somebody():
    for name, policy in INFRA.of_type("google_monitoring_alert_policy").items():
        assert "google_monitoring_notification_channel.email" in policy["notification_channels"], name
    assert "length(var.alert_emails) > 0" in block(INFRA.variables["alert_emails"], "validation")["condition"]


def test_the_budget_is_in_won():
    amount = block(block(INFRA.resources["google_billing_budget.month"], "amount"), "specified_amount")
    assert amount == {"currency_code": "KRW", "units": "${tostring(var.monthly_budget_won)}"}


def test_every_variable_says_what_it_is_and_is_used():
    for name, variable in INFRA.variables.items():
        assert variable.get("description", "").endswith("."), name
        assert "type" in variable, name
        assert re.search(rf"\bvar\.{name}\b", re.sub(r"(?s)validation \{.*?\n  \}", "", INFRA.text)), (
            f"{name} is unused"
        )


def test_an_example_gives_what_has_no_default_and_nothing_unknown(subtests):
    for environment in ("dev", "prod"):
        with subtests.test(environment=environment):
            example = (ROOT / "infra" / "envs" / f"{environment}.tfvars.example").read_text("utf-8")
            given = set(re.findall(r"^([a-z_]+)\s*=", example, re.MULTILINE))
            needed = {name for name, variable in INFRA.variables.items() if "default" not in variable}
            assert needed <= given <= INFRA.variables.keys()
            assert f'environment = "{environment}"' in example


def test_an_example_asks_for_app_check_only_if_the_page_sends_its_token(subtests):
    for environment in ("dev", "prod"):
        with subtests.test(environment=environment):
            example = (ROOT / "infra" / "envs" / f"{environment}.tfvars.example").read_text("utf-8")
            page = "".join(path.read_text("utf-8") for path in (ROOT / "web" / "js").glob("*.js"))
            assert re.search(rf"^app_check\s*= {str(APP_CHECK_HEADER in page).lower()}\b", example, re.MULTILINE)


def test_the_providers_are_pinned_and_the_state_is_remote():
    assert re.search(r'source  = "hashicorp/google"\s+version = "~> [0-9]+\.[0-9]+"', INFRA.text)
    assert re.search(r'source  = "hashicorp/archive"\s+version = "~> [0-9]+\.[0-9]+"', INFRA.text)
    assert 'backend "gcs" {}' in INFRA.text


@pytest.mark.skipif(not shutil.which("terraform"), reason="terraform is not installed: its formatting is not checked")
def test_the_files_are_formatted():
    result = subprocess.run(
        ["terraform", "fmt", "-check", "-recursive", "-list=true", str(ROOT / "infra")],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert result.returncode == 0, result.stdout
