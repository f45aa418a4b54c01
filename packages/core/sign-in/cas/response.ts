/** What services are answered (CAS protocol 3.0 sections 2.4.2, 2.5.2 and 2.7.2, appendix A). Pure. */
import { type Canonical, element, text } from "../../kernel/canonical-xml.ts";
import type { AttributeValues } from "../sso/claimed.ts";
import type { CasRefusal } from "./refusal.ts";

/** How a response is written. */
export type Format = "XML" | "JSON";

/** Who a ticket is about. */
export interface Validated {
  readonly user: string;
  /** Absent where the service gets the user name only. */
  readonly attributes?: readonly AttributeValues[] | undefined;
  /** Links the ticket that the proxy has got to this response. */
  readonly pgtIou?: string | undefined;
  readonly proxies: readonly string[];
}

/** A response in a format. */
export interface Written {
  readonly mediaType: string;
  readonly text: string;
}

const NAMESPACE = "http://www.yale.edu/tp/cas";

/** The name of a user, with its attributes. */
export function successOf({ user, attributes, pgtIou, proxies }: Validated, format: Format): Written {
  if (format === "JSON") {
    return json({
      authenticationSuccess: {
        user,
        ...(pgtIou !== undefined && { proxyGrantingTicket: pgtIou }),
        ...(proxies.length > 0 && { proxies }),
        ...(attributes && {
          attributes: Object.fromEntries(attributes.map(({ name, values }) => [name, one(values)])),
        }),
      },
    });
  }
  return xml(
    element(
      "cas:authenticationSuccess",
      {},
      element("cas:user", {}, text(user)),
      attributes &&
        element(
          "cas:attributes",
          {},
          ...attributes.flatMap(({ name, values }) => values.map((each) => element(`cas:${name}`, {}, text(each)))),
        ),
      pgtIou === undefined ? undefined : element("cas:proxyGrantingTicket", {}, text(pgtIou)),
      proxies.length > 0
        ? element("cas:proxies", {}, ...proxies.map((each) => element("cas:proxy", {}, text(each))))
        : undefined,
    ),
  );
}

/** A refusal of a validation, or of a proxy ticket. */
export function refusalOf(
  { code, message }: Pick<CasRefusal, "code" | "message">,
  format: Format,
  what: "authenticationFailure" | "proxyFailure" = "authenticationFailure",
): Written {
  return format === "JSON"
    ? json({ [what]: { code, description: message } })
    : xml(element(`cas:${what}`, { code }, text(message)));
}

/** A proxy ticket. */
export function proxyTicketOf(ticket: string, format: Format): Written {
  return format === "JSON"
    ? json({ proxySuccess: { proxyTicket: ticket } })
    : xml(element("cas:proxySuccess", {}, element("cas:proxyTicket", {}, text(ticket))));
}

/** What CAS 1.0 answers: two lines. A name of more than one line would be read as another one. */
export function plainOf(user: string | undefined): Written {
  const isOneLine = user !== undefined && !/[\r\n]/.test(user);
  return { mediaType: "text/plain", text: isOneLine ? `yes\n${user}\n` : "no\n\n" };
}

/** The name of a claim as the name of an element: the end of a URI, in characters that XML and its readers take. */
export function elementName(name: string): string {
  const end = name.slice(name.lastIndexOf("/") + 1) || name;
  const plain = end.replace(/[^A-Za-z0-9_.-]/g, "_");
  return /^[A-Za-z_]/.test(plain) ? plain : `_${plain}`;
}

function one(values: readonly string[]): string | readonly string[] {
  return values.length === 1 ? (values[0] ?? "") : values;
}

function xml(content: Canonical): Written {
  return { mediaType: "application/xml", text: element("cas:serviceResponse", { "xmlns:cas": NAMESPACE }, content) };
}

function json(content: object): Written {
  return { mediaType: "application/json", text: JSON.stringify({ serviceResponse: content }) };
}
