from shared.adapters.service_identity.audiences import Audiences

OURS = Audiences(
    ["https://planner-*.a.run.app", "https://asia-northeast3-cbot.cloudfunctions.net/planner", "http://127.0.0.1:81/*"]
)


def test_our_own_addresses_match():
    cases = [
        "https://planner-4f3kq2-du.a.run.app",
        "https://asia-northeast3-cbot.cloudfunctions.net/planner",
        "http://127.0.0.1:81/on_part_transition",
        "https://planner-4f3kq2-du.a.run.app/",
        "https://planner-4f3kq2-du.a.run.app/on_part_transition",
        "https://planner-4f3kq2-du.a.run.app?__GCP_CloudEventsMode=CE_PUBSUB_BINDING",
    ]
    assert [audience for audience in cases if audience not in OURS] == []


def test_nothing_else_does():
    cases = [
        "",
        "*",
        "https://planner-*.a.run.app",
        "https://planner-.a.run.app",
        "https://planner-x.a.run.app.evil.example",
        "https://planner-x.evil.example/.a.run.app",
        "https://planner-x.evil.a.run.app",
        "https://planner-x@evil.a.run.app",
        "https://planner-x#.a.run.app",
        "https://planner-x:1.a.run.app",
        "https://planner-é.a.run.app",
        "https://planner-x.a.run.app\n",
        "http://planner-x.a.run.app",
        "xhttps://planner-x.a.run.app",
        "https://planner-xXaXrunXapp",
        "https://asia-northeast3-cbot.cloudfunctions.net/planner/",
        "https://asia-northeast3-cbot.cloudfunctions.net/supervisor",
        "https://asia-northeast3-cbotXcloudfunctions.net/planner",
        "http://127.0.0.1:81",
        "http://127.0.0.1:81/",
        "http://127.0.0.1:81/a/b",
        "http://127.0.0.1:82/plan",
        None,
        7,
        ["https://planner-x.a.run.app"],
    ]
    assert [audience for audience in cases if not (audience not in OURS)] == []


def test_without_patterns_no_audience_is_ours():
    assert "https://planner-x.a.run.app" not in Audiences([])
    assert "" not in Audiences([])
