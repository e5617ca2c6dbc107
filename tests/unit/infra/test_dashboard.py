"""infra/dashboard.json: each metric that exists is shown, and no other."""

import json
import re

from tests.support.process import ROOT
from tests.support.terraform import infrastructure

DASHBOARD = json.loads((ROOT / "infra" / "dashboard.json").read_text("utf-8"))
INFRA = infrastructure()
TILES = DASHBOARD["mosaicLayout"]["tiles"]
COUNTED = INFRA.locals["log_metrics"]
MEASURED = {"turn_ms": (), "cost_krw": ("agent",)}
"""Distributions, with their labels."""


def queries(tile):
    for data in tile["widget"]["xyChart"]["dataSets"]:
        query = data["timeSeriesQuery"]
        filtered = query.get("timeSeriesFilterRatio") or {"one": query.get("timeSeriesFilter")}
        yield data, [part for part in filtered.values() if part], query.get("prometheusQuery", "")


def named(text):
    return set(re.findall(r"logging\.googleapis\.com/user/cbot/([a-z_]+)", text)) | {
        name.removesuffix("_sum") for name in re.findall(r"logging_googleapis_com:user_cbot_([a-z_]+)", text)
    }


def test_every_shown_metric_and_label_is_one_that_terraform_counts_and_every_counted_one_is_shown(subtests):
    shown = set()
    for tile in TILES:
        with subtests.test(title=tile["widget"]["title"]):
            for data, parts, prometheus in queries(tile):
                assert bool(parts) != bool(prometheus)
                metrics = named(json.dumps(parts)) | named(prometheus)
                labels = {
                    label for name in metrics for label in MEASURED.get(name) or COUNTED.get(name, {}).get("labels", ())
                }
                used = set(
                    re.findall(r"metric\.labels?\.([a-z_]+)", json.dumps([parts, data.get("legendTemplate", "")]))
                )
                assert metrics <= {*COUNTED, *MEASURED}
                assert used - labels <= {"response_code_class"}
                assert "${agent}" not in data.get("legendTemplate", "") or "agent" in labels
                shown |= metrics
    assert shown == {*COUNTED, *MEASURED}
