/**
 * The demo of `npm start`: a relying party and a service provider on a port of their own, which people sign in to at
 * the service. It keeps what it knows in memory, and answers this machine alone.
 */
import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Profile } from "./node-saml.js";
import { outboxContent } from "./outbox.ts";
import { page, problemPage, registrationPage, STYLE, samlPage, signedInPage, signedOutPage } from "./pages.ts";
import {
  type DemoService,
  newRelyingParty,
  type RelyingParty,
  type SignedIn,
  type Started,
  type Way,
  ways,
} from "./relying-party.ts";
import { newServiceProvider, type ServiceProvider, samlPaths } from "./service-provider.ts";

const HOST = "127.0.0.1";
const COOKIE = "sign-in-demo";
/** Browsers that the demo knows at once; the one that is seen longest ago is forgotten. */
const BROWSERS_MAX = 100;
const BODY_MAX = 262_144;

/** What the demo knows of a browser. */
interface Visit {
  started?: Omit<Started, "address">;
  person?: SignedIn;
  /** What comes back with the answer to a request of SAML that this browser has begun. */
  relayState?: string;
  samlPerson?: Profile;
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
  const arrived = new Map<string, Profile>();
  let [origin, provider] = ["", newServiceProvider(service, "")];
  const server = createServer((request, response) => {
    answer({ request, origin, party, provider, service, visits, arrived }).then(
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
  provider = newServiceProvider(service, origin);
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
  readonly provider: ServiceProvider;
  readonly service: DemoService;
  readonly visits: Map<string, Visit>;
  /** People of answers of SAML by their RelayState: the browser fetches them with its cookie. */
  readonly arrived: Map<string, Profile>;
}

async function answer(asked: Asked): Promise<Answer> {
  const { request, origin, party, provider, service, arrived } = asked;
  const { host, port } = new URL(origin);
  // The service answers to the one address that is registered.
  if (request.headers.host === `localhost:${port}`) return { status: 307, location: `${origin}${request.url}` };
  // A name of another site that leads to this machine must not see tokens.
  if (request.headers.host !== host) return { status: 421, html: problemPage(`Use ${origin}/`) };
  const address = new URL(request.url ?? "/", origin);
  const { visit, cookie } = visitOf(asked);
  const set = cookie === undefined ? {} : { cookie };
  switch (`${request.method} ${address.pathname}`) {
    case "GET /":
      if (!(await party.isRegistered()) || !(await provider.isRegistered())) {
        return { status: 200, html: registrationPage(service.url), ...set };
      }
      return { status: 200, html: startPage(visit, service), ...set };
    case "GET /outbox":
      return { status: 200, html: page(await outboxContent(service.outbox)), ...set };
    case "GET /sign-in": {
      const way = wayOf(address.searchParams.get("with"));
      if (way === undefined) return { status: 404, html: problemPage("There is no such page.") };
      const prompt = address.searchParams.get("prompt") ?? undefined;
      const { address: target, ...started } = await party.start(origin, way, prompt);
      visit.started = started;
      return { status: 303, location: target.href, ...set };
    }
    case "GET /callback": {
      const { started } = visit;
      if (!started) return { status: 400, html: problemPage("This browser has started no sign-in.") };
      delete visit.started;
      visit.person = await party.finish(address, started);
      return { status: 303, location: "/" };
    }
    case "GET /saml/sign-in": {
      visit.relayState = randomBytes(32).toString("base64url");
      return { status: 303, location: (await provider.start(visit.relayState)).href, ...set };
    }
    case `POST ${samlPaths.consumer}`: {
      // The form is of the service: without the cookie, and with a signature.
      const fields = Object.fromEntries(new URLSearchParams(await textOf(request)));
      const { RelayState: relayState = "" } = fields;
      keep(arrived, relayState, await provider.finish(fields));
      return { status: 303, location: `/saml/arrived?state=${encodeURIComponent(relayState)}` };
    }
    case "GET /saml/arrived": {
      const { relayState = "" } = visit;
      const person = address.searchParams.get("state") === relayState ? arrived.get(relayState) : undefined;
      if (!person) return { status: 400, html: problemPage("This browser has started no sign-in.") };
      arrived.delete(relayState);
      delete visit.relayState;
      visit.samlPerson = person;
      return { status: 303, location: "/" };
    }
    case `GET ${samlPaths.logout}`: {
      const back = await provider.takeLogout(address.search.slice(1));
      delete visit.samlPerson;
      return { status: 303, location: back?.href ?? "/" };
    }
  }
  if (request.method !== "POST") return { status: 404, html: problemPage("There is no such page.") };
  if (request.headers.origin !== origin) return { status: 403, html: problemPage("The form is not of this page.") };
  return post(address.pathname, visit, asked);
}

function wayOf(text: string | null): Way | undefined {
  const given = text ?? "password";
  return Object.hasOwn(ways, given) ? (given as Way) : undefined;
}

async function post(path: string, visit: Visit, { origin, party, provider }: Asked): Promise<Answer> {
  const { person } = visit;
  switch (path) {
    case "/register":
      await party.register();
      await provider.register();
      return { status: 303, location: "/" };
    case "/refresh":
      if (person) visit.person = await party.refresh(person);
      return { status: 303, location: "/" };
    case "/sign-out": {
      delete visit.person;
      const target = person && (await party.signOut(origin, person));
      return { status: 303, location: target?.href ?? "/" };
    }
    case "/saml/sign-out": {
      const { samlPerson } = visit;
      delete visit.samlPerson;
      const target = samlPerson && (await provider.signOut(samlPerson));
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
  keep(visits, name, visit);
  return { visit, cookie: `${COOKIE}=${name}; Path=/; HttpOnly; SameSite=Lax` };
}

/** Keeps a value, and forgets the oldest one of too many. */
function keep<T>(values: Map<string, T>, name: string, value: T): void {
  values.set(name, value);
  const [oldest] = values.keys();
  if (values.size > BROWSERS_MAX && oldest !== undefined) values.delete(oldest);
}

/** The body of a request, up to that of a form with a signed answer. */
async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > BODY_MAX) throw new Error(`The form is longer than ${BODY_MAX} bytes.`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

function startPage({ person, samlPerson }: Visit, { administrator }: DemoService): string {
  if (person) return signedInPage(person);
  return samlPerson ? samlPage(samlPerson) : signedOutPage(administrator.username);
}

const POLICY = [
  `default-src 'none'; style-src 'sha256-${createHash("sha256").update(STYLE, "utf8").digest("base64")}'`,
  "form-action 'self' http://127.0.0.1:* http://localhost:*; base-uri 'none'; frame-ancestors 'none'",
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
