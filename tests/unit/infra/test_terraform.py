"""Terraform's files against the code: functions, permissions, queues, database, logs, alarms and the runbook."""

import ast
import re
from importlib import import_module

from local.embedded.delivery import DeliveryPolicy
from shared.adapters.cloud_tasks.calls import DISPATCH_DEADLINE
from shared.config.platform import CloudSettings, QueueSettings
from shared.config.settings import MOST_PATIENCE_IN_THE_CLOUD, ChatSettings
from shared.contracts.tasks import JobKind
from shared.contracts.triggers import CREATED, TRIGGERS
from shared.domain.turn import DecidedBy
from shared.engine.jobs import JOB_SECONDS
from shared.engine.sweep import SECONDS as SWEEP_SECONDS
from shared.engine.turn_worker import TURN_SECONDS
from shared.engine.turns import WAIT_SECONDS
from shared.observability.events import SEVERITY, LogEvent
from shared.observability.fields import Fields
from shared.web.background import TASK_ATTEMPTS
from shared.web.requests import APP_CHECK_HEADER
from tests.support.process import ROOT
from tests.support.terraform import block, infrastructure, keys_in, reference, strings_in

INFRA = infrastructure()
DEPLOYED = INFRA.locals["functions"]
FUNCTION = INFRA.resources["google_cloudfunctions2_function.this"]
SERVICE, BUILD = block(FUNCTION, "service_config"), block(FUNCTION, "build_config")
SOURCES = sorted(path.parent.name for path in (ROOT / "functions").glob("*/main.py"))
ENVIRONMENT = INFRA.locals["environment"]
RATES = INFRA.variables["queue_rates"]["default"]
METRICS = INFRA.locals["log_metrics"]
RETRIES = block(INFRA.resources["google_cloud_tasks_queue.this"], "retry_config")
EXAMPLES = {name: (ROOT / "infra" / "envs" / f"{name}.tfvars.example").read_text("utf-8") for name in ("dev", "prod")}
COMMIT_SECONDS = 30
"""Time of a turn or a job in addition to its model calls."""
EVENTARC_SECONDS = 540
"""The longest timeout of an event-driven function: https://cloud.google.com/functions/quotas"""

LOGS = "roles/logging.logWriter"
ON_THE_PROJECT = {
    **{name: {LOGS} for name in ("chat", "supervisor", "planner", "session-manager")},
    "eventarc-invoker": {"roles/eventarc.eventReceiver"},
    "build": {LOGS, "roles/artifactregistry.writer", "roles/storage.objectViewer"},
}
"""Roles by account; every other is given on one resource."""
ON_ONE_RESOURCE = {
    "google_cloud_run_v2_service_iam_member": "roles/run.invoker",
    "google_cloud_tasks_queue_iam_member": "roles/cloudtasks.enqueuer",
    "google_service_account_iam_member": "roles/iam.serviceAccountUser",
    "google_secret_manager_secret_iam_member": "roles/secretmanager.secretAccessor",
}
REFERENCES = {
    "var.project": "cbot-dev-example",
    "var.region": "asia-northeast3",
    "tostring(data.google_project.this.number)": "123456789012",
    'join(",", var.origins)': "https://cbot-dev-example.web.app",
    'join(",", var.app_ids)': "1:123456789012:web:0123456789abcdef",
    "tostring(var.app_check)": "true",
    "var.operator.name": "Example Foundation",
    "var.operator.contact": "privacy@example.com",
}
"""Example values of references without a default."""


def settings_of(source):
    return import_module(f"functions.{source}.wiring").SETTINGS


def aliases(source, *, required):
    fields = [field for settings in settings_of(source) for field in settings.model_fields.values()]
    return {field.alias for field in fields if field.is_required() or not required}


def given(source):
    """Return the environment of a source's functions as Terraform writes it: names and expressions."""
    own = dict.fromkeys(keys_in(SERVICE["environment_variables"]), "")
    groups = [ENVIRONMENT[group] for group in INFRA.locals["environment_of"][source]]
    return {name: value for group in [own, *groups] for name, value in group.items()}


def secrets():
    (dynamic,) = [entry["secret_environment_variables"] for entry in SERVICE["dynamic"]]
    return set(re.findall(r'"([A-Z_]+)"', dynamic["for_each"]))


def rendered(value, *, vertex):
    """Return what a variable holds after a deployment with example values."""
    if not value.startswith("${"):
        return value
    expression = reference(value)
    known = REFERENCES.get(expression)
    if known is not None:
        return known
    if match := re.fullmatch(r"local\.(url|email)\[\"([a-z-]+)\"\]", expression):
        address = f"https://{match[2]}-1.asia-northeast3.run.app"
        return address if match[1] == "url" else f"cbot-{match[2]}@cbot-dev-example.iam.gserviceaccount.com"
    if match := re.fullmatch(r"var\.use_vertex \? (\S+) : \"\"", expression):
        return rendered(f"${{{match[1]}}}", vertex=vertex) if vertex else ""
    if expression == "tostring(var.use_vertex)":
        return str(vertex).lower()
    if match := re.fullmatch(r"tostring\(var\.limits\.([a-z_]+)\)", expression):
        limits = INFRA.variables["limits"]["type"].replace(" ", "")
        return re.search(rf"{match[1]}=optional\(number,([0-9]+)\)", limits)[1]
    if match := re.fullmatch(r"(?:tostring\()?var\.([a-z_]+)\)?", expression):
        return str(INFRA.variables[match[1]]["default"])
    raise AssertionError(f"no example value for {value}")


class TestFunctions:
    def test_every_entry_point_of_the_code_is_deployed_once_and_no_other(self):
        in_code = []
        for source in SOURCES:
            tree = ast.parse((ROOT / "functions" / source / "main.py").read_text("utf-8"))
            points = [node for node in tree.body if isinstance(node, ast.AsyncFunctionDef) and node.decorator_list]
            in_code += [(source, node.name) for node in points]
        assert sorted((row["source"], row["entry_point"]) for row in DEPLOYED.values()) == sorted(in_code)
        assert reference(BUILD["entry_point"]) == "each.value.entry_point"
        assert sorted(INFRA.locals["account_of"]) == sorted(INFRA.locals["environment_of"]) == SOURCES
        assert 'source_dir  = "${path.module}/../build/stage/${each.key}"' in INFRA.text
        assert 'name   = "${each.key}/${each.value.output_sha256}.zip"' in INFRA.text, "a changed source: a new object"

    def test_a_function_is_given_every_variable_that_it_needs_and_none_that_it_does_not_read(self):
        for source in SOURCES:
            provided = given(source).keys() | secrets()
            assert aliases(source, required=True) - {"K_SERVICE"} - provided == set(), source
            assert provided - aliases(source, required=False) == set(), source

    def test_no_setting_that_weakens_a_check_is_deployed(self):
        loosening = {
            settings.model_fields[name].alias
            for source in SOURCES
            for settings in settings_of(source)
            if issubclass(settings, CloudSettings)
            for name in settings.LOCAL_ONLY
        }
        assert {"FIRESTORE_EMULATOR_HOST", "FIREBASE_AUTH_EMULATOR_HOST", "CBOT_UNSIGNED_TOKENS"} <= loosening
        for name in {*loosening, "GOOGLE_GEMINI_BASE_URL", "K_SERVICE"}:
            assert not re.search(rf"\b{name}\b", INFRA.text), name

    def test_the_settings_accept_the_deployed_environment(self, subtests):
        for vertex in (False, True):
            for source in SOURCES:
                with subtests.test(vertex=vertex, source=source):
                    environment = {name: rendered(value, vertex=vertex) for name, value in given(source).items()}
                    environment |= {
                        "K_SERVICE": source,
                        "CBOT_INVOKERS": "cbot-tasks-invoker@cbot-dev-example.iam.gserviceaccount.com",
                        "CBOT_AUDIENCES": "https://supervisor-*.a.run.app",
                        **({} if vertex else dict.fromkeys(secrets(), "a-key")),
                    }
                    read = {settings.__name__: settings.read(environment) for settings in settings_of(source)}
                    assert read["ModelAccess"].configured
                    assert read["ModelAccess"].use_vertex is vertex

    def test_each_queue_url_points_to_the_function_that_handles_its_tasks(self):
        urls = {name: value for name, value in ENVIRONMENT["queues"].items() if name.endswith("_URL")}
        entry_of = {name: DEPLOYED[re.search(r'"([a-z-]+)"', value)[1]]["entry_point"] for name, value in urls.items()}
        assert entry_of == {
            "CBOT_ANSWER_URL": "answer_waiting",
            "CBOT_SUPERVISOR_URL": "supervise",
            "CBOT_PLANNER_URL": "plan",
            "CBOT_SESSION_MANAGER_URL": "manage_session",
        }
        assert len(JobKind) == 9, "a new kind of task needs a queue and an address"
        fields = QueueSettings.model_fields.items()
        assert entry_of.keys() == {field.alias for name, field in fields if name.endswith("_url")}

    def test_function_timeouts_exceed_the_time_limits_of_the_code_and_the_dispatch_deadline(self, subtests):
        timeout = "${min(ceil(each.value.timeout * var.model_patience), 540)}"
        assert (SERVICE["timeout_seconds"], EVENTARC_SECONDS) == (timeout, 540)
        for patience in range(1, MOST_PATIENCE_IN_THE_CLOUD + 1):
            turn = max(WAIT_SECONDS * patience, TURN_SECONDS * patience + COMMIT_SECONDS)
            own = {"chat": turn, "answer_waiting": turn, "sweep": SWEEP_SECONDS + COMMIT_SECONDS}
            deadline, job = DISPATCH_DEADLINE.total_seconds() * patience, JOB_SECONDS * patience
            for name, row in DEPLOYED.items():
                with subtests.test(name=name, patience=patience):
                    allowed = min(row["timeout"] * patience, EVENTARC_SECONDS)
                    assert own.get(row["entry_point"], job + COMMIT_SECONDS) < allowed
                    assert row["invoker"] != "tasks-invoker" or job < deadline < allowed
            assert deadline >= TURN_SECONDS * patience + COMMIT_SECONDS, "a turn ends within one attempt"
        assert f"var.model_patience <= {MOST_PATIENCE_IN_THE_CLOUD}" in INFRA.text

    def test_the_concurrency_of_chat_leaves_room_for_requests_other_than_turns(self):
        assert rendered("${tostring(var.limits.turns_per_instance)}", vertex=False) == str(ChatSettings().turns)
        assert 0.6 * DEPLOYED["chat"]["concurrency"] < ChatSettings().turns < DEPLOYED["chat"]["concurrency"]

    def test_the_triggers_match_the_code_and_the_database_region_and_retry_events(self):
        rows = DEPLOYED.values()
        assert {row["entry_point"]: row["document"] for row in rows if row["document"] is not None} == TRIGGERS
        (dynamic,) = [entry["event_trigger"] for entry in FUNCTION["dynamic"]]
        trigger = block(dynamic, "content")
        assert (trigger["event_type"], trigger["retry_policy"]) == (CREATED, "RETRY_POLICY_RETRY")
        assert {(one["attribute"], one["value"], one.get("operator")) for one in trigger["event_filters"]} == {
            ("document", "${event_trigger.value}", "match-path-pattern"),
            ("database", "${google_firestore_database.this.name}", None),
            ("namespace", "(default)", None),
        }
        database = INFRA.resources["google_firestore_database.this"]
        assert trigger["trigger_region"] == database["location_id"] == "${var.firestore_location}"

    def test_the_sweep_is_called_every_five_minutes_and_never_concurrently(self):
        job = INFRA.resources["google_cloud_scheduler_job.sweep"]
        target = block(job, "http_target")
        token = block(target, "oidc_token")
        row = DEPLOYED["session-manager-sweep"]
        assert row["entry_point"] == "sweep"
        assert target["uri"] == token["audience"] == '${local.url["session-manager-sweep"]}'
        assert token["service_account_email"] == f'${{local.email["{row["invoker"]}"]}}'
        assert job["schedule"] == "*/5 * * * *"
        assert row["timeout"] < int(job["attempt_deadline"].removesuffix("s")) < 300
        assert row["concurrency"] == row["max_instances"] == 1


class TestAccess:
    def test_chat_is_public_and_every_other_function_has_one_invoker(self):
        assert {row["entry_point"]: row["invoker"] for row in DEPLOYED.values()} == {
            "chat": None,
            "answer_waiting": "tasks-invoker",
            "supervise": "tasks-invoker",
            "plan": "tasks-invoker",
            "on_part_transition": "eventarc-invoker",
            "on_planner_feedback": "eventarc-invoker",
            "manage_session": "tasks-invoker",
            "sweep": "scheduler-invoker",
        }
        (member,) = INFRA.of_type("google_cloud_run_v2_service_iam_member").values()
        assert member["for_each"] == "${local.functions}"
        assert member["name"] == "${google_cloudfunctions2_function.this[each.key].name}"
        caller = 'each.value.invoker == null ? "allUsers" : "serviceAccount:${local.email[each.value.invoker]}"'
        assert member["member"] == f"${{{caller}}}"
        assert INFRA.text.count("allUsers") == 1
        assert "allAuthenticatedUsers" not in INFRA.text
        assert SERVICE["ingress_settings"] == '${each.value.invoker == null ? "ALLOW_ALL" : "ALLOW_INTERNAL_ONLY"}'
        invokers = 'CBOT_INVOKERS = local.email[coalesce(each.value.invoker, "tasks-invoker")]'
        assert invokers in SERVICE["environment_variables"]

    def test_a_token_without_a_signature_is_accepted_only_behind_iam(self):
        assert 'CBOT_INVOKERS_BEHIND_IAM = each.value.invoker == null ? "" : "true"' in INFRA.text
        assert "CBOT_INVOKERS_BEHIND_IAM" in keys_in(SERVICE["environment_variables"])

    def test_each_function_runs_as_its_own_account_with_a_valid_account_id(self):
        accounts = INFRA.locals["account_of"]
        assert len(set(accounts.values())) == len(accounts)
        assert set(accounts.values()) <= INFRA.locals["accounts"].keys()
        email = "${google_service_account.this[local.account_of[each.value.source]].email}"
        assert SERVICE["service_account_email"] == email
        assert INFRA.resources["google_service_account.this"]["account_id"] == "cbot-${each.key}"
        for name in INFRA.locals["accounts"]:
            assert re.fullmatch(r"[a-z][a-z0-9-]{4,28}[a-z0-9]", f"cbot-{name}"), name

    def test_accounts_have_only_the_needed_project_roles_and_a_revision_waits_for_them(self):
        members = INFRA.of_type("google_project_iam_member")
        assert {account: set(roles) for account, roles in INFRA.locals["project_roles"].items()} == ON_THE_PROJECT
        assert members.keys() == {"granted", "database", "vertex"}
        assert members["granted"]["for_each"] == "${local.grants}"
        assert members["vertex"]["role"] == "roles/aiplatform.user"
        assert members["vertex"]["for_each"].startswith("${var.use_vertex ?"), "without Vertex no account has the role"
        assert {f"${{google_project_iam_member.{name}}}" for name in members} <= set(FUNCTION["depends_on"])

    def test_the_functions_may_access_only_their_own_database(self):
        grant = INFRA.resources["google_project_iam_member.database"]
        names = ("CBOT_PROJECT", "CBOT_FIRESTORE_DATABASE")
        project, database = (reference(ENVIRONMENT["database"][name]) for name in names)
        assert (grant["for_each"], grant["role"]) == ("${toset(values(local.account_of))}", "roles/datastore.user")
        only = f'resource.name == "projects/${{{project}}}/databases/${{{database}}}"'
        assert block(grant, "condition")["expression"] == only

    def test_each_kind_of_resource_grants_one_role_and_no_other_grant_exists(self):
        for kind, role in ON_ONE_RESOURCE.items():
            assert {body["role"] for body in INFRA.of_type(kind).values()} == {role}
        names = INFRA.resources
        grants = {name.partition(".")[0] for name in names if re.search(r"_iam_(member|binding|policy)\.", name)}
        assert grants == {*ON_ONE_RESOURCE, "google_project_iam_member"}
        assert not re.search(r"roles/(owner|editor|viewer|.*[aA]dmin)\b", INFRA.text)

    def test_a_function_may_fill_only_the_queues_of_its_code_and_act_only_as_the_task_signer(self):
        enqueues, accounts = INFRA.locals["enqueues"], INFRA.locals["account_of"].items()
        assert enqueues.keys() == {account for source, account in accounts if QueueSettings in settings_of(source)}
        assert set(enqueues["chat"]) == {"supervisor", "planner", "session-manager"}
        assert set(enqueues["session-manager"]) == INFRA.locals["queues"].keys(), (
            "the sweep enqueues every kind of task"
        )
        (grant,) = INFRA.of_type("google_service_account_iam_member").values()
        assert grant["for_each"] == "${local.enqueues}"
        assert grant["service_account_id"] == '${google_service_account.this["tasks-invoker"].name}'

    def test_the_api_key_is_read_from_secret_manager_without_vertex_and_no_secret_is_in_the_files(self):
        grant = INFRA.resources["google_secret_manager_secret_iam_member.gemini_api_key"]
        assert grant["for_each"] == "${var.use_vertex ? toset([]) : toset(values(local.account_of))}"
        assert "google_secret_manager_secret_version" not in INFRA.text, "a value there would stand in the state"
        assert not INFRA.of_type("google_service_account_key")
        for text in [INFRA.text, *EXAMPLES.values()]:
            assert not re.search(r"AIza[0-9A-Za-z_-]{20,}|-----BEGIN|ya29\.|\bpassword\b", text)
        assert not [value for value in strings_in(ENVIRONMENT) if "secret" in value.lower()]


class TestPlatform:
    def test_the_queues_match_the_code_and_dispatch_no_more_than_a_function_can_handle(self):
        fields = QueueSettings.model_fields.items()
        named = {field.alias: field.default for name, field in fields if name.endswith("_queue")}
        assert INFRA.locals["queues"].keys() == set(named.values()) == RATES.keys()
        assert {alias: ENVIRONMENT["queues"][alias] for alias in named} == named
        for queue, rate in RATES.items():
            function = DEPLOYED["chat-answer-waiting" if queue == "chat" else queue]
            assert rate["concurrent"] <= function["concurrency"] * function["max_instances"], queue

    def test_a_queue_makes_one_attempt_more_than_the_functions_count(self):
        assert RETRIES["max_attempts"] == TASK_ATTEMPTS + 1 == DeliveryPolicy().max_attempts
        assert "max_retry_duration" not in RETRIES, "attempts decide, not time"

    def test_background_queues_retry_for_ten_minutes_and_the_chat_queue_for_one_to_three(self):
        def span(queue):
            waits = INFRA.locals["queues"][queue]
            first, longest = (int(waits[name].removesuffix("s")) for name in ("first", "longest"))
            return sum(min(first * 2**failure, longest) for failure in range(RETRIES["max_attempts"] - 1))

        assert all(span(queue) >= 600 for queue in ("supervisor", "planner", "session-manager"))
        assert 60 <= span("chat") <= 180

    def test_the_production_database_has_delete_protection_and_point_in_time_recovery(self):
        database = INFRA.resources["google_firestore_database.this"]
        for setting, value in {
            "delete_protection_state": "DELETE_PROTECTION_ENABLED",
            "point_in_time_recovery_enablement": "POINT_IN_TIME_RECOVERY_ENABLED",
            "deletion_policy": "ABANDON",
        }.items():
            assert database[setting].startswith(f'${{var.environment == "prod" ? "{value}"')

    def test_a_log_metric_filters_by_events_and_fields_that_the_code_writes(self, subtests):
        events = r'.*jsonPayload\.event=(\([^)]*\)|"[a-z_]+").*'
        for name, metric in METRICS.items():
            with subtests.test(name=name):
                counted = re.findall(r'"([a-z_]+)"', re.sub(events, r"\1", metric["filter"]))
                fields = set(re.findall(r"jsonPayload\.([a-z_]+)", metric["filter"])) | set(metric["labels"])
                assert set(counted) <= {event.value for event in LogEvent}
                assert fields <= {"event", *Fields.__annotations__}
                assert counted or name == "unstructured_errors"
        assert f'decided_by="{DecidedBy.SAFE_DEFAULT.value}"' in METRICS["safe_defaults"]["filter"]
        for result in ("given_up", "left_due"):
            assert METRICS[result]["filter"].endswith(f'jsonPayload.result="{result}"')
            assert f'"{result}"' in (ROOT / "shared" / "web" / "background.py").read_text("utf-8")

    def test_every_error_event_has_a_metric_an_alarm_a_runbook_page_and_a_receiver(self):
        counted = " ".join(metric["filter"] for metric in METRICS.values())
        assert [event for event, level in SEVERITY.items() if level >= 40 and f'"{event.value}"' not in counted] == []
        watched = set(re.findall(r'local\.user_metric\["([a-z_]+)"\]', INFRA.text))
        assert watched == METRICS.keys() - {"sessions_completed"}, "which the dashboard alone shows"
        runbook = (ROOT / "docs" / "operations.md").read_text("utf-8").partition("\n## Alarms\n")[2]
        pages = re.findall(r"^### ([a-z0-9-]+)$", runbook.partition("\n## ")[0], re.MULTILINE)
        assert set(pages) == {*INFRA.locals["alarms"], "silent-sweep"}
        for name, policy in INFRA.of_type("google_monitoring_alert_policy").items():
            assert "google_monitoring_notification_channel.email" in policy["notification_channels"], name
        assert "length(var.alert_emails) > 0" in block(INFRA.variables["alert_emails"], "validation")["condition"]

    def test_an_example_sets_every_variable_without_a_default_and_no_unknown_one(self):
        needed = {name for name, variable in INFRA.variables.items() if "default" not in variable}
        page = "".join(path.read_text("utf-8") for path in (ROOT / "web" / "js").glob("*.js"))
        for environment, example in EXAMPLES.items():
            assert needed <= set(re.findall(r"^([a-z_]+)\s*=", example, re.MULTILINE)) <= INFRA.variables.keys()
            assert f'environment = "{environment}"' in example
            # App Check is asked for only if the page sends its token
            assert re.search(rf"^app_check\s*= {str(APP_CHECK_HEADER in page).lower()}\b", example, re.MULTILINE)
