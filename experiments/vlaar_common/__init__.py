"""What the experiments after Vlaar (2022) share."""
