"""Who may do what: callers of the functions, roles of the accounts, the secret."""

import re
from importlib import import_module

from shared.config.platform import QueueSettings
from tests.support.process import ROOT
from tests.support.terraform import block, infrastructure, strings_in

INFRA = infrastructure()
DEPLOYED = INFRA.locals["functions"]
ACCOUNTS = INFRA.locals["accounts"]
ALLOWED = {
    "chat": {"roles/logging.logWriter"},
    "supervisor": {"roles/logging.logWriter"},
    "planner": {"roles/logging.logWriter"},
    "session-manager": {"roles/logging.logWriter"},
    "eventarc-invoker": {"roles/eventarc.eventReceiver"},
    "build": {"roles/logging.logWriter", "roles/artifactregistry.writer", "roles/storage.objectViewer"},
}
"""Roles on the whole project, by account; every other is given on one resource."""
ON_ONE_RESOURCE = {
    "google_cloud_run_v2_service_iam_member": "roles/run.invoker",
    "google_cloud_tasks_queue_iam_member": "roles/cloudtasks.enqueuer",
    "google_service_account_iam_member": "roles/iam.serviceAccountUser",
    "google_secret_manager_secret_iam_member": "roles/secretmanager.secretAccessor",
}


def test_everybody_may_call_chat_and_nobody_else_anything():
    public = [name for name, row in DEPLOYED.items() if row["invoker"] is None]
    (member,) = INFRA.of_type("google_cloud_run_v2_service_iam_member").values()
    assert public == ["chat"]
    assert member["for_each"] == "${local.functions}"
    assert member["name"] == "${google_cloudfunctions2_function.this[each.key].name}"
    assert member["member"] == (
        '${each.value.invoker == null ? "allUsers" : "serviceAccount:${local.email[each.value.invoker]}"}'
    )
    assert INFRA.text.count("allUsers") == 1
    assert "allAuthenticatedUsers" not in INFRA.text


def test_each_function_is_called_by_the_one_service_that_calls_it():
    callers = {row["entry_point"]: row["invoker"] for row in DEPLOYED.values()}

    assert callers == {
        "chat": None,
        "answer_waiting": "tasks-invoker",
        "supervise": "tasks-invoker",
        "plan": "tasks-invoker",
        "on_part_transition": "eventarc-invoker",
        "on_planner_feedback": "eventarc-invoker",
        "manage_session": "tasks-invoker",
        "sweep": "scheduler-invoker",
    }
    service = block(INFRA.resources["google_cloudfunctions2_function.this"], "service_config")
    assert (
        'CBOT_INVOKERS = local.email[coalesce(each.value.invoker, "tasks-invoker")]' in service["environment_variables"]
    )


def test_only_chat_is_reachable_from_outside():
    service = block(INFRA.resources["google_cloudfunctions2_function.this"], "service_config")
    assert service["ingress_settings"] == '${each.value.invoker == null ? "ALLOW_ALL" : "ALLOW_INTERNAL_ONLY"}'


def test_each_function_runs_as_its_own_account():
    accounts = INFRA.locals["account_of"]
    service = block(INFRA.resources["google_cloudfunctions2_function.this"], "service_config")
    assert len(set(accounts.values())) == len(accounts)
    assert set(accounts.values()) <= ACCOUNTS.keys()
    assert (
        service["service_account_email"] == "${google_service_account.this[local.account_of[each.value.source]].email}"
    )


def test_no_account_has_a_role_on_the_project_that_it_does_not_need():
    roles = {account: set(given) for account, given in INFRA.locals["project_roles"].items()}
    members = INFRA.of_type("google_project_iam_member")
    assert roles == ALLOWED
    assert members["granted"]["for_each"] == "${local.grants}"
    assert members["vertex"]["role"] == "roles/aiplatform.user"
    assert members["vertex"]["for_each"].startswith("${var.use_vertex ?"), "without Vertex nobody may call it"
    assert members.keys() == {"granted", "database", "vertex"}


def test_the_functions_reach_the_one_database_and_no_other_of_the_project():
    grant = INFRA.resources["google_project_iam_member.database"]
    environment = INFRA.locals["environment"]["database"]
    named = {name: re.sub(r"^\$\{(.*)\}$", r"\1", value) for name, value in environment.items()}
    assert (grant["for_each"], grant["role"]) == ("${toset(values(local.account_of))}", "roles/datastore.user")
    assert block(grant, "condition")["expression"] == (
        f'resource.name == "projects/${{{named["CBOT_PROJECT"]}}}/databases/${{{named["CBOT_FIRESTORE_DATABASE"]}}}"'
    )
    assert "datastore" not in str(INFRA.locals["project_roles"])


def test_a_revision_starts_after_it_was_given_its_rights():
    grants = {name for name in INFRA.resources if name.startswith("google_project_iam_member.")}
    waited = set(INFRA.resources["google_cloudfunctions2_function.this"]["depends_on"])
    assert {f"${{{name}}}" for name in grants} <= waited


def test_a_role_on_one_resource_is_the_least_that_does():
    assert {
        role: got
        for kind, role in ON_ONE_RESOURCE.items()
        if (got := {body["role"] for body in INFRA.of_type(kind).values()}) != {role}
    } == {}


def test_no_other_grant_exists():
    grants = {name.partition(".")[0] for name in INFRA.resources if re.search(r"_iam_(member|binding|policy)\.", name)}
    assert grants == {*ON_ONE_RESOURCE, "google_project_iam_member"}
    assert not re.search(r"roles/(owner|editor|viewer|.*[aA]dmin)\b", INFRA.text)


def test_a_function_may_fill_the_queues_that_its_code_fills():
    enqueues = INFRA.locals["enqueues"]
    filling = {
        account
        for source, account in INFRA.locals["account_of"].items()
        if QueueSettings in import_module(f"functions.{source}.wiring").SETTINGS
    }
    assert enqueues.keys() == filling
    assert set(enqueues["chat"]) == {"supervisor", "planner", "session-manager"}
    assert set(enqueues["session-manager"]) == INFRA.locals["queues"].keys(), "the sweep hands over whatever is left"


def test_who_has_a_task_signed_may_act_as_the_signer_and_as_no_other_account():
    (grant,) = INFRA.of_type("google_service_account_iam_member").values()
    assert grant["for_each"] == "${local.enqueues}"
    assert grant["service_account_id"] == '${google_service_account.this["tasks-invoker"].name}'


def test_the_key_is_read_from_secret_manager_by_the_functions_and_only_without_vertex():
    grant = INFRA.resources["google_secret_manager_secret_iam_member.gemini_api_key"]
    assert grant["for_each"] == "${var.use_vertex ? toset([]) : toset(values(local.account_of))}"
    assert "google_secret_manager_secret_version" not in INFRA.text, "a value there would stand in the state"


def test_no_secret_and_no_account_key_is_written_down():
    examples = [path.read_text("utf-8") for path in sorted((ROOT / "infra" / "envs").glob("*.example"))]
    assert not INFRA.of_type("google_service_account_key")
    for text in [INFRA.text, *examples]:
        assert not re.search(r"AIza[0-9A-Za-z_-]{20,}|-----BEGIN|ya29\.|\bpassword\b", text)
    for value in strings_in(INFRA.locals["environment"]):
        assert "secret" not in value.lower()


def test_an_accounts_name_fits_into_its_address():
    account = INFRA.resources["google_service_account.this"]
    assert account["account_id"] == "cbot-${each.key}"
    for name in ACCOUNTS:
        assert re.fullmatch(r"[a-z][a-z0-9-]{4,28}[a-z0-9]", f"cbot-{name}"), name
