// Compiled by `python -m tools.typescript_surface`; sources c33da260682bedbe.
export interface Call {
    method: "GET" | "POST" | "DELETE";
    path: string;
    query?: Record<string, string | number | string[] | undefined>;
    body?: unknown;
    form?: FormData;
    /** Of a POST that may be sent again without being done twice. */
    key?: string;
    waitSeconds?: number;
    timeoutMs?: number;
    /** False for what must not be done twice and takes no key. */
    repeatable?: boolean;
}
/** Write a path; no part of it can lead to another path. */
export declare function pathOf(...parts: string[]): string;
/** Return where the API is: under the /v2 of the service, whether the address has it or not. */
export declare function apiUrl(address: string): string;
/** Return a token without the newline of its file; no error shows it. */
export declare function bareToken(token: string): string;
export declare function addressOf(baseUrl: string, call: Call): string;
export declare function requestOf(call: Call, token: string): RequestInit;
/** Return how long to pause before sending it again; undefined where it should not be. */
export declare function pauseBeforeRetry(call: Call, response: Response | undefined, tried: number): number | undefined;
/** Return the seconds to ask the service to wait; at least one, so that nobody asks in a tight loop. */
export declare function nextWait(untilMs: number, nowMs: number): number;
export declare function pause(milliseconds: number): Promise<void>;
