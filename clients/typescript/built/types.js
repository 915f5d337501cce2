// Compiled by `python -m tools.typescript_surface`; sources 5d6b11526c8aad33.
export {};
