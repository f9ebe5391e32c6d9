"""What constraints cost, beside free steps and beside other libraries."""
