import { store, token } from "./state.js";

/** Longer than the broker's own deadlines. */
const LONGEST_WAIT_MS = 30_000;
const MOST_RETRIES = 5;

/** A refusal: the problem document, or {code: "network" | "unreadable"} where there is none. */
export class Refused extends Error {
  constructor(problem) {
    super(problem.detail ?? problem.code);
    this.problem = problem;
  }
}

let askForToken = () => Promise.reject(new Error("nobody asks for tokens yet"));

/** Who is asked for a token when the broker refuses ours; answers once there is a new one. */
export function onUnauthorized(ask) {
  askForToken = ask;
}

/** Calls the broker with the token of this tab; asks for another one where the broker does not know it. */
async function call(method, path, { query = {}, body, key, version, signal } = {}) {
  const address = new URL(path, location.origin);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== "") {
      address.searchParams.set(name, value);
    }
  }
  for (let tries = 1; ; tries++) {
    const used = token.get();
    const headers = { Accept: "application/json", "Accept-Language": store.lang };
    if (used) {
      headers.Authorization = `Bearer ${used}`;
    }
    if (body !== undefined) {
      headers["Content-Type"] = "application/json";
    }
    if (key) {
      headers["Idempotency-Key"] = key;
    }
    if (version !== undefined) {
      headers["If-Match"] = `"${version}"`;
    }
    const answer = used
      ? await send(address, { method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body) })
      : { status: 401 };
    if (answer.status === 401) {
      await askForToken(used);
    } else if (answer.ok) {
      return answer.status === 204 ? null : await answer.json();
    } else {
      const problem = await problemOf(answer);
      // The first call with this key is still being worked on: its answer is ours too.
      if (problem.code !== "idempotency_in_progress" || tries > MOST_RETRIES) {
        throw new Refused(problem);
      }
      await pause(1000 * Number(answer.headers.get("Retry-After") ?? 1));
    }
  }
}

async function send(address, request) {
  const deadline = AbortSignal.timeout(LONGEST_WAIT_MS);
  const signal = request.signal ? AbortSignal.any([request.signal, deadline]) : deadline;
  try {
    return await fetch(address, { ...request, signal, cache: "no-store", credentials: "omit" });
  } catch (failure) {
    if (request.signal?.aborted) {
      throw failure;
    }
    throw new Refused({ code: "network" });
  }
}

async function problemOf(answer) {
  try {
    const problem = await answer.json();
    return problem.code ? problem : { code: "unreadable", status: answer.status };
  } catch {
    return { code: "unreadable", status: answer.status };
  }
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const of = (id) => `/v1/reservations/${encodeURIComponent(id)}`;

export const api = {
  status: () => call("GET", "/v1/status"),
  platforms: () => call("GET", "/v1/platforms"),
  calendar: (query, signal) => call("GET", "/v1/calendar", { query, signal }),
  interpret: (body) => call("POST", "/v1/interpretations", { body }),
  quote: (body) => call("POST", "/v1/quotes", { body }),
  book: (body, key) => call("POST", "/v1/reservations", { body, key }),
  reservation: (id, signal) => call("GET", of(id), { signal }),
  events: (id, cursor, signal) => call("GET", `${of(id)}/events`, { query: { cursor, limit: 200 }, signal }),
  accept: (id, version, key) => call("POST", `${of(id)}/accept`, { version, key }),
  decline: (id, version, key) => call("POST", `${of(id)}/decline`, { version, key }),
  cancel: (id, body, key) => call("POST", `${of(id)}/cancel`, { body, key }),
};

/**
 * Idempotency keys of one open form: the same body always has the same key, another body another one. So a double click,
 * or a second try after a lost answer, is the same intent to the broker.
 */
export class Keys {
  #keys = new Map();

  of(intent) {
    const text = JSON.stringify(intent);
    if (!this.#keys.has(text)) {
      this.#keys.set(text, newKey());
    }
    return this.#keys.get(text);
  }

  /** The form was closed, or its intent was fulfilled: what comes next is meant anew. */
  forget() {
    this.#keys.clear();
  }
}

// Not randomUUID(), which browsers offer only over TLS and on the machine itself.
function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `page-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
