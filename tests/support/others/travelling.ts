/**
 * A browser without JavaScript that goes from one site to another: it follows every redirect, sends the form of a page
 * where its button leads, and keeps cookies as browsers do, by site, `SameSite` and end.
 */
import { inflateRawSync } from "node:zlib";

/** The page that a browser is at. */
export interface Page {
  readonly url: URL;
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
}

/** A message of SAML that the browser has carried. */
export interface Carried {
  /** Where to, without the query. */
  readonly to: string;
  readonly binding: "HTTP-Redirect" | "HTTP-POST";
  readonly xml: string;
}

interface Cookie {
  readonly value: string;
  readonly isOfSite: boolean;
}

const REDIRECTS_MAX = 20;

const decoded = (text: string) =>
  text
    .replace(/&#x([0-9a-f]+);/gi, (_, digits: string) => String.fromCodePoint(Number.parseInt(digits, 16)))
    .replace(/&#(\d+);/g, (_, digits: string) => String.fromCodePoint(Number(digits)))
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");
const carriedBy = (url: URL, body: RequestInit["body"]): readonly Carried[] => {
  const fields = body instanceof URLSearchParams ? body : url.searchParams;
  const encoded = fields.get("SAMLRequest") ?? fields.get("SAMLResponse");
  if (encoded === null) return [];
  const [bytes, to] = [Buffer.from(encoded, "base64"), `${url.origin}${url.pathname}`];
  if (fields === body) return [{ to, binding: "HTTP-POST", xml: bytes.toString("utf8") }];
  return [{ to, binding: "HTTP-Redirect", xml: inflateRawSync(bytes).toString("utf8") }];
};
const attributeOf = (tag: string, name: string) => {
  const [, double, single] = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, "i").exec(tag) ?? [];
  return decoded(double ?? single ?? "");
};

/** Opens a browser with no cookies. */
export const newTraveller = () => {
  const jars = new Map<string, Map<string, Cookie>>();
  const carried: Carried[] = [];
  let at: Page | undefined;

  const keep = (host: string, sets: readonly string[]) => {
    const jar = jars.get(host) ?? new Map<string, Cookie>();
    for (const set of sets) {
      const [pair = "", ...attributes] = set.split(";").map((part) => part.trim());
      const equals = pair.indexOf("=");
      const named = new Map(attributes.map((each) => each.toLowerCase().split("=", 2) as [string, string | undefined]));
      const ends = /expires=([^;]*)/i.exec(set)?.[1];
      const isOver = named.get("max-age") === "0" || (ends !== undefined && Date.parse(ends) < Date.now());
      if (isOver) jar.delete(pair.slice(0, equals));
      // Without the attribute, browsers send a new cookie with forms of other sites for two minutes.
      const isOfSite = ["lax", "strict"].includes(named.get("samesite") ?? "none");
      if (!isOver) jar.set(pair.slice(0, equals), { value: pair.slice(equals + 1), isOfSite });
    }
    jars.set(host, jar);
  };

  const send = async (url: URL, init: RequestInit, isFromOther: boolean, redirects = 0): Promise<Page> => {
    if (redirects > REDIRECTS_MAX) throw new Error(`it goes on and on, to ${url}`);
    const isSent = ({ isOfSite }: Cookie) => !(isOfSite && isFromOther && init.method === "POST");
    const cookie = [...(jars.get(url.host) ?? [])].flatMap(([name, each]) =>
      isSent(each) ? [`${name}=${each.value}`] : [],
    );
    carried.push(...carriedBy(url, init.body));
    const response = await fetch(url, {
      ...init,
      redirect: "manual",
      headers: {
        ...(cookie.length > 0 && { cookie: cookie.join("; ") }),
        "accept-language": "en",
        accept: "text/html",
        "sec-fetch-site": isFromOther ? "cross-site" : "same-origin",
        ...init.headers,
      },
    });
    keep(url.host, response.headers.getSetCookie());
    const location = response.headers.get("location");
    const html = await response.text();
    if (location !== null && response.status >= 300 && response.status < 400) {
      const next = new URL(location, url);
      return send(next, {}, isFromOther || next.host !== url.host, redirects + 1);
    }
    at = { url, status: response.status, headers: response.headers, html };
    return at;
  };
  const here = (): Page => {
    if (!at) throw new Error("the browser has opened no page");
    return at;
  };

  return {
    /** In the order that they were sent in. */
    carried,
    /** Opens an address that the person enters. */
    open: (address: string | URL): Promise<Page> => send(new URL(address), {}, false),
    /** Sends the first form of the page, with these fields besides its own. */
    submit(fields: Readonly<Record<string, string>> = {}): Promise<Page> {
      const { url, html } = here();
      const [form = ""] = /<form[\s\S]*?<\/form>/i.exec(html) ?? [];
      if (form === "") throw new Error(`no form on ${url}: ${html.slice(0, 3_000)}`);
      const [tag = ""] = /<form[^>]*>/i.exec(form) ?? [];
      const inputs = [...form.matchAll(/<input[^>]*>/gi)].flatMap(([input]) => {
        const name = attributeOf(input, "name");
        return name === "" ? [] : [[name, attributeOf(input, "value")] as const];
      });
      const body = new URLSearchParams({ ...Object.fromEntries(inputs), ...fields });
      const to = new URL(attributeOf(tag, "action") || url.href, url);
      return send(to, { method: "POST", body }, to.host !== url.host);
    },
  };
};

export type Traveller = ReturnType<typeof newTraveller>;
