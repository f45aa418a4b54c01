/**
 * The demo of `npm start`: a relying party on a port of its own, which people sign in to at the service. It keeps what
 * it knows in memory, and answers this machine alone.
 */
import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { problemPage, registrationPage, type SignedIn, STYLE, signedInPage, signedOutPage } from "./pages.ts";
import { APPLICATION, type DemoService, newRelyingParty, type RelyingParty, type Started } from "./relying-party.ts";

const HOST = "127.0.0.1";
const COOKIE = "sign-in-demo";
/** Browsers that the demo knows at once; the one that is seen longest ago is forgotten. */
const BROWSERS_MAX = 100;

/** What the demo knows of a browser. */
interface Visit {
  started?: Started["checks"];
  person?: SignedIn;
}

/** A running demo. */
export interface RunningDemo {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts the demo on a port, or on any free one for 0 or a port that is in use. */
export async function startDemo(service: DemoService, port: number): Promise<RunningDemo> {
  const party = newRelyingParty(service);
  const visits = new Map<string, Visit>();
  let origin = "";
  const server = createServer((request, response) => {
    answer({ request, origin, party, service, visits }).then(
      (page) => send(response, page),
      (error: unknown) => send(response, { status: 502, html: problemPage(messageOf(error)) }),
    );
  });
  const listening = (on: number) =>
    new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(on, HOST, () => {
        server.off("error", reject);
        resolve();
      });
    });
  await listening(port).catch(() => listening(0));
  origin = `http://${HOST}:${(server.address() as AddressInfo).port}`;
  return {
    url: origin,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Answer {
  readonly status: number;
  readonly html?: string;
  readonly location?: string;
  readonly cookie?: string;
}

interface Asked {
  readonly request: IncomingMessage;
  readonly origin: string;
  readonly party: RelyingParty;
  readonly service: DemoService;
  readonly visits: Map<string, Visit>;
}

async function answer(asked: Asked): Promise<Answer> {
  const { request, origin, party, service } = asked;
  // A name of another site that leads to this machine must not see tokens.
  if (request.headers.host !== new URL(origin).host) return { status: 421, html: problemPage(`Use ${origin}/`) };
  const address = new URL(request.url ?? "/", origin);
  const { visit, cookie } = visitOf(asked);
  const set = cookie === undefined ? {} : { cookie };
  switch (`${request.method} ${address.pathname}`) {
    case "GET /":
      if (!(await party.isRegistered()))
        return { status: 200, html: registrationPage(service.url, APPLICATION), ...set };
      return { status: 200, html: visit.person ? signedInPage(visit.person) : signedOut(service), ...set };
    case "GET /sign-in": {
      const { address: target, checks } = await party.start(origin, address.searchParams.get("prompt") ?? undefined);
      visit.started = checks;
      return { status: 303, location: target.href, ...set };
    }
    case "GET /callback": {
      const { started } = visit;
      if (!started) return { status: 400, html: problemPage("This browser has started no sign-in.") };
      delete visit.started;
      visit.person = await party.finish(address, started);
      return { status: 303, location: "/" };
    }
  }
  if (request.method !== "POST") return { status: 404, html: problemPage("There is no such page.") };
  if (request.headers.origin !== origin) return { status: 403, html: problemPage("The form is not of this page.") };
  return post(address.pathname, visit, asked);
}

async function post(path: string, visit: Visit, { origin, party }: Asked): Promise<Answer> {
  const { person } = visit;
  switch (path) {
    case "/register":
      await party.register();
      return { status: 303, location: "/" };
    case "/refresh":
      if (person) visit.person = await party.refresh(person);
      return { status: 303, location: "/" };
    case "/sign-out": {
      delete visit.person;
      const target = person && (await party.signOut(origin, person));
      return { status: 303, location: target?.href ?? "/" };
    }
    default:
      return { status: 404, html: problemPage("There is no such page.") };
  }
}

/** What is known of the browser of a request, and a cookie for one that has none. */
function visitOf({ request, visits }: Asked): { readonly visit: Visit; readonly cookie?: string } {
  const sent = new RegExp(`(?:^|; )${COOKIE}=([A-Za-z0-9_-]{43})(?:;|$)`).exec(request.headers.cookie ?? "")?.[1];
  const known = sent === undefined ? undefined : visits.get(sent);
  if (sent !== undefined && known) {
    visits.delete(sent);
    visits.set(sent, known);
    return { visit: known };
  }
  const name = randomBytes(32).toString("base64url");
  const visit: Visit = {};
  visits.set(name, visit);
  const [oldest] = visits.keys();
  if (visits.size > BROWSERS_MAX && oldest !== undefined) visits.delete(oldest);
  return { visit, cookie: `${COOKIE}=${name}; Path=/; HttpOnly; SameSite=Lax` };
}

function signedOut({ administrator }: DemoService): string {
  return signedOutPage(administrator.username);
}

const POLICY = [
  `default-src 'none'; style-src 'sha256-${createHash("sha256").update(STYLE, "utf8").digest("base64")}'`,
  "form-action 'self' http://127.0.0.1:*; base-uri 'none'; frame-ancestors 'none'",
].join("; ");

function send(response: ServerResponse, { status, html = "", location, cookie }: Answer): void {
  response.writeHead(status, {
    "cache-control": "no-store",
    "content-security-policy": POLICY,
    "content-type": "text/html; charset=utf-8",
    // Without a referrer a browser does not say which origin a form is from.
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    ...(location !== undefined && { location }),
    ...(cookie !== undefined && { "set-cookie": cookie }),
  });
  response.end(html);
}

/** What an error says, with the description of the service where it has one. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { error_description: description } = error as { readonly error_description?: unknown };
  return typeof description === "string" ? `${error.message}: ${description}` : error.message;
}
