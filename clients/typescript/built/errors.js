// Compiled by `python -m tools.typescript_surface`; sources c33da260682bedbe.
/**
 * A call that did not succeed: what the service said, and where it saw each problem.
 * `status` is that of HTTP, 0 where nobody answered; `code` stays the same for the same kind of refusal.
 */
export class ApiError extends Error {
    name = "ApiError";
    status;
    code;
    requestId;
    problems;
    /** Fields that were sent and are not known, with the nearest names. */
    warnings;
    reasons;
    availableStatuses;
    constructor(message, refusal, options) {
        super(message, options);
        this.status = refusal.status;
        this.code = refusal.code;
        this.requestId = refusal.requestId ?? "";
        this.problems = refusal.problems ?? [];
        this.warnings = refusal.warnings ?? [];
        this.reasons = refusal.reasons ?? {};
        this.availableStatuses = refusal.availableStatuses ?? [];
    }
}
/** The quote is still being worked on; `status` is 202, for nothing was refused. */
export class NotReady extends ApiError {
    name = "NotReady";
    quoteStatus;
    constructor(seen) {
        super(`Quote ${seen.quote_identifier} is still ${seen.quote_status}; ask again later.`, {
            status: 202,
            code: "not_ready",
        });
        this.quoteStatus = seen.quote_status;
    }
}
/** Nobody answered; what was sent under an idempotency key can be sent again under it. */
export class Unreachable extends ApiError {
    name = "Unreachable";
    constructor(url, cause) {
        const why = cause instanceof Error ? cause.message : String(cause);
        super(`There is no answer from ${url}: ${why}.`, { status: 0, code: "unreachable" }, { cause });
    }
}
/** A delivery that must not be trusted, and why. */
export class SignatureError extends Error {
    name = "SignatureError";
}
/** Read the error body of an answer; somebody in between may have answered without one. */
export function refusalOf(response, content) {
    const { status } = response;
    const body = parsed(new TextDecoder().decode(content));
    if (status === 202 && isObject(body) && "quote_identifier" in body)
        return new NotReady(body);
    if (!isObject(body) || typeof body["message"] !== "string" || typeof body["code"] !== "string") {
        const message = `${response.url} answered ${status} ${response.statusText}, but not as the service does.`;
        return new ApiError(message.replace("  ", " "), { status, code: "unexpected_answer" });
    }
    return new ApiError(body["message"], {
        status,
        code: body["code"],
        requestId: String(body["request_id"] ?? ""),
        problems: (body["errors"] ?? []),
        warnings: (body["warnings"] ?? []),
        reasons: (body["reasons"] ?? {}),
        availableStatuses: (body["available_statuses"] ?? []),
    });
}
function parsed(text) {
    try {
        return JSON.parse(text);
    }
    catch {
        return undefined;
    }
}
function isObject(value) {
    return typeof value === "object" && value !== null;
}
