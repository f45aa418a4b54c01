/** The shapes of sessions and consents, as in WSO2's Session Management API and OAuth2 Authorized Apps API. */
import * as z from "../platform/zod.ts";

/** An application that a user is signed in to in a session. */
export const SessionApplication = z
  .object({
    id: z.string().meta({ description: "The id of the application" }),
    subject: z.string().meta({ description: "The subject that the application knows the user by" }),
    appName: z.string().meta({ description: "The name of the application" }),
    appId: z.string().meta({ description: "The id of the application" }),
  })
  .meta({ id: "SessionApplication" });

/** A session in a browser. */
export const SessionShown = z
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
