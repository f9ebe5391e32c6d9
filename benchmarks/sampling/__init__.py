"""Speed of sampling: many walkers beside other libraries, recording, memory, resuming."""
