"""The service under faults: the table of docs/reliability.md (`make fault-table`) and `make chaos`."""
