// Compiled by `python -m tools.typescript_surface`; sources c33da260682bedbe.
import type { DeliveredEvent } from "./types.js";
export type DeliveryHeaders = Headers | Record<string, string | string[] | undefined>;
/**
 * Verify a delivery by Standard Webhooks and return its event, as the feed has it; `id` tells what was seen before.
 * `body` is what came in, byte for byte: verify first, then parse. Throws `SignatureError`.
 */
export declare function verifyDelivery(secret: string, headers: DeliveryHeaders, body: string | Uint8Array, now?: Date): Promise<DeliveredEvent>;
