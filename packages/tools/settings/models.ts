/** The models of an application's settings, with their leaves as the API takes them, and the rows of the table. */

import { CustomBody, OidcBody, PassiveStsBody, SamlBody, WsTrustBody } from "#core/applications/protocols/shapes.ts";
import { NewApplicationBody } from "#core/applications/registry/shapes.ts";
import { insidesOf, type Known } from "#core/http/known-members.ts";
import { applicationRows } from "./application.ts";
import { customRows, oidcRows, passiveStsRows, samlRows, wsTrustRows } from "./protocols.ts";
import type { Rows } from "./row.ts";

/** One model: where its rows are, and where its settings are in the body of a new application. */
export interface Model {
  readonly title: string;
  /** The file with the rows. */
  readonly file: string;
  readonly rows: Rows;
  /** The paths of all leaves that the API takes, in the order of the contract. */
  readonly leaves: readonly string[];
}

const PROTOCOLS = "inboundProtocolConfiguration";
const application = "packages/tools/settings/application.ts";
const protocols = "packages/tools/settings/protocols.ts";

const model = (title: string, file: string, rows: Rows, shape: Known): Model => ({
  title,
  file,
  rows,
  leaves: leavesOf(shape).filter((leaf) => !leaf.startsWith(`${PROTOCOLS}.`)),
});

/** All models. */
export const models: readonly Model[] = [
  model("Application", application, applicationRows, NewApplicationBody),
  model("OAuth2 and OpenID Connect", protocols, oidcRows, OidcBody),
  model("SAML2", protocols, samlRows, SamlBody),
  model("Passive STS", protocols, passiveStsRows, PassiveStsBody),
  model("WS-Trust", protocols, wsTrustRows, WsTrustBody),
  model("Custom protocols", protocols, customRows, CustomBody),
];

/** The paths of the values in a shape that have no members; `[]` marks the elements of a list of objects. */
function leavesOf(shape: Known, at = ""): readonly string[] {
  return insidesOf(shape).flatMap(({ members, elements }) => {
    const parts = elements ? [[`${at}[]`, elements] as const] : Object.entries(members ?? {}).map(under(at));
    return parts.flatMap(([path, part]) => {
      const inside = leavesOf(part, path);
      return inside.length > 0 ? inside : [path.replace(/\[\]$/, "")];
    });
  });
}

function under(at: string) {
  return ([name, member]: readonly [string, Known]) => [at === "" ? name : `${at}.${name}`, member] as const;
}
