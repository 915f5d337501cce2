"""The specification, played row by row over HTTP against any address that runs the demo's rules."""
