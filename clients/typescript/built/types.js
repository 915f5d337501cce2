// Compiled by `python -m tools.typescript_surface`; sources 9afb162d3c952bac.
export {};
