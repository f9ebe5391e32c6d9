"""Fifty trainings of a perceptron: walkers of one compiled run, or a loop of torch trainings."""
