// Compiled by `python -m tools.typescript_surface`; sources c33da260682bedbe.
import type { NotReadyQuote, Problem } from "./types.js";
export interface Refusal {
    status: number;
    code: string;
    requestId?: string;
    problems?: Problem[];
    warnings?: Problem[];
    reasons?: Record<string, string>;
    availableStatuses?: string[];
}
/**
 * A call that did not succeed: what the service said, and where it saw each problem.
 * `status` is that of HTTP, 0 where nobody answered; `code` stays the same for the same kind of refusal.
 */
export declare class ApiError extends Error {
    name: string;
    readonly status: number;
    readonly code: string;
    readonly requestId: string;
    readonly problems: readonly Problem[];
    /** Fields that were sent and are not known, with the nearest names. */
    readonly warnings: readonly Problem[];
    readonly reasons: Readonly<Record<string, string>>;
    readonly availableStatuses: readonly string[];
    constructor(message: string, refusal: Refusal, options?: ErrorOptions);
}
/** The quote is still being worked on; `status` is 202, for nothing was refused. */
export declare class NotReady extends ApiError {
    name: string;
    readonly quoteStatus: string;
    constructor(seen: NotReadyQuote);
}
/** Nobody answered; what was sent under an idempotency key can be sent again under it. */
export declare class Unreachable extends ApiError {
    name: string;
    constructor(url: string, cause: unknown);
}
/** A delivery that must not be trusted, and why. */
export declare class SignatureError extends Error {
    name: string;
}
/** Read the error body of an answer; somebody in between may have answered without one. */
export declare function refusalOf(response: Response, content: Uint8Array): ApiError;
