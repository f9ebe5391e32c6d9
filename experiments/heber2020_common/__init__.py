"""What the experiments after Heber, Trstanova and Leimkuhler (2020) share."""
