"""Features of one model do not disturb one another: every scene beside every other one, 50 m away."""
