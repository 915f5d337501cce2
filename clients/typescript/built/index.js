// Compiled by `python -m tools.typescript_surface`; sources 9afb162d3c952bac.
export { Bindery } from "./client.js";
export { verifyDelivery } from "./deliveries.js";
export { ApiError, NotReady, SignatureError, Unreachable } from "./errors.js";
