"""What the experiments of Chaudhari's thesis share."""
