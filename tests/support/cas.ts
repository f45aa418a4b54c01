/** Clients of CAS for tests: their applications, and what the service answers them. */
import { randomBytes } from "node:crypto";
import type { Browser, Shown } from "./browsing.ts";
import { signInOf } from "./sign-in.ts";
import { APPLICATIONS, type World } from "./world.ts";

/** A registered application. */
export interface CasApplication {
  readonly id: string;
  /** Its serviceURL. */
  readonly service: string;
}

/** The path of a request, with parameters. */
export const casPath = (path: string, parameters: Readonly<Record<string, string>> = {}, prefix = "") =>
  `${prefix}/cas/${path}?${new URLSearchParams(parameters)}`;

export const casOf = (api: World) => {
  const signIn = signInOf(api);

  /** Registers an application: `properties` changes those of CAS, `application` its settings. */
  const newApplication = async (
    properties: Readonly<Record<string, string>> = {},
    application: object = {},
    { prefix = "", as }: { readonly prefix?: string; readonly as?: string } = {},
  ): Promise<CasApplication> => {
    const host = `app-${randomBytes(6).toString("hex")}.example`;
    const all = { serviceURL: `https://${host}/login`, ...properties };
    const { status, headers, text } = await api.ask("POST", `${prefix}${APPLICATIONS}`, {
      ...(as !== undefined && { as }),
      body: {
        name: `App ${host}`,
        advancedConfigurations: { skipLoginConsent: true },
        ...application,
        inboundProtocolConfiguration: {
          custom: [
            { name: "cas", configName: "cas", properties: Object.entries(all).map(([key, value]) => ({ key, value })) },
          ],
        },
      },
    });
    if (status !== 201) throw new Error(text);
    return { id: headers.get("location")?.split("/").at(-1) ?? "", service: all.serviceURL };
  };

  /** The ticket that the browser is sent to a service with. Throws for a page. */
  const ticketIn = ({ location, status, html }: Shown): string => {
    const ticket = location?.searchParams.get("ticket");
    if (!ticket) throw new Error(`no ticket but ${status}: ${location?.href ?? html.slice(-900)}`);
    return ticket;
  };

  /** Opens the login address of a service. */
  const login = (browser: Browser, service: string, more: Readonly<Record<string, string>> = {}, prefix = "") =>
    browser.open(casPath("login", { service, ...more }, prefix));

  /** What a server of an application is answered. */
  const call = async (path: string, parameters: Readonly<Record<string, string>>, prefix = "") => {
    const response = await fetch(`${api.url}${casPath(path, parameters, prefix)}`, { redirect: "manual" });
    const text = await response.text();
    return {
      status: response.status,
      type: response.headers.get("content-type"),
      text,
      code: / code="([A-Z_]+)"/.exec(text)?.[1],
      user: /<cas:user>([^<]*)</.exec(text)?.[1],
    };
  };

  return { ...signIn, newApplication, ticketIn, login, call };
};
