"""The planner: makes Part 2's plan, changes it on feedback, and carries out Part transitions."""
