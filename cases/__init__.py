"""Stories and cases: whole sessions as a careful counsellor reads and answers them, and their lines alone."""
