/**
 * The operations on sessions and consents, as in WSO2's Session Management API and OAuth2 Authorized Apps API (decision
 * 0116). Those below `/me` are for the calling user, the others for administrators.
 */
import { endpointsOf } from "../../kernel/operation/endpoints.ts";
import { operation, SIGNED_IN } from "../../kernel/operation/operation.ts";
import * as z from "../../kernel/zod.ts";

/** An application that a user is signed in to in a session. */
const SessionApplication = z
  .object({
    id: z.string().meta({ description: "The id of the application" }),
    subject: z.string().meta({ description: "The subject that the application knows the user by" }),
    appName: z.string().meta({ description: "The name of the application" }),
    appId: z.string().meta({ description: "The id of the application" }),
  })
  .meta({ id: "SessionApplication" });

/** A session in a browser. */
const SessionShown = z
  .object({
    id: z.string().meta({ description: "The id of the session; applications know it as `sid`" }),
    applications: z.array(SessionApplication).meta({ description: "The applications that the user is signed in to" }),
    userAgent: z.string().meta({ description: "The browser, as it names itself" }),
    ip: z.string().meta({ description: "The address from which the user last entered the password" }),
    loginTime: z.string().meta({ description: "When that was, in milliseconds since 1970" }),
    lastAccessTime: z.string().meta({ description: "The last use, in milliseconds since 1970, to a minute" }),
  })
  .meta({ id: "Session" });

/** The sessions of a user. */
export const SessionList = z
  .object({
    userId: z.string().meta({ description: "The id of the user" }),
    sessions: z.array(SessionShown).meta({ description: "The one that was used last comes first; at most some 50" }),
  })
  .meta({ id: "Sessions" });

/** An application that a user has given access to. */
export const AuthorizedApp = z
  .object({
    id: z.string().meta({ description: "The id of the application" }),
    name: z.string().meta({ description: "The name of the application" }),
    clientId: z.string().meta({ description: "The OAuth client id of the application; empty without one" }),
    approvedScopes: z.array(z.string()).meta({ description: "The scopes that the user has agreed to" }),
  })
  .meta({ id: "AuthorizedApp" });

const Id = z.string().min(1).max(255);
const OfUser = z.object({ userId: Id.meta({ description: "The id of a user" }) });
const sessionId = Id.meta({ description: "The id of a session" });
const applicationId = Id.meta({ description: "The id of an application" });

const scopes = { own: SIGNED_IN, view: "internal_session_view", delete: "internal_session_delete" } as const;
const at = endpointsOf("sessions", "/api/users/v1", scopes, "decision 0116");

const sessions = { status: 200, body: SessionList } as const;
const apps = { status: 200, body: z.array(AuthorizedApp) } as const;
const done = { status: 204 } as const;

export const sessionOperations = {
  listMySessions: operation({
    ...at("GET", "/me/sessions", "own"),
    does: ["read own session"],
    reaches: ["read session"],
    summary: "List the sessions of the calling user",
    success: sessions,
    failures: [],
  }),
  endMySessions: operation({
    ...at("DELETE", "/me/sessions", "own"),
    does: ["delete own session"],
    reaches: ["delete session"],
    summary: "End all sessions of the calling user",
    success: done,
    failures: [],
  }),
  endMySession: operation({
    ...at("DELETE", "/me/sessions/{sessionId}", "own"),
    does: ["delete own session"],
    reaches: ["delete session"],
    summary: "End a session of the calling user",
    params: z.object({ sessionId }),
    success: done,
    failures: [404],
  }),
  listUserSessions: operation({
    ...at("GET", "/{userId}/sessions", "view"),
    summary: "List the sessions of a user",
    params: OfUser,
    success: sessions,
    failures: [404],
  }),
  endUserSessions: operation({
    ...at("DELETE", "/{userId}/sessions", "delete"),
    summary: "End all sessions of a user",
    params: OfUser,
    success: done,
    failures: [404],
  }),
  endUserSession: operation({
    ...at("DELETE", "/{userId}/sessions/{sessionId}", "delete"),
    summary: "End a session of a user",
    params: OfUser.extend({ sessionId }),
    success: done,
    failures: [404],
  }),
  listMyAuthorizedApps: operation({
    ...at("GET", "/me/authorized-apps", "own"),
    does: ["read own session"],
    reaches: ["read session"],
    summary: "List the applications that the calling user has given access to",
    success: apps,
    failures: [],
  }),
  revokeMyAuthorizedApps: operation({
    ...at("DELETE", "/me/authorized-apps", "own"),
    does: ["delete own session"],
    reaches: ["delete session"],
    summary: "Take the access of all applications back, and end their tokens for the calling user",
    success: done,
    failures: [],
  }),
  revokeMyAuthorizedApp: operation({
    ...at("DELETE", "/me/authorized-apps/{applicationId}", "own"),
    does: ["delete own session"],
    reaches: ["delete session"],
    summary: "Take the access of an application back, and end its tokens for the calling user",
    params: z.object({ applicationId }),
    success: done,
    failures: [404],
  }),
  listUserAuthorizedApps: operation({
    ...at("GET", "/{userId}/authorized-apps", "view"),
    summary: "List the applications that a user has given access to",
    params: OfUser,
    success: apps,
    failures: [404],
  }),
  revokeUserAuthorizedApps: operation({
    ...at("DELETE", "/{userId}/authorized-apps", "delete"),
    summary: "Take the access of all applications to a user back, and end their tokens for the user",
    params: OfUser,
    success: done,
    failures: [404],
  }),
  revokeUserAuthorizedApp: operation({
    ...at("DELETE", "/{userId}/authorized-apps/{applicationId}", "delete"),
    summary: "Take the access of an application to a user back, and end its tokens for the user",
    params: OfUser.extend({ applicationId }),
    success: done,
    failures: [404],
  }),
} as const;
