/** Methods of authentication, as requests (`wauth`) and tokens name them. Pure. */
import { answeredClass, classOf, FACTORS, PASSWORD, UNSPECIFIED } from "../saml/contexts.ts";

const OF_11 = "urn:oasis:names:tc:SAML:1.0:am:";
const OF_20 = "urn:oasis:names:tc:SAML:2.0:ac:classes:";
/** Libraries of Microsoft call more than one factor so. */
const SEVERAL = "http://schemas.microsoft.com/claims/multipleauthn";

/** The methods that requests can ask for, and the class of sign-in that each of them is. */
export const methodsOfRequests: ReadonlyMap<string, string> = new Map([
  [`${OF_11}unspecified`, UNSPECIFIED],
  [`${OF_11}password`, PASSWORD],
  ["http://schemas.microsoft.com/ws/2008/06/identity/authenticationmethod/password", PASSWORD],
  [`${OF_20}Password`, PASSWORD],
  [PASSWORD, PASSWORD],
  [SEVERAL, FACTORS],
  [FACTORS, FACTORS],
]);

/** The methods of tokens of SAML 1.1 (SAML Core 1.1 section 7.1) by the classes of SAML 2.0. */
const methodsOf11: ReadonlyMap<string, string> = new Map([
  [UNSPECIFIED, `${OF_11}unspecified`],
  [PASSWORD, `${OF_11}password`],
  [FACTORS, SEVERAL],
]);

/** Whether a request can only be answered for somebody with a second factor. */
export function needsFactors(method: string | undefined): boolean {
  return method !== undefined && methodsOfRequests.get(method) === FACTORS;
}

/**
 * What a token says about how somebody has signed in: the method of the request, where that was proven or more;
 * `undefined` where less was.
 */
export function provenMethod(
  { method, version }: { readonly method?: string | undefined; readonly version: "1.1" | "2.0" },
  methods: readonly string[] | undefined,
): string | undefined {
  const own = classOf(methods);
  if (method === undefined) return version === "1.1" ? methodsOf11.get(own) : own;
  const asked = methodsOfRequests.get(method) ?? "";
  return answeredClass({ comparison: "exact", classes: [asked] }, own) && method;
}
