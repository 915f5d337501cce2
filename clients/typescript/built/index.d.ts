// Compiled by `python -m tools.typescript_surface`; sources c33da260682bedbe.
export { Bindery, type Connection, type EventFilter, type Keyed } from "./client.js";
export { type DeliveryHeaders, verifyDelivery } from "./deliveries.js";
export { ApiError, NotReady, SignatureError, Unreachable } from "./errors.js";
export type * from "./types.js";
