/**
 * The method by which a client authenticates: validation of a body, settings, and their representation (RFC 7523, RFC
 * 8705; decision 0077). Pure.
 */
import type * as z from "zod";
import { canonicalName } from "../../kernel/distinguished-name.ts";
import { Fault } from "../../kernel/faults.ts";
import { checkTogether } from "../../kernel/together.ts";
import { assertionAlgorithms } from "../../tokens/assertion-algorithms.ts";
import type { OidcClient } from "./model.ts";
import { clientAuthenticationMethods, RS256_ALIAS } from "./options.ts";
import type { OidcBody } from "./shapes.ts";

type Body = z.output<typeof OidcBody>;
type Settings = NonNullable<OidcClient["clientAuthentication"]>;

const FIELD = "clientAuthentication";

/** The name in JOSE of an algorithm, which may have the name of WSO2 Identity Server. */
export function joseAlgorithm(name: string): string {
  return name === RS256_ALIAS ? "RS256" : name;
}

/**
 * Checks the settings of a body. A setting for another method than the one that is named would have no effect, so that
 * a client would be less protected than it seems. Throws `client.invalid`, which names the field.
 */
export function checkClientAuthentication({ clientAuthentication: given, publicClient }: Body): void {
  const { tokenEndpointAuthMethod: method = "", tokenEndpointAuthSigningAlg: algorithm = "" } = given ?? {};
  const name = given?.tlsClientAuthSubjectDn ?? "";
  const methods: readonly string[] = clientAuthenticationMethods.map((one) => one.name);
  checkTogether(
    () => {
      if (method === "") return;
      if (!methods.includes(method)) {
        throw refuse(
          "tokenEndpointAuthMethod",
          `'${method.slice(0, 200)}' is not supported. Use one of ${methods.join(", ")}.`,
        );
      }
      if (publicClient === (method === "none")) return;
      if (publicClient === true) throw refuse("tokenEndpointAuthMethod", "must be none or absent for a public client.");
      if (method === "none") throw refuse("tokenEndpointAuthMethod", "can be none for a public client only.");
    },
    () => {
      if (algorithm === "") return;
      if (method !== "private_key_jwt") throw only("tokenEndpointAuthSigningAlg", "private_key_jwt");
      if ((assertionAlgorithms as readonly string[]).includes(joseAlgorithm(algorithm))) return;
      const known = assertionAlgorithms.join(", ");
      throw refuse(
        "tokenEndpointAuthSigningAlg",
        `'${algorithm.slice(0, 200)}' is not supported. Use one of ${known}.`,
      );
    },
    () => {
      if (given?.tokenEndpointAllowReusePvtKeyJwt !== true || method === "private_key_jwt") return;
      throw only("tokenEndpointAllowReusePvtKeyJwt", "private_key_jwt");
    },
    () => {
      if (name === "") return;
      if (method !== "tls_client_auth") throw only("tlsClientAuthSubjectDn", "tls_client_auth");
      if (canonicalName(name) !== undefined) return;
      throw refuse(
        "tlsClientAuthSubjectDn",
        "must be a distinguished name of RFC 4514, such as CN=client,O=Example\\, Inc.,C=GB, without hexadecimal values.",
      );
    },
  );
}

/** The settings after a checked body; `undefined` where it names no method. */
export function clientAuthenticationOf({ clientAuthentication: given = {} }: Body): Settings | undefined {
  const {
    tokenEndpointAuthMethod: method,
    tokenEndpointAuthSigningAlg: algorithm,
    tlsClientAuthSubjectDn: name,
  } = given;
  if (!method) return undefined;
  return {
    tokenEndpointAuthMethod: method,
    ...(algorithm && { tokenEndpointAuthSigningAlg: algorithm }),
    tokenEndpointAllowReusePvtKeyJwt: given.tokenEndpointAllowReusePvtKeyJwt ?? false,
    ...(name && { tlsClientAuthSubjectDn: name }),
  };
}

/** The settings in a response. */
export function presentClientAuthentication(settings: OidcClient["clientAuthentication"]): Settings {
  return settings ?? { tokenEndpointAllowReusePvtKeyJwt: false };
}

function only(field: string, method: string): Fault {
  return refuse(
    field,
    `has an effect with the tokenEndpointAuthMethod ${method} only. Leave it out, or set that method.`,
  );
}

function refuse(field: string, problem: string): Fault {
  return new Fault("client.invalid", `${FIELD}.${field} ${problem}`);
}
