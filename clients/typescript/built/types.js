// Compiled by `python -m tools.typescript_surface`; sources c33da260682bedbe.
export {};
