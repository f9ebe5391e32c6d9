"""What samplers sample: the stationary bias of this library's methods and of its peers."""
