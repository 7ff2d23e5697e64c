"""The paper's own system: contacts and joints in velocities and multipliers, solved by Newton's method."""
