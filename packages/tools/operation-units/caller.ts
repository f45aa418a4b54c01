/**
 * Calls operations of a running service by their ids, and reads from the request log what each call cost in the table.
 */
import { type OperationId, operations } from "#core/service/catalogue.ts";
import { administrator, basic, costOf, heard, isAuthorizer } from "#tools/bench/calls.ts";

/** What is sent to an operation. */
export interface Sent {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
  /** Sent as `application/x-www-form-urlencoded` in place of a body. */
  readonly form?: Readonly<Record<string, string>>;
  /** Uploaded as the part `file` in place of a body. */
  readonly file?: string;
  /** The credential, where it is not the administrator's. */
  readonly as?: { readonly username: string; readonly password: string };
}

/** What one call cost in the table. Units are DynamoDB's capacity units. */
export interface Units {
  readonly roundTrips: number;
  readonly readUnits: number;
  readonly writeUnits: number;
}

/** A response as the fixture and the measured calls use it. */
export interface Received {
  readonly status: number;
  /** The last segment of `Location`; empty where there is none. */
  readonly id: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly units: Units;
}

/**
 * Calls an operation. Throws for another status than that of its success, or of its failure for an operation that
 * always fails.
 */
export type Caller = (id: OperationId, sent?: Sent) => Promise<Received>;

/**
 * Operations whose only response is a failure, one without a failed delivery to repeat, and those that need a browser
 * in which somebody signs in.
 */
export const ALWAYS: Readonly<Partial<Record<OperationId, number>>> = {
  createMe: 501,
  deleteScim1Me: 404,
  retryWebhook: 400,
  signIn: 400,
  enterCode: 400,
  setUpCodes: 400,
  goOnWithCodes: 400,
  usePasskey: 400,
  createPasskey: 400,
  enterMailedCode: 400,
  showMailedLink: 400,
  useMailedLink: 400,
  choosePassword: 400,
  showResetPassword: 400,
  resetForgottenPassword: 400,
  showVerifyAddress: 400,
  verifyAddress: 400,
  showRegistration: 400,
  completeRegistration: 400,
  resendCode: 404,
  confirmPasswordRecovery: 406,
  resetPassword: 406,
  signLogoutToken: 400,
  endMySession: 404,
  endUserSession: 404,
  revokeMyAuthorizedApp: 404,
  revokeUserAuthorizedApp: 404,
  giveConsent: 400,
  signOut: 400,
  sendAnswer: 400,
  takeSsoRequest: 400,
  takeSsoSignOut: 400,
  resolveSamlArtifact: 400,
  querySamlAssertions: 400,
  continueSamlLogout: 400,
  signSamlLogoutRequest: 400,
  sendSamlResponse: 400,
  sendPassiveStsToken: 400,
  sendCasTicket: 400,
  getUserInfo: 401,
  getUserInfoByPost: 401,
};

/** The path of an operation with these parameters. Throws an `Error` where one is missing. */
export const pathOf = (template: string, params: Sent["params"] = {}): string =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined) throw new Error(`${template} needs ${name}`);
    return encodeURIComponent(value);
  });

/** The body of a request, and its media type where the caller has to name it. */
export const payloadOf = ({ body, form, file }: Sent): { body?: string | FormData; type?: string } => {
  if (form) return { body: new URLSearchParams(form).toString(), type: "application/x-www-form-urlencoded" };
  if (file !== undefined) {
    const upload = new FormData();
    upload.set("file", new Blob([file]), "application.xml");
    return { body: upload };
  }
  return body === undefined ? {} : { body: JSON.stringify(body), type: "application/json" };
};

/** A caller of the service at this address. The request log is read and not printed. */
export const callerOf =
  (url: string): Caller =>
  async (id, sent = {}) => {
    const { method = "", path = "", success } = operations[id] ?? {};
    const { username, password } = sent.as ?? administrator;
    const { body, type } = payloadOf(sent);
    const address = `${url}${pathOf(path, sent.params)}${sent.query ? `?${sent.query}` : ""}`;
    const { result, lines } = await heard(async () => {
      const response = await fetch(address, {
        method,
        headers: {
          authorization: basic(username, password),
          ...(type && { "content-type": type }),
        },
        ...(body !== undefined && { body }),
      });
      return { response, text: await response.text() };
    });
    const { response, text } = result;
    const { status } = response;
    if (status !== (ALWAYS[id] ?? success?.status)) throw new Error(`${id} returned ${status}: ${text}`);
    const isJson = /json/.test(response.headers.get("content-type") ?? "");
    const { roundTrips, readUnits, writeUnits } = costOf(lines.find((line) => !isAuthorizer(line)));
    return {
      status,
      id: response.headers.get("location")?.split("/").at(-1) ?? "",
      body: text && isJson ? JSON.parse(text) : {},
      units: { roundTrips, readUnits, writeUnits },
    };
  };
