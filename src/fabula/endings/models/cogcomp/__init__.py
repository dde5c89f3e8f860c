"""CogComp (Chaturvedi, Peng and Roth 2017): aspects of a story and their mixture."""
