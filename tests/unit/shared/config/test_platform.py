import pytest

from shared.config.platform import FirestoreSettings, IdentitySettings, InvokerSettings, QueueSettings
from shared.domain.errors import ConfigError

FIRESTORE = {"CBOT_PROJECT": "cbot-demo"}
QUEUES = {
    "CBOT_PROJECT": "cbot-demo",
    "CBOT_TASKS_LOCATION": "asia-northeast3",
    "CBOT_TASKS_SERVICE_ACCOUNT": "tasks@cbot-demo.iam.gserviceaccount.com",
    "CBOT_ANSWER_URL": "https://chat.example/answer_waiting",
    "CBOT_SUPERVISOR_URL": "https://supervisor.example",
    "CBOT_PLANNER_URL": "https://planner.example",
    "CBOT_SESSION_MANAGER_URL": "https://session-manager.example",
}
INVOKERS = {
    "CBOT_INVOKERS": "tasks@cbot-demo.iam.gserviceaccount.com, eventarc@cbot-demo.iam.gserviceaccount.com",
    "CBOT_AUDIENCES": "https://planner-*.a.run.app",
}
IDENTITY = {"CBOT_PROJECT": "cbot-demo"}
CLOUD = {"K_SERVICE": "chat"}


def wrong(settings, environment):
    with pytest.raises(ConfigError) as caught:
        settings.read(environment)
    message = str(caught.value)
    assert "\n" not in message
    return message


LOOSENED = [
    (FirestoreSettings, FIRESTORE, "FIRESTORE_EMULATOR_HOST", "127.0.0.1:8080"),
    (QueueSettings, QUEUES, "CLOUD_TASKS_EMULATOR_HOST", "127.0.0.1:8123"),
    (InvokerSettings, INVOKERS, "CBOT_OIDC_CERTS_URL", "http://127.0.0.1:8200/certs"),
    (IdentitySettings, IDENTITY, "CBOT_UNSIGNED_TOKENS", "1"),
    (IdentitySettings, IDENTITY, "CBOT_FIREBASE_CERTS_URL", "https://certs.example/keys"),
    (IdentitySettings, IDENTITY, "CBOT_APP_CHECK_CERTS_URL", "https://certs.example/keys"),
]


class TestInTheCloud:
    def test_nothing_that_loosens_a_check_may_be_set(self, subtests):
        for settings, environment, variable, value in LOOSENED:
            with subtests.test(variable=variable):
                message = wrong(settings, {**environment, **CLOUD, variable: value})
                assert message.startswith(f"{variable} must not be set in the cloud")
                assert value not in message or len(value) == 1

    def test_elsewhere_it_may(self):
        assert [
            variable
            for settings, environment, variable, value in LOOSENED
            if not settings.read({**environment, variable: value})
        ] == []

    def test_what_is_meant_for_the_cloud_is_accepted(self):
        cases = [(FirestoreSettings, FIRESTORE), (QueueSettings, QUEUES), (InvokerSettings, INVOKERS)]
        assert [settings for settings, environment in cases if not settings.read({**environment, **CLOUD})] == []

    def test_unsigned_tokens_may_be_refused_in_so_many_words(self):
        assert not IdentitySettings.read({**IDENTITY, **CLOUD, "CBOT_UNSIGNED_TOKENS": "false"}).unsigned


class TestIdentity:
    def test_by_default_tokens_are_signed_by_firebase_and_any_app_may_call(self):
        settings = IdentitySettings.read(IDENTITY)
        assert (settings.unsigned, settings.certs_url, settings.app_check) == (False, None, False)

    def test_app_check_needs_the_projects_number(self):
        assert "CBOT_PROJECT_NUMBER" in wrong(IdentitySettings, {**IDENTITY, "CBOT_APP_CHECK": "1"})
        given = {**IDENTITY, "CBOT_APP_CHECK": "1", "CBOT_PROJECT_NUMBER": "123456789", "CBOT_APP_IDS": "1:1:web:a, b"}
        assert IdentitySettings.read(given).app_ids == ("1:1:web:a", "b")

    def test_the_projects_number_is_a_number(self):
        assert [
            number
            for number in ("cbot-demo", "12", "1234567890 ", "projects/123456789")
            if not wrong(IdentitySettings, {**IDENTITY, "CBOT_PROJECT_NUMBER": number}).startswith(
                "CBOT_PROJECT_NUMBER: "
            )
        ] == []

    @pytest.mark.parametrize("variable", ["CBOT_FIREBASE_CERTS_URL", "CBOT_APP_CHECK_CERTS_URL"])
    def test_an_address_of_keys_that_is_none_is_found_at_start(self, variable):
        assert wrong(IdentitySettings, {**IDENTITY, variable: "127.0.0.1:9099"}).startswith(f"{variable}: ")

    def test_a_project_that_cannot_be_one_is_refused(self):
        assert [
            project
            for project in ("", "CBot", "x", "cbot_demo", "cbot/demo")
            if "CBOT_PROJECT" not in wrong(IdentitySettings, {"CBOT_PROJECT": project})
        ] == []


class TestInvokers:
    def test_lists_are_read(self):
        settings = InvokerSettings.read(INVOKERS)
        assert len(settings.invokers) == 2
        assert settings.audiences == ("https://planner-*.a.run.app",)
        assert not settings.behind_iam

    def test_an_empty_list_is_refused(self):
        assert [
            (variable, value)
            for variable in INVOKERS
            for value in ("", " ", ",", " , ")
            if variable not in wrong(InvokerSettings, {**INVOKERS, variable: value})
        ] == []

    def test_an_invoker_is_one_account(self):
        cases = ["*", "*@cbot-demo.iam.gserviceaccount.com", "allUsers", "a b@c", "a@b@c"]
        assert [
            invoker
            for invoker in cases
            if not wrong(InvokerSettings, {**INVOKERS, "CBOT_INVOKERS": invoker}).startswith("CBOT_INVOKERS: ")
        ] == []

    def test_an_audience_is_an_address_with_a_part_left_open_at_most(self):
        cases = [
            "https://planner-abc-du.a.run.app", "https://planner-*.a.run.app", "https://planner-*.a.run.app/plan",
            "https://asia-northeast3-cbot.cloudfunctions.net/planner", "http://127.0.0.1:8081",
            "http://127.0.0.1:8081/*", "http://localhost:8081/*",
        ]  # fmt: skip
        assert {
            audience: got
            for audience in cases
            if (got := InvokerSettings.read({**INVOKERS, "CBOT_AUDIENCES": audience}).audiences) != (audience,)
        } == {}

    def test_an_audience_that_leaves_too_much_open_is_refused(self):
        cases = [
            "*", "https://*", "https://*.app", "https://planner-*", "https://planner-*.app",
            "https://planner.*.run.app", "http://planner-*.a.run.app", "https://planner-*.a.run.app:8443/*/plan",
            "https://user@planner-*.a.run.app", "http://127.0.0.1:*", "http://127.0.0.1:8081/*/plan",
            "http://127.0.0.1:8081/**", "planner",
        ]  # fmt: skip
        assert [
            audience
            for audience in cases
            if not wrong(InvokerSettings, {**INVOKERS, "CBOT_AUDIENCES": audience}).startswith("CBOT_AUDIENCES: ")
        ] == []

    def test_only_in_the_cloud_can_iam_have_checked_a_caller(self):
        behind = {**INVOKERS, "CBOT_INVOKERS_BEHIND_IAM": "true"}
        assert InvokerSettings.read({**behind, **CLOUD}).behind_iam
        assert wrong(InvokerSettings, behind).startswith("CBOT_INVOKERS_BEHIND_IAM")

    def test_an_address_of_keys_that_is_none_is_found_at_start(self):
        message = wrong(InvokerSettings, {**INVOKERS, "CBOT_OIDC_CERTS_URL": "ftp://127.0.0.1/certs"})
        assert message.startswith("CBOT_OIDC_CERTS_URL: ")
