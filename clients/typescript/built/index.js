// Compiled by `python -m tools.typescript_surface`; sources c33da260682bedbe.
export { Bindery } from "./client.js";
export { verifyDelivery } from "./deliveries.js";
export { ApiError, NotReady, SignatureError, Unreachable } from "./errors.js";
