// Compiled by `python -m tools.typescript_surface`; sources 26803b8fd2789a4f.
export {};
