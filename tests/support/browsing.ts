/** A browser without JavaScript: keeps cookies, sends forms as they are, and shows where it would be sent. */

/** What a browser shows. */
export interface Shown {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** Where the answer sends the browser; `undefined` for a page. */
  readonly location: URL | undefined;
  /** The heading. */
  readonly title: string;
  /** What the page says is wrong. */
  readonly alert: string | undefined;
}

const decoded = (text: string) =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => {
    const characters: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
    return characters[name] ?? "";
  });
const attribute = (tag: string, name: string) => decoded(new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? "");

/** Opens a browser with no cookies. `origin`: of the service. */
export const newBrowser = (origin: string) => {
  const cookies = new Map<string, string>();
  let latest: Shown | undefined;

  const send = async (address: string, init: RequestInit = {}): Promise<Shown> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(new URL(address, origin), {
      ...init,
      redirect: "manual",
      headers: { ...(cookie && { cookie }), "accept-language": "en", ...init.headers },
    });
    for (const set of response.headers.getSetCookie()) {
      const [pair = ""] = set.split(";");
      const at = pair.indexOf("=");
      cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    const html = await response.text();
    const location = response.headers.get("location");
    // On the way to the client the browser stays at the service for a moment.
    if (location?.startsWith("/")) return send(location, { headers: { "sec-fetch-site": "same-origin" } });
    latest = {
      status: response.status,
      headers: response.headers,
      html,
      location: location === null ? undefined : new URL(location),
      title: decoded(/<h1>(.*?)<\/h1>/.exec(html)?.[1] ?? ""),
      alert: decoded(/<p role="alert"[^>]*>(.*?)</.exec(html)?.[1] ?? "") || undefined,
    };
    return latest;
  };

  return {
    cookies,
    open: (address: string, headers: Readonly<Record<string, string>> = {}) => send(address, { headers }),
    /** The fields of the form that is shown. */
    fields: (): Readonly<Record<string, string>> =>
      Object.fromEntries(
        [...(latest?.html ?? "").matchAll(/<input[^>]*>/g)].map(([tag]) => [
          attribute(tag, "name"),
          attribute(tag, "value"),
        ]),
      ),
    /** Sends the form that is shown, with these fields. */
    submit(fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}): Promise<Shown> {
      const action = attribute(/<form[^>]*>/.exec(latest?.html ?? "")?.[0] ?? "", "action");
      const body = new URLSearchParams({ ...this.fields(), ...fields }).toString();
      return send(action, {
        method: "POST",
        body,
        headers: { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin", ...headers },
      });
    },
  };
};

export type Browser = ReturnType<typeof newBrowser>;
