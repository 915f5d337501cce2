// Compiled by `python -m tools.typescript_surface`; sources c33da260682bedbe.
// A request, and when it is sent again.
const TIMEOUT_MS = 15_000;
const TRIES = 4;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;
const LONGEST_WAIT_S = 60;
const WORTH_ANOTHER_TRY = new Set([429, 502, 503, 504]);
/** Write a path; no part of it can lead to another path. */
export function pathOf(...parts) {
    return parts.map((part) => `/${encodeURIComponent(part)}`).join("");
}
/** Return where the API is: under the /v2 of the service, whether the address has it or not. */
export function apiUrl(address) {
    // What it is instead is not shown: it may be the token.
    if (!/^https?:\/\//.test(address)) {
        throw new TypeError("The address of the service must begin with http:// or https://.");
    }
    return `${address.replace(/\/+$/, "").replace(/\/+v2$/, "")}/v2`;
}
/** Return a token without the newline of its file; no error shows it. */
export function bareToken(token) {
    const bare = typeof token === "string" ? token.trim() : "";
    if (!bare)
        throw new TypeError("The token is empty.");
    if (bare.includes("://"))
        throw new TypeError("The token is an address: token and baseUrl are swapped.");
    if (!/^[!-~]+$/.test(bare))
        throw new TypeError("The token has characters that no token has.");
    return bare;
}
export function addressOf(baseUrl, call) {
    const given = Object.entries(call.query ?? {}).filter(([, value]) => value !== undefined);
    const pairs = given.flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((item) => [name, String(item)]));
    const query = new URLSearchParams(pairs).toString();
    return baseUrl + call.path + (query && `?${query}`);
}
export function requestOf(call, token) {
    const headers = { Authorization: `Bearer ${token}` };
    if (call.key)
        headers["Idempotency-Key"] = call.key;
    if (call.waitSeconds)
        headers["Prefer"] = `wait=${call.waitSeconds}`;
    if (call.body !== undefined)
        headers["Content-Type"] = "application/json";
    return {
        method: call.method,
        headers,
        body: call.form ?? (call.body === undefined ? null : JSON.stringify(call.body)),
        signal: AbortSignal.timeout((call.timeoutMs ?? TIMEOUT_MS) + (call.waitSeconds ?? 0) * 1000),
    };
}
/** Return how long to pause before sending it again; undefined where it should not be. */
export function pauseBeforeRetry(call, response, tried) {
    if (call.repeatable === false || tried >= TRIES)
        return undefined;
    let pause = FIRST_PAUSE_MS * 2 ** (tried - 1);
    if (response) {
        const asked = response.headers.get("retry-after") ?? "";
        // A conflict passes by itself where the service says when: the same key is still in flight.
        const passes = response.status === 409 && asked !== "";
        if (!passes && !WORTH_ANOTHER_TRY.has(response.status))
            return undefined;
        if (/^[0-9]+$/.test(asked))
            pause = Number(asked) * 1000;
    }
    return Math.min(pause, LONGEST_PAUSE_MS);
}
/** Return the seconds to ask the service to wait; at least one, so that nobody asks in a tight loop. */
export function nextWait(untilMs, nowMs) {
    return Math.max(1, Math.min(LONGEST_WAIT_S, Math.round((untilMs - nowMs) / 1000)));
}
export function pause(milliseconds) {
    return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
