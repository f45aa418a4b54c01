/**
 * The event profiles: which events a webhook can subscribe to, by channel (decision 0088). `WSO2` has the channels and
 * events of WSO2 Identity Server; `Changes` has every change of a resource. Data only.
 */
import { type ResourceType, resourceTypes } from "../../database/changes/model.ts";

/** One kind of event. */
export interface EventKind {
  readonly name: string;
  readonly description: string;
  readonly uri: string;
}

/** Events that are subscribed to together. */
export interface Channel {
  readonly name: string;
  readonly description: string;
  readonly uri: string;
  readonly events: readonly EventKind[];
}

/** A family of channels with one form of payloads. */
export interface EventProfile {
  readonly name: string;
  readonly uri: string;
  readonly channels: readonly Channel[];
}

const WSO2_URI = "https://schemas.identity.wso2.org/events";
const CHANGES_URI = "urn:identity-admin-api:events";

/** Events by channel: name and description of each. */
type Events = readonly (readonly [name: string, description: string])[];

const sent: Readonly<Record<string, readonly [name: string, description: string, events: Events]>> = {
  user: [
    "User Account Management",
    "Changes of user accounts",
    [
      ["userCreated", "A user was created"],
      ["userDeleted", "A user was deleted"],
      ["userProfileUpdated", "Attributes of a user were changed"],
      ["userAccountLocked", "An account was locked"],
      ["userAccountUnlocked", "An account was unlocked"],
      ["userEnabled", "An account was enabled"],
      ["userDisabled", "An account was disabled"],
    ],
  ],
  credential: ["Credential Change", "Changes of passwords", [["credentialUpdated", "The password of a user was set"]]],
  role: [
    "Role Management",
    "Changes of roles",
    [
      ["roleCreated", "A role was created"],
      ["roleMetaUpdated", "The name of a role was changed"],
      ["roleDeleted", "A role was deleted"],
      ["roleUsersUpdated", "The users of a role were changed"],
      ["roleGroupsUpdated", "The groups of a role were changed"],
      ["rolePermissionsUpdated", "The permissions of a role were changed"],
    ],
  ],
};

/** Channels of Identity Server that a webhook may subscribe to, although nothing of this service is sent there. */
const silent: typeof sent = {
  login: [
    "Logins",
    "Sign-ins",
    [
      ["loginSuccess", "A user signed in"],
      ["loginFailed", "A sign-in failed"],
    ],
  ],
  session: [
    "Sessions",
    "Sessions of users",
    [
      ["sessionEstablished", "A session began"],
      ["sessionPresented", "A session was used"],
      ["sessionRevoked", "A session was ended"],
    ],
  ],
  token: [
    "Tokens",
    "Access tokens",
    [
      ["accessTokenIssued", "An access token was issued"],
      ["accessTokenRevoked", "An access token was revoked"],
    ],
  ],
  registration: [
    "Registrations",
    "Registrations of users by themselves",
    [
      ["registrationSuccess", "A user registered"],
      ["registrationFailed", "A registration failed"],
    ],
  ],
  consent: [
    "Consents",
    "Consents of users",
    [
      ["consentAdded", "A consent was given"],
      ["consentRevoked", "A consent was taken back"],
    ],
  ],
  "consent-purpose": ["Purposes of Consents", "Purposes", [["purposeVersionAdded", "A purpose has a new version"]]],
  verification: ["Verification", "Verification of subscriptions", []],
};

/** The kinds of resources as people read them. */
const titles: Readonly<Record<ResourceType, string>> = {
  application: "Applications",
  "inbound-protocol": "Inbound Protocols",
  "authorized-apis": "Authorized APIs",
  assignments: "Assignments",
  "application-template": "Application Templates",
  "resident-application": "Resident Application",
  "api-resource": "API Resources",
  "oidc-scopes": "Scopes of OpenID Connect",
  user: "Users",
  group: "Groups",
  role: "Roles",
  tenant: "Tenants",
  webhook: "Webhooks",
  "event-stream": "Streams of Security Events",
};

/** All profiles. */
export const profiles: readonly EventProfile[] = [
  {
    name: "WSO2",
    uri: WSO2_URI,
    channels: [
      ...Object.entries(sent).map(([name, [title, description, events]]) =>
        wso2Channel(name, title, description, events),
      ),
      ...Object.entries(silent).map(([name, [title, description, events]]) =>
        wso2Channel(name, title, `${description}. Accepted; this service sends none of them`, events),
      ),
    ],
  },
  {
    name: "Changes",
    uri: CHANGES_URI,
    channels: resourceTypes.map((type) =>
      channel(CHANGES_URI, type, titles[type], `Every change of ${titles[type].toLowerCase()}, without its values`, [
        ["created", "The resource was created"],
        ["updated", "The resource was changed"],
        ["deleted", "The resource was deleted"],
      ]),
    ),
  },
];

/** The profile with a name; `undefined` where there is none. */
export function profileNamed(name: string): EventProfile | undefined {
  return profiles.find((profile) => profile.name === name);
}

/** The URI of a channel of `WSO2`. */
export function wso2ChannelUri(name: string): string {
  return `${WSO2_URI}/${name}`;
}

/** The URI of the channel of `Changes` for a kind of resource. */
export function changesChannelUri(type: ResourceType): string {
  return `${CHANGES_URI}/${type}`;
}

/** The types of resources whose values the events of a channel show. */
export function typesOfChannel(uri: string): readonly ResourceType[] {
  const type = resourceTypes.find((one) => uri === changesChannelUri(one) || uri === wso2ChannelUri(one));
  return type === undefined ? [] : [type];
}

/** The URI of an event of a channel. */
export function eventUri(channelUri: string, event: string): string {
  return `${channelUri}/event-type/${event}`;
}

function wso2Channel(name: string, title: string, description: string, events: Events): Channel {
  return channel(WSO2_URI, name, title, description, events);
}

function channel(base: string, name: string, title: string, description: string, events: Events): Channel {
  const uri = `${base}/${name}`;
  return {
    name: title,
    description,
    uri,
    events: events.map(([event, about]) => ({ name: event, description: about, uri: eventUri(uri, event) })),
  };
}
