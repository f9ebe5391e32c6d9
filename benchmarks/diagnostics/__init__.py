"""Speed of diagnostics against the way they are usually computed."""
