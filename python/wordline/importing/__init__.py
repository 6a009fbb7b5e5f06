"""Files of other simulators, written as Wordline's own."""
