"""Rules of booking: slots, the gate, the stages of a request and the calendar."""
