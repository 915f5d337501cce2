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
export class ApiError extends Error {
  override name = "ApiError";
  readonly status: number;
  readonly code: string;
  readonly requestId: string;
  readonly problems: readonly Problem[];
  /** Fields that were sent and are not known, with the nearest names. */
  readonly warnings: readonly Problem[];
  readonly reasons: Readonly<Record<string, string>>;
  readonly availableStatuses: readonly string[];

  constructor(message: string, refusal: Refusal, options?: ErrorOptions) {
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
  override name = "NotReady";
  readonly quoteStatus: string;

  constructor(seen: NotReadyQuote) {
    super(`Quote ${seen.quote_identifier} is still ${seen.quote_status}; ask again later.`, {
      status: 202,
      code: "not_ready",
    });
    this.quoteStatus = seen.quote_status;
  }
}

/** Nobody answered; what was sent under an idempotency key can be sent again under it. */
export class Unreachable extends ApiError {
  override name = "Unreachable";

  constructor(url: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`There is no answer from ${url}: ${why}.`, { status: 0, code: "unreachable" }, { cause });
  }
}

/** A delivery that must not be trusted, and why. */
export class SignatureError extends Error {
  override name = "SignatureError";
}

/** Read the error body of an answer; somebody in between may have answered without one. */
export function refusalOf(response: Response, content: Uint8Array): ApiError {
  const { status } = response;
  const body = parsed(new TextDecoder().decode(content));
  if (status === 202 && isObject(body) && "quote_identifier" in body) return new NotReady(body as NotReadyQuote);
  if (!isObject(body) || typeof body["message"] !== "string" || typeof body["code"] !== "string") {
    const message = `${response.url} answered ${status} ${response.statusText}, but not as the service does.`;
    return new ApiError(message.replace("  ", " "), { status, code: "unexpected_answer" });
  }
  return new ApiError(body["message"], {
    status,
    code: body["code"],
    requestId: String(body["request_id"] ?? ""),
    problems: (body["errors"] ?? []) as Problem[],
    warnings: (body["warnings"] ?? []) as Problem[],
    reasons: (body["reasons"] ?? {}) as Record<string, string>,
    availableStatuses: (body["available_statuses"] ?? []) as string[],
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
