"""The facade that the command line and the application drive."""
