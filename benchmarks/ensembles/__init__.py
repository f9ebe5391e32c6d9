"""What an ensemble adds to a step."""
