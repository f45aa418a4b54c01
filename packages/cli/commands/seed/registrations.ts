/** The API resources, roles and applications of the demo tenant. */
import type { BodyOf } from "#client/client.ts";

type NewApplication = BodyOf<"POST /api/server/v1/applications">;

/** The APIs, with their scopes. */
export const demoApis = [
  { identifier: "https://api.example.com/trips", name: "Trips", scopes: ["trips_view", "trips_plan", "trips_cancel"] },
  { identifier: "https://api.example.com/vehicles", name: "Vehicles", scopes: ["vehicles_view", "vehicles_service"] },
  { identifier: "https://api.example.com/billing", name: "Billing", scopes: ["invoices_view", "invoices_approve"] },
] as const;

/** The roles: their scopes, and the groups that have them. */
export const demoRoles = [
  { name: "Trip planner", scopes: ["trips_view", "trips_plan", "trips_cancel"], groups: ["Dispatch"] },
  { name: "Trip viewer", scopes: ["trips_view"], groups: ["Drivers", "Dispatch"] },
  { name: "Vehicle technician", scopes: ["vehicles_view", "vehicles_service"], groups: ["Workshop"] },
  { name: "Invoice approver", scopes: ["invoices_view", "invoices_approve"], groups: ["Finance", "Heads"] },
  { name: "Help desk", scopes: ["internal_user_mgt_list", "internal_user_mgt_view"], groups: ["People"] },
  { name: "Directory reader", scopes: ["internal_user_mgt_list", "internal_group_mgt_view"], groups: ["Engineering"] },
] as const;

const web = (name: string, host: string): NewApplication => ({
  name,
  description: `${name} in the browser`,
  accessUrl: `https://${host}.example.com`,
  inboundProtocolConfiguration: {
    oidc: {
      grantTypes: ["authorization_code", "refresh_token"],
      callbackURLs: [`https://${host}.example.com/callback`],
      pkce: { mandatory: true, supportPlainTransformAlgorithm: false },
    },
  },
});
const machine = (name: string, description: string): NewApplication => ({
  name,
  description,
  inboundProtocolConfiguration: { oidc: { grantTypes: ["client_credentials"] } },
});
const saml = (name: string, host: string): NewApplication => ({
  name,
  description: `${name}, by SAML`,
  accessUrl: `https://${host}.example.com`,
  inboundProtocolConfiguration: {
    saml: {
      manualConfiguration: {
        issuer: `https://${host}.example.com/saml`,
        assertionConsumerUrls: [`https://${host}.example.com/saml/acs`],
      },
    },
  } as NonNullable<NewApplication["inboundProtocolConfiguration"]>,
});

/** The twelve applications, and the APIs that they call. */
export const demoApplications: readonly (readonly [NewApplication, readonly string[]])[] = [
  [web("Dispatch console", "dispatch"), ["https://api.example.com/trips"]],
  [web("Driver app", "driver"), ["https://api.example.com/trips"]],
  [web("Workshop planner", "workshop"), ["https://api.example.com/vehicles"]],
  [web("Billing portal", "billing"), ["https://api.example.com/billing"]],
  [web("Staff directory", "staff"), []],
  [machine("Nightly billing", "Writes the invoices of a day"), ["https://api.example.com/billing"]],
  [machine("Telemetry", "Reads where vehicles are"), ["https://api.example.com/vehicles"]],
  [machine("Route optimiser", "Plans trips"), ["https://api.example.com/trips", "https://api.example.com/vehicles"]],
  [saml("Travel expenses", "expenses"), []],
  [saml("Learning", "learning"), []],
  [
    {
      name: "Time sheets",
      description: "Time sheets, by WS-Federation",
      inboundProtocolConfiguration: {
        passiveSts: { realm: "https://time.example.com", replyTo: "https://time.example.com/reply" },
      },
    },
    [],
  ],
  [{ name: "Intranet", description: "A bookmark", accessUrl: "https://intranet.example.com" }, []],
];
