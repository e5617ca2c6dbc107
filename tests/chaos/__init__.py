"""What happens under faults: the table of docs/reliability.md (`make fault-table`) and `make chaos`."""
