/** What is wrong with one field of a request. */
export interface ErrorDetail {
  field?: string;
  code?: string;
  message?: string;
  suggestions?: string[];
}

/** A refusal by the service. Branch on `code`; `details` name every field at fault. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: ErrorDetail[];
  readonly requestId: string;
  readonly docs: string;

  constructor(status: number, body: unknown) {
    const e = refusalIn(body);
    const fields = (e.details ?? []).map(told).join("; ");
    super(`${status} ${e.code ?? ""}: ${e.message ?? ""}${fields && ` ${fields}`} (request ${e.requestId ?? ""})`);
    this.name = "ApiError";
    this.status = status;
    this.code = e.code ?? "";
    this.details = e.details ?? [];
    this.requestId = e.requestId ?? "";
    this.docs = e.docs ?? "";
  }
}

function told(d: ErrorDetail): string {
  const suggestions = (d.suggestions ?? []).join(", ");
  return `${d.field ?? ""}: ${d.message ?? ""}${suggestions && ` (suggestions: ${suggestions})`}`;
}

/** What was asked for still has the entity tag given as `If-None-Match`. */
export class NotModified extends Error {
  constructor() {
    super("304: the entity tag is still current");
    this.name = "NotModified";
  }
}

/** The request was sent, or could not be sent, and no answer came back. */
export class NoAnswer extends Error {
  constructor(method: string, url: string, cause: unknown) {
    super(`${method} ${url}: no answer`, { cause });
    this.name = "NoAnswer";
  }
}

interface Refusal {
  code?: string;
  message?: string;
  requestId?: string;
  docs?: string;
  details?: ErrorDetail[];
}

/** Returns the error of an answer in the service's envelope; a proxy in between answers in its own words. */
function refusalIn(body: unknown): Refusal {
  if (typeof body === "object" && body !== null && "error" in body && typeof body.error === "object" && body.error !== null) {
    return body.error;
  }
  return { message: typeof body === "string" ? body.slice(0, 200) : "" };
}
