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
  /** What the page says is wrong; on the page of an error, what it says to the makers of the application. */
  readonly alert: string | undefined;
  /** What it says to the person. */
  readonly said: string | undefined;
}

const decoded = (text: string) =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => {
    const characters: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
    return characters[name] ?? "";
  });
const attribute = (tag: string, name: string) => decoded(new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? "");

/** A page from its detail on, where it has one. */
const detailFirst = (html: string) => html.slice(Math.max(html.indexOf('<p id="detail">'), 0));

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
      alert: decoded(/<p (?:id="detail"|role="alert"[^>]*)>(.*?)</.exec(detailFirst(html))?.[1] ?? "") || undefined,
      said: decoded(/<p role="alert"[^>]*>(.*?)</.exec(html)?.[1] ?? "") || undefined,
    };
    return latest;
  };

  const post = (
    action: string,
    fields: Readonly<Record<string, string | readonly string[]>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Shown> =>
    send(action, {
      method: "POST",
      body: new URLSearchParams(
        Object.entries(fields).flatMap(([name, values]) =>
          [values].flat().map((value): [string, string] => [name, value]),
        ),
      ).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin", ...headers },
    });

  return {
    cookies,
    post,
    /** The address and the fields of the form with this button, on a page with several. Throws where there is none. */
    form(button: string): { readonly action: string; readonly fields: Readonly<Record<string, string>> } {
      const forms = latest?.html.match(/<form[\s\S]*?<\/form>/g) ?? [];
      const found = forms.find((each) => decoded(each).includes(`>${button}</button>`));
      if (!found) throw new Error(`no form with the button ${button}: ${latest?.html.slice(-2_000)}`);
      const fields = [...found.matchAll(/<input[^>]*>/g)].map(([tag]) => [
        attribute(tag, "name"),
        attribute(tag, "value"),
      ]);
      return { action: attribute(/<form[^>]*>/.exec(found)?.[0] ?? "", "action"), fields: Object.fromEntries(fields) };
    },
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
      return post(action, { ...this.fields(), ...fields }, headers);
    },
  };
};

export type Browser = ReturnType<typeof newBrowser>;
