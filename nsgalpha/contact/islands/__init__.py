"""Islands: contacts that no moving body links to others, and their contact problems, small and large."""
