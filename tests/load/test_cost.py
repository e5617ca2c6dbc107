from tests.load.cost import LINES, measure


async def test_a_scripted_session_is_priced_with_its_background_work(tmp_path):
    table = await measure(tmp_path, sessions=1)

    assert f"1 sessions, {len(LINES)} turns" in table
    rows = dict(line.strip("| ").split(" | ", 1) for line in table.splitlines() if line.startswith("| "))
    assert rows["tasks"].startswith("0.70 | 7.00"), "supervision, reviews, summary and the closing work"
    assert rows["trigger events"].startswith("0.10 | 1.00"), "Part 2 was planned"
    assert not rows["won of the model in the background"].startswith("0.00")
