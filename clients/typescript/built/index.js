// Compiled by `python -m tools.typescript_surface`; sources 26803b8fd2789a4f.
export { Bindery } from "./client.js";
export { verifyDelivery } from "./deliveries.js";
export { ApiError, NotReady, SignatureError, Unreachable } from "./errors.js";
