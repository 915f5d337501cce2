// Compiled by `python -m tools.typescript_surface`; sources 5d6b11526c8aad33.
export { Bindery } from "./client.js";
export { verifyDelivery } from "./deliveries.js";
export { ApiError, NotReady, SignatureError, Unreachable } from "./errors.js";
