"""Time in text: dates, clock times, weekdays, and chat timestamps."""
