// Compiled by `python -m tools.typescript_surface`; sources 5d6b11526c8aad33.
export { Bindery, type Connection, type EventFilter, type Keyed } from "./client.js";
export { type DeliveryHeaders, verifyDelivery } from "./deliveries.js";
export { ApiError, NotReady, SignatureError, Unreachable } from "./errors.js";
export type * from "./types.js";
