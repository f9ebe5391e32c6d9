"""Problems and numbers shared by the experiments after chapter 3 of Vlaar's thesis."""
